package cli

import (
	"bytes"
	"cmp"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/show/sheet"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/wholefile"
	"github.com/carousel-sim/carousel/power"
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

func powerCheck(a *app) *cobra.Command {
	return newCommand("power check", oneFile, func(_ *cobra.Command, args []string) error {
		content, err := wholefile.Read(args[0], wholefile.TextBytes)
		if err != nil {
			return inputError{err}
		}
		found, err := power.Compare(bytes.NewReader(content))
		if err != nil {
			return inputError{fmt.Errorf("%s: %w", args[0], err)}
		}
		if err := a.print(found, comparisonSheet(found)); err != nil {
			return err
		}
		if err := found.Verdict(); err != nil {
			return wrongError{fmt.Errorf("%s: %w", args[0], err)}
		}
		return nil
	})
}

// comparisonSheet is the comparison for people and spreadsheets.
func comparisonSheet(r *power.Comparison) *sheet.Sheet {
	s := sheet.New("tool", "nm", "profile", "component", "rows", "mean error", "max error", "tolerance", "passed")
	for _, g := range r.Groups {
		s.Add(g.Tool, g.TechNM, cmp.Or(string(g.Profile), sheet.None), g.Component, g.Rows,
			percent(g.MeanError), percent(g.MaxError), percent(g.Tolerance), fmt.Sprint(g.Passed()))
	}
	for _, e := range r.Excluded {
		s.Note(fmt.Sprintf("not compared: %d rows, %s", e.Rows, e.Reason))
	}
	s.Note(fmt.Sprintf("published chips, pJ per bit; a factor of %d is allowed:", power.ChipFactor))
	for _, c := range r.Chips {
		prices := "prices of caches"
		if c.Profile != "" {
			prices = fmt.Sprintf("profile %s, %s", c.Profile, c.FIFO)
		}
		text := fmt.Sprintf("  %-26s %-26s published %-10s %-21s model %-15s factor %.2f", c.Name, c.Quantity,
			span(c.Low, c.High), prices, span(c.ModelLow, c.ModelHigh), c.Factor)
		if !c.Judged {
			text += " (not checked)"
		}
		s.Note(text)
	}
	s.Note(fmt.Sprintf("share of the network in the power of published chips; a factor of %d is expected:", power.ShareFactor))
	for _, c := range r.Shares {
		text := fmt.Sprintf("  %-24s %3d nm  published %2.0f %% (%s)", c.Name, c.TechNM, 100*c.Published, c.Source)
		if c.Reason != "" {
			text += ", outside: " + c.Reason
		} else {
			text += fmt.Sprintf(", model %.0f to %.0f %%, factor %.2f", 100*c.ModelLow, 100*c.ModelHigh, c.Factor)
			if c.Outside() {
				text += " (outside)"
			}
		}
		s.Note(text)
	}
	return s
}

// span writes a range, or its only value.
func span(low, high float64) string {
	if low == high {
		return metrics.Number(low)
	}
	return metrics.Number(low) + "-" + metrics.Number(high)
}

func percent(v float64) string { return fmt.Sprintf("%.4f%%", 100*v) }

// priceLists are the price lists of routers, none of which has run.
type priceLists []routerPrices

// routerPrices are the price list of one router and of one of its links.
type routerPrices struct {
	Router string `json:"router"`
	power.PriceList
}

// pricesOf prices the routers of a configuration.
func pricesOf(c *config.Effective) (list priceLists, err error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	for _, name := range c.Routers {
		model, err := c.Models().Lookup(name)
		if err != nil {
			return nil, fmt.Errorf("router %s: %w", name, err)
		}
		network, err := model.Build(c.Network)
		if err != nil {
			return nil, fmt.Errorf("router %s: %w", name, err)
		}
		h := network.Hardware()
		noc.Close(network)
		if h.Uncounted {
			return nil, usageError{fmt.Errorf("router %s does not count its events, which therefore have no prices", model.Name)}
		}
		prices, err := power.PriceListOf(h, c.Power)
		if err != nil {
			return nil, fmt.Errorf("router %s: %w", name, err)
		}
		list = append(list, routerPrices{model.Name, prices})
	}
	return list, nil
}

// Sheet lists the prices, with doubts below.
func (p priceLists) Sheet(c *config.Effective) *sheet.Sheet {
	s := sheet.New("router", "what", "value", "unit")
	s.Note(c.Power.Circumstances())
	for _, e := range p {
		s.Add(e.Router, "storage", e.StoragePhits, "phits")
		s.Add(e.Router, "storage.without_input_stages", e.StorageNoInput, "phits")
		s.Add(e.Router, "storage", e.StorageBytes, "bytes")
		for _, p := range e.EventsPJ {
			s.Add(e.Router, p.Name, p.Value, p.Unit())
		}
		for _, p := range e.StaticMilliwatts {
			s.Add(e.Router, p.Name, p.Value, "mW")
		}
		for _, p := range e.AreaMM2 {
			s.Add(e.Router, "area."+p.Name, p.Value, "mm2")
		}
		s.Add(e.Router, "hop.without_link", e.HopPJ, "pJ/phit")
		s.Add(e.Router, "hop.without_link", e.HopPJPerBit, "pJ/bit")
		s.Add(e.Router, "link", e.LinkPJPerBitMM, "pJ/bit/mm")
		s.Add(e.Router, "static_share_at_load_0.3", 100*e.StaticShare, "%")
		for _, doubt := range e.Doubts {
			s.Warnings = append(s.Warnings, e.Router+": "+doubt)
		}
	}
	return s
}
