package models

import (
	"slices"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/buffered"
	"github.com/carousel-sim/carousel/noc/ideal"
	"github.com/carousel-sim/carousel/noc/multicast"
	"github.com/carousel-sim/carousel/noc/papers/wormholeideal"
	"github.com/carousel-sim/carousel/noc/program"
	"github.com/carousel-sim/carousel/noc/rotary"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/noc/wormhole"
)

// Options holds what all models share and the parameters of each engine. Classes, Seed and
// EveryCycle replace the fields of the same name in the engines' own configurations, and a model
// replaces the multicast scheme: it is what tells rr from mrr and base from base-mc. rr-tree and
// rr-path always have unlimited output stages.
type Options struct {
	Grid topology.Grid `key:"-"`
	// Other is a network that is no grid, for the models that work on any; nil takes Grid.
	Other *topology.Layout `json:",omitempty" key:"-"`
	// Link are links unlike the others; WithLinks puts them into the network.
	Link    topology.LinksOptions `json:",omitzero"`
	Classes int                   `key:"-"` // message classes
	// ClassPhits is the length of the longest packet of each class, as far as the client knows it;
	// 0 stands for the longest of all.
	ClassPhits [noc.MaxClasses]int `key:"-"`
	Seed       uint64              `key:"-"` // of random choices inside routers
	EveryCycle bool                `doc:"step every router in every cycle; same results, slower"`
	Threads    int                 `json:",omitempty" unit:"threads" doc:"number of threads that simulate one run on base, base-mc, rr, mrr, rr-tree or rr-path: at most 2 for a chip, and one for each 256 routers for a network without a chip; 0 is one thread; same results, faster on processors without other work"`
	Plain      bool                `json:",omitempty" doc:"build the plain form of each router, its readable specification; same results, slower"`

	Rotary   rotary.Config
	Buffered buffered.Config
	Ideal    ideal.Config
	// Scheme is how the models that let it be chosen serve a packet with several destinations; ""
	// is unicast.
	Scheme string `doc:"multicast scheme of wormhole and wormhole-ideal, such as unicast, dual-path, qg, umin or postorder-doubling; empty means unicast"`
	// Copies is the chip's: a network does not know which destination is the home.
	Copies string `json:",omitempty" choices:"in-turn,home-first,home-last" doc:"when the copy of a request for the home bank leaves the sender, in networks that do not replicate messages (base, rr): in turn, before the others, or after them. In turn is the default, because section 4.2 of the MRR paper names the L1s before the bank, but no order in time"`
	// More are schemes of other modules, which Scheme can name.
	More     []multicast.Scheme `json:"-" key:"-"`
	Wormhole wormhole.Config
	// Routes is the text of the file that Wormhole.Table names.
	Routes        string `json:",omitempty" key:"-"`
	WormholeIdeal wormholeideal.Config
	Program       program.Config `json:",omitzero"`
}

// DefaultOptions returns the paper's network: an 8x8 torus, six classes, 300 phits of storage per
// router.
func DefaultOptions() Options {
	o := Options{Grid: topology.Torus(8, 8), Classes: 6, Seed: 1, Copies: "in-turn",
		Rotary: rotary.DefaultRR(), Buffered: buffered.DefaultBase(), Ideal: ideal.Default(),
		Wormhole: wormhole.Default(), WormholeIdeal: wormholeideal.Default(), Program: program.Default()}
	o.Wormhole.Routing, o.WormholeIdeal.Routing = ByScheme, ByScheme
	return o
}

// Layout returns the network by name and as tables.
func (o Options) Layout() topology.Layout {
	if o.Other != nil {
		return *o.Other
	}
	return o.Grid.Layout()
}

// WithLinks returns the options for a network whose links are as the layout and Link say. A grid
// with such links is in both Grid and Other.
func (o Options) WithLinks(l topology.Layout) (Options, error) {
	l, err := l.WithLinks(o.Link)
	if o.Other = &l; l.Grid != nil {
		if o.Grid = *l.Grid; !l.Wiring.Special() {
			o.Other = nil
		}
	}
	return o, err
}

// MostThreads is the largest value of Threads, and routersPerThread the fewest routers that a thread of
// its own makes faster.
const MostThreads, routersPerThread = 4, 256

// threads returns how many threads may simulate the network.
func (o Options) threads() int { return max(1, min(o.Threads, o.Grid.Nodes()/routersPerThread)) }

// Topology returns the name of the network.
func (o Options) Topology() string {
	if o.Other != nil {
		return o.Other.String()
	}
	return o.Grid.String()
}

// Places returns the coordinates of the nodes, as patterns of traffic see them: those of the grid
// or, in another network that has none, all nodes in a line.
func (o Options) Places() topology.Grid {
	if o.Other == nil {
		return o.Grid
	}
	if g, has := o.Other.Coordinates(); has {
		return g
	}
	return topology.Mesh(o.Other.Nodes())
}

// RuleSets lists the rule sets of the rotary routers.
func RuleSets() []rotary.RuleSet { return rotary.RuleSets() }

// WithRules returns the options with the values of the rule set that Rotary.Rules names, and
// reports whether there is one of that name.
func (o Options) WithRules() (Options, bool) {
	name := o.Rotary.Rules
	if !slices.ContainsFunc(RuleSets(), func(s rotary.RuleSet) bool { return s.Name == name }) {
		return o, false
	}
	o.Rotary = o.Rotary.WithRules(name)
	return o, true
}

// SmallestOptions is every network with the smallest buffers that it works with, for tests that
// want packets to be in each other's way: rotary segments that just take an injected packet,
// stages of one packet per lane, virtual channels of two, and sources that queue one packet per
// class.
func SmallestOptions(grid topology.Grid) Options {
	o := DefaultOptions()
	o.Grid = grid
	r := &o.Rotary
	r.InputStagePhits, r.SegmentPhits, r.OutputStagePhits = r.SlotPhits, r.InjectSlots*r.SlotPhits, 2*r.SlotPhits
	r.SourceQueue = 1
	o.Buffered.ChannelPhits, o.Buffered.SourceQueue = 2*o.Buffered.SlotPhits, 1
	return o
}
