package checks

import (
	"fmt"

	"github.com/carousel-sim/carousel/analysis/show/sheet"
	"github.com/carousel-sim/carousel/noc/leaf/wholefile"
	"github.com/carousel-sim/carousel/power"
)

// Power compares the energy model with the figures of public tools and of published chips.
type Power struct {
	Groups   []power.Group    `json:"groups"`
	Excluded []power.Excluded `json:"excluded"`
	Chips    []power.Chip     `json:"chips"`
}

// OfPower takes the rows of a file of figures, in CSV.
func OfPower(path string) (*Power, error) {
	f, err := wholefile.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var r Power
	if r.Groups, r.Excluded, err = power.Check(f); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if r.Chips, err = power.Chips(); err != nil {
		return nil, err
	}
	return &r, nil
}

// Sheet is the comparison for people and spreadsheets.
func (r *Power) Sheet() *sheet.Sheet {
	s := sheet.New("tool", "nm", "profile", "component", "rows", "mean error", "max error", "tolerance", "passed")
	for _, g := range r.Groups {
		s.Add(g.Tool, g.TechNM, g.Profile, g.Component, g.Rows,
			percent(g.MeanError), percent(g.MaxError), percent(g.Tolerance), fmt.Sprint(g.Passed()))
	}
	for _, e := range r.Excluded {
		s.Note(fmt.Sprintf("not compared: %d rows, %s", e.Rows, e.Reason))
	}
	s.Note(fmt.Sprintf("published chips, pJ per bit; a factor of %d is allowed:", power.ChipFactor))
	for _, c := range r.Chips {
		text := fmt.Sprintf("  %-26s %-26s published %-10s profile %s, %-10s model %-15s factor %.2f", c.Name, c.Quantity,
			span(c.Low, c.High), c.Profile, c.FIFO, span(c.ModelLow, c.ModelHigh), c.Factor)
		if !c.Judged {
			text += " (not judged)"
		}
		s.Note(text)
	}
	return s
}

// span writes a range, or its only value.
func span(low, high float64) string {
	if low == high {
		return sheet.Number(low)
	}
	return sheet.Number(low) + "-" + sheet.Number(high)
}

// Verdict is the error that a tolerance is exceeded, or a chip is too far away. path names the
// file.
func (r *Power) Verdict(path string) error {
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
		return fmt.Errorf("%s: %d of %d groups exceed their tolerance", path, exceeded, len(r.Groups))
	case far > 0:
		return fmt.Errorf("%d comparisons with published chips are beyond a factor of %d", far, power.ChipFactor)
	}
	return nil
}

func percent(v float64) string { return fmt.Sprintf("%.4f%%", 100*v) }
