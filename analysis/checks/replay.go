package checks

import (
	"fmt"
	"math"
	"slices"

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
	Seeds    int              `json:"seeds" title:"seeds"`
	// Difference is that of replay from live, as a fraction of live, and HalfWidth half its confidence
	// interval; nil where one was not measured, or with one seed.
	Difference *float64 `json:"difference"`
	HalfWidth  *float64 `json:"half_width"`
	Percent    string   `json:"-" title:"difference"`
	Verdict    string   `json:"verdict" title:"verdict"`
	ratio      bool
}

// Verdicts on a number.
const (
	NotKnown = "not known"       // one seed says nothing about chance
	Agrees   = "agrees"          // the two cannot be told apart
	Differs  = "differs"         // replay is off, and both say the same of the routers
	Hides    = "replay hides it" // a difference of the routers that live shows
	Invents  = "only in replay"  // a difference of the routers that live does not show
	Reverses = "replay reverses" // which router is faster
)

// LeastSeeds is how many seeds the comparison starts with, and MostSeeds how many a program has whose
// intervals stay wide.
const (
	LeastSeeds = 5
	MostSeeds  = 20
)

// wide is half the width of an interval that more seeds should make narrower.
const wide = 0.04

// Wide returns the programs that should run with more seeds, up to the most: those with a ratio
// whose error has a wide interval.
func Wide(list []Fidelity, most int) (programs []string) {
	for _, f := range list {
		if f.ratio && f.HalfWidth != nil && *f.HalfWidth > wide && f.Seeds < most && !slices.Contains(programs, f.Program) {
			programs = append(programs, f.Program)
		}
	}
	return programs
}

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
	f.Difference, f.Percent, f.Seeds = &difference, "0", live.N
	if math.Abs(difference) >= 0.0005 {
		f.Percent = fmt.Sprintf("%+.1f", 100*difference)
	}
	q := result.Quotient(replay, live)
	if half := q.HalfWidth(); live.N > 1 {
		f.HalfWidth = &half
		f.Percent += fmt.Sprintf(" ± %.1f", 100*half)
	}
	f.Percent += " %"
	executed, replayed := live.Side(1), replay.Side(1)
	switch {
	case live.N == 1:
		f.Verdict = NotKnown
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

// FidelitySheet is the comparison as a table. Below it are the mean size of the errors of ratios, and
// how wide their intervals are.
func FidelitySheet(list []Fidelity) *sheet.Sheet {
	s, errors, halves, ratios, agree, wrong, unknown := sheet.Of(list), 0., 0., 0, 0, 0, 0
	for _, f := range list {
		if !f.ratio || f.Difference == nil {
			continue
		}
		errors, ratios = errors+math.Abs(*f.Difference), ratios+1
		if f.HalfWidth != nil {
			halves += *f.HalfWidth
		}
		switch f.Verdict {
		case Agrees:
			agree++
		case NotKnown:
			unknown++
		case Hides, Invents, Reverses:
			wrong++
		}
	}
	if ratios > 0 {
		note := fmt.Sprintf("Mean absolute error of replayed ratios: %s %%.", metrics.Number(100*errors/float64(ratios)))
		if unknown < ratios {
			note += fmt.Sprintf(" In %d of %d ratios the replay gives another answer than the live run.", wrong, ratios)
		}
		s.Note(note)
	}
	if halves > 0 {
		s.Note(fmt.Sprintf("%d of %d errors of ratios are within their confidence intervals, which are ± %s %% on average.", agree, ratios, metrics.Number(100*halves/float64(ratios))))
	}
	return s
}
