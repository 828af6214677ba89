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
	"github.com/carousel-sim/carousel/traces/packetlist"
)

// listed is a source in memory.
type listed struct {
	list []packet
	at   int
}

func (*listed) Close() error        { return nil }
func (*listed) head() (Head, error) { return Head{}, nil }

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

// packetOf is a packet that waits for those with numbers after.
func packetOf(number uint64, cycle noc.Cycle, src, dst, phits int, after ...uint64) packet {
	return packet{Packet: packetlist.Packet{Number: number, Cycle: uint64(cycle), Source: uint32(src), Destinations: []uint64{uint64(dst)}, Phits: uint32(phits), DependsOn: after}}
}

// before makes packets wait for one.
func (p packet) before(dependants ...uint64) packet {
	p.dependants = dependants
	return p
}

// graph makes packets in order of cycles, most of which wait for up to three earlier ones. Either
// these say so, or the earlier ones do.
func graph(seed uint64, n int, forward bool) []packet {
	r := rand.New(rand.NewPCG(seed, 1))
	list, cycle := make([]packet, n), noc.Cycle(0)
	for i := range list {
		cycle += noc.Cycle(r.IntN(4) * r.IntN(40) / 30)
		list[i] = packetOf(uint64(1000+i*3), cycle, r.IntN(64), r.IntN(64), 1+4*r.IntN(2))
		list[i].Class = uint8(r.IntN(2))
		for range r.IntN(4) {
			if i > 0 {
				before := &list[max(0, i-1-r.IntN(60))]
				if forward {
					before.dependants = append(before.dependants, list[i].Number)
				} else {
					list[i].DependsOn = append(list[i].DependsOn, before.Number)
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
			w.ids = func(tag noc.Tag) uint64 { return s.packets.At(tag).number }
			must.Get(s.run(context.Background(), func() {}))
			ready, waited, delay, last := map[uint64]noc.Cycle{}, uint64(0), uint64(0), noc.Cycle(0)
			sum := uint64(0)
			for _, p := range list {
				for _, b := range p.DependsOn {
					ready[p.Number] = max(ready[p.Number], w.arrived[b])
				}
				ready[p.Number] = max(ready[p.Number], noc.Cycle(p.Cycle))
				for _, d := range p.dependants {
					ready[d] = max(ready[d], w.arrived[p.Number])
				}
				if late := ready[p.Number] - noc.Cycle(p.Cycle); late > 0 {
					waited++
					delay += uint64(late)
				}
				if w.offered[p.Number] < ready[p.Number] || w.arrived[p.Number] <= w.offered[p.Number] {
					t.Fatalf("%s: packet %d is ready at %d, offered at %d and arrives at %d", router, p.Number, ready[p.Number], w.offered[p.Number], w.arrived[p.Number])
				}
				sum += uint64(w.arrived[p.Number] - ready[p.Number])
				last = max(last, w.arrived[p.Number])
			}
			r := &s.result
			count, latencies := r.Latencies.All(traffic.Unicast).Total()
			if r.GeneratedPackets != 3000 || count != 3000 || latencies != sum || r.waited != waited || r.delay != delay || r.Cycles != last || waited == 0 ||
				uint64(r.recorded) != list[2999].Cycle || len(s.waits)+len(s.held)+len(s.alive) != 0 {
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
	list := []packet{packetOf(1, 5, 0, 1, 1).before(2, 3), packetOf(2, 6, 1, 0, 5), packetOf(3, 500, 1, 2, 1)}
	s, err := replay(t, "ideal", list)
	if err != nil || s.GeneratedPackets != 3 || s.phits != 7 || s.waited != 1 || s.Cycles <= 500 || s.Cycles > 520 {
		t.Errorf("%v, %+v", err, s)
	}
	for says, list := range map[string][]packet{
		"1 packets wait for packets": {packetOf(1, 0, 0, 1, 1).before(1)},
		"two packets have number 4":  {packetOf(1, 0, 0, 40, 5).before(4), packetOf(4, 0, 0, 1, 1), packetOf(4, 0, 0, 1, 1)},
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
		list := []packet{packetOf(1, 0, 0, 1, 1), packetOf(2, far, 3, 9, 1)}
		s, err := replay(t, m.Name, list)
		if err != nil || s.GeneratedPackets != 2 || s.Cycles <= far || s.Cycles > far+1000 {
			t.Fatalf("%s: %v, %+v", m.Name, err, s)
		}
	}
}

// TestPacketsMulticast: a packet to several nodes has arrived when the last of them has it.
func TestPacketsMulticast(t *testing.T) {
	list := []packet{packetOf(1, 0, 0, 1, 3), packetOf(2, 0, 9, 0, 1, 1)}
	list[0].Destinations = []uint64{1, 9, 36}
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

func (*endless) Close() error        { return nil }
func (*endless) head() (Head, error) { return Head{}, nil }

func (e *endless) Next() (*packet, error) {
	if e.next++; e.next > e.left {
		return nil, io.EOF
	}
	p := packetOf(e.next, noc.Cycle(e.next/4), int(e.next*7%64), int(e.next*13%64), 2)
	if e.next > 100 {
		p.DependsOn = []uint64{e.next - 1 - e.next*31%100}
	}
	return &p, nil
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
	list := []packet{packetOf(1, 0, 0, 5, 1), packetOf(2, 0, 0, 5, 1), packetOf(3, 1_000_000, 0, 6, 1)}
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
