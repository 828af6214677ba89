package cli

import (
	"github.com/spf13/cobra"

	"github.com/carousel-sim/carousel/analysis/checks"
)

func powerCheck(a *app) *cobra.Command {
	return newCommand("power check", oneFile, func(_ *cobra.Command, args []string) error {
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
	})
}
