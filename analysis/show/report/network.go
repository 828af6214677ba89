package report

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/carousel-sim/carousel/analysis/show/figures"
	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/noc/leaf/buckets"
	"github.com/carousel-sim/carousel/noc/topology"
)

// distribution draws which share of the copies had arrived after how long, for each series over all
// of its runs, in a panel for each value of a column of the latency table: cast or class.
func (p *part) distribution(name, title string, column func(*tables.Latency) string) *figures.Figure {
	f := &figures.Figure{Name: name, Title: title, Series: p.series, Note: "share of copies with at most this latency, over all runs of a router; curves end at 99.9 %"}
	for _, in := range tables.GroupBy(p.rows.Latency, column) {
		panel := figures.Panel{Title: in.Key, XLabel: "latency [cycles]", Quantity: "share of copies with at most this latency", YMax: 1}
		for _, g := range tables.GroupBy(in.Records, func(r *tables.Latency) string { return p.of[r.RunKey] }) {
			panel.Series = append(panel.Series, figures.Series{Name: g.Key, Points: cumulative(g.Records)})
		}
		f.Panels = append(f.Panels, panel)
	}
	return f
}

// almostAll is the share of copies at which curves end: the few that take longest would squeeze all
// others together.
const almostAll = 0.999

// cumulative are the shares of copies below the ends of buckets, of which rows count copies.
func cumulative(rows []tables.Latency) (points []figures.Point) {
	counts, all, below := map[uint64]uint64{}, uint64(0), uint64(0)
	for i := range rows {
		counts[rows[i].High] += rows[i].Count
		all += rows[i].Count
	}
	for _, end := range slices.Sorted(maps.Keys(counts)) {
		if below == 0 {
			low, _ := buckets.Edges(buckets.Of(end, buckets.Latency), buckets.Latency)
			points = append(points, figures.Point{X: float64(low)})
		}
		below += counts[end]
		share := float64(below) / float64(all)
		points = append(points, figures.Value(float64(end+1), share))
		if share >= almostAll {
			break
		}
	}
	return points
}

// messages draws how many messages of each class the runs of a series sent, in a panel for each
// cast.
func (p *part) messages() *figures.Figure {
	f := &figures.Figure{Name: "classes", Title: "Messages by class", Stacks: true, Note: "mean over the runs of a router"}
	own, runs := p.rows.Classes, map[string]float64{}
	for _, series := range p.of {
		runs[series]++
	}
	for _, cast := range []struct {
		name string
		of   func(*tables.Class) uint64
	}{
		{"unicast", func(c *tables.Class) uint64 { return c.Unicast }}, {"multicast", func(c *tables.Class) uint64 { return c.Multicast }},
		{"broadcast", func(c *tables.Class) uint64 { return c.Broadcast }},
	} {
		panel := figures.Panel{Title: cast.name, Quantity: "messages"}
		for _, s := range p.series {
			panel.Categories = append(panel.Categories, figures.Category{Label: s})
		}
		for i := range own {
			c := &own[i]
			n := float64(cast.of(c)) / runs[p.of[c.RunKey]]
			panel.Add(c.Class, figures.Category{Label: p.of[c.RunKey]}, figures.Value(0, n))
		}
		if slices.ContainsFunc(own, func(c tables.Class) bool { return cast.of(&c) > 0 }) {
			f.Panels = append(f.Panels, panel)
		}
	}
	for _, class := range tables.GroupBy(own, func(c *tables.Class) string { return c.Class }) {
		f.Series = append(f.Series, class.Key)
		if text := classTexts[class.Key]; text != "" {
			f.Note += "\n" + class.Key + ": " + text
		}
	}
	return f
}

// classTexts say what the message classes of the protocols are for.
var classTexts = map[string]string{
	"TREQ": "requests of an L1 to the other L1s and the home bank, repeated after a timeout",
	"PERS": "starts and ends of persistent requests, which follow requests that failed repeatedly",
	"WB":   "evicted tokens on their way to the home bank",
	"HOME": "tokens on their way to the memory controller",
	"REQ":  "requests of an L1 to the home bank",
	"FWD":  "requests of the home bank to owners and sharers",
	"MREQ": "requests of the home bank to the memory controller",
	"MRSP": "answers of the memory controller to the home bank",
	"ANS":  "answers of L1s and the memory controller to the home bank",
	"RESP": "answers to an L1: data, tokens or acknowledgements",
	"DONE": "ends of transactions, from an L1 to the home bank",
}

// cores draws where the cycles of each core went, in a panel for each series.
func (p *part) cores() *figures.Figure {
	f := &figures.Figure{Name: "cores", Title: "Where the cycles of each core went", Stacks: true, Note: "the first run of each router"}
	for _, part := range tables.Cycles.Parts {
		f.Series = append(f.Series, part.Name)
	}
	for i, series := range p.series {
		panel := figures.Panel{Title: series, Quantity: "cycles", XLabel: "core"}
		for _, c := range p.firsts[i].Cores {
			for _, part := range tables.Cycles.Parts {
				v, _ := part.Of(&tables.Observation{Run: &p.firsts[i].Runs[0], Cores: []tables.Core{c}})
				panel.Add(part.Name, figures.Category{Label: strconv.FormatUint(c.Core, 10)}, figures.Value(0, v))
			}
		}
		f.Panels = append(f.Panels, panel)
	}
	f.DropEmpty()
	return f
}

// mostNodes is the size of networks up to which a map shows something.
const mostNodes = 1024

// heat draws the routers and links of tori and meshes, in a panel for each series, all of the same
// scale. Other networks, and those of other than two dimensions, have no map.
func (p *part) heat() *figures.Figure {
	f := &figures.Figure{Name: "map", Title: "Load of routers and links", Note: "phits per cycle over the whole run; the hottest link has a border"}
	grid, placed := topology.GridOf(p.topology)
	if !placed || len(grid.Radix) != 2 || grid.Radix[0]*grid.Radix[1] > mostNodes {
		return f
	}
	columns, height := grid.Radix[0], grid.Radix[1]
	for i, title := range p.series {
		g, own := &figures.Grid{Columns: columns, Rows: height}, p.firsts[i]
		for k := range own.Routers {
			if r := &own.Routers[k]; r.Cycles > 0 {
				g.Nodes = append(g.Nodes, float64(r.LinkPhits+r.EjectPhits)/float64(r.Cycles))
				g.Marks = append(g.Marks, mark(r.Cores.Value, "C")+mark(r.Controllers.Value, "M"))
			}
		}
		if len(g.Nodes) != columns*height {
			continue
		}
		for k := range own.Links {
			if l := &own.Links[k]; int(max(l.FromNode, l.ToNode)) < columns*height {
				g.Links = append(g.Links, figures.GridLink{From: int(l.FromNode), To: int(l.ToNode), Value: l.Utilisation.Value})
			}
		}
		addFrames(g, own.RouterEpochs)
		if l := g.Hottest(); l != nil {
			title += fmt.Sprintf(": hottest link %s to %s, utilisation %.3g", g.At(l.From), g.At(l.To), l.Value)
		}
		f.Panels = append(f.Panels, figures.Panel{Title: title, Grid: g})
	}
	if len(p.rows.Runs) > 0 {
		f.Note += "; C: a core, M: a memory controller"
	}
	return f
}

// mark is the letter of what sits at a router, with the number of several.
func mark(n uint64, letter string) string {
	switch n {
	case 0:
		return ""
	case 1:
		return letter
	}
	return fmt.Sprint(n, letter)
}

// addFrames adds what the routers of a run did over time to its map.
func addFrames(g *figures.Grid, rows []tables.RouterEpoch) {
	var start, end uint64 // of the frame
	for i := range rows {
		r := &rows[i]
		if int(r.Node) >= len(g.Nodes) {
			continue
		}
		if g.Frames == nil || r.Cycle != end {
			start, end = end, r.Cycle
			g.Times, g.Frames = append(g.Times, strconv.FormatUint(end, 10)), append(g.Frames, make([]float64, len(g.Nodes)))
		}
		at := len(g.Frames) - 1
		if r.Cycle > start {
			g.Frames[at][r.Node] = float64(r.Phits) / float64(r.Cycle-start)
		}
	}
}
