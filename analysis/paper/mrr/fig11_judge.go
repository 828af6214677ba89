package mrr

import (
	"fmt"
	"strings"

	"github.com/carousel-sim/carousel/analysis/chart"
	"github.com/carousel-sim/carousel/analysis/paper/claim"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// speedup judges how much faster MRR is than another router, in the mean and for each application.
func (f *figure11) speedup(other string, printed float64) claim.Finding {
	list := f.compare(other, "mrr")
	found := claim.Gain(claim.Mean(comparisons(list)), printed)
	verdicts := map[string]int{}
	var each []string
	for i := range list {
		verdict := claim.Gain(list[i].Estimate, printed).Verdict
		verdicts[verdict]++
		each = append(each, list[i].text()+" "+verdict)
	}
	found.Detail += fmt.Sprintf("; %s; of %d applications %d confirmed, %d not confirmed, %d open: %s", overall(list, other), len(list),
		verdicts[tables.Confirmed], verdicts[tables.NotConfirmed], verdicts[tables.Open], strings.Join(each, ", "))
	found.Detail += "; " + network(f.data, other)
	directory, _ := claim.Compare(f.data, f.time, other, "mrr", func(in *chart.Cell) bool { return in.Panel != tokenPanel })
	if e := claim.Mean(directory); e.OK {
		found.Detail += "; under directory coherence the mean is " + e.Text()
	}
	return found
}

// eachOf lists comparisons with their cells.
func eachOf(list []claim.Comparison) string {
	var each []string
	for i := range list {
		each = append(each, fmt.Sprintf("%s %s", list[i].Cell.Where(), list[i].Text()))
	}
	return strings.Join(each, ", ")
}

// doubled judges how much longer the application takes that suffers most from BASE.
func doubled(d *chart.Data, time *chart.Chart) claim.Finding {
	list, _ := claim.Compare(d, time, "base", "base-mc", recorded)
	at := claim.Extreme(list, claim.Above)
	if at == nil {
		return claim.Nothing("nothing was measured")
	}
	f := claim.Gain(at.Estimate, 1)
	f.Detail = fmt.Sprintf("largest base/base-mc at %s: %s; each: %s", at.Cell.Where(), f.Detail, eachOf(list))
	return f
}

// halved judges the mean ED2P of MRR over RR at the first prices, and says what it is at the
// others.
func halved(d *chart.Data, energy []chart.Chart) claim.Finding {
	list, _ := claim.Compare(d, &energy[0], "mrr", "rr", recorded)
	f := claim.Gain(claim.Mean(list), -0.5)
	if !f.Measured.Known {
		return f
	}
	f.Detail = energy[0].Prices + ": " + f.Detail
	for i := range energy {
		if energy[i].Prices == chart.UsualPrices {
			list, _ := claim.Compare(d, &energy[i], "mrr", "rr", recorded)
			other := claim.Gain(claim.Mean(list), -0.5)
			f.Detail += fmt.Sprintf("; %s: %s: %s", energy[i].Prices, other.Verdict, other.Detail)
		}
	}
	f.Detail += "; " + rangeOf(claim.Lower("mrr", "rr"), acrossPrices(d, energy, "mrr", "rr", claim.Mean, recorded)) + "; " + circumstances(d)
	return f
}

// withFT compares RR and BASE-MC with FT: in time, and in ED2P at the first prices.
func withFT(d *chart.Data, time *chart.Chart, energy []chart.Chart) claim.Finding {
	faster, _ := claim.Compare(d, time, "rr", "base-mc", ft)
	spent, _ := claim.Compare(d, &energy[0], "base-mc", "rr", ft)
	if len(faster) == 0 || len(spent) == 0 {
		return claim.Nothing("FT was not measured")
	}
	notBeaten := claim.One(&spent[0].Estimate, claim.Above, 1)
	if tied(spent[0].Estimate) {
		notBeaten = claim.Sides{Hold: 1}
	}
	f := claim.Join(part("time of rr/base-mc", faster[0].Estimate, claim.Below, 1),
		claim.Finding{Verdict: notBeaten.Verdict(), Detail: fmt.Sprintf("ED2P of base-mc/rr %s (not below 1 asked)", spent[0].Text())})
	f.Detail += "; " + rangeOf(claim.Higher("base-mc", "rr"), acrossPrices(d, energy, "base-mc", "rr", claim.Mean, ft))
	return f
}

// leastChipEnergy judges orders of ED2P with every recording at the first prices, and says the
// means at the others.
func leastChipEnergy(d *chart.Data, energy []chart.Chart, pairs ...claim.Pair) claim.Finding {
	f := claim.Everywhere(d, &energy[0], recorded, pairs...)
	for _, p := range pairs {
		f.Detail += "; " + rangeOf(p, acrossPrices(d, energy, p.Series, p.Baseline, claim.Overall, recorded))
	}
	return f
}

// clearly is the ratio below which one router clearly outperforms another.
const clearly = 0.9

// bothClearly judges the means of the routers with multicast support over those without.
func bothClearly(d *chart.Data, energy *chart.Chart) claim.Finding {
	var parts []claim.Finding
	for _, p := range [][2]string{{"base-mc", "rr"}, {"base-mc", "base"}, {"mrr", "rr"}, {"mrr", "base"}} {
		list, _ := claim.Compare(d, energy, p[0], p[1], recorded)
		parts = append(parts, part("mean "+p[0]+"/"+p[1], claim.Mean(list), claim.Below, clearly))
	}
	return claim.Join(parts...)
}

// mostly judges in how many applications BASE-MC is faster than RR.
func (f *figure11) mostly() claim.Finding {
	list := f.compare("base-mc", "rr")
	if len(list) == 0 {
		return claim.Nothing("nothing was measured")
	}
	faster, slower := 0, 0
	var each []string
	for i := range list {
		list[i].bound = chart.Estimate{} // nobody asks how much faster anything could be
		switch list[i].Side(1) {
		case claim.Below:
			faster++
		case claim.Above:
			slower++
		}
		each = append(each, list[i].text())
	}
	found := claim.Nothing("")
	switch {
	case 2*faster > len(list):
		found = claim.Fact(true, 0, "")
	case 2*(len(list)-slower) <= len(list):
		found = claim.Fact(false, 0, "")
	}
	found.Some(claim.Mean(comparisons(list)))
	found.Detail = fmt.Sprintf("base-mc/rr below 1 in %d of %d recordings: %s; %s", faster, len(list), strings.Join(each, ", "), overall(list, "base-mc"))
	return found
}
