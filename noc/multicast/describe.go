package multicast

import (
	"fmt"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Description is a plan with everything that follows from it, to be printed or written as JSON.
type Description struct {
	Topology     string          `json:"topology"`
	Scheme       string          `json:"scheme"`
	Source       noc.NodeID      `json:"source"`
	Destinations []noc.NodeID    `json:"destinations"` // without repetitions and the source
	Worms        []DescribedWorm `json:"worms"`
	Steps        int             `json:"steps"`
	// Traffic is the number of channels between routers that worms cross, one crossed twice counted
	// twice; DistinctChannels counts it once. AdditionalTraffic is [Measure.Additional].
	Traffic           int    `json:"traffic"`
	DistinctChannels  int    `json:"distinct_channels"`
	AdditionalTraffic int    `json:"additional_traffic"`
	LongestPath       int    `json:"longest_path"`
	Latency           int64  `json:"latency"`
	TimeUnit          string `json:"time_unit"`
}

// DescribedWorm is one worm of a description. Path lists the routers after the first. Of a tree
// Path is null and Tree lists [parent, router] with the index of the parent in the list, -1 for the
// first router.
type DescribedWorm struct {
	Worm     int          `json:"worm"`
	Step     int          `json:"step"`
	From     noc.NodeID   `json:"from"`
	After    int          `json:"after"`
	Round    int          `json:"round"`
	Stops    []noc.NodeID `json:"stops"`
	Path     []noc.NodeID `json:"path"`
	Tree     [][2]int     `json:"tree,omitempty"`
	Channels int          `json:"channels"`
	Arrivals []Arrival    `json:"arrivals"`
}

// Describe measures a plan of a scheme for a request, and tells when each destination has the
// message in an idle network with that timing, whose unit of time has a name.
func Describe(scheme string, w *topology.Wiring, r Request, p Plan, t Timing, unit string) (*Description, error) {
	size, err := p.Measure(w)
	if err != nil {
		return nil, err
	}
	arrivals, err := p.Arrivals(w, t)
	if err != nil {
		return nil, err
	}
	d := &Description{Topology: w.Name, Scheme: scheme, Source: r.Source, Destinations: r.Targets(), Worms: []DescribedWorm{},
		Steps: size.Steps, Traffic: size.Channels, DistinctChannels: distinctChannels(w, p), AdditionalTraffic: size.Additional,
		LongestPath: size.Longest, TimeUnit: unit}
	for i, m := range p {
		worm := DescribedWorm{Worm: i, Step: p.Step(i), From: m.From, After: m.After, Round: m.Round, Stops: m.Stops, Path: m.Path,
			Channels: len(m.Path) + len(m.Tree)}
		for _, v := range m.Tree {
			worm.Tree = append(worm.Tree, [2]int{int(v.Parent), int(v.Router)})
		}
		d.Worms = append(d.Worms, worm)
	}
	for _, at := range arrivals {
		worm := &d.Worms[at.Worm]
		worm.Arrivals = append(worm.Arrivals, at)
		d.Latency = max(d.Latency, at.Tail)
	}
	return d, nil
}

// Visit calls visit with the routers at both ends of every channel that the worm crosses.
func (m Worm) Visit(w *topology.Wiring, visit func(from, to noc.NodeID)) {
	visits, _ := m.visits() // of a wrong tree none
	for _, v := range visits {
		from := w.Entry[m.From].Router
		if v.Parent >= 0 {
			from = visits[v.Parent].Router
		}
		visit(from, v.Router)
	}
}

func distinctChannels(w *topology.Wiring, p Plan) int {
	used := map[int]bool{}
	for _, m := range p {
		m.Visit(w, func(from, to noc.NodeID) { used[w.Channel(from, to)] = true })
	}
	return len(used)
}

// Title returns the plan in a line, such as "qg on mesh:8x8: source 3, 5 destinations".
func (d *Description) Title() string {
	things := "destinations"
	if len(d.Destinations) == 1 {
		things = "destination"
	}
	return fmt.Sprintf("%s on %s: source %d, %d %s", d.Scheme, d.Topology, d.Source, len(d.Destinations), things)
}
