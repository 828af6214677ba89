package cli

import (
	"github.com/spf13/cobra"

	"github.com/carousel-sim/carousel/analysis/checks"
)

func powerCheck(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "check FILE.csv",
		Short: "Compare the energy model with the figures of public tools and of published chips",
		Long: `Reads energies that Orion 2.0 and DSENT computed, and compares the matching profile with them. It prints
the number of rows and the mean and largest relative error for each tool, technology and component.

A second table compares the model with measurements of published chips. Chips known only from summaries
are shown but not checked.

The exit code is 1 if an error exceeds its tolerance, or if a chip differs by more than a factor of three.`,
		Example: "  carousel power check power/testdata/reference_small.csv",
		Args:    oneFile,
		RunE: func(_ *cobra.Command, args []string) error {
			report, err := checks.OfPower(args[0])
			if err != nil {
				return inputError{err}
			}
			if err := a.print(report, report.Sheet()); err != nil {
				return err
			}
			if err := report.Verdict(args[0]); err != nil {
				return wrongError{err}
			}
			return nil
		},
	}
}
