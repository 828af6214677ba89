package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/result"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// limits writes the power as a range, such as 45 to 69 W.
func limits(b *result.BreakEven) string {
	low, high := ends(b)
	if low == high {
		return low + " W"
	}
	return low + " to " + high + " W"
}

// ends are the ends of this range.
func ends(b *result.BreakEven) (low, high string) {
	return watts(min(b.Fixed.Mean, b.Static.Mean)), watts(max(b.Fixed.Mean, b.Static.Mean))
}

// under says below and above which power the verdicts are opposite, and how sure that is.
func under(b *result.BreakEven) string {
	low, high := ends(b)
	text := fmt.Sprintf("less than %s W. It has a higher one if they need more than %s W. Between these limits it depends on how much of the power is static.", low, high)
	switch from, to := b.Interval(); {
	case b.Fixed.N < 2:
	case math.IsInf(to, 1):
		text += fmt.Sprintf(" The 95 %% interval of the limits starts at %s W and has no end.", watts(from))
	default:
		text += fmt.Sprintf(" The 95 %% interval of the limits is %s to %s W.", watts(from), watts(to))
	}
	return text
}

// watts writes a power with two digits.
func watts(v float64) string {
	if v == 0 {
		return "0"
	}
	digits := math.Pow(10, math.Floor(math.Log10(math.Abs(v)))-1)
	return metrics.Number(math.Round(v/digits) * digits)
}

// cell is a break-even power in a table: the range, or never for a router that no chip makes the better one.
func cell(b *result.BreakEven) any {
	switch {
	case !b.Known():
		return nil
	case b.Wins():
		return "below " + limits(b)
	case b.Contends():
		return result.CannotTell
	}
	return "never"
}

// energy says for which chips a router has a lower ED2P than the fastest one.
func (f *findings) energy(c *result.Ranking) (list []words) {
	if !c.OfRouters() { // what else differs changes what the rest of the chip needs
		return nil
	}
	first, compared, the := c.Names[0], false, "The"
	if !slices.ContainsFunc(c.Overall().Each(), func(a *result.Application) bool { return len(a.Runs[first]) > 1 }) {
		the = "In one run of each, the"
	}
	var contenders, faster []string // faster has the applications in which another router is
	for _, router := range c.Names[1:] {
		type limit struct {
			name string
			result.BreakEven
		}
		var wins []limit
		below := 0.0 // the power below which it may have the lower product
		for _, a := range c.Overall().Each() {
			if a.Missing == result.AllOfRow {
				continue
			}
			b := a.BreakEven(router, first, 2)
			if !b.Known() { // it is not slower in this application, or was not run
				if other := a.BreakEven(first, router, 2); other.Known() {
					compared = true
					if !slices.Contains(faster, a.Name) {
						faster = append(faster, a.Name)
					}
				}
				continue
			}
			compared = true
			if _, high := b.Interval(); b.Contends() {
				below = max(below, high)
			}
			if b.Wins() {
				wins = append(wins, limit{a.Name, b})
			}
		}
		switch {
		case math.IsInf(below, 1):
			contenders = append(contenders, router)
		case below > 0:
			contenders = append(contenders, fmt.Sprintf("%s if cores, caches and memory together need less than %s W", router, watts(below)))
		}
		if wins == nil {
			continue
		}
		slices.SortStableFunc(wins, func(x, y limit) int { return cmp.Compare(x.Fixed.Mean, y.Fixed.Mean) })
		low, high := &wins[0], &wins[len(wins)-1]
		w := words{"The": the, "router": router, "first": first, "low": limits(&low.BreakEven), "lowest": low.name, "high": limits(&high.BreakEven), "highest": high.name,
			"all": len(c.Overall().Each()), "power": under(&low.BreakEven)}
		from, to := low.Interval()
		switch {
		case low.Fixed.N > 1 && from == 0 && math.IsInf(to, 1) && len(wins) == 1:
			w["undetermined"], w["where"] = limits(&low.BreakEven), ""
			if c.Mean != nil {
				w["where"] = " in " + low.name
			}
		case c.Mean != nil && len(wins) == 1:
			w["only"] = wins[0].name
		case c.Mean != nil:
			w["wins"] = len(wins)
		}
		list = append(list, w)
	}
	if list != nil || !compared {
		return list
	}
	w := words{"The": the, "first": first, "all": "", "any": "", "some": ""}
	if c.Mean != nil {
		w["all"], w["any"], w["some"] = " in all applications", " in any application", " in some applications"
	}
	if c.Mean != nil && faster != nil {
		w["faster"] = enumerate(faster)
	}
	if contenders != nil {
		w["contenders"] = enumerate(contenders)
	}
	return []words{w}
}

// EnergyParts says how the energy of a network divides in some of its runs; "" where that is not known.
func EnergyParts(router string, runs result.Runs) string {
	for _, w := range energyParts(&result.Application{Runs: map[string]result.Runs{router: runs}}, router) {
		return energyRule.text(w)
	}
	return ""
}

// energyParts are the shares of the energy of a router.
func energyParts(a *result.Application, router string) []words {
	w := percent(a.Breakdown(&tables.Energies, router, router))
	if w["clock"].(float64)+w["leakage"].(float64) == 0 {
		return nil
	}
	w["router"] = router
	return []words{w}
}

// percent are the parts of a breakdown as words.
func percent(b result.Breakdown) words {
	w := words{}
	for part, share := range b {
		w[part] = 100 * share
	}
	return w
}

// runsOf are the finished runs of some rows.
func runsOf(c *result.Ranking, names ...string) (list result.Runs) {
	for _, a := range c.Overall().Each() {
		for _, name := range names {
			list = append(list, a.Runs[name]...)
		}
	}
	return list
}

// ofTotals is the share of a part in the total over all applications.
func ofTotals(c *result.Ranking, router string, part, whole tables.Name) float64 {
	runs := runsOf(c, router)
	return runs.Sum(part) / runs.Sum(whole)
}

// leakage warns where the energy of a network is mostly leakage: of the first such router, or of all settings that
// are compared.
func (f *findings) leakage(c *result.Ranking) (list []words) {
	const most = 0.4
	for _, r := range c.Overall().Rows {
		if share := ofTotals(c, r.Name, tables.Energies.Column("leakage"), col.EnergyJ); share > most && (list == nil || !c.OfRouters()) {
			list = append(list, words{"router": r.Name, "leakage": 100 * share})
		}
	}
	return list
}

// trend explains profile O below 65 nm.
func (f *findings) trend(c *result.Ranking) []words {
	for _, r := range runsOf(c, c.Names...) {
		if trend := r.Run.Prices().Trend(); trend != "" {
			return []words{{"trend": trend}}
		}
	}
	return nil
}

// mixedProfiles says which technologies have which energy model, if a study varies the technology and the model
// follows it; "" otherwise.
func mixedProfiles(rows *tables.Rows) string {
	varies := func(key string) bool {
		return slices.ContainsFunc(rows.Axes, func(a tables.Axis) bool { return a.Key == key })
	}
	profiles := result.Of(rows).By(col.PowerProfile)
	if len(profiles) < 2 || !varies("power.tech_nm") || varies("power.profile") {
		return ""
	}
	var parts []string
	for _, g := range profiles {
		parts = append(parts, fmt.Sprintf("profile %s at %s nm", g.Values[0], enumerate(g.Distinct(col.TechnologyNM))))
	}
	return fmt.Sprintf("The technologies are compared with different energy models: %s. power.profile=S has all technologies from 90 to 3 nm.", strings.Join(parts, ", "))
}

// profiles warns of technologies whose energies come from different models.
func (f *findings) profiles(*result.Ranking) []words {
	if text := mixedProfiles(f.rows); text != "" {
		return []words{{"profiles": text}}
	}
	return nil
}

// networkShare says what part of the chip the network is, where that is less than a tenth: of the fastest router, or
// of all settings that are compared. Settings may change the energy of the rest of the chip, so its ED2P need not
// follow time.
func (f *findings) networkShare(c *result.Ranking) (list []words) {
	const small = 0.1
	for i, name := range c.Names {
		if share := ofTotals(c, name, col.EnergyJ, col.ChipEnergyJ); share > 0 && share < small && (i == 0 || !c.OfRouters()) {
			run := runsOf(c, name)[0].Run
			w := words{"router": name, "core": run.Prices().Core, "nm": run.Technology, "share": 100 * share}
			if !c.OfRouters() {
				w["settings"] = true
			}
			list = append(list, w)
		}
	}
	return list
}

// PriceBand says in how many ways of pricing a network or a chip a router has a lower ED2P than the baseline, and in
// how many a higher one.
type PriceBand struct {
	Router string `json:"router"`
	Over   string `json:"over"`
	Prices int    `json:"prices"` // at which both have an energy
	Lower  int    `json:"lower"`
	Higher int    `json:"higher"` // than that of the baseline with 95 % confidence, as is Lower
	// Low and High are the lowest and the highest ratio, with the prices that give them.
	Low      float64 `json:"ratio_low"`
	High     float64 `json:"ratio_high"`
	LowFrom  string  `json:"low_from"`
	HighFrom string  `json:"high_from"`
	// LowerIn and HigherIn are the models of the network with which all ways agree.
	LowerIn  []string `json:"lower_in"`
	HigherIn []string `json:"higher_in"`
}

// priceBandOf prices the runs of a study in every way of a band, and compares an ED2P.
func priceBandOf(rows *tables.Rows, routers []string, product tables.Name, ways []experiment.Prices) (list []PriceBand, err error) {
	for _, router := range routers[1:] {
		list = append(list, PriceBand{Router: router, Over: routers[0]})
	}
	sides := make([]map[int]int, len(list)) // of the ways of one model
	for k, p := range ways {
		priced, err := p.Of(rows)
		if err != nil {
			return nil, err
		}
		a, last := result.Rank(&priced, nil)[0].Overall(), k+1 == len(ways) || ways[k+1].Model != p.Model
		for i := range list {
			if sides[i] == nil {
				sides[i] = map[int]int{}
			}
			if e := a.Ratio(product, list[i].Router, list[i].Over); e.OK {
				sides[i][list[i].add(p.Name, e)]++
			}
			if !last {
				continue
			}
			if b := &list[i]; len(sides[i]) == 1 && sides[i][-1] > 0 {
				b.LowerIn = append(b.LowerIn, p.Model)
			} else if len(sides[i]) == 1 && sides[i][1] > 0 {
				b.HigherIn = append(b.HigherIn, p.Model)
			}
			sides[i] = nil
		}
	}
	return list, nil
}

// add counts one way of pricing, and returns on which side of 1 its ratio is.
func (b *PriceBand) add(name string, e metrics.Estimate) int {
	if b.Prices++; b.Prices == 1 || e.Mean < b.Low {
		b.Low, b.LowFrom = e.Mean, name
	}
	if b.Prices == 1 || e.Mean > b.High {
		b.High, b.HighFrom = e.Mean, name
	}
	side := e.Side(1)
	switch side {
	case -1:
		b.Lower++
	case 1:
		b.Higher++
	}
	return side
}

// prices says what a band of prices makes of the ED2P of the network and of the chip.
func (f *findings) prices(*result.Ranking) (list []words) {
	if f.unpriced != nil {
		return []words{{"unpriced": f.unpriced}}
	}
	say := func(what, ways string, band []PriceBand) {
		for _, b := range band {
			if b.Prices > 0 {
				list = append(list, words{"what": what, "ways": ways, "router": b.Router, "over": b.Over, "higher": b.Higher, "lower": b.Lower, "prices": b.Prices, "rest": b.rest(),
					"low": b.Low, "low_from": b.LowFrom, "high": b.High, "high_from": b.HighFrom, "models": b.models()})
			}
		}
	}
	say("ED2P of the network alone", "the network", f.networkBand)
	say("ED2P of the chip", "the chip", f.band)
	return list
}

// rest says in how many ways of pricing the runs do not tell.
func (b *PriceBand) rest() string {
	if n := b.Prices - b.Higher - b.Lower; n > 0 {
		return fmt.Sprintf("In the other %d these runs cannot tell. ", n)
	}
	return ""
}

// models says with which models of the network all ways of pricing agree.
func (b *PriceBand) models() string {
	of := func(models []string) string {
		var parts []string
		for _, g := range tables.GroupBy(models, func(m *string) string { name, _ := cutLast(*m); return name }) {
			var nodes []string
			for _, m := range g.Records {
				_, node := cutLast(m)
				nodes = append(nodes, strings.TrimSuffix(node, " nm"))
			}
			parts = append(parts, fmt.Sprintf("%s at %s nm", g.Key, enumerate(nodes)))
		}
		return strings.Join(parts, "; ")
	}
	text := ""
	if b.LowerIn != nil {
		text += fmt.Sprintf(" It is below 1 in all models with %s.", of(b.LowerIn))
	}
	if b.HigherIn != nil {
		text += fmt.Sprintf(" It is above 1 in all models with %s.", of(b.HigherIn))
	}
	return text
}

// cutLast cuts a text at its last comma.
func cutLast(text string) (before, after string) {
	if at := strings.LastIndex(text, ", "); at >= 0 {
		return text[:at], text[at+2:]
	}
	return text, ""
}
