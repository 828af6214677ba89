package power

import (
	_ "embed"
	"fmt"
	"math"
	"slices"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/power/chip"
)

// publishedFile lists what was published of chips (rule 14).
//
//go:embed published.csv
var publishedFile string

const (
	// ChipFactor is how far the model may be from a published energy, either way (rule 14).
	ChipFactor = 3
	// ShareFactor is how far the network's share of a chip may be from a published one, either way.
	ShareFactor = 2
)

// Chip compares a published energy, in pJ per bit, with the model of a network or a cache like it.
type Chip struct {
	Name     string  `json:"chip"`
	TechNM   int     `json:"tech_nm"`
	Profile  Profile `json:"profile,omitempty"` // "" for caches, which have one price
	FIFO     FIFO    `json:"fifo,omitempty"`
	Quantity string  `json:"quantity"`
	// Low and High are what was published: one value, or a range.
	Low  float64 `json:"published_low_pj"`
	High float64 `json:"published_high_pj"`
	// ModelLow and ModelHigh are what the model says: a range, from the router alone to the
	// router with its links, where the publication leaves open which of the two was measured.
	ModelLow  float64 `json:"model_low_pj"`
	ModelHigh float64 `json:"model_high_pj"`
	// Factor is how many times the model is above or below what was published; 1 where they
	// overlap.
	Factor float64 `json:"factor"`
	// Judged is false for chips whose figures are known from summaries only: they are context.
	Judged bool `json:"judged"`
}

// Passed reports whether the model is near enough.
func (c Chip) Passed() bool { return !c.Judged || c.Factor <= ChipFactor }

// Share compares the part of the network in the power of a published chip with that of a model of
// the chip.
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

// publishedColumns are those of a file of published chips.
var publishedColumns = []string{"chip", "quantity", "published_low", "published_high", "source", "judged", "tech_nm", "voltage_v", "clock_ghz", "link_mm",
	"bits", "channels", "depth", "load", "links", "open", "routers", "core", "core_ghz", "ipc", "cores", "l1_kb", "l1_ways", "l2_kb", "l2_ways", "banks",
	"controllers", "outside"}

// ofShare is the quantity of a row about the network's share of power.
const ofShare = "share"

func (t *Comparison) comparePublished(r *reference) (err error) {
	low, high := r.number("published_low"), r.number("published_high")
	switch {
	case r.text("quantity") == ofShare:
		s := Share{Name: r.text("chip"), TechNM: r.count("tech_nm"), Published: low, Source: r.text("source"), Reason: r.text("outside")}
		if s.Reason == "" {
			if err := s.model(r); err != nil {
				s.Reason = err.Error()
			}
		}
		if !slices.Contains(t.Shares, s) { // a file may have chips that the program knows
			t.Shares = append(t.Shares, s)
		}
	case r.text("l1_kb") != "":
		bit := cacheBit(r)
		t.addChip(r, Chip{ModelLow: bit, ModelHigh: bit}, low, high)
	default:
		for _, c := range []Chip{{Profile: ProfileO, FIFO: FIFOSRAM}, {Profile: ProfileS, FIFO: FIFOBanked}, {Profile: ProfileS, FIFO: FIFOSingleRAM}} {
			if !c.Profile.has(r.count("tech_nm")) {
				continue
			}
			// At full bandwidth all clocks run.
			if c.ModelLow, c.ModelHigh, err = r.bitEnergy(r.network(c.Profile, c.FIFO, c.Profile != ProfileO)); err != nil {
				break
			}
			t.addChip(r, c, low, high)
		}
	}
	if r.wrong == nil && err != nil {
		return fmt.Errorf("line %d: %w", r.line, err)
	}
	return r.wrong
}

// has reports whether a profile O or S goes down to a technology.
func (p Profile) has(nm int) bool { return p == ProfileS || !slices.Contains(cellsOnly[:], nm) }

func (t *Comparison) addChip(r *reference, c Chip, low, high float64) {
	c.Name, c.Quantity, c.TechNM, c.Judged = r.text("chip"), r.text("quantity"), r.count("tech_nm"), r.text("judged") == "yes"
	c.Low, c.High, c.Factor = low, high, max(1, c.ModelLow/high, low/c.ModelHigh)
	if !slices.Contains(t.Chips, c) {
		t.Chips = append(t.Chips, c)
	}
}

// cacheBit is the energy of a bit of a word that is read, in pJ.
func cacheBit(r *reference) float64 {
	c, err := chip.CacheAt(r.count("tech_nm"), r.number("l1_kb"), r.count("l1_ways"), "hp")
	if err != nil {
		r.fault("tech_nm", "a technology of the table of caches")
	}
	return c[chip.WordRead] / 64
}

// network is the configuration of the network of a chip. All routers have five ports.
func (r *reference) network(p Profile, fifo FIFO, gated bool) Config {
	c := Default()
	c.Profile, c.FIFO, c.TechNM, c.ClockGating = p, fifo, r.count("tech_nm"), gated
	c.VoltageV, c.ClockGHz, c.LinkMM = r.number("voltage_v"), r.number("clock_ghz"), r.number("link_mm")
	return c
}

// bitEnergy is what the model says of the network of a chip, in pJ per bit.
func (r *reference) bitEnergy(c Config) (low, high float64, err error) {
	bits, load, links := r.count("bits"), r.optional("load"), r.optional("links")
	h := noc.Hardware{PhitBits: bits}
	if r.text("channels") != "" {
		h = mesh(5, bits, r.count("channels"), r.count("depth"))
	}
	if r.wrong != nil {
		return 0, 0, r.wrong
	}
	router, err := NewRouter(h, c)
	if err != nil {
		return 0, 0, err
	}
	link := NewLink(bits, c)
	wires, alone := links*link.phit, router.Price(HopOf(h), 0).Dynamic()
	if load > 0 { // whole power was measured; four links leave a router, and leak whether they are used or not
		wires += 4 * link.Price(0, 1).LinkLeakage / load
		alone += router.Price(noc.Activity{}, 1).Static() / load
	}
	perBit := 1e12 / float64(bits)
	low, high = (alone+wires)*perBit, (alone+wires)*perBit
	if r.text("open") == "yes" {
		low = alone * perBit
	}
	return low, high, nil
}

// model computes the share of a chip over a second, with each profile. The size of its cores
// follows from how many instructions they issue; instructions per cycle and load are assumed where
// the publication is silent.
func (s *Share) model(r *reference) error {
	config := chip.Default()
	config.Core = r.text("core")
	h := chip.Hardware{Cores: r.count("cores"), L1KB: r.number("l1_kb"), L1Ways: r.count("l1_ways"), L2KB: r.number("l2_kb"), L2Ways: r.count("l2_ways"),
		Banks: int(r.optional("banks")), Controllers: int(r.optional("controllers"))}
	ghz, ipc, routers, load := r.number("core_ghz"), r.number("ipc"), r.number("routers"), r.number("load")
	if !slices.Contains(chip.Cores(), config.Core) {
		r.fault("core", "small, medium or large")
	}
	if r.wrong != nil {
		return r.wrong
	}
	prices, err := chip.NewPrices(h, config, s.TechNM, 1)
	if err != nil {
		return err
	}
	cycles := float64(h.Cores) * ghz * 1e9
	instructions := uint64(cycles * ipc)
	// A third of instructions accesses data; a fetch takes a block of several instructions.
	rest := prices.Of(chip.Counters{Seconds: 1, Instructions: instructions, RetiringCycles: uint64(cycles), Accesses: instructions / 2,
		L1Misses: instructions / 50, L2Requests: instructions / 50, L2Hits: instructions / 50}).Total(false)
	least, most := math.Inf(1), 0.0
	for _, profile := range []Profile{ProfileO, ProfileS} {
		c := r.network(profile, FIFOUsual, true)
		if !profile.has(s.TechNM) {
			continue
		}
		low, high, err := r.bitEnergy(c)
		if err != nil {
			return err
		}
		watts := 1e-12 * r.number("bits") * load * c.ClockGHz * 1e9 * routers // of a pJ per bit
		least, most = min(least, low*watts/(low*watts+rest)), max(most, high*watts/(high*watts+rest))
	}
	s.ModelLow, s.ModelHigh = least, most
	middle := math.Sqrt(s.ModelLow * s.ModelHigh)
	s.Factor = max(middle/s.Published, s.Published/middle)
	return nil
}
