package cli

import (
	"github.com/spf13/cobra"
)

func powerCommand(a *app) *cobra.Command {
	command := &cobra.Command{
		Use:     "power",
		Short:   "Print the energy of events and hardware, and check the energy model",
		Example: "  carousel power estimate --router base,mrr --tech 45 --profile S",
	}
	command.AddCommand(powerEstimate(a), powerCheck(a))
	return group(command)
}

func powerEstimate(a *app) *cobra.Command {
	command := &cobra.Command{
		Use:   "estimate",
		Short: "Print the energy of each event and the static power of routers and links",
		Long: `Prints the storage of each router, its static power in mW, and the energy of each event in pJ. Events are
counted per phit in buffers, crossbars, rings and links, per request or grant in arbiters, and per bit in
headers. The rows hop have the energy per phit and per bit to cross an idle router, and one ring segment in a
rotary router. They exclude headers and links. A note names values outside the range of measured chips.

By default half of the bits change from one phit to the next (power.alpha). The clock is chip.clock_ghz.
Profile O1 is Orion 1, the tool of the MRR paper. It exists only at 100 nm. The paper's links need
power.wire_spacing=2. A rotary router stores the paper's 300 phits in ring segments and output stages, and
50 more in input stages.`,
		Example: "  carousel power estimate --router base,mrr\n  carousel power estimate --router rr --tech 45 --profile S --set power.fifo=banked\n" +
			"  carousel power estimate --profile O1 --tech 100 --set power.wire_spacing=2",
		Args: noArguments,
		RunE: func(command *cobra.Command, _ []string) error {
			c, err := a.configuration(command)
			if err != nil {
				return err
			}
			list, err := pricesOf(c)
			if err != nil {
				return err
			}
			return a.print(list, list.Sheet(c))
		},
	}
	a.keyFlags(command, "router", "tech", "profile", "topology")
	return command
}
