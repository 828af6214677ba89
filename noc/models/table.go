package models

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/buffered"
	bufferedengine "github.com/carousel-sim/carousel/noc/buffered/engine"
	"github.com/carousel-sim/carousel/noc/ideal"
	"github.com/carousel-sim/carousel/noc/rotary"
	"github.com/carousel-sim/carousel/noc/rotary/engine"
	"github.com/carousel-sim/carousel/noc/routing"
)

// Table returns the networks of this module. The list is the caller's own, to be extended by
// others.
func Table() List {
	return List{
		buffer(Model{Name: "base", Scheme: "unicast",
			Doc: "input-buffered router, dimension order, bubble flow control; multicasts as separate copies"}, buffered.Replicate),
		buffer(Model{Name: "base-mc", Scheme: "tree",
			Doc: "base with multicast trees replicated in the routers"}, buffered.Tree),
		rotate(Model{Name: "rr", Scheme: "unicast", FiniteSinks: true, Direct: true, Links: LatencyLinks,
			Doc: "rotary router, adaptive; multicasts as separate copies"}, rotary.Replicate),
		rotate(Model{Name: "mrr", Scheme: "adaptive", FiniteSinks: true, Direct: true, Links: LatencyLinks,
			Doc: "multicast rotary router: rr with adaptive replication in its rings"}, rotary.Adaptive),
		rotate(Model{Name: "rr-tree", Scheme: "tree", SharedClasses: true,
			Doc: "reference for mrr: replicated at every profitable output, unlimited output stages"}, rotary.Tree),
		rotate(Model{Name: "rr-path", Scheme: "path", SharedClasses: true,
			Doc: "reference for mrr: two paths, each through a part of the destinations, unlimited output stages"}, rotary.Path),
		{Name: "wormhole", Scheme: "unicast", Schemes: pathSchemes, Anywhere: true, Links: AnyLinks, New: newWormhole, Plain: newWormhole,
			Doc:         "input-queued wormhole router with a pipeline and virtual channels, which message classes own or share (network.wormhole.share_channels); any path-based or software multicast scheme",
			SourceQueue: func(o Options) (int, string) { return o.Wormhole.SourceQueue, "wormhole.source_queue" },
			MaxPhits:    func(o Options) (int, string) { return o.Wormhole.MaxPhits, "wormhole.max_phits" },
			Width:       func(o Options) (int, string) { return o.Wormhole.PhitBits, "wormhole.phit_bits" },
			Injection:   onePhit,
			RuleText: func(o Options) string {
				setup, c, _, err := o.wormhole()
				if err != nil {
					return ""
				}
				return c.ChannelText(setup.Parts)
			},
			ClassesPerChannel: func(o Options) int {
				setup, c, _, err := o.wormhole()
				if err != nil {
					return 0
				}
				return c.ClassesPerChannel(setup.Parts)
			}},
		// These have one form, which is plain.
		{Name: "wormhole-ideal", Scheme: "unicast", Schemes: wormSchemes, Anywhere: true, OneChannel: true, SharedClasses: true, New: newWormholeIdeal, Plain: newWormholeIdeal,
			Doc:         "wormhole channels of one flit per cycle, without router pipelines; any path-based or software multicast scheme",
			SourceQueue: func(o Options) (int, string) { return o.WormholeIdeal.SourceQueue, "wormhole_ideal.source_queue" },
			MaxPhits:    func(o Options) (int, string) { return o.WormholeIdeal.MaxPhits, "wormhole_ideal.max_phits" },
			Width:       func(o Options) (int, string) { return o.WormholeIdeal.PhitBits, "wormhole_ideal.phit_bits" },
			Injection:   wormholeIdealInjection},
		{Name: "ideal", Scheme: "unicast", Anywhere: true, Links: AnyLinks, FiniteSinks: true, New: newIdeal, Plain: newIdeal,
			Doc:         "no contention; a lower bound on time, unless requests race more often than on a router",
			SourceQueue: func(Options) (int, string) { return 0, "" },
			MaxPhits:    func(o Options) (int, string) { return o.Ideal.SlotPhits, "ideal.slot_phits" },
			MostPhits:   ideal.MaxSlotPhits,
			Width:       func(o Options) (int, string) { return o.Ideal.PhitBits, "ideal.phit_bits" },
			Injection:   func(Options) int { return 0 }},
	}
}

// onePhit is the injection of routers whose nodes have one link of a phit per cycle to them.
func onePhit(Options) int { return 1 }

// buffer completes a model of input-buffered routers.
func buffer(m Model, scheme buffered.Multicast) Model {
	m.FiniteSinks, m.InOrder, m.Links = true, true, LatencyLinks
	config := func(o Options) buffered.Config {
		c := o.Buffered
		c.Classes, c.ClassPhits, c.EveryCycle, c.Multicast = o.Classes, o.ClassPhits, o.EveryCycle, scheme
		c.Threads = o.threads()
		if o.Other != nil { // a grid some of whose links have latencies of their own
			c.Links = o.Other.Wiring
		}
		return c
	}
	m.Plain = func(o Options) (noc.Network, error) { return buffered.New(o.Grid, config(o)) }
	m.New = func(o Options) (noc.Network, error) {
		c := config(o)
		// The engine has up to three dimensions and no very slow links.
		if o.Grid.Ports() > bufferedengine.MaxPorts || c.Longest() > bufferedengine.MaxLinkCycles {
			return m.Plain(o)
		}
		return bufferedengine.New(o.Grid, c)
	}
	m.SourceQueue = func(o Options) (int, string) { return o.Buffered.SourceQueue, "buffered.source_queue" }
	m.MaxPhits = func(o Options) (int, string) { return o.Buffered.SlotPhits, "buffered.slot_phits" }
	m.MostPhits = buffered.MaxSlotPhits
	m.Width = func(o Options) (int, string) { return o.Buffered.PhitBits, "buffered.phit_bits" }
	m.Injection = onePhit
	m.RuleText = func(o Options) string { return config(o).RuleText() }
	return m
}

// rotate completes a model of rotary routers.
func rotate(m Model, scheme rotary.Scheme) Model {
	m.Plain = func(o Options) (noc.Network, error) {
		if o.Other != nil {
			return rotary.OnWiring(o.Other.Wiring, rotaryConfig(o, scheme))
		}
		return rotary.New(o.Grid, rotaryConfig(o, scheme))
	}
	m.New = func(o Options) (noc.Network, error) {
		if o.Other != nil || o.Grid.Ports() > engine.MaxPorts { // more than three dimensions, or no grid with links alike
			return m.Plain(o)
		}
		return engine.New(o.Grid, rotaryConfig(o, scheme))
	}
	m.SourceQueue = func(o Options) (int, string) { return o.Rotary.SourceQueue, "rotary.source_queue" }
	m.MaxPhits = func(o Options) (int, string) { return o.Rotary.SlotPhits, "rotary.slot_phits" }
	m.MostPhits = rotary.MaxSlotPhits
	m.Width = func(o Options) (int, string) { return o.Rotary.PhitBits, "rotary.phit_bits" }
	m.Injection = onePhit
	m.RuleText = func(o Options) string { return rotaryConfig(o, scheme).RuleText() }
	return m
}

func rotaryConfig(o Options, scheme rotary.Scheme) rotary.Config {
	c := o.Rotary
	c.Classes, c.Seed, c.EveryCycle, c.Multicast = o.Classes, o.Seed, o.EveryCycle, scheme
	c.Threads = o.threads()
	if scheme == rotary.Tree || scheme == rotary.Path {
		c.UnlimitedOutput = true // what the paper makes them correct by
		// Space alone holds their sources back.
		c.CalmInjection, c.InjectLimit = false, min(c.InjectLimit, 22)
	}
	return c
}

func newIdeal(o Options) (noc.Network, error) {
	c := o.Ideal
	c.Classes = o.Classes
	if o.Other != nil {
		if o.Other.Grid != nil {
			return ideal.NewGrid(*o.Other.Grid, o.Other.Wiring, c)
		}
		r, err := routing.Native(*o.Other)
		if err != nil {
			return nil, err
		}
		return ideal.NewWiring(o.Other.Wiring, r, c)
	}
	return ideal.New(o.Grid, c)
}
