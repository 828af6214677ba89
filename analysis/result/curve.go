package result

import (
	"cmp"
	"slices"

	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// At is the value of a curve at a position, such as a load.
type At struct {
	X float64
	metrics.Estimate
	Saturated bool // of some run there
}

// Curve is values in the order of their positions.
type Curve []At

// NewCurve sorts values by their positions.
func NewCurve(list []At) Curve {
	slices.SortStableFunc(list, func(a, b At) int { return cmp.Compare(a.X, b.X) })
	return list
}

// Curve has the means of a variable at each position x, also where it was not measured.
func (r Runs) Curve(x, v tables.Name) Curve {
	var list []At
	for _, g := range tables.GroupBy(r, func(o *tables.Observation) float64 { n, _ := o.Number(x); return n }) {
		list = append(list, At{g.Key, Runs(g.Records).Mean(v), len(Runs(g.Records).Saturated()) > 0})
	}
	return NewCurve(list)
}

// Saturation returns between which positions the network saturates: the first that is saturated, and the
// one before it. below is nil where that is the first of all, and both are nil where none is saturated.
func (c Curve) Saturation() (below, first *float64) {
	at := slices.IndexFunc(c, func(p At) bool { return p.Saturated })
	if at < 0 {
		return nil, nil
	}
	if at > 0 {
		below = &c[at-1].X
	}
	return below, &c[at].X
}

// upTo is how many positions are below the knee, from the first on: those up to which the value is at most
// a multiple of the first one. A position without a value is beyond the knee.
func (c Curve) upTo(times float64) int {
	if at := slices.IndexFunc(c, func(p At) bool { return !p.OK || p.Mean > times*c[0].Mean }); at >= 0 {
		return at
	}
	return len(c)
}

// Below returns the last position at which the value is at most a multiple of the first one;
// no position where the first one has no value.
func (c Curve) Below(times float64) (x float64, ok bool) {
	n := c.upTo(times)
	if n == 0 {
		return 0, false
	}
	return c[n-1].X, true
}

// Knee returns the position at which the value is a multiple of the first one, between two positions by a
// straight line. A curve that never gets there has none.
func (c Curve) Knee(times float64) (x float64, ok bool) {
	n := c.upTo(times)
	if n == 0 || n == len(c) {
		return 0, false
	}
	a, b := c[n-1], c[n]
	return a.X + (b.X-a.X)*(times*c[0].Mean-a.Mean)/(b.Mean-a.Mean), true
}

// Best is the largest value, and what is left of it where the curve is least beyond, as a share.
func (c Curve) Best() (most, left float64) {
	least := 0.0
	for _, at := range c {
		if at.Mean > most {
			most, least = at.Mean, at.Mean
		}
		least = min(least, at.Mean)
	}
	return most, least / most
}

// Slope is that of a line through the values, by least squares.
func (c Curve) Slope() float64 {
	var x, y, xx, xy float64
	for _, p := range c {
		x, y = x+p.X/float64(len(c)), y+p.Mean/float64(len(c))
	}
	for _, p := range c {
		xx, xy = xx+(p.X-x)*(p.X-x), xy+(p.X-x)*(p.Mean-y)
	}
	return xy / xx
}
