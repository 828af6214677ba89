// Package models assembles networks by name. It is the only importer of all engines.
//
// There are only two types: [Options] holds the parameters of every engine and what they share, and a
// [Model] is one line of [Table], from which a program builds a noc.Network without knowing its router.
//
// The table is explicit, in the order in which results are shown. To add a network, write its package
// (see package noc) and add one line here; the test of this package then holds it to the conformance
// suite.
package models

import (
	"fmt"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/buffered"
	"github.com/carousel-sim/carousel/noc/ideal"
	"github.com/carousel-sim/carousel/noc/rotary"
	"github.com/carousel-sim/carousel/noc/routing"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/noc/virtualchannel"
	"github.com/carousel-sim/carousel/noc/wormhole"
)

// Options holds what all models share and the parameters of each engine. Classes, Seed and EveryCycle
// replace the fields of the same name in the engines' own configurations, and a model replaces the
// multicast scheme: it is what tells rr from mrr and base from base-mc. rr-tree and rr-path always have
// unlimited output stages.
type Options struct {
	Grid topology.Grid
	// Other is a network that is no grid, for the models that work on any; nil takes Grid.
	Other      *topology.Layout `json:",omitempty"`
	Classes    int              // message classes
	Seed       uint64           // of random choices inside routers
	EveryCycle bool             // step every router in every cycle: slower, with the same results
	Rotary     rotary.Config
	Buffered   buffered.Config
	Ideal      ideal.Config
	// Scheme is how the models that let it be chosen serve a packet with several destinations; "" is
	// unicast.
	Scheme        string
	Wormhole      virtualchannel.Config
	WormholeIdeal wormhole.Config
}

// DefaultOptions is the paper's network: an 8x8 torus, six classes, 300 phits of storage per router.
func DefaultOptions() Options {
	o := Options{Grid: topology.Torus(8, 8), Classes: 6, Seed: 1,
		Rotary: rotary.DefaultRR(), Buffered: buffered.DefaultBase(), Ideal: ideal.Default(),
		Wormhole: virtualchannel.Default(), WormholeIdeal: wormhole.Default()}
	o.Wormhole.Routing, o.WormholeIdeal.Routing = ByScheme, ByScheme
	return o
}

// Layout is the network by name and as tables.
func (o Options) Layout() topology.Layout {
	if o.Other != nil {
		return *o.Other
	}
	return topology.Layout{Wiring: o.Grid.Wiring(), Grid: &o.Grid}
}

// Topology is the name of the network.
func (o Options) Topology() string {
	if o.Other != nil {
		return o.Other.String()
	}
	return o.Grid.String()
}

// Places are the coordinates of the nodes, as patterns of traffic see them: those of the grid or, in another
// network, all nodes in a line.
func (o Options) Places() topology.Grid {
	if o.Other != nil {
		return topology.Mesh(o.Other.Nodes())
	}
	return o.Grid
}

// Model is one kind of network.
type Model struct {
	Name string
	Doc  string // one line
	// Scheme is how the model serves a packet with several destinations, unless Options choose another of
	// Schemes.
	Scheme  string
	Schemes []string // that can be chosen; none for models with a fixed one
	// Anywhere tells that the model works on any topology, not on grids alone.
	Anywhere bool
	build    func(Options) (noc.Network, error)
}

// New builds the network, or tells which option does not fit.
func (m Model) New(o Options) (noc.Network, error) {
	if o.Other != nil && !m.Anywhere {
		var others []string
		for _, other := range Table {
			if other.Anywhere {
				others = append(others, other.Name)
			}
		}
		return nil, fmt.Errorf("it works on a torus or mesh, not on %s; there use %s", o.Topology(), strings.Join(others, ", "))
	}
	return m.build(o)
}

// Table lists the models.
var Table = []Model{
	{"base", "input-buffered router, dimension order, bubble flow control; multicasts as separate copies", "unicast", nil, false,
		func(o Options) (noc.Network, error) { return newBuffered(o, buffered.Replicate) }},
	{"base-mc", "base with multicast trees replicated in the routers", "tree", nil, false,
		func(o Options) (noc.Network, error) { return newBuffered(o, buffered.Tree) }},
	{"rr", "rotary router, adaptive; multicasts as separate copies", "unicast", nil, false,
		func(o Options) (noc.Network, error) { return newRotary(o, rotary.Replicate) }},
	{"mrr", "multicast rotary router: rr with adaptive replication in its rings", "adaptive", nil, false,
		func(o Options) (noc.Network, error) { return newRotary(o, rotary.Adaptive) }},
	{"rr-tree", "reference for mrr: replicated at every profitable output, unlimited output stages", "tree", nil, false,
		func(o Options) (noc.Network, error) { return newRotary(o, rotary.Tree) }},
	{"rr-path", "reference for mrr: two paths from destination to destination, unlimited output stages", "path", nil, false,
		func(o Options) (noc.Network, error) { return newRotary(o, rotary.Path) }},
	{"wormhole", "input-queued wormhole router with virtual channels and a pipeline; any path-based or software multicast scheme", "unicast", wormSchemes, true, newWormhole},
	{"wormhole-ideal", "wormhole channels of a flit per cycle, as the papers on multicasting model them; any path-based or software scheme", "unicast", wormSchemes, true, newWormholeIdeal},
	{"ideal", "no contention: a lower bound on latency", "unicast", nil, true, newIdeal},
}

func newBuffered(o Options, scheme buffered.Multicast) (noc.Network, error) {
	c := o.Buffered
	c.Classes, c.EveryCycle, c.Multicast = o.Classes, o.EveryCycle, scheme
	return got(buffered.New(o.Grid, c))
}

func newRotary(o Options, scheme rotary.Scheme) (noc.Network, error) {
	c := o.Rotary
	c.Classes, c.Seed, c.EveryCycle, c.Multicast = o.Classes, o.Seed, o.EveryCycle, scheme
	if scheme == rotary.Tree || scheme == rotary.Path {
		c.UnlimitedOutput = true // what the paper makes them correct by
		// Space alone holds their sources back.
		c.CalmInjection, c.PacePercent, c.InjectLimit = false, 0, min(c.InjectLimit, 22)
	}
	return got(rotary.New(o.Grid, c))
}

func newIdeal(o Options) (noc.Network, error) {
	c := o.Ideal
	c.Classes = o.Classes
	if o.Other != nil {
		r, err := routing.Native(*o.Other)
		if err != nil {
			return nil, err
		}
		return got(ideal.NewWiring(o.Other.Wiring, r, c))
	}
	return got(ideal.New(o.Grid, c))
}

// got turns an engine into a network, and no engine into none.
func got[N noc.Network](n N, err error) (noc.Network, error) {
	if err != nil {
		return nil, err
	}
	return n, nil
}

// SchemeOf is how the model serves a packet with several destinations under the given options.
func (m Model) SchemeOf(o Options) string {
	if m.Schemes == nil || o.Scheme == "" {
		return m.Scheme
	}
	return o.Scheme
}

// Schemes lists the multicast schemes of all models, in the order of the table.
func Schemes() (names []string) {
	for _, m := range Table {
		for _, s := range append([]string{m.Scheme}, m.Schemes...) {
			if !slices.Contains(names, s) {
				names = append(names, s)
			}
		}
	}
	return names
}

// SourceQueue is the depth of each source queue in packets under the given options; 0 takes any number.
// MaxPhits is the longest packet. Both come with the key that says so, below that of the options.
func (m Model) SourceQueue(o Options) (packets int, key string) {
	switch m.Name {
	case "base", "base-mc":
		return o.Buffered.SourceQueue, "buffered.source_queue"
	case "ideal":
		return o.Ideal.SourceQueue, "ideal.source_queue"
	case "wormhole":
		return o.Wormhole.SourceQueue, "wormhole.source_queue"
	case "wormhole-ideal":
		return o.WormholeIdeal.SourceQueue, "wormhole_ideal.source_queue"
	}
	return o.Rotary.SourceQueue, "rotary.source_queue"
}

// MaxPhits is described with SourceQueue.
func (m Model) MaxPhits(o Options) (phits int, key string) {
	switch m.Name {
	case "base", "base-mc":
		return o.Buffered.SlotPhits, "buffered.slot_phits"
	case "ideal":
		return o.Ideal.SlotPhits, "ideal.slot_phits"
	case "wormhole":
		return o.Wormhole.MaxPhits, "wormhole.max_phits"
	case "wormhole-ideal":
		return o.WormholeIdeal.MaxPhits, "wormhole_ideal.max_phits"
	}
	return o.Rotary.SlotPhits, "rotary.slot_phits"
}

// Names lists the models' names in the order of the table.
func Names() []string {
	names := make([]string, len(Table))
	for i, m := range Table {
		names[i] = m.Name
	}
	return names
}

// ToggleCounters lists the models that can count flipped bits.
func ToggleCounters() (names []string) {
	o := DefaultOptions()
	o.Grid = topology.Mesh(2)
	for _, m := range Table {
		if n, err := m.New(o); err == nil {
			if _, counts := n.(noc.ToggleCounter); counts {
				names = append(names, m.Name)
			}
		}
	}
	return names
}

// Lookup finds a model by name.
func Lookup(name string) (Model, error) {
	nearest, least := "", len(name)/2+2
	for _, m := range Table {
		if m.Name == name {
			return m, nil
		}
		if d := edits(strings.ToLower(name), m.Name); d < least {
			nearest, least = m.Name, d
		}
	}
	hint := ""
	if nearest != "" {
		hint = fmt.Sprintf("; did you mean %q?", nearest)
	}
	return Model{}, fmt.Errorf("no network is called %q: use %s%s", name, strings.Join(Names(), ", "), hint)
}

// edits is the number of letters to insert, delete or replace that turn a into b.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replace := diagonal
			if a[i] != b[j] {
				replace++
			}
			diagonal = row[j+1]
			row[j+1] = min(replace, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
