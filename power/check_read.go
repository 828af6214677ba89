package power

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
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

// readReferences calls each for every row of a reference file until it fails.
func readReferences(r io.Reader, each func(*reference) error) error {
	reader := csv.NewReader(r)
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
	for _, name := range requiredColumns {
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

// fault notes that a cell does not hold what it must.
func (r *reference) fault(column, wanted string) {
	if r.wrong == nil {
		r.wrong = fmt.Errorf("line %d, column %q: %q is not %s", r.line, column, r.text(column), wanted)
	}
}
