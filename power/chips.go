package power

import (
	"fmt"
	"io"
	"math"

	"github.com/carousel-sim/carousel/noc"
)

// ChipFactor is how far the model may be from a published chip, either way (rule 14).
const ChipFactor = 3

// Chip compares a published network with the model of one like it. Energies are pJ per bit of the
// quantity.
type Chip struct {
	Name     string  `json:"chip"`
	TechNM   int     `json:"tech_nm"`
	Profile  Profile `json:"profile"`
	FIFO     FIFO    `json:"fifo"`
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

// published is a chip as its publication describes it. Ports, widths, voltages and clocks follow
// from the publication; buffers are assumed where it is silent, of a usual size for such a
// router.
type published struct {
	name, quantity  string
	techNM          int
	volt, ghz, mm   float64
	bits            int
	channels, depth int     // of each port
	load            float64 // phits through each router per cycle
	links           float64 // links crossed for each router
	open            bool    // whether the links are part of the figure is not known
	low, high       float64 // pJ per bit
	judged          bool
}

// chips lists what was published of chips (rule 14). All routers have five ports.
var chips = [...]published{
	// 550 mW at 1.28 Tb/s, which is all five ports in every cycle, so that four of five phits
	// leave on a link.
	{name: "Intel SCC, mesh router", quantity: "router at full bandwidth", techNM: 45, volt: 1.1, ghz: 2, mm: 5.4,
		bits: 128, channels: 8, depth: 3, load: 5, links: 0.8, open: true, low: 0.43, high: 0.43, judged: true},
	// 531 mW for 892 Gb/s delivered: each of 16 routers delivers 0.87 phits a cycle, mostly of
	// broadcasts, which cross one router and 15/16 links for each delivery. Its data path is
	// low-swing, ours is not.
	{name: "MIT 16-node mesh", quantity: "network, by bit delivered", techNM: 45, volt: 1.1, ghz: 1, mm: 1,
		bits: 64, channels: 6, depth: 2, load: 892.0 / 1024, links: 15.0 / 16, low: 0.60, high: 0.60, judged: true},
	{name: "low-swing link, DATE 2013", quantity: "link of 1 mm", techNM: 45, volt: 1.0, ghz: 1, mm: 1,
		bits: 64, links: 1, low: 0.0404, high: 0.0404, judged: true},
	// 80 GB/s at 4 GHz through five ports are 32 bits.
	{name: "Intel 80-core, router", quantity: "router at full bandwidth", techNM: 65, volt: 1.2, ghz: 4, mm: 2,
		bits: 32, channels: 2, depth: 16, load: 5, links: 0.8, open: true, low: 1, high: 2},
	// What a hop adds, by switching pattern.
	{name: "Piton, router and link", quantity: "hop", techNM: 32, volt: 0.9, ghz: 0.5, mm: 1,
		bits: 64, channels: 1, depth: 4, links: 1, low: 0.06, high: 0.27},
}

// Chips compares the model with published chips, in both profiles with their usual buffers, and
// in S also with one RAM for each port.
func Chips() (list []Chip, err error) {
	for i := range chips {
		p := &chips[i]
		for _, kind := range []struct {
			profile Profile
			fifo    FIFO
		}{{ProfileO, FIFOSRAM}, {ProfileS, FIFOBanked}, {ProfileS, FIFOSingleRAM}} {
			c := Default()
			c.Profile, c.FIFO, c.TechNM = kind.profile, kind.fifo, p.techNM
			c.ClockGating = kind.profile != ProfileO // at full bandwidth all clocks run
			c.VoltageV, c.ClockGHz, c.LinkMM = p.volt, p.ghz, p.mm
			low, high, err := p.model(c)
			if err != nil {
				return nil, err
			}
			list = append(list, Chip{Name: p.name, TechNM: p.techNM, Profile: c.Profile, FIFO: c.FIFO, Quantity: p.quantity,
				Low: p.low, High: p.high, ModelLow: low, ModelHigh: high, Judged: p.judged,
				Factor: math.Max(1, math.Max(low/p.high, p.low/high))})
		}
	}
	return list, nil
}

// model is what the model says of the chip, in pJ per bit.
func (p *published) model(c Config) (low, high float64, err error) {
	link, err := NewLink(p.bits, c)
	if err != nil {
		return 0, 0, err
	}
	wires := p.links * link.phit
	if p.load > 0 { // four links leave a router, and leak whether they are used or not
		wires += 4 * link.Price(0, 1).LinkLeakage / p.load
	}
	alone, err := p.router(c)
	if err != nil {
		return 0, 0, err
	}
	perBit := 1e12 / float64(p.bits)
	low, high = (alone+wires)*perBit, (alone+wires)*perBit
	if p.open {
		low = alone * perBit
	}
	return low, high, nil
}

// router is the energy of a phit that crosses a router, in J: with its share of clock and leakage
// where whole power was measured, and not only what a phit adds to it.
func (p *published) router(c Config) (float64, error) {
	if p.channels == 0 {
		return 0, nil
	}
	h := noc.Hardware{Ports: 5, PhitBits: p.bits, VirtualChannels: p.channels, Crossbar: true}
	h.FIFOs[noc.VirtualChannel], h.Depth[noc.VirtualChannel] = h.Ports*p.channels, p.depth
	r, err := NewRouter(h, c)
	if err != nil {
		return 0, err
	}
	phit := r.Price(HopOf(h), 0).Dynamic()
	if p.load > 0 {
		phit += r.Price(noc.Activity{}, 1).Static() / p.load
	}
	return phit, nil
}

// Comparison is what the model is compared with: the figures of public tools, and published chips.
type Comparison struct {
	Groups   []Group    `json:"groups"`
	Excluded []Excluded `json:"excluded"`
	Chips    []Chip     `json:"chips"`
	Shares   []Share    `json:"shares"`
}

// Compare takes the rows of a file of figures, in CSV.
func Compare(figures io.Reader) (*Comparison, error) {
	var r Comparison
	var err error
	if r.Groups, r.Excluded, err = Check(figures); err == nil {
		r.Chips, err = Chips()
	}
	if err == nil {
		r.Shares, err = Shares()
	}
	return &r, err
}

// Verdict is the error that a tolerance is exceeded, or a chip is too far away.
func (r *Comparison) Verdict() error {
	exceeded, far := 0, 0
	for _, g := range r.Groups {
		if !g.Passed() {
			exceeded++
		}
	}
	for _, c := range r.Chips {
		if !c.Passed() {
			far++
		}
	}
	switch {
	case exceeded > 0:
		return fmt.Errorf("%d of %d groups exceed their tolerance", exceeded, len(r.Groups))
	case far > 0:
		return fmt.Errorf("%d comparisons with published chips are beyond a factor of %d", far, ChipFactor)
	}
	return nil
}
