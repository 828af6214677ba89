package main

import (
	"github.com/carousel-sim/carousel/cmd/carousel/cli"
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/coherence/cmp"
	"github.com/carousel-sim/carousel/coherence/msi"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/multicast"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/noc/traffic"
	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/workloads"
)

// others joins everything but the router.
var others = cli.Extra{
	Patterns: []traffic.Pattern{{Name: "half-way", Doc: "the node half of all nodes further",
		Target: func(g topology.Grid, from noc.NodeID, _ *traffic.Config) noc.NodeID {
			n := noc.NodeID(g.Nodes())
			return (from + n/2) % n
		}}},
	Schemes: []multicast.Scheme{{Name: "ascending-doubling", Doc: "recursive doubling by unicasts in the order of node numbers",
		Way: multicast.ByNetwork, Worms: ascending}},
	Protocols: []cmp.ProtocolEntry{{Name: "msi-mine", Doc: "msi under another name: a protocol that you are changing",
		New: func(c cmp.Config, s coherence.System) (coherence.Protocol, error) {
			return msi.New(s, c.L1, c.L2, c.Core.Outstanding), nil
		},
		Validate: func(cmp.Config) error { return nil }}},
	Workloads: []workloads.Workload{{Name: "ping-pong", Doc: "two cores write one block in turns", Kind: workloads.Synthetic, New: pingPong}},
}

// ascending plans recursive doubling along the network's own routes.
func ascending(n *multicast.Network, r multicast.Request, _ multicast.Options) (multicast.Plan, error) {
	route, err := n.Route()
	if err != nil {
		return nil, err
	}
	return multicast.Doubling(append([]noc.NodeID{r.Source}, r.Targets()...), multicast.WithSender, route), nil
}

// pingPong makes the records of two cores.
func pingPong(w *workloads.Workload, c workloads.Config) (*workloads.Opened, error) {
	records := make([][]traces.Record, 2)
	for core := range records {
		for range max(c.Records, 1000) {
			records[core] = append(records[core], traces.Record{Kind: traces.Store, Address: 64, Size: 3, Instructions: 4})
		}
	}
	return &workloads.Opened{Source: traces.NewMemory(records, nil),
		Info: workloads.Info{Name: w.Name, Doc: w.Doc, Kind: w.Kind, Metadata: traces.DefaultMetadata(w.Name, 2)}}, nil
}
