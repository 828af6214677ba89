package tables

import "github.com/carousel-sim/carousel/analysis/metrics"

// The verdicts on a claim.
const (
	Confirmed    = "confirmed"
	NotConfirmed = "not confirmed"
	Open         = "open" // what was measured does not decide it
)

// Claim is a statement of a paper and what was measured about it.
type Claim struct {
	ID         string         `col:"id" doc:"the claim's number in the list of claims"`
	Paper      string         `col:"paper" doc:"the paper that makes it"`
	Text       string         `col:"text" doc:"the claim in other words"`
	Conditions string         `col:"conditions" doc:"conditions under which Carousel checks it"`
	Printed    string         `col:"printed_value" doc:"the value that the paper prints, or what it says of it"`
	Measured   Maybe[float64] `col:"measured_value" doc:"the value that decides the claim, as the criterion says"`
	CI         Maybe[float64] `col:"ci95" doc:"half the width of its 95 % confidence interval over seeds"`
	Verdict    string         `col:"verdict" doc:"confirmed, not confirmed, or open"`
	Reason     string         `col:"reason" doc:"why the claim is not confirmed, or open; empty for one that is confirmed"`
	Rules      string         `col:"rules" doc:"the rule set of the rotary routers; empty if there are none"`
	Prices     string         `col:"prices" doc:"the energy model that decides the verdict; empty if energy does not"`
	Criterion  string         `col:"criterion" doc:"how the measured value is computed and what decides the verdict"`
	Detail     string         `col:"detail" doc:"further measured numbers"`
	Entry      string         `col:"entry" doc:"the figure or table whose runs decide it"`
}

// Estimate is the measured value with its interval.
func (c *Claim) Estimate() metrics.Estimate {
	e := metrics.Value(c.Measured.Value)
	if e.OK = c.Measured.Known; c.CI.Known {
		e.Low, e.High, e.N = e.Low-c.CI.Value, e.High+c.CI.Value, 2
	}
	return e
}

// Claims is the table of claims.
var Claims = newTable[Claim]("claims", "one row per claim of a paper")

// FigurePoint is one value of a figure.
type FigurePoint struct {
	Figure   string         `col:"figure" doc:"name of the picture"`
	Panel    string         `col:"panel" doc:"panel of the picture"`
	Group    string         `col:"bar_group" doc:"group of rows"`
	Label    string         `col:"label" doc:"row of the group"`
	X        Maybe[float64] `col:"x" doc:"position of a point of a curve, in the unit of the axis"`
	Series   string         `col:"series" doc:"what is compared"`
	Value    float64        `col:"value" doc:"mean over runs, in the unit of the row; with a baseline, ratio to it"`
	Low      Maybe[float64] `col:"ci95_low" doc:"lower end of the 95 % confidence interval"`
	High     Maybe[float64] `col:"ci95_high" doc:"upper end of the 95 % confidence interval"`
	Runs     uint64         `col:"runs" unit:"runs" doc:"runs from which the value is computed"`
	Quantity string         `col:"quantity" doc:"what the value is"`
	Unit     string         `col:"unit" doc:"unit of the value; empty for a ratio"`
	Baseline string         `col:"baseline" doc:"series that the value is divided by; empty if there is none"`
	Warning  Maybe[string]  `col:"warning" doc:"share of the plan that is finished; absent if all of it is"`
}

// FigurePoints is the table of the values that figures show.
var FigurePoints = newTable[FigurePoint]("figure", "one row per value of a figure")
