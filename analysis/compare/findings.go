package compare

import (
	"fmt"
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
	fastest := least(lines, timeRatio)
	names := []string{fastest.Labels[1]}
	for _, l := range lines {
		a, b := l.Values[timeRatio], fastest.Values[timeRatio]
		if l != fastest && (a.Mean == b.Mean || a.N > 1 && b.N > 1 && a.Low <= b.High) {
			names = append(names, l.Labels[1])
		}
	}
	verb := "is fastest"
	if len(names) > 1 {
		verb = "are fastest, equal as far as these runs can tell"
	}
	text := fmt.Sprintf("%s %s: %s of the execution time of %s.", strings.Join(names, " and "), verb, fastest.Values[timeRatio].Text(), r.Baseline)
	thrifty := least(lines, ed2pRatio)
	text += fmt.Sprintf(" %s has the least ED2P: %s of that of %s.", thrifty.Labels[1], thrifty.Values[ed2pRatio].Text(), r.Baseline)
	if fastest.Runs == 1 {
		text += " One run each: --runs 5 tells differences from chance."
	}
	return text
}

// least returns the line with the least mean of a measure, the first of equal ones.
func least(lines []*chart.Line, measure int) *chart.Line {
	best := lines[0]
	for _, l := range lines[1:] {
		if l.Values[measure].OK && l.Values[measure].Mean < best.Values[measure].Mean {
			best = l
		}
	}
	return best
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
