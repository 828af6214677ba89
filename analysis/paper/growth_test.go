package paper

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/analysis/paper/claim"
	"github.com/carousel-sim/carousel/analysis/paper/ocms"
	"github.com/carousel-sim/carousel/analysis/paper/qg"
	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/noc/topology"
)

// grows makes a table of steps and bounds over doubling sizes.
func grows(from, to int, steps, bound func(v float64) float64) claim.Growth {
	g := claim.Growth{Where: "made up", Series: "test", Size: "v"}
	for v := from; v <= to; v *= 2 {
		g.Rows = append(g.Rows, claim.Grown{Size: v, Steps: uint64(steps(float64(v))), Bound: bound(float64(v))})
	}
	return g
}

func toThe(exponent, factor float64) func(float64) float64 {
	return func(v float64) float64 { return factor * math.Pow(v, exponent) }
}

// TestGrowthClaims: each claim about steps is confirmed by tables in which it holds, and not by one
// in which it does not hold beside them.
func TestGrowthClaims(t *testing.T) {
	bounds := map[string]func(float64) float64{
		"S1-09": toThe(3, 1), "S1-11": toThe(4, 1), "S1-12": toThe(6, 1), // k; k = N; k = N, three ports
		"S4-06": func(k float64) float64 { return 4 + claim.Sorting(int(k)) + claim.Sorting(4) + claim.Sorting(int(k)/4) },
	}
	for _, e := range []claim.Entry{ocms.Rules(), qg.Rules()} {
		for _, count := range e.Counts {
			bound := bounds[count.Claim]
			if bound == nil {
				t.Fatalf("no bound for %s", count.Claim)
			}
			delete(bounds, count.Claim)
			good := grows(8, 512, func(v float64) float64 { return 100 * bound(v) }, bound)
			less := grows(8, 512, func(v float64) float64 { return 1000 * bound(v) / v }, bound)
			wrong := grows(8, 512, func(v float64) float64 { return 100 * bound(v) * math.Pow(v, 0.1) }, bound)
			for _, c := range []struct {
				list []claim.Growth
				want string
			}{{[]claim.Growth{good, less}, tables.Confirmed}, {[]claim.Growth{good, wrong, less}, tables.NotConfirmed}, {nil, tables.Open}} {
				made := claim.NewCount(count.Claim, count.Title, count.Bound, func() ([]claim.Growth, error) { return c.list, nil })
				f := made.AsClaim("text", "conditions").Judge(nil)
				if f.Verdict != c.want {
					t.Errorf("%s with %d tables is %s, want %s: %s", count.Claim, len(c.list), f.Verdict, c.want, f.Detail)
				}
				if f.Verdict == tables.Confirmed && math.Abs(f.Measured.Value-1) > 1e-3 {
					t.Errorf("%s: a constant ratio rises by %g", count.Claim, f.Measured.Value)
				}
			}
		}
	}
	if len(bounds) > 0 {
		t.Errorf("not counted: %v", bounds)
	}
}

// TestBounded: what decides a claim about growth, and what cannot be judged.
func TestBounded(t *testing.T) {
	square := toThe(2, 1)
	ends := func(factor float64) claim.Growth {
		g := grows(4, 64, toThe(3, factor), square)
		g.Ends = true
		return g
	}
	tripled := grows(8, 64, square, square)
	tripled.Rows[2].Size = 24
	late := grows(8, 512, square, square)
	late.Rows[6].Steps += late.Rows[6].Steps * 9 / 100
	peak := grows(8, 512, square, square)
	peak.Rows[5].Steps *= 2
	tooLate := grows(8, 512, square, square)
	tooLate.Rows[6].Steps += tooLate.Rows[6].Steps * 11 / 100
	for name, c := range map[string]struct {
		list []claim.Growth
		want string
	}{
		"as the bound":                       {[]claim.Growth{grows(8, 512, toThe(2, 7), square)}, tables.Confirmed},
		"hidden by lower powers at first":    {[]claim.Growth{grows(8, 512, func(v float64) float64 { return 4000*v*v + v*v*v*v }, toThe(3, 1))}, tables.NotConfirmed},
		"a peak before the end":              {[]claim.Growth{peak}, tables.NotConfirmed},
		"once more at the start":             {[]claim.Growth{grows(8, 512, func(v float64) float64 { return 50*v*v + 900*v }, square)}, tables.Confirmed},
		"a logarithm more":                   {[]claim.Growth{grows(8, 512, func(v float64) float64 { return 50 * v * claim.Sorting(int(v)) }, square)}, tables.NotConfirmed},
		"a little more at the end":           {[]claim.Growth{late}, tables.Confirmed},
		"more at the end":                    {[]claim.Growth{tooLate}, tables.NotConfirmed},
		"a size that ends":                   {[]claim.Growth{grows(8, 512, toThe(2, 64), square), ends(1)}, tables.Confirmed},
		"a size that ends, too large":        {[]claim.Growth{grows(8, 512, toThe(2, 63), square), ends(1)}, tables.NotConfirmed},
		"nothing to hold a size that ends":   {[]claim.Growth{ends(1)}, tables.NotConfirmed},
		"too few sizes":                      {[]claim.Growth{grows(8, 32, square, square)}, tables.Open},
		"sizes that do not double each time": {[]claim.Growth{tripled}, tables.Open},
	} {
		if f := claim.Bounded(c.list); f.Verdict != c.want {
			t.Errorf("%s: %s, want %s: %s", name, f.Verdict, c.want, f.Detail)
		}
	}
	f := claim.Bounded([]claim.Growth{grows(8, 512, toThe(2, 7), toThe(3, 1))})
	if want := "8: 448 (0.875), 16: 1792 (0.438)"; !strings.Contains(f.Detail, want) || !strings.Contains(f.Detail, "steps grow as v^2.00, the bound as v^3.00") {
		t.Errorf("the detail is %q; want %q and exponents 2 and 3", f.Detail, want)
	}
	broken := claim.NewCount("S9-99", "title", "bound", func() ([]claim.Growth, error) { return nil, errors.New("no network") })
	if f := broken.Judge(); f.Verdict != tables.Open || f.Detail != "no network" {
		t.Errorf("a count that fails: %+v", f)
	}
}

// TestGrowthPicture: panels by networks, ratios that begin at 1, and steps, hops and bounds in the
// table.
func TestGrowthPicture(t *testing.T) {
	first, second := grows(8, 64, toThe(2, 3), toThe(2, 1)), grows(2, 16, toThe(3, 1), toThe(2, 1))
	second.Where, second.Ends = "elsewhere", true
	c := claim.NewCount("S9-99", "title", "v^2", func() ([]claim.Growth, error) { return []claim.Growth{first, second}, nil })
	f, points, err := c.Draw("name")
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Panels) != 2 || len(f.Series) != 1 || f.Panels[0].Series[0].Points[3].Y != 1 || f.Panels[1].Series[0].Points[3].Y != 16.0/3 {
		t.Errorf("the picture is %+v", f)
	}
	if len(points) != 3*8 || points[0].Value != 192 || points[2].Value != 64 || points[0].X.Value != 8 {
		t.Errorf("%d points, first %+v", len(points), points[0])
	}
}

// TestRequestsOfGrowth: requests have as many destinations as asked for, and crowded ones are
// crowded.
func TestRequestsOfGrowth(t *testing.T) {
	for dims := 1; dims <= 6; dims++ {
		l := claim.Box(4096, dims)
		if l.Nodes() != 4096 || len(l.Grid.Radix) != dims {
			t.Errorf("%s has %d nodes", l.Grid, l.Nodes())
		}
		for _, draw := range []func(topology.Layout, int) int{
			func(l topology.Layout, k int) int { return len(claim.Anywhere(l, k)[0].Targets()) },
			func(l topology.Layout, k int) int { return len(claim.FromCorner(l, k)[0].Targets()) },
			func(l topology.Layout, k int) int { return len(claim.Crowded(l, k)[0].Targets()) },
		} {
			if k := draw(l, 96); k != 96 {
				t.Errorf("%d destinations on %s", k, l.Grid)
			}
		}
		near := 0
		for _, d := range claim.Crowded(l, 96)[0].Destinations {
			inside := true
			for dim, radix := range l.Grid.Radix {
				inside = inside && l.Grid.Coordinate(d, dim) < radix/2
			}
			if inside {
				near++
			}
		}
		if near < 96-1<<dims {
			t.Errorf("%d of 96 destinations on %s are in the first orthant", near, l.Grid)
		}
	}
}
