package power

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/carousel-sim/carousel/power/chip"
)

// Profile names a way of estimating capacitances.
type Profile string

// The profiles. Their absolute energies differ by up to a factor of four and their proportions by
// more; results hold only if both agree.
const (
	// ProfileO builds routers from circuit templates (Orion 2.0): SRAM or register FIFOs and a
	// matrix crossbar of tri-state drivers.
	ProfileO Profile = "O"
	// ProfileO1 builds routers from the templates that Orion 1 had, which the MRR paper's simulator
	// asked: the same circuits at 100 nm, without clocks and sense amplifiers (rule 15).
	ProfileO1 Profile = "O1"
	// ProfileS builds routers from standard cells (DSENT-like): FIFOs of flip-flops and
	// multiplexers.
	ProfileS Profile = "S"
)

// Profiles lists all profiles.
func Profiles() []Profile { return []Profile{ProfileO, ProfileO1, ProfileS} }

// templates reports whether a profile is made of circuit templates.
func (p Profile) templates() bool { return p == ProfileO || p == ProfileO1 }

// FIFO names the circuit of the buffers.
type FIFO string

// The buffer circuits. Only the virtual channels of one port may share a RAM; the stages of a rotary
// router are one FIFO each in every case.
const (
	FIFOUsual           FIFO = ""                 // the first that circuitsOf lists for the profile
	FIFOSRAM            FIFO = "sram"             // one small SRAM per FIFO
	FIFORegister        FIFO = "register"         // flip-flops that shift
	FIFORegisterPointer FIFO = "register-pointer" // flip-flops that stay, read through a multiplexer tree
	FIFOBanked          FIFO = "banked"           // one RAM per virtual channel, and a multiplexer among them
	FIFOSingleRAM       FIFO = "single-ram"       // one RAM for all virtual channels of a port
)

// circuitsOf lists the buffer circuits of each profile, the usual one first.
var circuitsOf = map[Profile][]FIFO{
	ProfileO:  {FIFOSRAM, FIFORegister, FIFORegisterPointer},
	ProfileO1: {FIFOSRAM},
	ProfileS:  {FIFOBanked, FIFOSingleRAM},
}

// Config says how a network is built and run, as far as its energy depends on it. Its zero value
// is not valid; start from Default.
type Config struct {
	Profile Profile `choices:"O,O1,S" doc:"energy model: O (circuit templates), O1 (those of Orion 1, the tool of the MRR paper) or S (standard cells)"`
	TechNM  int     `unit:"nm" doc:"technology in nm: 90, 65, 45, 32 or 22; 100 for profile O1; 16, 7, 5 or 3 for profile S"`
	// VoltageV is the supply in volt; 0 is the nominal one of the technology. Transistor sizes stay
	// those of the nominal supply.
	VoltageV float64 `unit:"V" doc:"supply voltage; 0 is the technology's nominal one"`
	// ClockGHz is the clock of the network. It does two things: it turns cycles into the seconds
	// over which clock and leakage are charged, and in profile O it gives circuits their time
	// budget (width of drivers, on-time of sense amplifiers). Both must be the same clock, so there
	// is one number. For the run of a chip it must be the clock of that chip: a run simulated at 4
	// GHz and priced at 1 GHz would be charged four times its leakage. Drivers are clamped at the
	// widest of the technology, so profile O at 4 GHz and above describes circuits that miss their
	// budget.
	ClockGHz float64 `unit:"GHz" doc:"clock for the energy of the network; follows chip.clock_ghz"`
	// Alpha is the probability that a bit differs from the one before it on the same wire; 0.5 is
	// random data. It does not scale clocks, control and the differential reads of an SRAM.
	Alpha float64 `doc:"probability that a bit differs from the one before it on the same wire"`
	FIFO  FIFO    `choices:",sram,register,register-pointer,banked,single-ram" doc:"circuit of the buffers; empty means the profile's default"`
	// LinkMM is the length of a link between routers in mm. All links of a folded torus span two
	// tiles.
	LinkMM float64 `unit:"mm" doc:"length of a link"`
	// D2DPJPerBit is what a bit costs on a link of class d2d, between chiplets: drivers, bumps and wires. Such
	// links have no leakage of their own.
	D2DPJPerBit float64 `json:",omitempty" key:"d2d_pj_per_bit" unit:"pJ" doc:"energy of a bit on a link of class d2d; 0 means that of a wire of the link's length"`
	// WireSpacing is the distance between the wires of a link in multiples of the smallest: 1 or 2.
	WireSpacing int `unit:"spacings" doc:"distance between the wires of a link, in multiples of the smallest"`
	// RingMM is the length of the wire between two segments of a rotary router in mm:
	// the router's perimeter over twice its ports.
	RingMM float64 `unit:"mm" doc:"length of the wire between two ring segments of a rotary router"`
	// StaticScale multiplies all leakage. Public models of it are a factor of 40 apart, so that
	// conclusions should hold at 0.1 and at 1.
	StaticScale float64 `doc:"factor on all leakage power"`
	// ClockGating lets a register or arbiter of profile O draw clock energy only when it is used, as in
	// DSENT and in published chips. Profile S always does; there only the wires of the clock tree are
	// always on. Profile O1 knows no clock but that of its arbiters, which it pays for when they are used.
	ClockGating bool `doc:"registers and arbiters of profile O draw clock energy only when used; false as in the tools of the MRR paper's time"`
	// Transistor chooses ORION's leakage currents. Widths and capacitances stay those of NVT.
	Transistor Transistor `choices:"nvt,hvt" doc:"transistors of profile O: nvt, as Orion 2 assumes, or hvt, which leak less"`
	// Config says what else the chip consists of.
	chip.Config
}

// Transistor names the leakage currents of profile O.
type Transistor string

// The transistors.
const (
	NVT Transistor = "nvt" // of normal threshold voltage
	HVT Transistor = "hvt" // of high threshold voltage
)

// Default is profile O at 65 nm, 1.1 V and 1 GHz with 2 mm links: two tiles of 1 mm, a folded torus. Clocks
// are gated: networks of chips are idle most of the time, and routers that are built gate their clocks.
// Transistors are those with which profile O was compared with its tool.
func Default() Config {
	return Config{
		Profile: ProfileO, TechNM: 65, ClockGHz: 1, Alpha: 0.5,
		LinkMM: 2, WireSpacing: 1, RingMM: 0.2, StaticScale: 1,
		ClockGating: true, Transistor: NVT, Config: chip.Default(),
	}
}

// firstNM is the technology of profile O1.
const firstNM = 100

// technologies lists the nodes of the other profiles, largest first, and cellsOnly those that only profile S
// has: ORION 2.0's data ends at 32 nm, and its leakage rises, so profile O is not extended further.
var (
	technologies = [...]int{90, 65, 45, 32, 22}
	cellsOnly    = [...]int{16, 7, 5, 3}
)

// Validate returns what is wrong with a configuration, naming the key.
func (c Config) Validate() error {
	if !slices.Contains(Profiles(), c.Profile) {
		return fmt.Errorf("profile is %q; O (circuit templates), O1 (those of Orion 1) and S (standard cells) are allowed", c.Profile)
	}
	switch {
	case c.Profile == ProfileO1 && c.TechNM != firstNM:
		return fmt.Errorf("tech_nm is %d, but profile O1 is of %d nm; set both", c.TechNM, firstNM)
	case c.Profile == ProfileO && slices.Contains(cellsOnly[:], c.TechNM):
		return fmt.Errorf("tech_nm is %d, which only profile S has; set profile to S", c.TechNM)
	case c.Profile != ProfileO1 && !slices.Contains(technologies[:], c.TechNM) && !slices.Contains(cellsOnly[:], c.TechNM):
		return fmt.Errorf("tech_nm is %d; 90, 65, 45, 32 and 22 are allowed, 100 with profile O1, and 16, 7, 5 and 3 with profile S", c.TechNM)
	}
	if has := circuitsOf[c.Profile]; c.FIFO != FIFOUsual && !slices.Contains(has, c.FIFO) {
		return fmt.Errorf("fifo is %q, which profile %s does not have; it has %q", c.FIFO, c.Profile, has)
	}
	switch {
	case !c.ClockGating && c.Profile == ProfileS:
		return fmt.Errorf("clock_gating is false, but profile S is always gated; leave it out")
	case !slices.Contains([]Transistor{"", NVT, HVT}, c.Transistor):
		return fmt.Errorf("transistor is %q; nvt and hvt are allowed", c.Transistor)
	case c.Transistor == HVT && c.Profile != ProfileO:
		return fmt.Errorf("transistor is hvt, which is an option of profile O; leave it out")
	}
	if err := c.Config.Effective().Validate(); err != nil {
		return err
	}
	if c.VoltageV != 0 && !(c.VoltageV >= 0.3 && c.VoltageV <= 2) {
		return fmt.Errorf("voltage_v is %g; 0 (nominal) and 0.3 to 2 are allowed", c.VoltageV)
	}
	for _, r := range []struct {
		key              string
		value, low, high float64
	}{
		{"clock_ghz", c.ClockGHz, 0.001, 100},
		{"alpha", c.Alpha, 0, 1},
		{"link_mm", c.LinkMM, 0, 100},
		{"d2d_pj_per_bit", c.D2DPJPerBit, 0, 1000},
		{"ring_mm", c.RingMM, 0, 100},
		{"static_scale", c.StaticScale, 0, 100},
	} {
		// The comparison is written so that it fails for values that are not numbers.
		if !(r.value >= r.low && r.value <= r.high) {
			return fmt.Errorf("%s is %g; %g to %g are allowed", r.key, r.value, r.low, r.high)
		}
	}
	if c.WireSpacing != 1 && c.WireSpacing != 2 {
		return fmt.Errorf("wire_spacing is %d; 1 and 2 are allowed", c.WireSpacing)
	}
	return nil
}

// Effective returns the configuration with its nominal voltage and usual FIFO written out, as it
// should be recorded beside results. It is meant for valid configurations.
func (c Config) Effective() Config {
	c.FIFO, c.VoltageV = cmp.Or(c.FIFO, circuitsOf[c.Profile][0]), cmp.Or(c.VoltageV, nominalVoltage[c.TechNM])
	c.Transistor = cmp.Or(c.Transistor, NVT) // studies of older versions have none
	c.Config = c.Config.Effective()
	return c
}

// Follow lets what was not given follow from the rest: the profile from a technology that only one has, and
// gated clocks from a profile that always gates them. given reports whether a key of section power was.
func (c Config) Follow(given func(key string) bool) Config {
	if slices.Contains(cellsOnly[:], c.TechNM) && !given("profile") {
		c.Profile = ProfileS
	}
	if c.Profile != ProfileO && !given("clock_gating") {
		c.ClockGating = true
	}
	return c
}

// Usual takes back what Effective writes out, where it is the usual for technology and profile, so that
// it follows others.
func (c Config) Usual() Config {
	c.Config = c.Config.Effective() // studies of older versions name no chip
	plain := c
	plain.VoltageV, plain.FIFO = 0, FIFOUsual
	whole := plain.Effective()
	if whole.VoltageV == c.VoltageV {
		c.VoltageV = 0
	}
	if whole.FIFO == c.FIFO {
		c.FIFO = FIFOUsual
	}
	return c
}

// Extrapolated tells that no public tool covers this profile at this technology: the numbers are
// scaled from the nearest one and have no tolerance.
func (c Config) Extrapolated() bool {
	switch c.Profile {
	case ProfileS:
		return c.TechNM > 45 || c.TechNM < 22
	case ProfileO1:
		return false
	}
	return c.TechNM < 32
}

// The clocks in GHz between which profile S has tolerances (rule 13).
const slowestTested, fastestTested = 1.0, 3.0

// ClockTested tells that the models were compared with public tools at this clock. Energies of
// profile S do not depend on it; those of O do, and beyond it some drivers are at their widest
// and miss their budget.
func (c Config) ClockTested() bool { return c.ClockGHz >= slowestTested && c.ClockGHz <= fastestTested }

// nominalVoltage is the supply of each technology in volt.
var nominalVoltage = map[int]float64{firstNM: 1.2, 90: 1.2, 65: 1.1, 45: 1.0, 32: 0.9, 22: 0.8, 16: 0.8, 7: 0.7, 5: 0.7, 3: 0.65}

// Temperature says at which temperature the network leaks.
func (c Config) Temperature() string {
	if c.Profile == ProfileS {
		return "leakage at 340 K"
	}
	return "ORION does not state the temperature of its leakage"
}

// Trend says what a reader must know of profile O below 65 nm; "" elsewhere.
func (c Config) Trend() string {
	if c.Profile != ProfileO || c.TechNM >= 65 {
		return ""
	}
	return "Below 65 nm, profile O leaks more at each smaller technology, because ORION 2.0 scales currents up but not widths down; use power.profile=S from 45 nm down"
}
