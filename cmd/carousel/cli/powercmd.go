package cli

import (
	"github.com/spf13/cobra"
)

func powerCommand(a *app) *cobra.Command {
	command := &cobra.Command{
		Use:     "power",
		Short:   "Print what events and hardware cost, and check the energy model",
		Example: "  carousel power estimate --router base,mrr --tech 45 --profile S",
	}
	command.AddCommand(powerEstimate(a), powerCheck(a))
	return group(command)
}

func powerEstimate(a *app) *cobra.Command {
	command := &cobra.Command{
		Use:   "estimate",
		Short: "Print the energy of each event and the static power of routers and links",
		Long: `Prints, for each router, the energy of every event in pJ, the power that it draws without activity in
mW, and its storage. Events are counted per phit in buffers, crossbars, rings and links, per request or
grant in arbiters, and per bit in headers. A rotary router stores the paper's 300 phits in its ring
segments and output stages, and 50 more in its input stages. A hop is a phit that crosses an idle
router, over one ring segment where there are rings, without its header and the link. Values outside
the range of measured chips are noted below the table. Half of the bits change from one phit to the
next unless power.alpha says otherwise. The clock is that of the chip, chip.clock_ghz. Profile O1 is
Orion 1, the tool of the MRR paper, which exists only at 100 nm and spaces the wires of links at
twice the smallest distance.`,
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
