package power

import (
	"fmt"
	"math"
	"strings"

	"github.com/carousel-sim/carousel/power/chip"
)

// The columns without which a row of CACTI or McPAT cannot be understood.
var (
	cacheColumns = []string{"tool", "size_kb", "ways", "tech_nm", "cell", "periphery", "port_bits", "access_mode", "temperature_k",
		"e_read_pj", "e_write_pj", "e_tag_read_pj", "leak_sub_mw"}
	coreColumns = []string{"tool", "tech_nm", "clock_ghz", "instructions_per_100k_cycles", "e_per_instruction_pj"}
)

// Errors of caches: tools that choose the division of an array by an objective jump between sizes.
const (
	cacheTolerance     = 0.4
	cacheMeanTolerance = 0.2
	// Tags and leakage are smaller than what they belong to.
	factorOfTwo = 1.0
	// Kinds of instructions differ by this much from their mix.
	instructionTolerance = 0.4
)

// cellsOf names the cells and the periphery of a row.
func cellsOf(r *reference) string {
	cell, periphery := strings.TrimPrefix(r.text("cell"), "itrs-"), strings.TrimPrefix(r.text("periphery"), "itrs-")
	if cell == periphery {
		return cell
	}
	return cell + "-" + periphery
}

// compareCache compares a row of CACTI with the table of caches.
func (t *tally) compareCache(r *reference) error {
	nm, ways, kb, bits := r.count("tech_nm"), r.count("ways"), r.number("size_kb"), r.count("port_bits")
	if r.wrong != nil {
		return r.wrong
	}
	price, err := chip.CacheAt(nm, kb, ways, cellsOf(r))
	switch {
	case err != nil:
		t.exclude(err.Error())
		return nil
	case nm < 32:
		t.exclude("caches below 32 nm are priced as 45 nm times a factor")
		return nil
	case r.has("rw_ports") && r.count("rw_ports") != 1:
		t.exclude("caches are priced with one port")
		return nil
	}
	read, write, kind := price[chip.WordRead], price[chip.WordWrite], "word"
	switch mode := r.text("access_mode"); {
	case bits == 512 && mode == "sequential":
		read, write, kind = price[chip.BlockRead], price[chip.BlockWrite], "block"
	case bits == 512 && mode == "normal":
		read, write, kind = price[chip.WideRead], price[chip.WideWrite], "wide_block"
	case bits != 64 || mode != "normal":
		t.exclude(fmt.Sprintf("accesses of %d bits in mode %s are not priced", bits, mode))
		return nil
	}
	for _, c := range []struct {
		component, column    string
		value, most, average float64
	}{
		{kind + "_read", "e_read_pj", read, cacheTolerance, cacheMeanTolerance},
		{kind + "_write", "e_write_pj", write, cacheTolerance, cacheMeanTolerance},
		{"tag", "e_tag_read_pj", price[chip.Tag], factorOfTwo, 0},
		{"cache_leakage", "leak_sub_mw", price[chip.Leakage], factorOfTwo, 0},
	} {
		if c.column == "leak_sub_mw" && r.number("temperature_k") != 350 {
			continue
		}
		if measured, ok := r.measured(c.column); ok {
			t.add(Group{Tool: r.text("tool"), TechNM: nm, Component: c.component, Tolerance: c.most, MeanTolerance: c.average}, relativeError(c.value, measured))
		}
	}
	return r.wrong
}

// compareCore compares a row of McPAT with the table of cores.
func (t *tally) compareCore(r *reference) error {
	if r.text("e_per_instruction_pj") == "" {
		t.exclude("no instruction")
		return nil
	}
	nm, measured := r.count("tech_nm"), r.number("e_per_instruction_pj")
	perCycle := r.number("instructions_per_100k_cycles") / 1e5
	if r.wrong != nil {
		return r.wrong
	}
	value, err := chip.InstructionAt(nm, math.Max(perCycle, 1e-5))
	if err != nil {
		t.exclude(err.Error())
		return nil
	}
	t.add(Group{Tool: r.text("tool"), TechNM: nm, Component: "instruction", Tolerance: instructionTolerance}, relativeError(value, measured))
	return nil
}
