package cli

import (
	"github.com/spf13/cobra"
)

func powerEstimate(a *app) *cobra.Command {
	command := newCommand("power estimate", noArguments, func(command *cobra.Command, _ []string) error {
		c, err := a.configuration(command)
		if err != nil {
			return err
		}
		list, err := pricesOf(c)
		if err != nil {
			return err
		}
		return a.print(list, list.Sheet(c))
	})
	a.keyFlags(command, "router", "tech", "profile", "topology")
	return command
}
