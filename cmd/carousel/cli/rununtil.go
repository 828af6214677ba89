package cli

import (
	"context"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/carousel-sim/carousel/analysis/chart"
	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// parseUntil reads a width such as 1% or 0.01; 0 stands for none.
func parseUntil(text string) (float64, error) {
	if text == "" {
		return 0, nil
	}
	number, percent := strings.CutSuffix(strings.TrimSpace(text), "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if percent {
		v /= 100
	}
	if err != nil || v <= 0 || v >= 1 {
		return 0, usagef("--until %s: give a width above 0 and below 100%%, such as 1%%", text)
	}
	return v, nil
}

// The windows of the first round and of each later one, of which intervals are made.
const (
	firstWindows = 4
	moreWindows  = 2
)

// rounds sorts points by their windows into rounds, each with windows from all over the trace.
func rounds(points []experiment.Point) (list [][]experiment.Point) {
	var windows []int
	of := map[int][]experiment.Point{}
	for _, p := range points {
		if of[p.Window] == nil {
			windows = append(windows, p.Window)
		}
		of[p.Window] = append(of[p.Window], p)
	}
	slices.Sort(windows)
	// The numbers below a power of two in the order of their reversed bits: any beginning of it is
	// spread.
	width := bits.Len(uint(len(windows) - 1))
	taken, room := 0, firstWindows
	var round []experiment.Point
	for i := range 1 << width {
		k := int(bits.Reverse64(uint64(i)) >> (64 - width))
		if width == 0 {
			k = 0
		}
		if k >= len(windows) {
			continue
		}
		round = append(round, of[windows[k]]...)
		if taken++; taken == room {
			list, round = append(list, round), nil
			taken, room = 0, moreWindows
		}
	}
	if len(round) > 0 {
		list = append(list, round)
	}
	return list
}

// doUntil does the points of more and more windows until the interval of every ratio of times is at
// most so wide, as a part of the ratio to either side, or no window is left. It saves the tables.
func (o *output) doUntil(ctx context.Context, a *app, points []experiment.Point, jobs int, until float64, base string) ([]experiment.Outcome, tables.Rows, error) {
	var all []experiment.Outcome
	for _, round := range rounds(points) {
		outcomes, err := a.doPoints(ctx, o, round, jobs, "runs")
		all = append(all, outcomes...)
		if err != nil {
			o.unsaved = err
			break
		}
		rows, err := experiment.Collect(o.store, all)
		if err != nil {
			return nil, rows, wrongError{err}
		}
		if ctx.Err() != nil || widest(&rows, base) <= until {
			break
		}
	}
	rows, err := o.collect(all, true)
	return all, rows, err
}

// widest returns half the width of the widest interval of a ratio of times, as a part of the ratio;
// 1 where a router has no ratio yet.
func widest(rows *tables.Rows, base string) (width float64) {
	measure := chart.Measure{Column: "cycles", Baseline: base, Totals: true}
	for _, l := range chart.NewData(rows, chart.Extent{}).Summary(runGroups, "router", []chart.Measure{measure}) {
		v := l.Values[0]
		if !v.OK || v.N < firstWindows {
			return 1
		}
		width = max(width, v.HalfWidth()/v.Mean)
	}
	return width
}
