package report

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/carousel-sim/carousel/analysis/show/chart"
	"github.com/carousel-sim/carousel/analysis/show/figures"
	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/noc/leaf/buckets"
)

// member is a run of a picture that compares series: its key, and the series that it belongs to.
type member struct{ Key, Series string }

// seriesOf lists the series of runs, and says which one each run belongs to.
func seriesOf(members []member) (names []string, of map[string]string) {
	of = map[string]string{}
	for _, m := range members {
		if of[m.Key] = m.Series; !slices.Contains(names, m.Series) {
			names = append(names, m.Series)
		}
	}
	return names, of
}

// distribution draws which share of the copies had arrived after how long, for each series over all
// of its runs, in a panel for each value of a column of the latency table: cast or class.
func distribution(name, title string, column func(*tables.Latency) string, rows []tables.Latency, members []member) *figures.Figure {
	type curve struct{ panel, series string }
	counts := map[curve]map[uint64]uint64{}
	f := &figures.Figure{Name: name, Title: title, Note: "share of copies with at most this latency, over all runs of a router; curves end at 99.9 %"}
	names, of := seriesOf(members)
	f.Series = names
	for i := range rows {
		r := &rows[i]
		if own, ok := of[r.RunKey]; ok {
			p, _ := f.Panel(column(r))
			p.XLabel, p.YLabel, p.YMax = "latency [cycles]", "share of copies with at most this latency", 1
			at := curve{p.Title, own}
			if counts[at] == nil {
				counts[at] = map[uint64]uint64{}
			}
			counts[at][r.High] += r.Count
		}
	}
	for i := range f.Panels {
		p := &f.Panels[i]
		p.Series = slices.DeleteFunc(p.Series, func(s figures.Series) bool { return counts[curve{p.Title, s.Name}] == nil })
		for k := range p.Series {
			p.Series[k].Points = cumulative(counts[curve{p.Title, p.Series[k].Name}])
		}
	}
	return f
}

// almostAll is the share of copies at which curves end: the few that take longest would squeeze all
// others together.
const almostAll = 0.999

// cumulative are the shares of copies below the ends of buckets, which are given by the number of
// copies in each.
func cumulative(counts map[uint64]uint64) (points []figures.Point) {
	all, below := uint64(0), uint64(0)
	ends := slices.Sorted(maps.Keys(counts))
	for _, n := range counts {
		all += n
	}
	for _, end := range ends {
		if below == 0 {
			low, _ := buckets.Edges(buckets.Of(end, buckets.Latency), buckets.Latency)
			points = append(points, figures.Point{X: float64(low)})
		}
		below += counts[end]
		share := float64(below) / float64(all)
		points = append(points, figures.Point{X: float64(end + 1), Y: share, Low: share, High: share})
		if share >= almostAll {
			break
		}
	}
	return points
}

// messages draws how many messages of each class the runs of a series sent, in a panel for each
// cast.
func messages(rows []tables.Class, members []member) *figures.Figure {
	f := &figures.Figure{Name: "classes", Title: "Messages by class", Stacks: true, Note: "mean over the runs of a router"}
	names, of := seriesOf(members)
	runs := map[string]float64{}
	for _, m := range members {
		runs[m.Series]++
	}
	for _, cast := range []struct {
		name string
		of   func(*tables.Class) uint64
	}{
		{"unicast", func(c *tables.Class) uint64 { return c.Unicast }}, {"multicast", func(c *tables.Class) uint64 { return c.Multicast }},
		{"broadcast", func(c *tables.Class) uint64 { return c.Broadcast }},
	} {
		p := figures.Panel{Title: cast.name, YLabel: "messages"}
		for _, s := range names {
			p.Categories = append(p.Categories, figures.Category{Label: s})
		}
		all := uint64(0)
		for i := range rows {
			if s, ok := of[rows[i].RunKey]; ok {
				if !slices.Contains(f.Series, rows[i].Class) {
					f.Series = append(f.Series, rows[i].Class)
				}
				n := float64(cast.of(&rows[i])) / runs[s]
				p.Add(rows[i].Class, figures.Category{Label: s}, n, n, n)
				all += cast.of(&rows[i])
			}
		}
		if all > 0 {
			f.Panels = append(f.Panels, p)
		}
	}
	for _, class := range f.Series {
		if text := classTexts[class]; text != "" {
			f.Note += "\n" + class + ": " + text
		}
	}
	return f
}

// classTexts say what the message classes of the protocols are for.
var classTexts = map[string]string{
	"TREQ": "requests of an L1 to the other L1s and the home bank, repeated after a timeout",
	"PERS": "starts and ends of persistent requests, which follow requests that were repeated in vain",
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

// coreStack draws where the cycles of each core went, in a panel for each run.
func coreStack(rows *tables.Rows, members []member) *figures.Figure {
	f := &figures.Figure{Name: "cores", Title: "Where the cycles of each core went", Stacks: true, Note: "the first run of each router"}
	cycles := map[string]float64{}
	for i := range rows.Runs {
		cycles[rows.Runs[i].RunKey] = float64(rows.Runs[i].Cycles.Value)
	}
	used := map[string]bool{}
	for _, m := range members {
		p := figures.Panel{Title: m.Series, YLabel: "cycles", XLabel: "core"}
		for i := range rows.Cores {
			if rows.Cores[i].RunKey != m.Key {
				continue
			}
			numbers := chart.CoreNumbers(&rows.Cores[i], cycles[m.Key])
			for _, part := range chart.Cycles.Parts {
				v := part.Of(numbers)
				used[part.Name] = used[part.Name] || v != 0
				p.Add(part.Name, figures.Category{Label: strconv.FormatUint(rows.Cores[i].Core, 10)}, v, v, v)
			}
		}
		if len(p.Categories) > 0 {
			f.Panels = append(f.Panels, p)
		}
	}
	for _, part := range chart.Cycles.Parts {
		if used[part.Name] {
			f.Series = append(f.Series, part.Name)
		}
	}
	for i := range f.Panels {
		f.Panels[i].Series = slices.DeleteFunc(f.Panels[i].Series, func(s figures.Series) bool { return !used[s.Name] })
	}
	return f
}

// mostNodes is the size of networks up to which a map shows something.
const mostNodes = 1024

// heat draws the routers and links of tori and meshes, in a panel for each run, all of the same
// scale. topology is as in the tables; other networks, and those of other than two dimensions, have
// no map.
func heat(rows *tables.Rows, topology string, members []member) *figures.Figure {
	f := &figures.Figure{Name: "map", Title: "Load of routers and links", Note: "phits per cycle over the whole run; the hottest link has a border"}
	kind, sizes, _ := strings.Cut(topology, ":")
	var columns, height int
	if _, err := fmt.Sscanf(sizes+"\n", "%dx%d\n", &columns, &height); err != nil || kind != "torus" && kind != "mesh" || columns*height > mostNodes {
		return f
	}
	marked := false
	nodeTop, linkTop := 0.0, 0.0
	for _, m := range members {
		g := &figures.Grid{Columns: columns, Rows: height, NodeName: "phits/cycle", LinkName: "phits/cycle"}
		for i := range rows.Routers {
			if r := &rows.Routers[i]; r.RunKey == m.Key && r.Cycles > 0 {
				g.Nodes = append(g.Nodes, float64(r.LinkPhits+r.EjectPhits)/float64(r.Cycles))
				g.Marks = append(g.Marks, mark(r.Cores.Value, "C")+mark(r.Controllers.Value, "M"))
				marked = marked || r.Cores.Known
			}
		}
		for i := range rows.Links {
			if l := &rows.Links[i]; l.RunKey == m.Key && int(max(l.From.Node, l.To.Node)) < columns*height {
				g.Links = append(g.Links, figures.GridLink{From: int(l.From.Node), To: int(l.To.Node), Value: l.Utilisation.Value})
				linkTop = max(linkTop, l.Utilisation.Value)
			}
		}
		if len(g.Nodes) != columns*height {
			continue
		}
		nodeTop = max(nodeTop, slices.Max(g.Nodes))
		addFrames(g, rows.RouterEpochs, m.Key)
		title := m.Series
		if from, to, v, ok := g.Hottest(); ok {
			title += fmt.Sprintf(": hottest link %s to %s, %.3g phits/cycle", g.At(from), g.At(to), v)
		}
		f.Panels = append(f.Panels, figures.Panel{Title: title, Grid: g})
	}
	for i := range f.Panels {
		f.Panels[i].Grid.NodeTop, f.Panels[i].Grid.LinkTop = nodeTop, linkTop
	}
	if marked {
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
func addFrames(g *figures.Grid, rows []tables.RouterEpoch, key string) {
	var start, end uint64 // of the frame
	for i := range rows {
		r := &rows[i]
		if r.RunKey != key || int(r.Node) >= len(g.Nodes) {
			continue
		}
		if g.Frames == nil || r.Cycle != end {
			start, end = end, r.Cycle
			g.Times, g.Frames = append(g.Times, strconv.FormatUint(end, 10)), append(g.Frames, make([]float64, len(g.Nodes)))
		}
		at := len(g.Frames) - 1
		if r.Cycle > start {
			g.Frames[at][r.Node] = float64(r.Phits) / float64(r.Cycle-start)
			g.FrameTop = max(g.FrameTop, g.Frames[at][r.Node])
		}
	}
}

// overTime draws the routers of the maps of a figure over time: a row for each router, a column for
// each epoch.
func overTime(heat *figures.Figure) *figures.Figure {
	f := &figures.Figure{Name: "over-time", Title: "Load of routers over time", Note: "a row for each router, in the order of their numbers; phits per cycle that it sent on links or handed to its node"}
	for _, p := range heat.Panels {
		g := p.Grid
		if len(g.Frames) < 2 {
			continue
		}
		m := &figures.Strips{RowName: "routers", Name: g.NodeName, Top: g.FrameTop, From: "cycle 0", To: "cycle " + g.Times[len(g.Times)-1]}
		for node := range g.Nodes {
			var row []float64
			for _, frame := range g.Frames {
				row = append(row, frame[node])
			}
			m.Rows = append(m.Rows, row)
		}
		title, _, _ := strings.Cut(p.Title, ":")
		f.Panels = append(f.Panels, figures.Panel{Title: title, Strips: m})
	}
	return f
}
