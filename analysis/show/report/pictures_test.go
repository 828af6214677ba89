package report

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/noc/leaf/must"
)

// fill gives every number of a row that may be absent a value.
func fill(row any, value float64) {
	v := reflect.ValueOf(row).Elem()
	for i := range v.NumField() {
		switch cell := v.Field(i).Addr().Interface().(type) {
		case *tables.Maybe[float64]:
			*cell = tables.Some(value)
		case *tables.Maybe[uint64]:
			*cell = tables.Some(uint64(value))
		}
	}
}

// TestEveryPicture: each picture of tables.Pictures is drawn where its column was measured, with its title
// and label. A new picture that this list lacks is named.
func TestEveryPicture(t *testing.T) {
	want := map[string]string{
		"latency":            "Latency: latency [cycles], 30",
		"multicast-latency":  "Latency of multicasts: latency to the last destination [cycles], 30",
		"unicast-latency":    "Latency of unicasts: latency [cycles], 30",
		"accepted":           "Accepted load: accepted load [phits/node/cycle], 30",
		"multicast-channels": "Traffic of a multicast: channels crossed [channels], 30",
		"arrival-spread":     "Spread of arrivals: deviation of arrivals / latency [1], 30",
		"energy":             "Network energy of the window: network energy [uJ], 3e-05",
		"ed2p":               "Network ED2P (energy of the window / throughput^2): network ED2P [uJ/(phits/node/cycle)^2], 3e-05",
	}
	rows := new(tables.Rows)
	for _, router := range []string{"base", "mrr"} {
		for load := 1.0; load <= 3; load++ {
			p := tables.Traffic{RunKey: fmt.Sprint(router, load), Router: router, Offered: load / 10, ExitState: tables.Finished}
			fill(&p, 10*load)
			rows.Traffic = append(rows.Traffic, p)
			b := tables.Batch{RunKey: p.RunKey, Batch: 0}
			fill(&b, 10*load)
			rows.Batches = append(rows.Batches, b)
		}
	}
	s := must.Get(Of("", rows, nil, new(experiment.Manifest), ""))
	drawn := map[string]string{}
	for _, f := range s.Figures {
		points := f.Panels[0].Series[0].Points
		drawn[f.Name] = fmt.Sprintf("%s: %s, %.3g", f.Title, f.Panels[0].Label(), points[len(points)-1].Y)
	}
	for _, p := range tables.Pictures {
		switch {
		case p.Parts != nil: // there are no routers here
		case want[p.Name] == "":
			t.Errorf("no test covers the picture %s: add what it shows, %q", p.Name, drawn[p.Name])
		case drawn[p.Name] != want[p.Name]:
			t.Errorf("picture %s shows %q, want %q", p.Name, drawn[p.Name], want[p.Name])
		}
	}
}
