package stress

import (
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/models"
)

// Every delivery of the network below comes exactly once, at most Most cycles late, and some
// overtake others.
func TestDelayHandsEverythingOverOnce(t *testing.T) {
	const packets, most = 500, 40
	m, err := models.Lookup("ideal")
	if err != nil {
		t.Fatal(err)
	}
	soon, err := m.Build(models.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	below, _ := m.Build(models.DefaultOptions())
	late := NewDelay(below, most, 1)
	arrivals := func(n noc.Network) []noc.Delivery {
		all := make([]noc.Delivery, packets)
		seen := 0
		for sent := 0; sent < packets || n.InFlight() > 0; {
			for _, d := range n.Deliveries() {
				if all[d.Tag].Arrived != 0 || d.Arrived != n.Now() {
					t.Fatalf("in cycle %d comes %+v; before came %+v", n.Now(), d, all[d.Tag])
				}
				all[d.Tag] = d
				seen++
			}
			if sent < packets {
				n.Offer(noc.Packet{Src: 3, Dst: noc.One(noc.NodeID(sent % 3)), Tag: noc.Tag(sent), Phits: 1})
				sent++
			}
			n.Step(n.Now() + 1)
		}
		if seen+len(n.Deliveries()) != packets {
			t.Fatalf("%d of %d packets were delivered", seen, packets)
		}
		return all
	}
	a, b := arrivals(soon), arrivals(late)
	overtakes := 0
	for i := range a {
		if a[i].Arrived == 0 || b[i].Arrived == 0 {
			continue // the last ones, counted above
		}
		if by := b[i].Arrived - a[i].Arrived; by > most {
			t.Errorf("packet %d is due in cycle %d and comes in cycle %d", i, a[i].Arrived, b[i].Arrived)
		}
		if i >= 3 && b[i].Arrived < b[i-3].Arrived {
			overtakes++
		}
	}
	if overtakes < packets/10 {
		t.Errorf("only %d of %d packets overtake their predecessor", overtakes, packets)
	}
}
