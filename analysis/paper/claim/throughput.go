package claim

import (
	"fmt"
	"math"
	"strings"

	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/result"
	"github.com/carousel-sim/carousel/analysis/show/chart"
)

// compared says in criteria what is compared: series, or the same series in two panels.
func (p *Part) compared() string {
	if p.Instead == nil {
		return p.names()
	}
	var words []string
	for from, to := range p.Instead {
		words = append(words, from+" over that with "+to)
	}
	return strings.Join(p.Of, " and of ") + " with " + strings.Join(words, ", ")
}

// unsaturated says in criteria what decides where series carry all that they are offered.
func (p *Part) unsaturated() string {
	switch {
	case p.Knee != "":
		return ", or, where both end at what nodes consume (0.99 phits per node and cycle or more), load at the knee (latency three times that at the smallest load)"
	case !p.Seeds:
		return ", where a series that was never saturated carries as much as it did or more"
	}
	return ""
}

// throughput judges the largest load that one series carries over that of another, or of the same
// series in another panel.
func (p *Part) throughput(d *chart.Data) Finding {
	y := tally{part: p, what: "largest " + p.quantity() + " of " + p.names()}
	var shown metrics.Estimate
	panels, _ := p.panels(d)
	for _, panel := range panels {
		other := panel
		for from, to := range p.Instead {
			other = strings.Replace(other, from, to, 1)
		}
		if p.Instead != nil && other == panel {
			continue
		}
		for _, pair := range p.pairs() {
			ratio, bounded := p.carriesMore(d, [2]string{panel, pair[0]}, [2]string{other, pair[1]})
			where := strings.Trim(fmt.Sprintf("%s, %s/%s", panel, pair[0], pair[1]), ", ")
			if bounded != 0 && p.side(ratio) != 0 {
				where += map[int]string{-1: ", at most", 1: ", at least"}[bounded]
			}
			y.add(ratio, where)
			if bounded == 0 && ratio.OK && (!shown.OK || p.beyond(ratio.Mean) > p.beyond(shown.Mean)) {
				shown = ratio
			}
		}
	}
	return y.finding(shown)
}

// carriesMore is the ratio of two largest loads. Where one of them was not saturated the ratio is
// bounded from below (1) or above (-1), and OK only if the bound decides.
func (p *Part) carriesMore(d *chart.Data, own, other [2]string) (ratio metrics.Estimate, bounded int) {
	if p.Seeds {
		_, a := p.best(d, own[0], own[1], nil)
		_, b := p.best(d, other[0], other[1], nil)
		if p.Knee != "" && least(a) >= consumable && least(b) >= consumable {
			a, b = p.latency.knees(d, own[0], own[1]), p.latency.knees(d, other[0], other[1])
		}
		var ratios []float64
		for i := range min(len(a), len(b)) {
			ratios = append(ratios, a[i]/b[i])
		}
		return result.PlainMean.Of(ratios), 0
	}
	a, saturatedA := p.capacity(d, own[0], own[1])
	b, saturatedB := p.capacity(d, other[0], other[1])
	ratio = result.Quotient(a, b)
	low, high := p.bounds()
	switch {
	case saturatedA && saturatedB:
		return ratio, 0
	case saturatedB: // the ratio is at least this
		limit := high
		if math.IsInf(limit, 1) {
			limit = low
		}
		ratio.OK = ratio.OK && ratio.Low > limit
		return ratio, 1
	case saturatedA: // at most this
		limit := low
		if math.IsInf(limit, -1) {
			limit = high
		}
		ratio.OK = ratio.OK && ratio.High < limit
		return ratio, -1
	}
	return metrics.Estimate{}, 0
}

// least is the mean of values; 0 without any.
func least(values []float64) float64 { return result.PlainMean.Of(values).Mean }

// capacity is the largest load that a series completes in a panel, and whether it was saturated at
// the largest load of the plan: otherwise it may carry more.
func (p *Part) capacity(d *chart.Data, panel, series string) (best metrics.Estimate, saturated bool) {
	for _, at := range p.curve(d, panel, series, func(*chart.Cell) bool { return true }) {
		if !best.OK || at.Mean > best.Mean {
			best = at.Estimate
		}
		saturated = at.Saturated
	}
	return best, saturated
}
