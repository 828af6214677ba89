package main

import (
	"fmt"
	"strings"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/multicast"
	"github.com/carousel-sim/carousel/noc/topology"
)

// planReport is what carousel multicast plan prints.
type planReport struct {
	Topology     string       `json:"topology"`
	Scheme       string       `json:"scheme"`
	Source       noc.NodeID   `json:"source"`
	Destinations []noc.NodeID `json:"destinations"` // without repetitions and the source
	Worms        []planWorm   `json:"worms"`
	Steps        int          `json:"steps"`
	// Traffic is the number of channels between routers that worms cross, one crossed twice counted
	// twice; DistinctChannels counts it once. AdditionalTraffic is Traffic minus the destinations.
	Traffic           int    `json:"traffic"`
	DistinctChannels  int    `json:"distinct_channels"`
	AdditionalTraffic int    `json:"additional_traffic"`
	LongestPath       int    `json:"longest_path"`
	Latency           int64  `json:"latency"`
	TimeUnit          string `json:"time_unit"`
}

// planWorm is one worm. Path lists the routers after the first; of a tree Path is null and Tree lists
// [parent, router] with the index of the parent in the list, -1 for the first router.
type planWorm struct {
	Worm     int           `json:"worm"`
	Step     int           `json:"step"`
	From     noc.NodeID    `json:"from"`
	After    int           `json:"after"`
	Round    int           `json:"round"`
	Stops    []noc.NodeID  `json:"stops"`
	Path     []noc.NodeID  `json:"path"`
	Tree     [][2]int      `json:"tree,omitempty"`
	Channels int           `json:"channels"`
	Arrivals []planArrival `json:"arrivals"`
}

// planArrival is when a stop has the message in an idle network.
type planArrival struct {
	Node     noc.NodeID `json:"node"`
	Channels int        `json:"channels"`
	Header   int64      `json:"header"`
	Tail     int64      `json:"tail"`
}

func newPlanReport(scheme string, w *topology.Wiring, r multicast.Request, p multicast.Plan, t multicast.Timing, unit string) (*planReport, error) {
	size, err := p.Measure()
	if err != nil {
		return nil, err
	}
	arrivals, err := p.Arrivals(w, t)
	if err != nil {
		return nil, err
	}
	report := &planReport{Topology: w.Name, Scheme: scheme, Source: r.Source, Destinations: r.Targets(), Worms: []planWorm{},
		Steps: size.Steps, Traffic: size.Channels, DistinctChannels: distinctChannels(w, p), AdditionalTraffic: size.Additional,
		LongestPath: size.Longest, TimeUnit: unit}
	for i, m := range p {
		worm := planWorm{Worm: i, Step: p.Step(i), From: m.From, After: m.After, Round: m.Round, Stops: m.Stops, Path: m.Path,
			Channels: len(m.Path) + len(m.Tree)}
		for _, v := range m.Tree {
			worm.Tree = append(worm.Tree, [2]int{int(v.Parent), int(v.Router)})
		}
		report.Worms = append(report.Worms, worm)
	}
	for _, at := range arrivals {
		worm := &report.Worms[at.Worm]
		worm.Arrivals = append(worm.Arrivals, planArrival{at.Node, at.Hops, at.Header, at.Tail})
		report.Latency = max(report.Latency, at.Tail)
	}
	return report, nil
}

// hops calls visit with the routers at both ends of every channel that a worm crosses.
func hops(w *topology.Wiring, m multicast.Worm, visit func(from, to noc.NodeID)) {
	start := w.Entry[m.From].Router
	at := start
	for _, next := range m.Path {
		visit(at, next)
		at = next
	}
	for _, v := range m.Tree {
		from := start
		if v.Parent >= 0 {
			from = m.Tree[v.Parent].Router
		}
		visit(from, v.Router)
	}
}

func distinctChannels(w *topology.Wiring, p multicast.Plan) int {
	used := map[int]bool{}
	for _, m := range p {
		hops(w, m, func(from, to noc.NodeID) { used[w.Channel(from, to)] = true })
	}
	return len(used)
}

func (r *planReport) title() string {
	return fmt.Sprintf("%s on %s: source %d, %s", r.Scheme, r.Topology, r.Source, counted(len(r.Destinations), "destination"))
}

// counted writes a number of things.
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

func (r *planReport) sheet() *sheet {
	s := &sheet{header: []string{"worm", "step", "from", "after", "channels", "last arrival", "order of visits", "routers"}}
	s.before = []string{r.title()}
	for _, w := range r.Worms {
		after, last := "-", int64(0)
		if w.After >= 0 {
			after = fmt.Sprint(w.After)
		}
		for _, a := range w.Arrivals {
			last = max(last, a.Tail)
		}
		s.add(fmt.Sprint(w.Worm), fmt.Sprint(w.Step), fmt.Sprint(w.From), after, fmt.Sprint(w.Channels), fmt.Sprint(last), list(w.Stops), w.way())
	}
	s.after = []string{
		fmt.Sprintf("%s, %s, traffic %s (%d distinct, %d more than destinations)", counted(len(r.Worms), "worm"), counted(r.Steps, "step"),
			counted(r.Traffic, "channel"), r.DistinctChannels, r.AdditionalTraffic),
		fmt.Sprintf("longest path %s, contention-free latency %d %s", counted(r.LongestPath, "channel"), r.Latency, r.TimeUnit),
	}
	return s
}

// list joins values the way flags take them.
func list[T any](values []T) string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(values), "[]"), " ", ",")
}

// way writes the routers of a path, or the channels of a tree as from>to.
func (w planWorm) way() string {
	if w.Tree == nil {
		return list(w.Path)
	}
	var parts []string
	for _, v := range w.Tree {
		from := "*" // the first router
		if v[0] >= 0 {
			from = fmt.Sprint(w.Tree[v[0]][1])
		}
		parts = append(parts, fmt.Sprintf("%s>%d", from, v[1]))
	}
	return strings.Join(parts, " ")
}
