package main

import (
	"github.com/carousel-sim/carousel/cache"
	"github.com/carousel-sim/carousel/cmd/carousel/cli"
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/coherence/cmp"
	"github.com/carousel-sim/carousel/coherence/cohtest"
	"github.com/carousel-sim/carousel/coherence/explore"
	"github.com/carousel-sim/carousel/coherence/msi"
	"github.com/carousel-sim/carousel/coherence/verify"
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
		ClassBytes: msi.Description.ClassBytes, // as long as its messages are
		Validate:   func(cmp.Config) error { return nil }}},
	Checks:    []verify.Protocol{{Name: "msi-mine", Defects: msi.Description.Mistakes, Explorations: explorations, Stress: stress}},
	Workloads: []workloads.Workload{{Name: "ping-pong", Doc: "two cores write one block in turns", Kind: workloads.Synthetic, New: pingPong}},
}

// one is a cache for one block, so that there is something to evict.
var one = cache.Config{Sets: 1, Ways: 1}

// explorations returns a chip of two L1s and one block, of which every state is visited.
func explorations(defect string) []verify.Exploration {
	m := explore.Model{Name: "2 L1s", Cores: 2, Blocks: 1, Accesses: []coherence.AccessKind{coherence.Load, coherence.Store},
		Outstanding: 1, OrderedInFlight: 2, Evictions: true, Replacements: true}
	m.New = func(s coherence.System) coherence.Explorable {
		p := msi.New(s, one, one, 1)
		p.Seed(defect)
		return p
	}
	return []verify.Exploration{{Model: m, Protocol: "msi-mine"}}
}

// stress returns the k-th random test, of up to eight cores that evict each other's blocks.
func stress(k int, defect string) cohtest.Stress {
	l2 := cache.Config{Sets: 1 + k%2, Ways: 2, Policy: cache.TreePLRU}
	return cohtest.Stress{Seed: uint64(k), Size: cohtest.Size{Cores: 2 << (k % 3), Banks: 1 + k%2, Memories: 1},
		Blocks: []int{2, 5, 16}[k%3], Operations: 2000, Outstanding: 1 + k%4, Writes: 30, Fetches: 10, Prefetches: 5,
		Cramped: []int{0, 30, 80}[k/2%3], OpenLimit: 20_000,
		New: func(s coherence.System) coherence.Protocol {
			p := msi.New(s, cache.Config{Sets: 2, Ways: 2, Policy: cache.LRU}, l2, 4)
			p.Seed(defect)
			return p
		}}
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
