package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/carousel-sim/carousel/analysis/config"
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
	ClockTested      bool         `json:"clock_tested"`
	StoragePhits     int          `json:"storage_phits"`
	StorageNoInput   int          `json:"storage_phits_without_input_stages"`
	StorageBytes     int          `json:"storage_bytes"`
	HopPJ            float64      `json:"hop_pj"`
	HopPJPerBit      float64      `json:"hop_pj_per_bit"`
	LinkPJPerBitMM   float64      `json:"link_pj_per_bit_mm"`
	StaticShare      float64      `json:"static_share_at_load_0_3"`
	Doubts           []string     `json:"doubts"`
	EventsPJ         []priceEntry `json:"events_pj"`
	StaticMilliwatts []priceEntry `json:"static_mw"`
}

func powerEstimate(a *app) *cobra.Command {
	command := &cobra.Command{
		Use:   "estimate",
		Short: "Print the energy of each event and the static power of routers and links",
		Long: `Prints, for each router, what every event costs in pJ (per phit for buffers, crossbars, rings and
links; per request or grant for arbiters; per bit for headers), what it draws without any
activity in mW, and how much it stores. A rotary router stores the paper's 300 phits in its ring
segments and output stages, and 50 more in its input stages. A hop is a phit that crosses an idle
router, over one ring segment where there are rings; its header and the link come on top. Values
outside the range of measured chips are noted below the table. Half of the bits change from one
phit to the next unless power.alpha says otherwise. The clock is the chip's, chip.clock_ghz.`,
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
				e.addTo(s)
			}
			if len(list) > 0 {
				s.after = append([]string{circumstances(c.Power)}, s.after...)
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

// unitOf is what an event of a price list is counted by.
func unitOf(event string) string {
	switch {
	case strings.HasPrefix(event, "arbiter_request"):
		return "pJ/request"
	case strings.HasPrefix(event, "arbiter_grant"):
		return "pJ/grant"
	case event == "channel_allocation":
		return "pJ/header"
	case strings.HasPrefix(event, "header_"), strings.HasPrefix(event, "flipped_bit"):
		return "pJ/bit"
	}
	return "pJ/phit"
}

// addTo writes the price list into a table, and its doubts below.
func (e *estimateEntry) addTo(s *sheet) {
	s.add(e.Router, "storage", fmt.Sprint(e.StoragePhits), "phits")
	s.add(e.Router, "storage.without_input_stages", fmt.Sprint(e.StorageNoInput), "phits")
	s.add(e.Router, "storage", fmt.Sprint(e.StorageBytes), "bytes")
	for _, p := range e.EventsPJ {
		s.add(e.Router, p.Name, number(p.Value), unitOf(p.Name))
	}
	for _, p := range e.StaticMilliwatts {
		s.add(e.Router, p.Name, number(p.Value), "mW")
	}
	s.add(e.Router, "hop", number(e.HopPJ), "pJ/phit")
	s.add(e.Router, "hop", number(e.HopPJPerBit), "pJ/bit")
	s.add(e.Router, "link", number(e.LinkPJPerBitMM), "pJ/bit/mm")
	s.add(e.Router, "static_share_at_load_0.3", number(100*e.StaticShare), "%")
	for _, doubt := range e.Doubts {
		s.after = append(s.after, fmt.Sprintf("note on %s: %s", e.Router, doubt))
	}
}

// circumstances tells under which configuration prices hold.
func circumstances(p power.Config) string {
	p = p.Effective()
	text := fmt.Sprintf("profile %s, %d nm, %g V, %g GHz, %s FIFOs, links of %g mm, %s, leakage x %g", p.Profile, p.TechNM, p.VoltageV,
		p.ClockGHz, p.FIFO, p.LinkMM, p.SwitchingActivity(), p.StaticScale)
	if p.Extrapolated() {
		text += "; extrapolated: no public tool covers this technology"
	}
	if !p.ClockTested() {
		text += "; checked against tools at 1 to 3 GHz"
	}
	return text
}

// repricingHint says that ratios of energy hold for these prices only.
const repricingHint = "Ratios of energy depend on profile and FIFOs: carousel report prices the tables again, such as with --profile S."

// priceList prices one router and its links without running it.
func priceList(name string, c *config.Effective) (estimateEntry, error) {
	var e estimateEntry
	model, err := models.Lookup(name)
	if err != nil {
		return e, err
	}
	network, err := model.Build(c.Network)
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
	hop, err := power.SummaryOf(h, c.Power)
	if err != nil {
		return e, err
	}
	e = estimateEntry{Router: name, Profile: string(effective.Profile), TechNM: effective.TechNM, VoltageV: effective.VoltageV,
		ClockGHz: effective.ClockGHz, FIFO: string(effective.FIFO), Extrapolated: effective.Extrapolated(), ClockTested: effective.ClockTested(),
		StoragePhits: storage.Phits, StorageNoInput: storage.WithoutInputStages, StorageBytes: storage.Bytes,
		HopPJ: hop.RouterPJ, HopPJPerBit: hop.RouterPJPerBit, LinkPJPerBitMM: hop.LinkPJPerBitMM,
		StaticShare: hop.StaticShare, Doubts: hop.Doubts(c.Power)}
	for _, p := range append(router.EventsPJ(), link.EventsPJ()...) {
		e.EventsPJ = append(e.EventsPJ, priceEntry(p))
	}
	for _, p := range append(router.StaticMW(), link.StaticMW()...) {
		e.StaticMilliwatts = append(e.StaticMilliwatts, priceEntry(p))
	}
	return e, nil
}
