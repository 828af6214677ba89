package power

import (
	"fmt"
	"math"
	"os"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// observation is one value of a reference row as a sum over the terms of profile S's closed form
// (rule 8), each times a coefficient that is to be found.
type observation struct {
	line  int
	size  [3]float64 // ports, bits and entries for each port
	terms []float64
	value float64
}

// term is the closed form of a column for a router of p ports, w bits, c channels and n entries
// for each port at v volt.
type term struct {
	component component
	column    string
	of        func(v, p, w, c, n float64) []float64
}

// closedForms returns the columns whose coefficients are fitted, those of one component together.
func closedForms() []term {
	ram := func(v, _, w, _, n float64) []float64 { return []float64{v * v * w, v * v * w * n} }
	list := []term{
		{bufferWrite, "e_buf_write_pj", ram}, {bufferRead, "e_buf_read_pj", ram},
		{arbiter, "e_arb_local_pj", func(v, _, _, c, _ float64) []float64 { return []float64{v * v * c * (c - 1)} }},
		{arbiter, "e_arb_global_pj", func(v, p, _, _, _ float64) []float64 { return []float64{v * v * p * (p - 1)} }},
		{clock, "e_clock_per_cycle_pj", func(v, p, w, _, _ float64) []float64 { return []float64{v * v, v * v * p * w} }},
		{leak, "leak_total_mw", func(v, p, w, c, n float64) []float64 {
			return []float64{v * p * w * n, v * 3 * p * w, v * w * p * (p - 1), v * p * (p*(p-1) + c*(c-1))}
		}},
	}
	for m := range 5 {
		outputs := float64(m + 1)
		list = append(list, term{crossbar, fmt.Sprintf("e_xbar_m%d_pj", m+1), func(v, p, w, _, _ float64) []float64 {
			return []float64{v * v * w, v * v * w * p, outputs * v * v * w, outputs * v * v * w * p}
		}})
	}
	return list
}

// observations reads the rows of DSENT at one technology.
func observations(t *testing.T, nm int) (by [components][]observation) {
	t.Helper()
	file, err := os.Open("testdata/reference_small.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	err = readReferences(file, func(r reference) error {
		if at, _ := r.count("tech_nm"); r.text("tool") != "DSENT-0.91" || r.text("kind") != "router" || at != nm {
			return nil
		}
		size := func(column string) float64 {
			v, err := r.number(column)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		channels := size("vcs")
		sizes := [3]float64{size("ports"), size("flit_bits"), channels * size("depth_flits")}
		for _, f := range closedForms() {
			value, known, err := r.measured(f.column)
			if err != nil || !known || value == 0 {
				continue
			}
			by[f.component] = append(by[f.component], observation{r.line, sizes,
				f.of(size("vdd_v"), sizes[0], sizes[1], channels, sizes[2]), value})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return by
}

// fit finds the coefficients with the least relative squares over all observations but those of
// one row.
func fit(t *testing.T, list []observation, without int) []float64 {
	t.Helper()
	var a, b []float64
	for _, o := range list {
		if o.line == without {
			continue
		}
		for _, x := range o.terms {
			a = append(a, x/o.value)
		}
		b = append(b, 1)
	}
	var x mat.VecDense
	if err := x.SolveVec(mat.NewDense(len(b), len(a)/len(b), a), mat.NewVecDense(len(b), b)); err != nil {
		t.Fatal(err)
	}
	return x.RawVector().Data
}

// beyond reports whether a row is larger or smaller in some size than all others: predicting it
// from them is extrapolation.
func beyond(o observation, list []observation) bool {
	for k, size := range o.size {
		below, above := true, true
		for _, other := range list {
			if other.line != o.line {
				below, above = below && size < other.size[k], above && size > other.size[k]
			}
		}
		if below || above {
			return true
		}
	}
	return false
}

// TestFormsPredictRowsTheyWereNotFittedTo leaves out each row of DSENT in turn, fits the closed
// forms of profile S to the others and predicts it: the forms, not a memory of the rows, carry
// the tolerances. A row that lies beyond all others in some size may be off by twice the
// tolerance. (The coefficients of the model were fitted to these rows, see rule 9.)
func TestFormsPredictRowsTheyWereNotFittedTo(t *testing.T) {
	for _, nm := range []int{45, 32} {
		for c, list := range observations(t, nm) {
			var worst [2]float64 // of rows among others, and beyond them
			var rows [2]map[int]bool
			for _, o := range list {
				predicted, where := 0.0, 0
				for i, x := range fit(t, list, o.line) {
					predicted += x * o.terms[i]
				}
				if beyond(o, list) {
					where = 1
				}
				if rows[where] == nil {
					rows[where] = map[int]bool{}
				}
				rows[where][o.line] = true
				worst[where] = math.Max(worst[where], math.Abs(predicted-o.value)/o.value)
			}
			if len(list) == 0 {
				continue
			}
			bound := tolerance(ProfileS, nm, component(c))
			t.Logf("%d nm, %-12s %d rows among the others: at worst %.2f%%, %d beyond them: %.2f%%", nm, component(c),
				len(rows[0]), 100*worst[0], len(rows[1]), 100*worst[1])
			if worst[0] > bound || worst[1] > 2*bound || len(rows[0]) == 0 || len(rows[1]) == 0 {
				t.Errorf("%s at %d nm: %.2f%% and %.2f%%, more than %.0f%% and twice as much", component(c), nm, 100*worst[0], 100*worst[1], 100*bound)
			}
		}
	}
}
