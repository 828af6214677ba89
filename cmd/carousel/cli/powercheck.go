package cli

import (
	"github.com/spf13/cobra"

	"github.com/carousel-sim/carousel/analysis/checks"
)

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
