package power

import (
	"fmt"
	"strings"

	"github.com/carousel-sim/carousel/noc"
)

// PriceList is what the events and the hardware of one router and of one of its links cost.
type PriceList struct {
	Profile      Profile `json:"profile"`
	TechNM       int     `json:"tech_nm"`
	VoltageV     float64 `json:"voltage_v"`
	ClockGHz     float64 `json:"clock_ghz"`
	FIFO         FIFO    `json:"fifo"`
	Extrapolated bool    `json:"extrapolated"`
	ClockTested  bool    `json:"clock_tested"`
	StoragePhits int     `json:"storage_phits"`
	// StorageNoInput leaves out the input stages of rotary routers.
	StorageNoInput   int      `json:"storage_phits_without_input_stages"`
	StorageBytes     int      `json:"storage_bytes"`
	HopPJ            float64  `json:"hop_pj"`
	HopPJPerBit      float64  `json:"hop_pj_per_bit"`
	LinkPJPerBitMM   float64  `json:"link_pj_per_bit_mm"`
	StaticShare      float64  `json:"static_share_at_load_0_3"`
	Doubts           []string `json:"doubts"` // see Hop.Doubts
	EventsPJ         []Entry  `json:"events_pj"`
	StaticMilliwatts []Entry  `json:"static_mw"`
}

// PriceListOf prices the hardware of a network's routers without running it.
func PriceListOf(h noc.Hardware, c Config) (PriceList, error) {
	router, err := NewRouter(h, c)
	if err != nil {
		return PriceList{}, err
	}
	link, err := NewLink(h.PhitBits, c)
	if err != nil {
		return PriceList{}, err
	}
	hop, err := SummaryOf(h, c)
	if err != nil {
		return PriceList{}, err
	}
	whole, storage := c.Effective(), StorageOf(h)
	return PriceList{Profile: whole.Profile, TechNM: whole.TechNM, VoltageV: whole.VoltageV, ClockGHz: whole.ClockGHz, FIFO: whole.FIFO,
		Extrapolated: whole.Extrapolated(), ClockTested: whole.ClockTested(),
		StoragePhits: storage.Phits, StorageNoInput: storage.WithoutInputStages, StorageBytes: storage.Bytes,
		HopPJ: hop.RouterPJ, HopPJPerBit: hop.RouterPJPerBit, LinkPJPerBitMM: hop.LinkPJPerBitMM, StaticShare: hop.StaticShare,
		Doubts:           hop.Doubts(c),
		EventsPJ:         append(router.EventsPJ(), link.EventsPJ()...),
		StaticMilliwatts: append(router.StaticMW(), link.StaticMW()...)}, nil
}

// Unit returns what an event of a price list is counted by, as "pJ/phit".
func (e Entry) Unit() string {
	switch {
	case strings.HasPrefix(e.Name, "arbiter_request"):
		return "pJ/request"
	case strings.HasPrefix(e.Name, "arbiter_grant"):
		return "pJ/grant"
	case e.Name == "channel_allocation":
		return "pJ/header"
	case strings.HasPrefix(e.Name, "header_"):
		return "pJ/bit"
	}
	return "pJ/phit"
}

// Circumstances returns the configuration under which prices hold, for people.
func (c Config) Circumstances() string {
	c = c.Effective()
	text := fmt.Sprintf("profile %s, %d nm, %g V, %g GHz, %s FIFOs, links of %g mm, alpha %g, leakage x %g", c.Profile, c.TechNM, c.VoltageV,
		c.ClockGHz, c.FIFO, c.LinkMM, c.Alpha, c.StaticScale)
	if c.Extrapolated() {
		text += "; extrapolated: no public tool covers this technology"
	}
	if !c.ClockTested() {
		text += "; checked against tools at 1 to 3 GHz"
	}
	return text
}
