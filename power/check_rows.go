package power

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/power/chip"
)

// reference is one row of a reference file: a tool's configuration and what it printed.
type reference struct {
	line  int
	cells []string
	index map[string]int // column name to place, shared by all rows
	wrong error          // of the first cell read that does not hold what it must
}

// requiredColumns are those without which a row cannot be understood.
var requiredColumns = [...]string{
	"kind", "tool", "tech_nm", "vt", "vdd_v", "freq_ghz", "ports", "flit_bits", "vcs", "depth_flits",
	"buffer_model", "xbar_model", "arb_local", "arb_global", "e_buf_write_pj", "e_buf_read_pj",
	"e_xbar_m1_pj", "e_arb_local_pj", "e_arb_global_pj", "e_clock_per_cycle_pj", "leak_total_mw",
	"link_mm", "wire_layer", "wire_spacing_mult", "e_link_pj", "leak_link_mw", "flag",
}

// The columns without which a row of CACTI or McPAT cannot be understood.
var (
	cacheColumns = []string{"tool", "size_kb", "ways", "tech_nm", "cell", "periphery", "port_bits", "access_mode", "temperature_k",
		"e_read_pj", "e_write_pj", "e_tag_read_pj", "leak_sub_mw"}
	coreColumns = []string{"tool", "tech_nm", "clock_ghz", "instructions_per_100k_cycles", "e_per_instruction_pj"}
)

// readReferences calls each for every row of a reference file until it fails.
func readReferences(r io.Reader, each func(*reference) error) error {
	reader := csv.NewReader(r)
	reader.Comment = '#'
	header, err := reader.Read()
	if errors.Is(err, io.EOF) {
		return errors.New("line 1: the file is empty; a header and rows in the format of the reference table are expected")
	}
	if err != nil {
		return err // names line and column itself
	}
	index := make(map[string]int, len(header))
	for i, name := range header {
		index[strings.TrimSpace(name)] = i
	}
	required := requiredColumns[:]
	for of, columns := range map[string][]string{"e_tag_read_pj": cacheColumns, "e_per_instruction_pj": coreColumns, "published_low": publishedColumns} {
		if _, ok := index[of]; ok {
			required = columns
		}
	}
	for _, name := range required {
		if _, ok := index[name]; !ok {
			return fmt.Errorf("line 1: column %q is missing from the header", name)
		}
	}
	for {
		cells, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if errors.Is(err, csv.ErrFieldCount) {
			line, _ := reader.FieldPos(0)
			return fmt.Errorf("line %d, column %d: the row has %d cells, the header %d",
				line, min(len(cells), len(header))+1, len(cells), len(header))
		}
		if err != nil {
			return err
		}
		line, _ := reader.FieldPos(0)
		if err := each(&reference{line: line, cells: cells, index: index}); err != nil {
			return err
		}
	}
}

func (r *reference) has(column string) bool { _, ok := r.index[column]; return ok }

// text returns a cell without surrounding blanks; "" where the file lacks the column.
func (r *reference) text(column string) string {
	i, ok := r.index[column]
	if !ok {
		return ""
	}
	return strings.TrimSpace(r.cells[i])
}

// measured is a cell that may be empty; ok reports whether it holds a number.
func (r *reference) measured(column string) (value float64, ok bool) {
	text := r.text(column)
	if text == "" {
		return 0, false
	}
	value, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(value) || math.IsInf(value, 0) || value < 0 {
		r.fault(column, "a number of at least 0")
		return 0, false
	}
	return value, true
}

// sum adds columns that a plus joins; ok reports whether all of them hold numbers.
func (r *reference) sum(columns string) (sum float64, ok bool) {
	for column := range strings.SplitSeq(columns, "+") {
		value, ok := r.measured(column)
		if !ok {
			return 0, false
		}
		sum += value
	}
	return sum, true
}

// optional is a cell that is 0 where it is empty.
func (r *reference) optional(column string) float64 {
	value, _ := r.measured(column)
	return value
}

// number is a cell that must hold a number above 0.
func (r *reference) number(column string) float64 {
	value, err := strconv.ParseFloat(r.text(column), 64)
	if err != nil || !(value > 0) || math.IsInf(value, 0) {
		r.fault(column, "a number above 0")
	}
	return value
}

// largestCount bounds ports, widths and depths: larger ones are mistakes.
const largestCount = 1 << 20

// count is a cell that must hold a whole number above 0.
func (r *reference) count(column string) int {
	value, err := strconv.ParseFloat(r.text(column), 64) // some tables write 1.0
	if err != nil || value != math.Trunc(value) || value < 1 || value > largestCount {
		r.fault(column, fmt.Sprintf("a whole number from 1 to %d", largestCount))
	}
	return int(value)
}

func (r *reference) fault(column, wanted string) {
	if r.wrong == nil {
		r.wrong = fmt.Errorf("line %d, column %q: %q is not %s", r.line, column, r.text(column), wanted)
	}
}

// prediction is what a profile expects in a column of a reference row, or in the sum of columns
// that a plus joins, in their unit.
type prediction struct {
	component, column string
	value             float64
}

// phitColumns hold the parts of the energy of a phit that crosses a router alone.
var phitColumns = [...]string{
	"e_buf_write_pj", "e_buf_read_pj", "e_xbar_m1_pj", "e_arb_local_pj", "e_arb_global_pj",
}

// config is the configuration under which the row was made.
func (r *reference) config(p Profile) (Config, error) {
	c := Default()
	c.Profile, c.TechNM, c.VoltageV, c.ClockGHz = p, r.count("tech_nm"), r.number("vdd_v"), r.number("freq_ghz")
	switch r.text("buffer_model") {
	case "SRAM":
		c.FIFO = FIFOSRAM
	case "REGISTER":
		c.FIFO = FIFORegister
	case "DFF-RAM":
		c.FIFO = FIFOSingleRAM
	}
	if r.text("kind") == "link" {
		c.LinkMM, c.WireSpacing = r.number("link_mm"), r.count("wire_spacing_mult")
	}
	if err := c.Validate(); r.wrong == nil && err != nil {
		r.wrong = fmt.Errorf("line %d: %w", r.line, err)
	}
	return c, r.wrong
}

// mesh is the hardware of a router with buffered inputs.
func mesh(ports, bits, channels, depth int) noc.Hardware {
	h := noc.Hardware{Ports: ports, PhitBits: bits, VirtualChannels: channels, Crossbar: true}
	h.FIFOs[noc.VirtualChannel], h.Depth[noc.VirtualChannel] = ports*channels, depth
	return h
}

// predict is what the profile of c expects in the row, from its configuration alone. Of profile O,
// every header may take every channel of the one message class; of S, the tool has no allocator of
// channels.
func (r *reference) predict(c Config) ([]prediction, error) {
	bits := r.count("flit_bits")
	if r.text("kind") == "link" {
		phit, leakage := linkPrice(bits, c)
		list := []prediction{{linkEnergy, "e_link_pj", phit * 1e12}}
		if c.Profile == ProfileO || c.ClockGHz == 1 { // how the repeaters of cells leak at other clocks is not modelled
			list = append(list, prediction{linkLeak, "leak_link_mw", leakage * 1e3})
		}
		return list, nil
	}
	h := mesh(r.count("ports"), bits, r.count("vcs"), r.count("depth_flits"))
	if r.wrong != nil { // a wrong size could be one for which a circuit has no end
		return nil, r.wrong
	}
	if c.Profile == ProfileO && h.VirtualChannels > 1 {
		h.ChannelChoices, h.ChannelRivals = h.VirtualChannels, h.VirtualChannels
	}
	router, err := NewRouter(h, c)
	if err != nil {
		return nil, err
	}
	e, l := &router.events, &router.leakage
	arbitration := func(s noc.ArbiterStage) float64 { return 1e12 * (e.request[s] + e.grant[s]) }
	list := []prediction{
		{"buffer_write", "e_buf_write_pj", e.write[noc.VirtualChannel] * 1e12},
		{"buffer_read", "e_buf_read_pj", e.read[noc.VirtualChannel] * 1e12},
		{"crossbar", "e_xbar_m1_pj", e.crossbar * 1e12},
		{"arbiters", "e_arb_local_pj", arbitration(noc.SwitchInput)},
		{"arbiters", "e_arb_global_pj", arbitration(noc.SwitchOutput)},
		{"arbiters", "e_vca_local_pj+e_vca_global_pj", e.allocation * 1e12},
		{"clock", "e_clock_per_cycle_pj", (router.clock*router.period + float64(registerRanks(h))*e.register) * 1e12},
		{leak, "leak_total_mw", l.total() * 1e3},
	}
	a, _ := AreaOf(h, c)
	if c.Profile == ProfileO {
		a.Registers = 0 // the tool leaves them out
	}
	list = append(list, prediction{"area", "area_mm2", a.Total()})
	if c.Profile == ProfileO {
		return append(list, prediction{leak, "leak_buf_mw", l.buffers * 1e3}, prediction{leak, "leak_xbar_mw", l.crossbar * 1e3},
			prediction{leak, "leak_sa_mw+leak_va_mw", l.arbiters * 1e3}, prediction{leak, "leak_clock_mw", l.registers * 1e3}), nil
	}
	s := newCells(c)
	for m, column := range [...]string{"e_xbar_m2_pj", "e_xbar_m3_pj", "e_xbar_m4_pj", "e_xbar_m5_pj"} {
		list = append(list, prediction{"crossbar", column, s.crossbar(h.Ports, bits, m+2) * 1e12})
	}
	return list, nil
}

// cachePrices is what the table of caches has for a row of CACTI, or the reason why it has nothing.
func cachePrices(r *reference) (list []prediction, reason string) {
	nm, ways, kb, bits := r.count("tech_nm"), r.count("ways"), r.number("size_kb"), r.count("port_bits")
	cells, periphery := strings.TrimPrefix(r.text("cell"), "itrs-"), strings.TrimPrefix(r.text("periphery"), "itrs-")
	if cells != periphery {
		cells += "-" + periphery
	}
	if r.wrong != nil {
		return nil, ""
	}
	price, err := chip.CacheAt(nm, kb, ways, cells)
	switch {
	case err != nil:
		return nil, err.Error()
	case nm < 32:
		return nil, "caches below 32 nm are priced as 45 nm times a factor"
	case r.has("rw_ports") && r.count("rw_ports") != 1:
		return nil, "caches are priced with one port"
	}
	kind, read, write := "word", chip.WordRead, chip.WordWrite
	switch mode := r.text("access_mode"); {
	case bits == 512 && mode == "sequential":
		kind, read, write = "block", chip.BlockRead, chip.BlockWrite
	case bits == 512 && mode == "normal":
		kind, read, write = "wide_block", chip.WideRead, chip.WideWrite
	case bits != 64 || mode != "normal":
		return nil, fmt.Sprintf("accesses of %d bits in mode %s are not priced", bits, mode)
	}
	list = []prediction{{kind + "_read", "e_read_pj", price[read]}, {kind + "_write", "e_write_pj", price[write]}, {"tag", "e_tag_read_pj", price[chip.Tag]}}
	if r.number("temperature_k") == 350 {
		list = append(list, prediction{"cache_leakage", "leak_sub_mw", price[chip.Leakage]})
	}
	return list, ""
}

// corePrices is what the table of cores has for a row of McPAT, or the reason why it has nothing.
func corePrices(r *reference) (list []prediction, reason string) {
	if r.text("e_per_instruction_pj") == "" {
		return nil, "no instruction"
	}
	perCycle := r.number("instructions_per_100k_cycles") / 1e5
	value, err := chip.InstructionAt(r.count("tech_nm"), math.Max(perCycle, 1e-5))
	if err != nil {
		return nil, err.Error()
	}
	return []prediction{{"instruction", "e_per_instruction_pj", value}}, ""
}
