package models_test

import (
	"context"
	"testing"

	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/noc/soak"
	"github.com/carousel-sim/carousel/noc/topology"
)

// TestUniTorusSaturated audits every delivery and every invariant of saturated tori whose links
// lead one way: of even and odd sizes, in both directions, with the fewest channels and with more,
// with packets shorter and longer than buffers.
func TestUniTorusSaturated(t *testing.T) {
	for _, name := range []string{"utorus:10x12:-y-x", "utorus:7x5", "utorus:11"} {
		for _, channels := range []int{4, 13} {
			layout, err := topology.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			o := models.DefaultOptions()
			o.Other = &layout
			o.Classes, o.Wormhole.VirtualChannels, o.Wormhole.BufferPhits, o.Wormhole.MaxPhits = 2, channels, 4, 20
			m, err := models.Lookup("wormhole")
			if err != nil {
				t.Fatal(err)
			}
			n, err := m.Build(o)
			if err != nil {
				t.Fatal(err)
			}
			c := soak.Default()
			c.Classes, c.Phits, c.Cycles = 2, 20, 1000
			r, err := soak.Run(context.Background(), n, o.Other.Wiring, c)
			if err != nil || r.Refused == 0 {
				t.Errorf("%s with %d channels: %+v: %v", name, channels, r, err)
			}
		}
	}
}
