package compare

import (
	"slices"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// TestPriceBand: every way of pricing counts once, and a slower router with a cheaper network wins with small cores
// only. The sentence says "is above", "energy models" and "in the others these runs cannot tell".
func TestPriceBand(t *testing.T) {
	hardware := `{"Ports":5,"PhitBits":128,"VirtualChannels":6,"Crossbar":true,"FIFOs":[30,0,0,0],"Depth":[10,0,0,0]}`
	chip := `{"Cores":16,"L1KB":32,"L1Ways":2,"L2KB":64,"L2Ways":16,"Banks":256,"Controllers":8,"StateBits":10}`
	prices := `{"Profile":"O","TechNM":65,"ClockGHz":4,"Alpha":0.5,"LinkMM":2,"WireSpacing":1,"RingMM":0.2,"StaticScale":1,"ClockGating":true}`
	run := func(router string, cycles uint64) tables.Run {
		return tables.Run{RunKey: router, SimulationKey: router, Workload: "lu", Router: router, Protocol: "token", ExitState: tables.Finished, Cycles: tables.Some(cycles),
			Seconds: tables.Some(float64(cycles) / 4e9), Instructions: tables.Some(uint64(100_000)), Loads: tables.Some(uint64(30_000)),
			Hardware: tables.Some(hardware), Chip: tables.Some(chip), Power: tables.Some(prices)}
	}
	rows := tables.Rows{Runs: []tables.Run{run("mrr", 20_000), run("base-mc", 20_600)}}
	for _, routers := range []struct {
		key   string
		count int
	}{{"mrr", 64}, {"base-mc", 8}} { // the network of mrr leaks eight times as much
		rows.Cores = append(rows.Cores, tables.Core{RunKey: routers.key, Retiring: 5000, FinishCycle: 20_000})
		for range routers.count {
			rows.Routers = append(rows.Routers, tables.Router{RunKey: routers.key})
		}
	}
	list, err := priceBandOf(&rows, []string{"mrr", "base-mc"}, col.ChipED2PJs2, experiment.ChipBand())
	if err != nil || len(list) != 1 {
		t.Fatalf("%+v, %v", list, err)
	}
	b := list[0]
	if b.Prices != 156 || b.Lower == 0 || b.Higher == 0 || b.Lower+b.Higher != b.Prices {
		t.Errorf("%+v", b)
	}
	if !(b.Low < 1 && b.High > 1) || !strings.Contains(b.LowFrom, "small cores") || !strings.Contains(b.HighFrom, "large cores") {
		t.Errorf("%+v", b)
	}
	if rows.Runs[0].ChipED2P.Known {
		t.Error("the tables of the study have changed")
	}
	priced := func() []Finding {
		return NewStudy(new(experiment.Manifest), &rows, Extra{Band: &tables.Rows{Runs: rows.Runs}}, "").Findings
	}
	if !slices.ContainsFunc(priced(), func(f Finding) bool {
		return f.Kind == Answer && strings.HasPrefix(f.Text, "ED2P of the chip: base-mc has more than mrr in ")
	}) {
		t.Errorf("%+v", priced())
	}
	network, err := priceBandOf(&rows, []string{"mrr", "base-mc"}, col.ED2PJs2, experiment.NetworkBand())
	if err != nil || network[0].Prices != 78 || network[0].Lower != 78 || len(network[0].LowerIn) != 13 || !slices.ContainsFunc(priced(), func(f Finding) bool {
		return strings.HasPrefix(f.Text, "ED2P of the network alone: base-mc has more than mrr in 0 and less in 78 of 78 energy models of the network.") &&
			strings.Contains(f.Text, "It is below 1 in all models with profile O at 65, 45, 32 and 22 nm; ")
	}) {
		t.Errorf("of the network: %+v, %v", network, err)
	}
	rows.Runs[0].Hardware = tables.Some("{")
	if list := priced(); !slices.ContainsFunc(list, func(f Finding) bool { return f.Kind == Warning && strings.Contains(f.Text, "column hardware") }) {
		t.Errorf("damage gives %+v", list)
	}
}
