package mrr

import (
	"fmt"
	"strings"

	"github.com/carousel-sim/carousel/analysis/chart"
	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/analysis/paper/claim"
)

// table1 is the claim that the chip of figure 11 is that of table 1.
func table1() claim.Claim {
	return claim.Claim{
		ID: "S2-30", Text: "The simulated chip is that of table 1.", Rules: usual, Conditions: "the chip of figure 11, whose plan sets workload, protocol and routers alone",
		Printed: "18 values",
		Criterion: "16 cores, width 4, window 64, 16 requests, L1 32 KB 2-way, L2 16 MB in 256 banks of 64 KB 16-way pseudo LRU, 4 GB at 260 cycles and 320 GB/s, " +
			"8x8 torus, 128-bit links, token coherence: the table without the branch predictors, which a replay of memory accesses has no use for; measured value: values that are as printed",
		Judge: func(d *chart.Data) claim.Finding {
			list, err := d.At(chart.AsSimulated)
			if err != nil || len(list) == 0 {
				return claim.Nothing("nothing was measured")
			}
			cores := list[0].Numbers["cores"]
			for i := range list {
				cores = min(cores, list[i].Numbers["cores"])
			}
			return chipOfTable1(config.Default(), int(cores))
		},
	}
}

// chipOfTable1 compares a configuration and the number of cores with the table.
func chipOfTable1(c config.Config, cores int) claim.Finding {
	h, l1, l2 := &c.Chip, &c.Chip.L1, &c.Chip.L2
	const block, routers = 64, 64
	bank := l2.Sets * l2.Ways * block
	rows := []struct {
		what      string
		got, want any
	}{
		{"cores", cores, 16}, {"issue width", h.Core.Width, 4}, {"window", h.Core.Window, 64}, {"outstanding requests", h.Core.Outstanding, 16},
		{"bytes of an L1", l1.Sets * l1.Ways * block, 32 << 10}, {"ways of an L1", l1.Ways, 2},
		{"L2 banks", routers * h.BanksPerRouter, 256}, {"bytes of a bank", bank, 64 << 10}, {"ways of a bank", l2.Ways, 16},
		{"replacement in a bank", l2.Policy.String(), "tree-plru"}, {"bytes of the L2", routers * h.BanksPerRouter * bank, 16 << 20},
		{"protocol", h.Protocol, "token"},
		{"bytes of memory", h.Memory.Bytes, uint64(4) << 30}, {"cycles of memory", int(h.Memory.Latency), 260},
		{"GB/s of memory", float64(h.Memory.BytesPerCycle) * h.ClockGHz, 320.0},
		{"topology", c.Topology, "torus:8x8"},
		{"bits of a link", c.Network.Rotary.PhitBits, 128}, {"bits of a link of BASE", c.Network.Buffered.PhitBits, 128},
	}
	same := 0
	var other []string
	for _, r := range rows {
		if r.got == r.want {
			same++
		} else {
			other = append(other, fmt.Sprintf("%s: %v, printed %v", r.what, r.got, r.want))
		}
	}
	set := figure11Sets()
	f := claim.Fact(len(other) == 0 && len(set) == 0, float64(same), fmt.Sprintf("%d of %d values as printed", same, len(rows)))
	if list := append(other, set...); len(list) > 0 {
		f.Detail += ": " + strings.Join(list, "; ")
	}
	f.Detail += "; the clock that makes 80 bytes per cycle 320 GB/s is 4 GHz, and a command is one phit of 128 bits; L1 and bank take the printed 1 and 3 cycles in every protocol; " +
		"the timeout, which the text calls fixed, is adaptive unless it is told otherwise"
	return f
}

// figure11Sets lists the keys of the chip that the plan of figure 11 sets, but the protocol.
func figure11Sets() (list []string) {
	e := claim.Entry{Plan: figure11Plan}
	p := claim.Must(e.ParsePlan(false))
	keys := make([]string, 0, len(p.Set)+len(p.Axes))
	for _, s := range p.Set {
		keys = append(keys, s.Key)
	}
	for _, a := range p.Axes {
		keys = append(keys, a.Key)
	}
	for _, k := range keys {
		if k != "chip.protocol" && (strings.HasPrefix(k, "chip.") || strings.HasPrefix(k, "network.") || k == "topology") {
			list = append(list, k+" is set by the plan")
		}
	}
	return list
}
