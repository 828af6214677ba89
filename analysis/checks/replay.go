package checks

import (
	"fmt"
	"math"

	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/result"
	"github.com/carousel-sim/carousel/analysis/show/sheet"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// Fidelity is one number of a program, measured where the chip executes the program and where it
// replays a recording of it.
type Fidelity struct {
	Program  string           `json:"program" title:"program"`
	Quantity string           `json:"quantity" title:"quantity"` // cycles on a router, or the ratio of two routers' times
	Live     metrics.Estimate `json:"live" title:"live"`
	Replay   metrics.Estimate `json:"replay" title:"replay"`
	// Difference is that of replay from live, as a fraction of live; nil where one was not measured.
	Difference *float64 `json:"difference"`
	Percent    string   `json:"-" title:"difference"`
	Verdict    string   `json:"verdict" title:"verdict"`
	ratio      bool
}

// Verdicts on a number.
const (
	Agrees   = "agrees"          // the two cannot be told apart
	Differs  = "differs"         // replay is off, and both say the same of the routers
	Hides    = "replay hides it" // a difference of the routers that live shows
	Invents  = "only in replay"  // a difference of the routers that live does not show
	Reverses = "replay reverses" // which router is faster
)

// Fidelities compares the two forms of each program, whose runs have the program's name with live or
// replay behind it, on each router and between every two of them. Intervals are over seeds.
func Fidelities(programs, routers []string, live, replay string, runs []tables.Run) (list []Fidelity) {
	of := func(workload string) *result.Cell {
		c := result.Cell{Samples: map[string][]metrics.Sample{}}
		own := func(o *tables.Observation) bool { return o.Run.Workload == workload }
		for _, g := range result.Of(&tables.Rows{Runs: runs}).Where(own).By(tables.Col.Router) {
			c.Samples[g.Values[0]] = g.Samples(tables.Col.Cycles)
		}
		return &c
	}
	for _, program := range programs {
		a, b := of(program+live), of(program+replay)
		for _, r := range routers {
			list = append(list, fidelity(program, "cycles on "+r, a.Value(r, ""), b.Value(r, ""), false))
		}
		for i, over := range routers {
			for _, under := range routers[:i] {
				list = append(list, fidelity(program, over+"/"+under, a.Ratio(over, under).Estimate, b.Ratio(over, under).Estimate, true))
			}
		}
	}
	return list
}

func fidelity(program, quantity string, live, replay metrics.Estimate, ratio bool) Fidelity {
	f := Fidelity{Program: program, Quantity: quantity, Live: live, Replay: replay, Verdict: "not measured", ratio: ratio}
	if !live.OK || !replay.OK {
		return f
	}
	difference := replay.Mean/live.Mean - 1
	f.Difference, f.Percent = &difference, "0 %"
	if math.Abs(difference) >= 0.0005 {
		f.Percent = fmt.Sprintf("%+.1f %%", 100*difference)
	}
	q := result.Quotient(replay, live)
	executed, replayed := live.Side(1), replay.Side(1)
	switch {
	case q.Side(1) == 0:
		f.Verdict = Agrees
	case !ratio || executed == replayed:
		f.Verdict = Differs
	case executed*replayed < 0:
		f.Verdict = Reverses
	case replayed == 0:
		f.Verdict = Hides
	default:
		f.Verdict = Invents
	}
	return f
}

// FidelitySheet is the comparison as a table, with the mean size of the errors of ratios below it.
func FidelitySheet(list []Fidelity) *sheet.Sheet {
	s, errors, ratios, wrong := sheet.Of(list), 0., 0, 0
	for _, f := range list {
		if f.ratio && f.Difference != nil {
			errors, ratios = errors+math.Abs(*f.Difference), ratios+1
			if f.Verdict != Agrees && f.Verdict != Differs {
				wrong++
			}
		}
	}
	if ratios > 0 {
		s.Note(fmt.Sprintf("Mean absolute error of replayed ratios: %s %%. In %d of %d ratios the replay gives another answer than the live run.",
			sheet.Number(100*errors/float64(ratios)), wrong, ratios))
	}
	return s
}
