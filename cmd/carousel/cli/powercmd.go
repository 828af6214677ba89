package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/analysis/sheet"
	"github.com/carousel-sim/carousel/power"
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

// estimateEntry is the price list of one router and of one of its links.
type estimateEntry struct {
	Router string `json:"router"`
	power.PriceList
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
Orion 1, the tool of the MRR paper, which exists at 100 nm alone and spaces the wires of links at
twice the smallest distance.`,
		Example: "  carousel power estimate --router base,mrr\n  carousel power estimate --router rr --tech 45 --profile S --set power.fifo=banked\n" +
			"  carousel power estimate --profile O1 --tech 100 --set power.wire_spacing=2",
		Args: noArguments,
		RunE: func(command *cobra.Command, _ []string) error {
			c, err := a.configuration(command)
			if err != nil {
				return err
			}
			if err := c.Check(); err != nil {
				return err
			}
			var list []estimateEntry
			s := sheet.New("router", "what", "value", "unit")
			for _, name := range c.Routers {
				e, err := priceList(name, c)
				if err != nil {
					return usagef("router %s: %w", name, err)
				}
				list = append(list, e)
				e.addTo(s)
			}
			if len(list) > 0 {
				s.After = append([]string{c.Power.Circumstances()}, s.After...)
			}
			return a.print(list, s)
		},
	}
	a.keyFlags(command, "router", "tech", "profile", "topology")
	return command
}

// addTo writes the price list into a table, and its doubts below.
func (e *estimateEntry) addTo(s *sheet.Sheet) {
	s.Add(e.Router, "storage", fmt.Sprint(e.StoragePhits), "phits")
	s.Add(e.Router, "storage.without_input_stages", fmt.Sprint(e.StorageNoInput), "phits")
	s.Add(e.Router, "storage", fmt.Sprint(e.StorageBytes), "bytes")
	for _, p := range e.EventsPJ {
		s.Add(e.Router, p.Name, sheet.Number(p.Value), p.Unit())
	}
	for _, p := range e.StaticMilliwatts {
		s.Add(e.Router, p.Name, sheet.Number(p.Value), "mW")
	}
	s.Add(e.Router, "hop", sheet.Number(e.HopPJ), "pJ/phit")
	s.Add(e.Router, "hop", sheet.Number(e.HopPJPerBit), "pJ/bit")
	s.Add(e.Router, "link", sheet.Number(e.LinkPJPerBitMM), "pJ/bit/mm")
	s.Add(e.Router, "static_share_at_load_0.3", sheet.Number(100*e.StaticShare), "%")
	for _, doubt := range e.Doubts {
		s.After = append(s.After, fmt.Sprintf("note on %s: %s", e.Router, doubt))
	}
}

// priceList prices one router and its links without running it.
func priceList(name string, c *config.Effective) (estimateEntry, error) {
	model, err := c.Models().Lookup(name)
	if err != nil {
		return estimateEntry{}, err
	}
	network, err := model.Build(c.Network)
	if err != nil {
		return estimateEntry{}, err
	}
	prices, err := power.PriceListOf(network.Hardware(), c.Power)
	return estimateEntry{name, prices}, err
}
