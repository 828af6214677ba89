package compare

import (
	"fmt"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/analysis/chart"
)

// findings says in words what a comparison shows.
func (r *Runs) findings() []string {
	var lines []*chart.Line
	for i := range r.means.Lines {
		if l := &r.means.Lines[i]; l.Runs > 0 && l.Values[timeRatio].OK {
			lines = append(lines, l)
		}
	}
	var said []string
	if len(lines) > 1 {
		said = append(said, r.ranking(lines))
	}
	return append(said, r.slowPackets(lines)...)
}

// ranking names the routers with the least time and the least ED2P.
func (r *Runs) ranking(lines []*chart.Line) string {
	places := r.rank(lines, timeRatio)
	names := []string{places[0].Router}
	for _, p := range places[1:] {
		if p.Equal() {
			names = append(names, p.Router)
		}
	}
	verb := "is fastest"
	if n := len(names) - 1; n > 0 {
		names = []string{strings.Join(names[:n], ", "), names[n]}
		verb = "are fastest, equal as far as these runs can tell"
	}
	fastest := lineOf(lines, places[0].Router)
	text := fmt.Sprintf("%s %s: %s of the execution time of %s.", strings.Join(names, " and "), verb, fastest.Values[timeRatio].Text(), r.Baseline)
	if places := r.rank(lines, ed2pRatio); len(places) > 0 {
		thrifty := lineOf(lines, places[0].Router)
		text += fmt.Sprintf(" %s has the least ED2P: %s of that of %s.", places[0].Router, thrifty.Values[ed2pRatio].Text(), r.Baseline)
	}
	if fastest.Runs == 1 {
		text += " One run each: --runs 5 tells differences from chance."
	}
	return text
}

// rank sorts the routers that have a ratio by it.
func (r *Runs) rank(lines []*chart.Line, ratio int) []Place {
	var measures []chart.Measure
	for _, l := range lines {
		measures = append(measures, chart.Measure{Column: r.means.Columns[ratio].Column, Baseline: l.Labels[1]})
	}
	over := Ratios{}
	for _, l := range chart.NewData(r.rows, chart.Extent{}).Summary(runGroups, "router", measures) {
		for i, m := range measures {
			if !lines[i].Values[ratio].OK {
				continue
			}
			if over[m.Baseline] == nil {
				over[m.Baseline] = map[string]chart.Estimate{}
			}
			over[m.Baseline][l.Labels[1]] = l.Values[i]
		}
	}
	return Rank(over)
}

// lineOf finds the line of a router.
func lineOf(lines []*chart.Line, router string) *chart.Line {
	return lines[slices.IndexFunc(lines, func(l *chart.Line) bool { return l.Labels[1] == router })]
}

// slowPackets explains routers whose mean packet takes longer than the mean miss.
func (r *Runs) slowPackets(lines []*chart.Line) []string {
	var names []string
	for _, l := range lines {
		if miss, packet := l.Values[missLatency], l.Values[packetLatency]; miss.OK && packet.OK && packet.Mean > miss.Mean {
			names = append(names, l.Labels[1])
		}
	}
	if len(names) == 0 {
		return nil
	}
	persistent := uint64(0)
	for i := range r.rows.Runs {
		if row := &r.rows.Runs[i]; row.Router == names[0] {
			persistent = max(persistent, row.PersistentRequests.Value)
		}
	}
	text := fmt.Sprintf("%s: packets take longer than misses, because a miss ends when its data come, while copies of its request still "+
		"wait at the interface that sends them one by one", strings.Join(names, ", "))
	if persistent > 0 {
		text += fmt.Sprintf("; %d persistent requests on %s add to the queue", persistent, names[0])
	}
	return []string{text + "."}
}
