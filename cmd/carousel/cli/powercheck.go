package cli

import (
	"github.com/spf13/cobra"

	"github.com/carousel-sim/carousel/analysis/checks"
)

func powerCheck(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "check",
		Short: "Compare the energy model with published chips",
		Long: `Compares the model, in both profiles, with measurements of published chips. Chips known only from
summaries are shown but not checked. Tests of package power hold the model to what Orion 2.0 and DSENT
compute.

The exit code is 1 if a chip differs by more than a factor of three.`,
		Example: "  carousel power check",
		Args:    noArguments,
		RunE: func(*cobra.Command, []string) error {
			report, err := checks.OfPower()
			if err != nil {
				return err
			}
			if err := a.print(report, report.Sheet()); err != nil {
				return err
			}
			if err := report.Verdict(); err != nil {
				return wrongError{err}
			}
			return nil
		},
	}
}
