package messages

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/carousel-sim/carousel/noc/dispatch"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/multicast"
	"github.com/carousel-sim/carousel/noc/papers/wormholeideal"
	"github.com/carousel-sim/carousel/noc/routing"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Config is one point of a message passing study. Times are in cycles, lengths in flits.
type Config struct {
	Topology string `doc:"network, such as mesh:16x16; carousel list shows all forms"`
	Scheme   string `doc:"multicast scheme, such as dual-path, qg, umin or postorder-doubling"`
	// More are schemes of other modules, which Scheme can name.
	More []multicast.Scheme `json:"-" key:"-"`
	// Routing is that of unicasts: by-scheme goes together with the scheme's worms; labels and
	// dimension-order insist. Dimension order with label-ordered worms deadlocks under load.
	// Elsewhere than on grids by-scheme is the network's own adaptive routing, and fixed the same
	// without choice.
	Routing string `doc:"routing of unicasts: by-scheme (compatible with the scheme's worms), labels or dimension-order; on networks without dimensions by-scheme (adaptive) or fixed"`
	// Preparation is a name of Preparations: what a source spends on planning before the first
	// startup.
	Preparation string `doc:"planning time of a source before the first startup: none, or one of three sets of values that the QG paper gives for its schemes: text (qg takes 16 cycles), captions (45) or fifty (50)"`
	Threshold   int    `unit:"thousandths" doc:"threshold of the scheme qg (Qualified Groups): a group is split if its weight exceeds the average by more than this share"`
	Flits       int    `unit:"flits" doc:"length of each message"`
	Startup     int    `unit:"cycles" doc:"time that a node spends before each step of sending messages"`
	BufferFlits int    `unit:"flits" doc:"depth of the buffer behind a channel; in a multistage network, 0 means room for a header with one bit per node"`
	Route       int    `unit:"cycles" doc:"time to decide on a header at each router"`

	// Injection 1 is the one-port node of figure 1 of the Qualified Groups paper.
	Injection int `json:",omitempty" unit:"worms" doc:"worms that a node can send at the same time; 0 means one for each link of a grid, elsewhere one"`

	Header int `unit:"flits" doc:"flits that each message has in addition to its length"`

	// These are of multistage networks, see wormholeideal.Tree.
	Consumption int    `unit:"channels" doc:"consumption channels of a node in a multistage network: 1, or the number of ports of a switch; if dilated, also the number of nodes"`
	Dilated     bool   `json:",omitempty" doc:"in a unidirectional multistage network of BxB switches, give each link into stage j B^j channels; needs tokens false, and allows as many consumption channels as nodes"`
	Tokens      bool   `doc:"let worms of the scheme atbm wait, before they branch, for the token of their group of switches; without tokens they deadlock"`
	TokenHop    int    `unit:"cycles" doc:"time of a token from one switch of its group to the next"`
	TokenTime   string `doc:"places where a worm of atbm waits for a token: stage (every switch where it branches) or once (the first)"`
	Release     string `doc:"when a switch gets a token back from a worm: headers (as soon as the headers behind the switch have reached all their destinations' channels) or flits (when the worm has sent more flits than the buffers on its route hold)"`
	Arbitration string `doc:"arbitration of an output of a multistage network: oldest or round-robin"`

	Arrivals string `doc:"how messages start: alone (one multicast at a time), network (a multicast of a random node every interval), node (as network, but one node sends all multicasts of a batch), exponential or normalized (see carousel help studies)"`
	// Interval is the time between two multicasts; for network and node.
	Interval int `unit:"cycles" doc:"time between two multicasts, for arrivals network and node"`
	// Load is what each node generates, in flits per cycle, a multicast counting once; for
	// exponential. For normalized it is the Traffic of the paper: the buffer-time that messages
	// need, divided by the buffer-time of the network.
	Load              float64 `unit:"flits/node/cycle" doc:"load; for arrivals exponential: flits that each node generates, a multicast counting once; for normalized: share of all buffers that messages would occupy without contention"`
	MulticastFraction float64 `doc:"share of multicasts: of messages for arrivals exponential, of copies or messages (see mix) for normalized"`
	Mix               string  `doc:"what multicast_fraction counts for arrivals normalized: copies or messages"`
	Destinations      int     `unit:"nodes" doc:"destinations of a multicast, drawn uniformly, the source not among them; for all arrivals but normalized"`
	// Share, where it is not 0, gives the destinations as a share of the other nodes, in
	// thousandths, rounded, at least one: for comparing networks of different size.
	Share int `unit:"thousandths" doc:"destinations as a share of the other nodes, at least one, for networks of different size; 0 takes destinations"`

	Batches       int `unit:"batches" doc:"batches that are measured"`
	BatchMessages int `unit:"messages" doc:"length of a batch, in multicasts, or in all messages if arrivals is normalized. It is not used if arrivals is exponential. If mix is messages, the number of messages is chosen so that a batch has as many copies as with mix copies. A point that may be saturated is repeated with batches of 20000"`
	WarmBatches   int `unit:"batches" doc:"batches before the first measured one, for arrivals normalized"`

	BatchCycles int `unit:"cycles" doc:"length of a batch, and of the warm-up before the first one, for arrivals exponential"`
}

// ByScheme is the routing that is free of deadlock together with the scheme's worms, FixedRouting
// that of a network of switches without its choices.
const (
	ByScheme     = "by-scheme"
	FixedRouting = "fixed"
)

// Default is the network of the Qualified Groups paper (section 4.2), with one multicast at a time.
// The paper has four injection and four ejection channels, which is one for each link of a mesh.
func Default() Config {
	return Config{Topology: "mesh:16x16", Scheme: "dual-path", Routing: ByScheme, Preparation: "none", Threshold: 500, Flits: 64, Startup: 33,
		BufferFlits: 1, Consumption: 1, Tokens: true, TokenHop: 1, TokenTime: string(wormholeideal.Stage), Release: string(wormholeideal.Headers), Arbitration: string(wormholeideal.Oldest),
		Arrivals: Alone, Interval: 250, Load: 0.01, MulticastFraction: 1, Mix: Copies, Destinations: 10,
		Batches: 20, BatchMessages: 100, WarmBatches: 1, BatchCycles: 10_000}
}

// The ways in which messages arise.
const (
	Alone       = "alone"       // a multicast from a random node into an empty network
	Network     = "network"     // a multicast somewhere in the network after each interval
	Node        = "node"        // a multicast of one node after each interval, each batch another node in an empty network
	Exponential = "exponential" // messages of every node, at exponential intervals
	Normalized  = "normalized"  // the same by the load of a multistage network, see arrivals.go
)

// ArrivalNames lists them.
var ArrivalNames = []string{Alone, Network, Node, Exponential, Normalized}

// variant is a scheme of package multicast with choices that its paper leaves open.
type variant struct {
	scheme string
	groups multicast.GroupOptions
	ports  multicast.PortRule
	// cutThrough lets representatives start, and sources begin the next round, when headers have
	// passed, not tails.
	cutThrough bool
}

// fourPaths lets Qualified Groups use up to four paths in both steps; the usual number is two.
var fourPaths = multicast.GroupOptions{ToRepresentatives: multicast.Multi, InGroups: multicast.Multi}

// variants are what Config.Scheme can be beside the names of schemes.
var variants = map[string]variant{
	"column-path-cut": {scheme: "column-path", cutThrough: true},
	"qg-cut":          {scheme: "qg", cutThrough: true},
	"qg-multi":        {scheme: "qg", groups: fourPaths},
	"qg-multi-cut":    {scheme: "qg", groups: fourPaths, cutThrough: true},
	"ocms-free":       {scheme: "ocms", ports: multicast.Free}, // first hops
	"otms-free":       {scheme: "otms", ports: multicast.Free},
	"software":        {scheme: "umin"}, // or cmin, whichever the network takes
}

// Preparations are the planning times that the Qualified Groups paper names, by scheme of package
// multicast. A scheme that is not listed has that of dual-path.
var Preparations = map[string]map[string]int{
	"none":     {},
	"text":     {"dual-path": 2, "multi-path": 2, "column-path": 4, "qg": 16}, // section 4.2
	"captions": {"dual-path": 2, "multi-path": 2, "column-path": 8, "qg": 45}, // figures 17 and 18
	"fifty":    {"dual-path": 2, "multi-path": 2, "column-path": 4, "qg": 50}, // "as high as 50 cycles" of section 4.2
}

// preparation is the planning time of a scheme.
func preparation(name, scheme string) int {
	cycles := Preparations[name]
	if own, ok := cycles[scheme]; ok {
		return own
	}
	return cycles["dual-path"]
}

// variant finds a variant or a scheme by name. Trees are for networks of other packages.
func (c Config) variant() (v variant, err error) {
	names := slices.DeleteFunc(multicast.SchemeNames(c.More...), func(name string) bool { return name == "tree" })
	names = slices.Concat(names, slices.Sorted(maps.Keys(variants)))
	v, known := variants[c.Scheme]
	if !known {
		v.scheme = c.Scheme
	}
	return v, fabric.CheckChoice("scheme", c.Scheme, names...)
}

// destinations is the number of destinations of a multicast.
func (c Config) destinations(nodes int) int {
	if c.Share == 0 {
		return c.Destinations
	}
	return max(1, (c.Share*(nodes-1)+500)/1000)
}

// Validate returns an error that names the wrong key, or nil.
func (c Config) Validate() error {
	l, err := topology.Open(c.Topology)
	if err != nil {
		return err
	}
	routings, leastBuffer := []string{ByScheme, string(wormholeideal.Labels), string(wormholeideal.DimensionOrder)}, 1
	if l.Grid == nil {
		routings = []string{ByScheme, FixedRouting}
	}
	if l.Multistage != nil {
		leastBuffer = 0
	}
	if c.Arrivals == Normalized && l.Multistage == nil {
		return fmt.Errorf("arrivals %s need a multistage network (min:baseline:N:B or bimin:butterfly:N:B), not %s", Normalized, l)
	}
	if err := cmp.Or(
		fabric.CheckChoice("preparation", c.Preparation, slices.Sorted(maps.Keys(Preparations))...),
		fabric.CheckChoice("arrivals", c.Arrivals, ArrivalNames...),
		fabric.CheckChoice("routing", c.Routing, routings...),
		fabric.CheckChoice("mix", c.Mix, Mixes...),
		fabric.CheckRange("threshold", c.Threshold, 0, 1_000_000),
		fabric.CheckRange("flits", c.Flits, 1, 1<<14),
		fabric.CheckRange("startup", c.Startup, 0, 1<<15),
		fabric.CheckRange("buffer_flits", c.BufferFlits, leastBuffer, 1<<12),
		fabric.CheckRange("header", c.Header, 0, 1<<10),
		fabric.CheckRange("injection", c.Injection, 0, wormholeideal.MaxPorts),
		fabric.CheckRange("interval", c.Interval, 1, 1<<30),
		fabric.CheckRange("route", c.Route, 0, 1<<10),
		fabric.CheckRange("destinations", c.destinations(l.Nodes()), 1, l.Nodes()-1),
		fabric.CheckRange("batches", c.Batches, 2, 10_000),
		fabric.CheckRange("batch_messages", c.BatchMessages, 1, 1<<24),
		fabric.CheckRange("batch_cycles", c.BatchCycles, 1, 1<<30),
		fabric.CheckRange("warm_batches", c.WarmBatches, 0, 10_000),
		fabric.CheckRange("share", c.Share, 0, 1000),
		fabric.CheckRange("load", c.Load, 1e-6, 1),
	); err != nil {
		return err
	}
	if !(c.MulticastFraction > 0 && c.MulticastFraction <= 1) {
		return fmt.Errorf("multicast_fraction is %g; use a share above 0, up to 1", c.MulticastFraction)
	}
	_, err = build(c)
	return err
}

// build makes the network of a point.
func build(c Config) (*wormholeideal.Network, error) {
	l, err := topology.Open(c.Topology)
	if err != nil {
		return nil, err
	}
	v, err := c.variant()
	if err != nil {
		return nil, err
	}
	if c.Scheme == "software" && l.Multistage != nil && !l.Multistage.Bidirectional {
		v.scheme = "cmin"
	}
	scheme, err := multicast.LookupScheme(v.scheme, c.More...)
	if err != nil {
		return nil, err
	}
	options := multicast.DefaultOptions()
	options.Ports, options.Groups, options.Injection = v.ports, v.groups, c.Injection
	options.Groups.Threshold = c.Threshold
	p, err := multicast.NewPlanner(scheme, l, options)
	if err != nil {
		return nil, err
	}
	w := wormholeideal.Default()
	w.Classes, w.MaxPhits, w.BufferPhits, w.Startup, w.CutThrough, w.RouteCycles = 1, c.Flits, c.BufferFlits, c.Startup, v.cutThrough, c.Route
	w.Preparation, w.HeaderPhits, w.InjectionPorts = preparation(c.Preparation, v.scheme), c.Header, c.Injection
	var r routing.Function
	switch {
	case l.Multistage != nil && scheme.Way != multicast.ByLabels:
		return buildStages(c, w, p)
	case l.Grid == nil:
		if r, err = routing.OfScheme(p, c.Routing == FixedRouting); err != nil {
			return nil, err
		}
		if p.OneStop() { // a node has one channel into its switch and one out of it
			w.InjectionChannels, w.InjectionPorts, w.EjectionChannels = true, max(1, c.Injection), 1
		}
	case c.Routing != ByScheme:
		w.Routing = wormholeideal.Routing(c.Routing)
	case scheme.Way != multicast.ByLabels:
		w.Routing = wormholeideal.DimensionOrder
	}
	return wormholeideal.New(l, w, r, p)
}

// buildStages makes a multistage network, whose switches replicate the worms of atbm. Unicasts and
// software multicasts use the same network, so that nothing but the scheme differs. w has what it
// shares with others.
func buildStages(c Config, w wormholeideal.Config, p multicast.Planner) (*wormholeideal.Network, error) {
	if c.Injection > 1 {
		return nil, fmt.Errorf("injection is %d; a node has one channel into a multistage network, so use 0 or 1", c.Injection)
	}
	w.BufferPhits, w.EjectionChannels, w.PhitBits = c.BufferFlits, c.Consumption, wormholeideal.DefaultTree().PhitBits
	w.Tree = &wormholeideal.Tree{Tokens: c.Tokens, TokenHop: c.TokenHop,
		TokenTime: wormholeideal.TokenTime(c.TokenTime), Release: wormholeideal.Release(c.Release),
		Arbitration: wormholeideal.Arbitration(c.Arbitration), Adaptive: c.Routing != FixedRouting,
		Multiple: p.Scheme.Name == "atbm-multiple", Dilated: c.Dilated}
	var planner dispatch.Planner = p
	if p.Scheme.Way == multicast.ByTree {
		planner = wormholeideal.TreePlanner{}
	}
	return wormholeideal.New(p.Network.Layout, w, nil, planner)
}
