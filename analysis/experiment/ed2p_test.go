package experiment

import (
	"math"
	"testing"

	"github.com/carousel-sim/carousel/analysis/tables"
)

// TestED2POfTraffic: twice the work with twice the energy at twice the throughput halves the energy of the window over
// the square of the throughput. The energy per phit stays, so that of a fixed amount of work is a quarter. A
// network that delivers nothing has neither.
func TestED2POfTraffic(t *testing.T) {
	of := func(joules, throughput float64, phits uint64) (row tables.Traffic) {
		row.Delivered, row.PhitsDelivered = tables.Some(throughput), tables.Some(phits)
		(&Energy{Dynamic: joules / picojoules}).FillTraffic(&row)
		return row
	}
	one, twice := of(1, 0.25, 100), of(2, 0.5, 200)
	for name, v := range map[string][2]float64{"of the window": {one.ED2P.Value, 16}, "per phit": {one.ED2PPerPhit.Value, 0.16},
		"twice, of the window": {twice.ED2P.Value, 8}, "twice, per phit": {twice.ED2PPerPhit.Value, 0.04}} {
		if math.Abs(v[0]/v[1]-1) > 1e-12 {
			t.Errorf("%s: %g, want %g", name, v[0], v[1])
		}
	}
	for _, row := range []tables.Traffic{of(2, 0, 4), of(2, math.NaN(), 4)} {
		if row.ED2P.Known || row.ED2PPerPhit.Known {
			t.Errorf("of nothing: %+v, %+v", row.ED2P, row.ED2PPerPhit)
		}
	}
	if of(2, 0.5, 0).ED2PPerPhit.Known {
		t.Error("without phits there is an energy per phit")
	}
}
