package checks

import (
	"fmt"

	"github.com/carousel-sim/carousel/analysis/show/sheet"
	"github.com/carousel-sim/carousel/power"
)

// Power compares the energy model with published chips.
type Power struct {
	Chips []power.Chip `json:"chips"`
}

// OfPower makes the comparison.
func OfPower() (*Power, error) {
	chips, err := power.Chips()
	return &Power{chips}, err
}

// Sheet is the comparison for people and spreadsheets.
func (r *Power) Sheet() *sheet.Sheet {
	s := sheet.New("chip", "quantity", "published", "profile", "buffers", "model", "factor", "judged")
	for _, c := range r.Chips {
		s.Add(c.Name, c.Quantity, span(c.Low, c.High), c.Profile, c.FIFO, span(c.ModelLow, c.ModelHigh), fmt.Sprintf("%.2f", c.Factor), fmt.Sprint(c.Judged))
	}
	s.Note(fmt.Sprintf("pJ per bit; a factor of %d is allowed", power.ChipFactor))
	return s
}

// span writes a range, or its only value.
func span(low, high float64) string {
	if low == high {
		return sheet.Number(low)
	}
	return sheet.Number(low) + "-" + sheet.Number(high)
}

// Verdict is the error that a chip is too far away.
func (r *Power) Verdict() error {
	far := 0
	for _, c := range r.Chips {
		if !c.Passed() {
			far++
		}
	}
	if far > 0 {
		return fmt.Errorf("%d comparisons with published chips are beyond a factor of %d", far, power.ChipFactor)
	}
	return nil
}
