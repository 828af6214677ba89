package atbm

import (
	"fmt"
	"math"
	"strings"

	"github.com/carousel-sim/carousel/analysis/chart"
	"github.com/carousel-sim/carousel/analysis/paper/claim"
	"github.com/carousel-sim/carousel/analysis/tables"
)

const reachesCriterion = "software / atbm, geometric mean over the loads up to half of the largest that both carry; confirmed when the gain is between half and twice the printed one in every network"

// Fig15 returns the entry of figure 15, section 5.3.1: multicasts and unicasts over the load, 2x2
// switches.
func Fig15() claim.Entry {
	return stageFigure{
		id: "atbm.fig15", figure: "figure 15, section 5.3.1", title: "Multicasts and unicasts over the load, 2x2 switches", series: "variant", panel: "topology",
		conditions: "2x2 switches, 16, 64 and 256 nodes, 64 flits, one consumption channel, multicast fraction 0.5; " + trafficConditions,
		pictures:   []picture{{title: "2x2 switches, 50 % multicast", arities: []int{2}, scheme: "variant", highest: 60}},
		claims:     fig15Claims,
	}.entry()
}

func fig15Claims(c *stageCharts) []claim.Claim {
	once := func(judge func(*chart.Data, string) claim.Finding) func(*chart.Data) claim.Finding {
		return func(d *chart.Data) claim.Finding {
			f := judge(d, "atbm")
			if o := judge(d, "atbm-once"); o.Measured.Known || o.Verdict != tables.Open {
				f.Detail += fmt.Sprintf("; with token time charged once: %s, %s", o.Verdict, o.Detail)
			}
			return f
		}
	}
	return []claim.Claim{
		{ID: "S0-27", Text: "Messages arise by the formulas for the intervals of unicasts and multicasts.", Printed: "formulas",
			Criterion: "delivered over offered load within 5 % at every load that a network carries, as far as the paper's simulations vary, and within 15 % in short runs, which have few multicasts; measured value: geometric mean. The paper gives no number for the buffer-time of a message, which only scales the axis",
			Judge:     func(d *chart.Data) claim.Finding { return offeredArrives(d, &c.accepted, &c.multicast) }},
		{ID: "S0-28", Text: "In UNI networks tree worms are 3 times as fast as software with 16 and 64 nodes, 4 times with 256.", Printed: "3, 3, 4", Criterion: reachesCriterion,
			Judge: func(d *chart.Data) claim.Finding {
				return claim.Join(reaches(d, &c.multicast, 3, "UNI 16", "UNI 64"), reaches(d, &c.multicast, 4, "UNI 256"))
			}},
		{ID: "S0-29", Text: "Under heavy load the serialisation of branches becomes prominent.", Printed: "prominent",
			Criterion: "in every UNI network a worm waits at its first branch for others to give the token back, at the largest load that tree worms carry, longer than the 64 cycles in which a message is transmitted, and at the smallest less than a tenth of that; measured value: least wait at the largest load, in cycles",
			Judge:     func(d *chart.Data) claim.Finding { return serialised(d, &c.wait, "UNI", 64) }},
		{ID: "S0-30", Text: "Unicasts are 25 % to 40 % faster with tree worms than with CMIN, depending on the size.", Printed: "25 % to 40 %",
			Criterion: "the mean reduction over the loads that both carry is between 20 % and 48 %, the printed range and a fifth of it, in every UNI network; measured value: the reduction farthest from the range, in per cent",
			Judge:     func(d *chart.Data) claim.Finding { return unicastsGain(d, &c.unicast, "UNI", 25, 40) }},
		{ID: "S0-31", Text: "In BI networks the gain is similar, but tree worms saturate before UMIN.", Printed: "similar; earlier",
			Criterion: "three times as fast with 16 and 64 nodes, four times with 256, as above, and the largest load that tree worms deliver is below that of UMIN in every network",
			Judge: once(func(d *chart.Data, atbm string) claim.Finding {
				return claim.Join(reaches(d, &c.multicast, 3, "BI 16", "BI 64"), reaches(d, &c.multicast, 4, "BI 256"),
					capacity(d, &c.accepted, "BI", of(atbm), of("software"), claim.Below, 1))
			})},
		{ID: "S0-32", Text: "In BI networks with 64 and 256 nodes unicasts saturate slightly earlier with tree worms than with UMIN.", Printed: "slightly earlier",
			Criterion: "largest delivered load of tree worms over that of UMIN below 1 and above 0.75; measured value: the ratio farthest below 1",
			Judge: once(func(d *chart.Data, atbm string) claim.Finding {
				low := capacity(d, &c.accepted, "BI 64", of(atbm), of("software"), claim.Above, 0.75)
				if other := capacity(d, &c.accepted, "BI 256", of(atbm), of("software"), claim.Above, 0.75); !low.Measured.Known || other.Measured.Known && other.Measured.Value < low.Measured.Value {
					low = claim.Join(other, low)
				} else {
					low = claim.Join(low, other)
				}
				return claim.Join(low, capacity(d, &c.accepted, "BI 64", of(atbm), of("software"), claim.Below, 1), capacity(d, &c.accepted, "BI 256", of(atbm), of("software"), claim.Below, 1))
			})},
		{ID: "S0-44", Text: "Before saturation unicasts gain as much in BI as in UNI networks.", Printed: "comparable",
			Criterion: "the mean reduction of their latency over the loads up to half of the largest that both schemes carry is, with each number of nodes, in BI networks between half and twice that in UNI networks; measured value: the ratio farthest from 1",
			Judge:     func(d *chart.Data) claim.Finding { return comparable(d, &c.unicast) }},
		{ID: "S0-45", Text: "Contention between its messages saturates CMIN early.", Printed: "early saturation",
			Criterion: "largest delivered load of CMIN over that of tree worms below 1 in every UNI network; measured value: largest of these ratios",
			Judge: once(func(d *chart.Data, atbm string) claim.Finding {
				return capacity(d, &c.accepted, "UNI", of("software"), of(atbm), claim.Below, 1)
			})},
	}
}

// offeredArrives compares delivered and offered loads where the network carries them.
func offeredArrives(d *chart.Data, accepted, latency *chart.Chart) claim.Finding {
	cells, _ := d.Cells(accepted)
	tolerance := 0.05
	if d.Quick {
		tolerance = 0.15
	}
	var n claim.Sides
	var list []claim.Comparison
	var far []string
	for i := range cells {
		in := &cells[i]
		for _, series := range []string{"atbm", "software"} {
			e := accepted.Estimate(in, series)
			if !e.OK || in.X == 0 || !at(d, latency, series, in.Panel, in.X).OK {
				continue
			}
			ratio := e
			ratio.Mean, ratio.Low, ratio.High = e.Mean/in.X, e.Low/in.X, e.High/in.X
			list = append(list, claim.Comparison{Cell: in, Ratios: []float64{ratio.Mean}, Estimate: ratio})
			switch {
			case ratio.Mean >= 1-tolerance && ratio.Mean <= 1+tolerance:
				n.Hold++
				continue
			case ratio.High < 1-tolerance || ratio.Low > 1+tolerance:
				n.Contradict++
			default:
				n.Undecided++
			}
			far = append(far, fmt.Sprintf("%s %s: %s", in.Where(), series, ratio.Text()))
		}
	}
	if len(list) == 0 {
		return claim.Nothing("nothing was measured")
	}
	f := claim.Finding{Verdict: n.Verdict(), Detail: fmt.Sprintf("%d of %d within %g %%", n.Hold, len(list), 100*tolerance)}
	f.Some(claim.Overall(list))
	if len(far) > 0 {
		f.Detail += " (" + claim.ShortList(far) + ")"
	}
	return f
}

// panelJudge judges a claim about all panels of a chart.
type panelJudge struct {
	sides    claim.Sides
	worst    chart.Estimate // of the panel that speaks most against the claim
	distance float64        // how much it does
	details  []string
}

// add adds the measurement of a panel, and how much it speaks against the claim.
func (j *panelJudge) add(e *chart.Estimate, distance float64, detail string) {
	if j.details == nil || distance > j.distance {
		j.worst, j.distance = *e, distance
	}
	j.details = append(j.details, detail)
}

// finding returns the verdict on all panels. The reason has a %s for the worst measurement, which
// is also the measured value.
func (j *panelJudge) finding(reason string) claim.Finding {
	if j.details == nil {
		return claim.Nothing("nothing was measured")
	}
	f := claim.Finding{Verdict: j.sides.Verdict(), Detail: strings.Join(j.details, "; "), Reason: fmt.Sprintf(reason, j.worst.Text())}
	f.Some(j.worst)
	return f
}

// serialised judges whether tree worms wait for tokens at the largest load, and hardly at the
// smallest.
func serialised(d *chart.Data, c *chart.Chart, text string, cycles float64) claim.Finding {
	var j panelJudge
	for _, panel := range claim.PanelsOf(d, c, text) {
		x, y := curve(d, c, panel, "atbm")
		if len(x) < 2 {
			j.sides.Missing++
			continue
		}
		first, last := &y[0], &y[len(y)-1]
		j.sides = j.sides.Add(claim.One(last, claim.Above, cycles)).Add(claim.One(first, claim.Below, cycles/10))
		j.add(last, -last.Mean, fmt.Sprintf("%s: %.1f cycles at %g, %.1f at %g", panel, first.Mean, x[0], last.Mean, x[len(x)-1]))
	}
	return j.finding("the least wait at the largest load is %s cycles")
}

// reduction is by how many per cent tree worms lower a latency, the mean over some cells of a
// panel.
func reduction(d *chart.Data, c *chart.Chart, keep func(*chart.Cell) bool) chart.Estimate {
	list, _ := claim.Compare(d, c, "atbm", "software", keep)
	e := claim.Mean(list)
	e.Mean, e.Low, e.High = 100*(1-e.Mean), 100*(1-e.High), 100*(1-e.Low)
	return e
}

// unicastsGain judges by how many per cent tree worms lower the latency of unicasts.
func unicastsGain(d *chart.Data, c *chart.Chart, text string, low, high float64) claim.Finding {
	var j panelJudge
	for _, panel := range claim.PanelsOf(d, c, text) {
		e := reduction(d, c, claim.Carried(d, c, panel, "atbm", "software"))
		if !e.OK {
			j.sides.Missing++
			continue
		}
		j.sides = j.sides.Add(claim.One(&e, claim.Above, 0.8*low)).Add(claim.One(&e, claim.Below, 1.2*high))
		j.add(&e, max(low-e.Mean, e.Mean-high), fmt.Sprintf("%s: %.1f %% ± %.1f", panel, e.Mean, e.HalfWidth()))
	}
	return j.finding("the reduction farthest from the printed range is %s %%")
}

// comparable judges whether unicasts gain as much in BI as in UNI networks of equal size.
func comparable(d *chart.Data, c *chart.Chart) claim.Finding {
	var j panelJudge
	for _, panel := range claim.PanelsOf(d, c, "BI") {
		other := strings.Replace(panel, "BI", "UNI", 1)
		bi, uni := reduction(d, c, both(panel, light(d, c, panel))), reduction(d, c, both(other, light(d, c, other)))
		if !bi.OK || !uni.OK || uni.Mean <= 0 {
			j.sides.Missing++
			continue
		}
		ratio := over(&bi, &uni)
		j.sides = j.sides.Add(claim.One(&ratio, claim.Above, 0.5)).Add(claim.One(&ratio, claim.Below, 2))
		j.add(&ratio, max(ratio.Mean, 1/max(ratio.Mean, 1e-9)), fmt.Sprintf("%s: %.1f %%, %s %.1f %%", panel, bi.Mean, other, uni.Mean))
	}
	return j.finding("the ratio farthest from 1 is %s")
}

// over divides an estimate by one above 0, made independently of it. Of an estimate that is 0 or
// less, which has no logarithm, the error is that of the quotient itself.
func over(e, by *chart.Estimate) chart.Estimate {
	if ratio := claim.Quotient(e, by); ratio.OK {
		return ratio
	}
	ratio := *e
	ratio.Mean = e.Mean / by.Mean
	half := math.Hypot(e.HalfWidth(), ratio.Mean*by.HalfWidth()) / by.Mean
	ratio.Low, ratio.High = ratio.Mean-half, ratio.Mean+half
	return ratio
}

// both keeps the cells of a panel that something else keeps too.
func both(panel string, keep func(*chart.Cell) bool) func(*chart.Cell) bool {
	return func(in *chart.Cell) bool { return in.Panel == panel && keep(in) }
}
