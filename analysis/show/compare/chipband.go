package compare

import (
	"fmt"
	"slices"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/result"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// ChipBand says in how many ways of pricing a chip a router has a lower ED2P of the chip than the fastest one, and in
// how many a higher one.
type ChipBand struct {
	Router string `json:"router"`
	Over   string `json:"over"`
	Prices int    `json:"prices"` // at which both have an energy
	Lower  int    `json:"lower"`
	Higher int    `json:"higher"` // than that of the fastest with 95 % confidence, as is Lower
	// Low and High are the lowest and the highest ratio, with the prices that give them.
	Low      float64 `json:"ratio_low"`
	High     float64 `json:"ratio_high"`
	LowFrom  string  `json:"low_from"`
	HighFrom string  `json:"high_from"`
}

// chipBandOf prices the runs of a study in every way of a band.
func chipBandOf(rows *tables.Rows, routers []string) (list []ChipBand, err error) {
	for _, router := range routers[1:] {
		list = append(list, ChipBand{Router: router, Over: routers[0]})
	}
	for _, p := range experiment.ChipBand() {
		priced, err := p.Of(rows)
		if err != nil {
			return nil, err
		}
		a := result.Rank(&priced, nil)[0].Overall()
		for i := range list {
			b := &list[i]
			e := a.Ratio(col.ChipED2PJs2, b.Router, b.Over)
			if !e.OK {
				continue
			}
			if b.Prices++; b.Prices == 1 || e.Mean < b.Low {
				b.Low, b.LowFrom = e.Mean, p.Name
			}
			if b.Prices == 1 || e.Mean > b.High {
				b.High, b.HighFrom = e.Mean, p.Name
			}
			switch e.Side(1) {
			case -1:
				b.Lower++
			case 1:
				b.Higher++
			}
		}
	}
	return list, nil
}

// priceBand adds the sentences of a band of prices behind the other answers.
func (r *Study) priceBand(rows *tables.Rows) {
	list, err := chipBandOf(rows, r.Comparisons[0].Routers)
	if err != nil {
		r.Findings = append(r.Findings, Finding{Warning, fmt.Sprintf("The chip cannot be priced in other ways: %v.", err)})
		return
	}
	var f findings
	for _, b := range list {
		if b.Prices > 0 {
			f.say(Answer, "ED2P of the chip: %s is above %s in %d and below it in %d of %d ways to price it, from %.3f times (%s) to %.3f times (%s); in the others these runs cannot tell.",
				b.Router, b.Over, b.Higher, b.Lower, b.Prices, b.Low, b.LowFrom, b.High, b.HighFrom)
		}
	}
	r.ChipBand = list
	at := slices.IndexFunc(r.Findings, func(f Finding) bool { return f.Kind != Answer })
	if at < 0 {
		at = len(r.Findings)
	}
	r.Findings = slices.Insert(r.Findings, at, f.list...)
}
