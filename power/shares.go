package power

import (
	"fmt"
	"math"

	"github.com/carousel-sim/carousel/power/chip"
)

// ShareFactor is how far the network's share of a chip may be from a published one, either way.
const ShareFactor = 2

// Share compares the part of the network in the power of a published chip with that of a model of the chip.
type Share struct {
	Name      string  `json:"chip"`
	TechNM    int     `json:"tech_nm"`
	Published float64 `json:"published_share"`
	Source    string  `json:"source"`
	ModelLow  float64 `json:"model_share_low"` // of both profiles, with the links and without
	ModelHigh float64 `json:"model_share_high"`
	Factor    float64 `json:"factor"` // from the geometric mean of both; 0 where the chip has no model
	// Reason says why a chip has no model.
	Reason string `json:"reason,omitempty"`
}

// Outside reports whether the model is too far away or does not exist.
func (s *Share) Outside() bool { return s.Reason != "" || !(s.Factor <= ShareFactor) }

// sharedChip is a chip as its publication describes it. The size of its cores follows from how many instructions they
// issue; instructions per cycle and load are assumed where the publication is silent.
type sharedChip struct {
	Share
	network  published
	routers  float64
	core     string
	ghz, ipc float64 // of the cores
	hardware chip.Hardware
}

// sharedChips lists them.
var sharedChips = [...]sharedChip{
	{Share: Share{Name: "Intel SCC", TechNM: 45, Published: 0.10, Source: "JSSC 2011, abstract"},
		network: chips[0], routers: 24, core: "medium", ghz: 1, ipc: 1,
		hardware: chip.Hardware{Cores: 48, L1KB: 16, L1Ways: 4, L2KB: 256, L2Ways: 4, Banks: 48, Controllers: 4}},
	{Share: Share{Name: "SCORPIO, a tile", TechNM: 45, Published: 0.19, Source: "ISCA 2014, abstract"},
		network: published{techNM: 45, volt: 1.0, ghz: 0.833, mm: 1, bits: 137, channels: 6, depth: 2, load: 1.5, links: 0.8, open: true},
		routers: 36, core: "small", ghz: 0.833, ipc: 1,
		hardware: chip.Hardware{Cores: 36, L1KB: 16, L1Ways: 4, L2KB: 128, L2Ways: 4, Banks: 36}},
	{Share: Share{Name: "Niagara", TechNM: 90, Published: 0.08, Source: "example of McPAT 1.3"},
		network: published{techNM: 90, volt: 1.2, ghz: 1.2, mm: 5, bits: 128, channels: 2, depth: 4, load: 5, links: 1, open: true},
		routers: 2, core: "medium", ghz: 1.2, ipc: 1,
		hardware: chip.Hardware{Cores: 8, L1KB: 16, L1Ways: 4, L2KB: 768, L2Ways: 12, Banks: 4, Controllers: 4}},
	{Share: Share{Name: "Niagara2", TechNM: 65, Published: 0.04, Source: "example of McPAT 1.3"},
		network: published{techNM: 65, volt: 1.1, ghz: 1.4, mm: 5, bits: 128, channels: 2, depth: 4, load: 5, links: 1, open: true},
		routers: 2, core: "medium", ghz: 1.4, ipc: 2,
		hardware: chip.Hardware{Cores: 8, L1KB: 16, L1Ways: 8, L2KB: 512, L2Ways: 16, Banks: 8, Controllers: 4}},
	{Share: Share{Name: "Intel 80-core, a tile", TechNM: 65, Published: 0.28, Source: "from summaries",
		Reason: "its tile has two floating-point units and a scratchpad instead of a core with caches, which have no prices here"}},
	{Share: Share{Name: "Raw, a tile", TechNM: 180, Published: 0.36, Source: "from summaries", Reason: "there are no prices at 180 nm"}},
}

// Shares compares the network's share of power with published chips.
func Shares() (list []Share, err error) {
	for i := range sharedChips {
		s := sharedChips[i].Share
		if s.Reason == "" {
			if s, err = sharedChips[i].model(); err != nil {
				return nil, fmt.Errorf("%s: %w", s.Name, err)
			}
		}
		list = append(list, s)
	}
	return list, nil
}

// model computes the share of one chip over a second, with each profile.
func (c *sharedChip) model() (s Share, err error) {
	s = c.Share
	config := chip.Default()
	config.Core = c.core
	prices, err := chip.NewPrices(c.hardware, config, c.TechNM, 1)
	if err != nil {
		return s, err
	}
	cycles := float64(c.hardware.Cores) * c.ghz * 1e9
	instructions := uint64(cycles * c.ipc)
	// A third of instructions accesses data; a fetch takes a block of several instructions.
	rest := prices.Of(chip.Counters{Seconds: 1, Instructions: instructions, RetiringCycles: uint64(cycles), Accesses: instructions / 2,
		L1Misses: instructions / 50, L2Requests: instructions / 50, L2Hits: instructions / 50}).Total(false)
	s.ModelLow, s.ModelHigh = math.Inf(1), 0
	for _, profile := range []Profile{ProfileO, ProfileS} {
		p := Default()
		p.Profile, p.TechNM, p.ClockGating = profile, c.TechNM, true
		p.VoltageV, p.ClockGHz, p.LinkMM = c.network.volt, c.network.ghz, c.network.mm
		low, high, err := c.network.model(p)
		if err != nil {
			return s, err
		}
		watts := 1e-12 * float64(c.network.bits) * c.network.load * c.network.ghz * 1e9 * c.routers // of a pJ per bit
		s.ModelLow, s.ModelHigh = min(s.ModelLow, low*watts/(low*watts+rest)), max(s.ModelHigh, high*watts/(high*watts+rest))
	}
	middle := math.Sqrt(s.ModelLow * s.ModelHigh)
	s.Factor = max(middle/s.Published, s.Published/middle)
	return s, nil
}
