package traffic

import (
	"cmp"
	"fmt"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Config describes open-loop traffic.
type Config struct {
	Load                  float64 `unit:"phits/node/cycle" doc:"load offered at the sources; a multicast counts once"`
	Pattern               string  `doc:"destinations of unicast packets: a pattern of carousel list, or rates:FILE"`
	MulticastFraction     float64 `doc:"probability that a packet is a multicast"`
	MulticastDestinations int     `unit:"nodes" doc:"destinations of a multicast, drawn uniformly; if this is at least the number of other nodes, the packet is a broadcast"`
	PacketPhits           int     `unit:"phits" doc:"length of every packet"`
	Classes               int     `doc:"message classes, drawn uniformly; base and base-mc have a virtual channel for each"`
	HotspotShare          float64 `doc:"share of the packets of pattern hotspot that go to the node in the middle"`
	TornadoDims           string  `choices:"all,x" doc:"dimensions along which pattern tornado moves: all or x"`

	// Rates are those of pattern "rates:FILE", which other than a pattern says how much each node sends.
	Rates []Rate `key:"-" json:",omitempty"`

	Seed uint64    `key:"-"`          // of a run
	More []Pattern `key:"-" json:"-"` // patterns of other modules
}

// Default returns the paper's traffic: 5-phit packets of six classes to uniform destinations, no
// multicasts.
func Default() Config {
	return Config{Load: 0.3, Pattern: "uniform", MulticastDestinations: 64, PacketPhits: 5, Classes: 6,
		HotspotShare: 0.1, TornadoDims: "all", Seed: 1}
}

// leastLoad keeps the time between two messages of a node within reach of a run.
const leastLoad = 1e-6

// Validate returns what is wrong with the configuration on a grid, naming the key.
func (c Config) Validate(g topology.Grid) error {
	if err := cmp.Or(g.Validate(), fabric.CheckRange("packet_phits", c.PacketPhits, 1, 1<<10)); err != nil {
		return err
	}
	if !(c.Load >= leastLoad && c.Load <= float64(c.PacketPhits)) {
		return fmt.Errorf("load is %g phits per node and cycle; %g to %d are allowed: a node generates at most one packet of %d phits per cycle",
			c.Load, leastLoad, c.PacketPhits, c.PacketPhits)
	}
	if c.MulticastDestinations < 2 {
		return fmt.Errorf("multicast_destinations is %d; use 2 or more, and %d or more for broadcasts", c.MulticastDestinations, g.Nodes()-1)
	}
	if err := cmp.Or(
		fabric.CheckRange("multicast_fraction", c.MulticastFraction, 0, 1),
		fabric.CheckRange("classes", c.Classes, 1, noc.MaxClasses),
		fabric.CheckRange("hotspot_share", c.HotspotShare, 0, 1),
		fabric.CheckChoice("tornado_dims", c.TornadoDims, "all", "x"),
	); err != nil {
		return err
	}
	targets, err := c.Targets(g)
	if err != nil {
		return err
	}
	for n, to := range targets {
		if to != noc.NodeID(n) || c.MulticastFraction > 0 {
			return nil
		}
	}
	return fmt.Errorf("pattern %s maps every node of %s to itself, so no node sends; use a larger network", c.Pattern, g)
}

// destinations returns the number of destinations of a multicast on a network of that size.
func (c Config) destinations(nodes int) int { return min(c.MulticastDestinations, nodes-1) }
