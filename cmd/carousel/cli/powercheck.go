package cli

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/carousel-sim/carousel/analysis/sheet"
	"github.com/carousel-sim/carousel/power"
)

// checkReport is the document of carousel power check.
type checkReport struct {
	Groups   []power.Group    `json:"groups"`
	Excluded []power.Excluded `json:"excluded"`
	Chips    []power.Chip     `json:"chips"`
}

func powerCheck(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "check FILE.csv",
		Short: "Compare the energy model with the figures of public tools and of published chips",
		Long: `Takes rows of Orion 2.0 and DSENT and prints, for each tool, technology and component, the
number of rows and the mean and largest relative error of the matching profile. Below, it compares
routers like those of published chips with what was measured: agreement with tools is not
accuracy. Chips whose figures are known from summaries only are shown, but not judged.

Exit code 1 when a tolerance is exceeded, or a chip is further away than a factor of three.`,
		Example: "  carousel power check power/testdata/reference_small.csv",
		Args:    oneFile,
		RunE: func(_ *cobra.Command, args []string) error {
			report, err := checkPower(args[0])
			if err != nil {
				return err
			}
			if err := a.print(report, report.sheet()); err != nil {
				return err
			}
			return report.verdict(args[0])
		},
	}
}

func checkPower(path string) (*checkReport, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, inputError{err}
	}
	defer f.Close()
	var r checkReport
	if r.Groups, r.Excluded, err = power.Check(f); err != nil {
		return nil, inputError{fmt.Errorf("%s: %w", path, err)}
	}
	if r.Chips, err = power.Chips(); err != nil {
		return nil, err
	}
	return &r, nil
}

func (r *checkReport) sheet() *sheet.Sheet {
	s := sheet.New("tool", "nm", "profile", "component", "rows", "mean error", "max error", "tolerance", "passed")
	for _, g := range r.Groups {
		s.Add(g.Tool, fmt.Sprint(g.TechNM), string(g.Profile), g.Component, fmt.Sprint(g.Rows),
			percent(g.MeanError), percent(g.MaxError), percent(g.Tolerance), fmt.Sprint(g.Passed()))
	}
	for _, e := range r.Excluded {
		s.After = append(s.After, fmt.Sprintf("not compared: %d rows, %s", e.Rows, e.Reason))
	}
	s.After = append(s.After, fmt.Sprintf("published chips, pJ per bit; a factor of %d is allowed:", power.ChipFactor))
	for _, c := range r.Chips {
		text := fmt.Sprintf("  %-26s %-26s published %-10s profile %s, %-10s model %-15s factor %.2f", c.Name, c.Quantity,
			span(c.Low, c.High), c.Profile, c.FIFO, span(c.ModelLow, c.ModelHigh), c.Factor)
		if !c.Judged {
			text += " (not judged)"
		}
		s.After = append(s.After, text)
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

// verdict is the error that the exit code follows from.
func (r *checkReport) verdict(path string) error {
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
		return wrongError{fmt.Errorf("%s: %d of %d groups exceed their tolerance", path, exceeded, len(r.Groups))}
	case far > 0:
		return wrongError{fmt.Errorf("%d comparisons with published chips are beyond a factor of %d", far, power.ChipFactor)}
	}
	return nil
}

func percent(v float64) string { return fmt.Sprintf("%.4f%%", 100*v) }
