package experiment

import (
	"context"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/noc"
)

// Point is one simulation of a study, whatever it simulates.
type Point struct {
	// Key is a digest of everything that decides the point's results. Points with equal keys are
	// one.
	Key   string    `json:"key"`
	Label string    `json:"label"`
	Axes  []Setting `json:"axes"` // the values of a plan's axes, in the plan's order
	// Window is the window of a trace that the point replays; 0 where there is only one.
	Window int `json:"-"`
	// Turn orders the points of a study in time, the lowest first and equal ones as they are listed.
	Turn int `json:"-"`
	// Blank is the row that says what the point is before anything has been measured. It stands in
	// the tables of a study in which the point did not finish. nil has no row.
	Blank func() tables.Rows `json:"-"`
	// Run does the point and returns its rows. It calls report now and then, and ends soon, with
	// the error of ctx, after ctx has ended.
	Run func(ctx context.Context, report func(Progress)) (tables.Rows, error) `json:"-"`
}

// Setting is a configuration key and its value, as --set takes them.
type Setting struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// Progress says how far a point is.
type Progress struct {
	Share  float64 // of the point that is done, from 0 to 1; 0 where it is not known
	Cycles uint64  // simulated so far; 0 where cycles are not counted
	// Network may be read, but not changed, until the call that passes it returns; nil if a point
	// has none.
	Network noc.Network
}

// protected runs the point and turns a panic of a model into an error.
func (p *Point) protected(ctx context.Context, report func(Progress)) (rows tables.Rows, err error) {
	if err := ctx.Err(); err != nil {
		return rows, err
	}
	defer func() {
		broken := recover()
		if failure, is := broken.(*noc.Failure); is {
			err = failure
		} else if broken != nil {
			err = fmt.Errorf("a broken invariant of a model, at point %s: %v\n%s", p.Label, broken, strings.TrimSpace(string(debug.Stack())))
		}
	}()
	return p.Run(ctx, report)
}

// Finish lets a network that is a program name a packet that it has lost. It comes after all measurements.
func Finish(network noc.Network) {
	if n, is := network.(interface{ Finish() }); is {
		n.Finish()
	}
}

// unfinished returns the rows of a point that ended in a state other than finished, for a reason.
func (p *Point) unfinished(state string, reason error) tables.Rows {
	var rows tables.Rows
	if p.Blank != nil {
		rows = p.Blank()
	}
	rows.EachPoint(func(p tables.Point) { *p.ExitState, *p.Explanation = state, tables.Some(reason.Error()) })
	return rows
}

// Unique drops points that another one before them equals, as where an axis varies what a point
// does not depend on.
func Unique(points []Point) (list []Point) {
	for _, g := range tables.GroupBy(points, func(p *Point) string { return p.Key }) {
		list = append(list, g.Records[0])
	}
	return list
}

// KeyOf digests the keys of a study's points: studies with equal keys have equal results.
func KeyOf(points []Point) string {
	keys := make([]string, len(points))
	for i := range points {
		keys[i] = points[i].Key
	}
	return Digest(keys)
}
