package traffic

import (
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/models"
)

// listed is a source in memory.
type listed struct {
	list []TracedPacket
	at   int
}

func (l *listed) Next() (*TracedPacket, error) {
	if l.at == len(l.list) {
		return nil, io.EOF
	}
	l.at++
	p := l.list[l.at-1]
	return &p, nil
}

// watched notes when packets are offered for the first time, and when they arrive.
type watched struct {
	noc.Network
	replay           *Replay
	offered, arrived map[uint32]noc.Cycle
}

func (w *watched) Offer(p noc.Packet) bool {
	id := w.replay.packets[p.Tag].ID
	if _, again := w.offered[id]; !again {
		w.offered[id] = w.Now()
	}
	return w.Network.Offer(p)
}

func (w *watched) Deliveries() []noc.Delivery {
	all := w.Network.Deliveries()
	for i := range all {
		w.arrived[w.replay.packets[all[i].Tag].ID] = all[i].Arrived
	}
	return all
}

func networkOf(t *testing.T, router string) noc.Network {
	t.Helper()
	m, err := models.Lookup(router)
	if err != nil {
		t.Fatal(err)
	}
	o := models.DefaultOptions()
	o.Classes = 2
	n, err := m.Build(o)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// graph makes packets in order of cycles, most of which depend on up to three earlier ones.
func graph(seed uint64, n int) []TracedPacket {
	r := rand.New(rand.NewPCG(seed, 1))
	list, cycle := make([]TracedPacket, n), noc.Cycle(0)
	for i := range list {
		cycle += noc.Cycle(r.IntN(4) * r.IntN(40) / 30)
		list[i] = TracedPacket{ID: uint32(1000 + i*3), Cycle: cycle, Src: noc.NodeID(r.IntN(64)), Dst: noc.NodeID(r.IntN(64)),
			Phits: uint16(1 + 4*r.IntN(2)), Class: noc.Class(r.IntN(2))}
		for range r.IntN(4) {
			if i > 0 {
				before := &list[max(0, i-1-r.IntN(60))]
				before.Dependants = append(before.Dependants, list[i].ID)
			}
		}
	}
	return list
}

// TestReplay: every packet is offered in its cycle, or when the last of those that it depends on
// has arrived.
func TestReplay(t *testing.T) {
	for _, router := range []string{"ideal", "base", "mrr"} {
		list := graph(7, 3000)
		w := &watched{Network: networkOf(t, router), offered: map[uint32]noc.Cycle{}, arrived: map[uint32]noc.Cycle{}}
		r := NewReplay(w, &listed{list: list}, 2)
		w.replay = r
		for end := noc.Cycle(100); ; end += 100 {
			done, err := r.Run(end)
			if err != nil {
				t.Fatal(err)
			}
			if done {
				break
			}
			if end > 1e6 {
				t.Fatal("the replay does not end")
			}
		}
		ready, waited, delay, last := map[uint32]noc.Cycle{}, uint64(0), uint64(0), noc.Cycle(0)
		sum := uint64(0)
		for _, p := range list {
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
		s := &r.Result
		count, latencies := s.Latency.All(Unicast).Total()
		if s.Packets != 3000 || count != 3000 || latencies != sum || s.Waited != waited || s.Delay != delay || s.Last != last || waited == 0 ||
			s.Recorded != list[2999].Cycle || len(r.waits)+len(r.held) != 0 {
			t.Errorf("%s: %+v; want %d waiting for %d cycles, latency %d, the last at %d", router, s, waited, delay, sum, last)
		}
	}
}

func TestReplayByHand(t *testing.T) {
	list := []TracedPacket{{ID: 1, Cycle: 5, Src: 0, Dst: 1, Phits: 1, Dependants: []uint32{2, 3}}, {ID: 2, Cycle: 6, Src: 1, Dst: 0, Phits: 5},
		{ID: 3, Cycle: 500, Src: 1, Dst: 2, Phits: 1}}
	r := NewReplay(networkOf(t, "ideal"), &listed{list: list}, 2)
	done, err := r.Run(10000)
	if s := &r.Result; err != nil || !done || s.Packets != 3 || s.Phits != 7 || s.Waited != 1 || s.Last <= 500 || s.Last > 520 {
		t.Errorf("%v, %v, %+v", done, err, s)
	}
	for says, list := range map[string][]TracedPacket{
		"1 packets wait for packets": {{ID: 1, Phits: 1, Dst: 1, Dependants: []uint32{1}}},
		"two packets have number 4":  {{ID: 1, Phits: 5, Dst: 40, Dependants: []uint32{4}}, {ID: 4, Phits: 1, Dst: 1}, {ID: 4, Phits: 1, Dst: 1}},
	} {
		if _, err := NewReplay(networkOf(t, "ideal"), &listed{list: list}, 2).Run(10000); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", says, err)
		}
	}
}
