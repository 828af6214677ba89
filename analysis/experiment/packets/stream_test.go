package packets

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/noc/traffic"
)

// listed is a source in memory.
type listed struct {
	list []packet
	at   int
}

func (*listed) Close() error { return nil }

func (l *listed) Next() (*packet, error) {
	if l.at == len(l.list) {
		return nil, io.EOF
	}
	l.at++
	p := l.list[l.at-1]
	return &p, nil
}

// watched notes when packets are offered for the first time, and when they arrive, by tag.
type watched struct {
	noc.Network
	ids              func(noc.Tag) uint64
	offered, arrived map[uint64]noc.Cycle
}

func (w *watched) Offer(p noc.Packet) bool {
	id := w.ids(p.Tag)
	if _, again := w.offered[id]; !again {
		w.offered[id] = w.Now()
	}
	return w.Network.Offer(p)
}

func (w *watched) Deliveries() []noc.Delivery {
	all := w.Network.Deliveries()
	for i := range all {
		w.arrived[w.ids(all[i].Tag)] = all[i].Arrived
	}
	return all
}

func networkOf(t *testing.T, router string) noc.Network {
	t.Helper()
	m := must.Get(models.Lookup(router))
	o := models.DefaultOptions()
	o.Classes = 2
	n := must.Get(m.Build(o))
	return n
}

// graph makes packets in order of cycles, most of which wait for up to three earlier ones. Either
// these say so, or the earlier ones do.
func graph(seed uint64, n int, forward bool) []packet {
	r := rand.New(rand.NewPCG(seed, 1))
	list, cycle := make([]packet, n), noc.Cycle(0)
	for i := range list {
		cycle += noc.Cycle(r.IntN(4) * r.IntN(40) / 30)
		list[i] = packet{ID: uint64(1000 + i*3), Cycle: cycle, Src: noc.NodeID(r.IntN(64)), Dst: noc.One(noc.NodeID(r.IntN(64))),
			Phits: uint16(1 + 4*r.IntN(2)), Class: noc.Class(r.IntN(2))}
		for range r.IntN(4) {
			if i > 0 {
				before := &list[max(0, i-1-r.IntN(60))]
				if forward {
					before.Dependants = append(before.Dependants, list[i].ID)
				} else {
					list[i].After = append(list[i].After, before.ID)
				}
			}
		}
	}
	return list
}

// TestPackets: every packet is offered in its cycle, or when the last of those that it waits for
// has arrived, whichever side says so.
func TestPackets(t *testing.T) {
	for _, router := range []string{"ideal", "base", "mrr"} {
		var digests []uint64
		for _, forward := range []bool{true, false} {
			list := graph(7, 3000, forward)
			w := &watched{Network: networkOf(t, router), offered: map[uint64]noc.Cycle{}, arrived: map[uint64]noc.Cycle{}}
			s := newStream(w, &listed{list: list}, 2, "")
			w.ids = func(tag noc.Tag) uint64 { return s.packets.At(tag).ID }
			must.Get(s.run(context.Background(), func() {}))
			ready, waited, delay, last := map[uint64]noc.Cycle{}, uint64(0), uint64(0), noc.Cycle(0)
			sum := uint64(0)
			for _, p := range list {
				for _, b := range p.After {
					ready[p.ID] = max(ready[p.ID], w.arrived[b])
				}
				ready[p.ID] = max(ready[p.ID], p.Cycle)
				for _, d := range p.Dependants {
					ready[d] = max(ready[d], w.arrived[p.ID])
				}
				if ready[p.ID] > p.Cycle {
					waited++
					delay += uint64(ready[p.ID] - p.Cycle)
				}
				if w.offered[p.ID] < ready[p.ID] || w.arrived[p.ID] <= w.offered[p.ID] {
					t.Fatalf("%s: packet %d is ready at %d, offered at %d and arrives at %d", router, p.ID, ready[p.ID], w.offered[p.ID], w.arrived[p.ID])
				}
				sum += uint64(w.arrived[p.ID] - ready[p.ID])
				last = max(last, w.arrived[p.ID])
			}
			r := &s.result
			count, latencies := r.Latencies.All(traffic.Unicast).Total()
			if r.GeneratedPackets != 3000 || count != 3000 || latencies != sum || r.waited != waited || r.delay != delay || r.Cycles != last || waited == 0 ||
				r.recorded != list[2999].Cycle || len(s.waits)+len(s.held)+len(s.alive) != 0 {
				t.Errorf("%s: %+v; want %d waiting for %d cycles, latency %d, the last at %d", router, r, waited, delay, sum, last)
			}
			digests = append(digests, r.Digest)
		}
		if digests[0] != digests[1] {
			t.Errorf("%s: digests %x", router, digests)
		}
	}
}

// replay runs some packets.
func replay(t *testing.T, router string, list []packet) (*replayed, error) {
	return newStream(networkOf(t, router), &listed{list: list}, 2, "").run(context.Background(), func() {})
}

// TestPacketsByHand: a packet waits for its cycle or for an arrival, and mistakes are told.
func TestPacketsByHand(t *testing.T) {
	list := []packet{{ID: 1, Cycle: 5, Src: 0, Dst: noc.One(1), Phits: 1, Dependants: []uint64{2, 3}}, {ID: 2, Cycle: 6, Src: 1, Dst: noc.One(0), Phits: 5},
		{ID: 3, Cycle: 500, Src: 1, Dst: noc.One(2), Phits: 1}}
	s, err := replay(t, "ideal", list)
	if err != nil || s.GeneratedPackets != 3 || s.phits != 7 || s.waited != 1 || s.Cycles <= 500 || s.Cycles > 520 {
		t.Errorf("%v, %+v", err, s)
	}
	for says, list := range map[string][]packet{
		"1 packets wait for packets": {{ID: 1, Phits: 1, Dst: noc.One(1), Dependants: []uint64{1}}},
		"two packets have number 4":  {{ID: 1, Phits: 5, Dst: noc.One(40), Dependants: []uint64{4}}, {ID: 4, Phits: 1, Dst: noc.One(1)}, {ID: 4, Phits: 1, Dst: noc.One(1)}},
	} {
		if _, err := replay(t, "ideal", list); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", says, err)
		}
	}
}

// TestDistantPackets: cycles in which nothing is under way are skipped, on every network; one by one they
// would not end.
func TestDistantPackets(t *testing.T) {
	const far = 1_000_000_000_000_000_000
	for _, m := range models.Table() {
		list := []packet{{ID: 1, Dst: noc.One(1), Phits: 1}, {ID: 2, Cycle: far, Src: 3, Dst: noc.One(9), Phits: 1}}
		s, err := replay(t, m.Name, list)
		if err != nil || s.GeneratedPackets != 2 || s.Cycles <= far || s.Cycles > far+1000 {
			t.Fatalf("%s: %v, %+v", m.Name, err, s)
		}
	}
}

// TestPacketsMulticast: a packet to several nodes has arrived when the last of them has it.
func TestPacketsMulticast(t *testing.T) {
	list := []packet{{ID: 1, Dst: noc.SetOf(64, 1, 9, 36), Phits: 3}, {ID: 2, Src: 9, Dst: noc.One(0), Phits: 1, After: []uint64{1}}}
	for _, router := range []string{"base", "base-mc", "mrr"} {
		s, err := replay(t, router, list)
		copies, sum := s.Latencies.All(traffic.Multicast).Total()
		if err != nil || s.GeneratedPackets != 2 || s.DeliveredPackets != 4 || s.DeliveredPhits != 10 || s.phits != 4 || s.CompletedMulticasts != 1 || copies != 3 || s.CompletionSum >= sum || s.waited != 1 || s.delay != s.CompletionSum {
			t.Errorf("%s: %v, %+v", router, err, s)
		}
	}
}

// endless makes packets without end: each waits for one of the last hundred.
type endless struct{ left, next uint64 }

func (*endless) Close() error { return nil }

func (e *endless) Next() (*packet, error) {
	if e.next++; e.next > e.left {
		return nil, io.EOF
	}
	p := &packet{ID: e.next, Cycle: noc.Cycle(e.next / 4), Src: noc.NodeID(e.next * 7 % 64), Dst: noc.One(noc.NodeID(e.next * 13 % 64)), Phits: 2}
	if e.next > 100 {
		p.After = []uint64{e.next - 1 - e.next*31%100}
	}
	return p, nil
}

// TestMemoryOfPackets: what a replay remembers does not grow with the stream.
func TestMemoryOfPackets(t *testing.T) {
	most := func(n uint64) (held int) {
		s := newStream(networkOf(t, "ideal"), &endless{left: n}, 2, "")
		r := must.Get(s.run(context.Background(), func() {
			held = max(held, s.packets.Len()+s.lines.Len()+len(s.waits)+len(s.held)+len(s.alive))
		}))
		if r.GeneratedPackets != n {
			t.Fatalf("%d of %d packets", r.GeneratedPackets, n)
		}
		return held
	}
	if short, long := most(20_000), most(200_000); long > 2*short || short == 0 {
		t.Errorf("%d things are remembered of 20,000 packets, %d of 200,000", short, long)
	}
}

// TestPacketsStuck: packets that a network never takes end in an error, and so does an
// interruption.
func TestPacketsStuck(t *testing.T) {
	n := networkOf(t, "base")
	n.LimitSink(5, 0, 1)
	list := []packet{{ID: 1, Dst: noc.One(5), Phits: 1}, {ID: 2, Dst: noc.One(5), Phits: 1}, {ID: 3, Dst: noc.One(6), Phits: 1, Cycle: 1_000_000}}
	_, err := newStream(n, &listed{list: list}, 2, "").run(context.Background(), func() {})
	if stopped := (*traffic.StandstillError)(nil); !errors.As(err, &stopped) || n.Now() > 20_000 {
		t.Errorf("%v in cycle %d", err, n.Now())
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if _, err := newStream(networkOf(t, "ideal"), &endless{left: 100_000}, 2, "").run(ctx, func() {}); err != context.Canceled {
		t.Error(err)
	}
}
