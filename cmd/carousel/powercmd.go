package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/carousel-sim/carousel/noc/models"
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

// priceEntry is one line of a router's price list.
type priceEntry struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
}

// estimateEntry is the price list of one router and of one of its links.
type estimateEntry struct {
	Router           string       `json:"router"`
	Profile          string       `json:"profile"`
	TechNM           int          `json:"tech_nm"`
	VoltageV         float64      `json:"voltage_v"`
	ClockGHz         float64      `json:"clock_ghz"`
	FIFO             string       `json:"fifo"`
	Extrapolated     bool         `json:"extrapolated"`
	StoragePhits     int          `json:"storage_phits"`
	StorageBytes     int          `json:"storage_bytes"`
	EventsPJ         []priceEntry `json:"events_pj"`
	StaticMilliwatts []priceEntry `json:"static_mw"`
}

func powerEstimate(a *app) *cobra.Command {
	command := &cobra.Command{
		Use:   "estimate",
		Short: "Print the energy of each event and the static power of routers and links",
		Long: `Prints, for each router, what every event costs in pJ (per phit for buffers, crossbars, rings and
links; per request or grant for arbiters; per bit for headers), what it draws without any
activity in mW, and how much it stores. The clock is the chip's, chip.clock_ghz.`,
		Example: "  carousel power estimate --router base,mrr\n  carousel power estimate --router rr --tech 45 --profile S --set power.fifo=banked",
		Args:    noArguments,
		RunE: func(command *cobra.Command, _ []string) error {
			c, err := a.configuration(command)
			if err != nil {
				return err
			}
			if err := c.Check(); err != nil {
				return err
			}
			var list []estimateEntry
			s := &sheet{header: []string{"router", "what", "value", "unit"}}
			for _, name := range c.Routers {
				e, err := priceList(name, c)
				if err != nil {
					return usagef("router %s: %w", name, err)
				}
				list = append(list, e)
				s.add(name, "storage", fmt.Sprint(e.StoragePhits), "phits")
				for _, p := range e.EventsPJ {
					s.add(name, p.Name, number(p.Value), "pJ")
				}
				for _, p := range e.StaticMilliwatts {
					s.add(name, p.Name, number(p.Value), "mW")
				}
			}
			if len(list) > 0 {
				e := list[0]
				note := fmt.Sprintf("profile %s, %d nm, %g V, %g GHz, %s FIFOs", e.Profile, e.TechNM, e.VoltageV, e.ClockGHz, e.FIFO)
				if e.Extrapolated {
					note += "; extrapolated"
				}
				s.after = []string{note}
			}
			return a.print(list, s)
		},
	}
	flags := command.Flags()
	flags.String("router", "", "router models, separated by commas (default \"base,base-mc,rr,mrr\")")
	flags.Int("tech", 0, "technology in nm (default 65)")
	flags.String("profile", "", "energy profile, O or S (default \"O\")")
	flags.String("topology", "", "torus or mesh with its sizes (default \"torus:8x8\")")
	complete(command, "router", models.Names())
	return command
}

// priceList prices one router and its links without running it.
func priceList(name string, c *Configuration) (estimateEntry, error) {
	var e estimateEntry
	model, err := models.Lookup(name)
	if err != nil {
		return e, err
	}
	network, err := model.New(c.Network)
	if err != nil {
		return e, err
	}
	h := network.Hardware()
	router, err := power.NewRouter(h, c.Power)
	if err != nil {
		return e, err
	}
	link, err := power.NewLink(h.PhitBits, c.Power)
	if err != nil {
		return e, err
	}
	effective := c.Power.Effective()
	storage := power.StorageOf(h)
	e = estimateEntry{Router: name, Profile: string(effective.Profile), TechNM: effective.TechNM, VoltageV: effective.VoltageV,
		ClockGHz: effective.ClockGHz, FIFO: string(effective.FIFO), Extrapolated: effective.Extrapolated(),
		StoragePhits: storage.Phits, StorageBytes: storage.Bytes}
	for _, p := range append(router.EventsPJ(), link.EventsPJ()...) {
		e.EventsPJ = append(e.EventsPJ, priceEntry(p))
	}
	for _, p := range append(router.StaticMW(), link.StaticMW()...) {
		e.StaticMilliwatts = append(e.StaticMilliwatts, priceEntry(p))
	}
	return e, nil
}

func powerCheck(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "check FILE.csv",
		Short: "Compare the energy model with the figures of public tools",
		Long: `Takes rows of Orion 2.0 and DSENT and prints, for each tool, technology and component, the
number of rows and the mean and largest relative error of the matching profile. Exit code 1
when a tolerance is exceeded.`,
		Example: "  carousel power check power/testdata/energy_reference_small.csv",
		Args:    oneFile,
		RunE: func(_ *cobra.Command, args []string) error {
			f, err := os.Open(args[0])
			if err != nil {
				return inputError{err}
			}
			defer f.Close()
			groups, excluded, err := power.Check(f)
			if err != nil {
				return inputError{fmt.Errorf("%s: %w", args[0], err)}
			}
			s := &sheet{header: []string{"tool", "nm", "profile", "component", "rows", "mean error", "max error", "tolerance", "passed"}}
			exceeded := 0
			for _, g := range groups {
				s.add(g.Tool, fmt.Sprint(g.TechNM), string(g.Profile), g.Component, fmt.Sprint(g.Rows),
					percent(g.MeanError), percent(g.MaxError), percent(g.Tolerance), fmt.Sprint(g.Passed()))
				if !g.Passed() {
					exceeded++
				}
			}
			for _, e := range excluded {
				s.after = append(s.after, fmt.Sprintf("not compared: %d rows, %s", e.Rows, e.Reason))
			}
			if err := a.print(struct {
				Groups   []power.Group    `json:"groups"`
				Excluded []power.Excluded `json:"excluded"`
			}{groups, excluded}, s); err != nil {
				return err
			}
			if exceeded > 0 {
				return wrongError{fmt.Errorf("%s: %d of %d groups exceed their tolerance", args[0], exceeded, len(groups))}
			}
			return nil
		},
	}
}

func percent(v float64) string { return fmt.Sprintf("%.4f%%", 100*v) }
