package tables

// The verdicts on a claim.
const (
	Confirmed    = "confirmed"
	NotConfirmed = "not confirmed"
	Open         = "open" // what was measured does not decide it
)

// Claim is a statement of a paper and what was measured about it.
type Claim struct {
	ID, Paper, Text, Conditions, Printed string
	Measured, CI                         Maybe[float64]
	Verdict, Reason, Rules, Prices       string
	Criterion, Detail, Entry             string
}

// Claims is the table of claims.
var Claims = &Table[Claim]{
	Name: "claims", Doc: "one row per claim of a paper",
	Columns: []Column[Claim]{
		{"id", "", "the claim's number in the list of claims", func(r *Claim) any { return &r.ID }},
		{"paper", "", "the paper that makes it", func(r *Claim) any { return &r.Paper }},
		{"text", "", "what it says, in other words", func(r *Claim) any { return &r.Text }},
		{"conditions", "", "under which it was examined here", func(r *Claim) any { return &r.Conditions }},
		{"printed_value", "", "the value that the paper prints, or what it says of it", func(r *Claim) any { return &r.Printed }},
		{"measured_value", "", "the value that decides the claim, as the criterion says", func(r *Claim) any { return &r.Measured }},
		{"ci95", "", "half the width of its 95 % confidence interval over seeds", func(r *Claim) any { return &r.CI }},
		{"verdict", "", "confirmed, not confirmed, or open", func(r *Claim) any { return &r.Verdict }},
		{"reason", "", "why the claim is not confirmed, or open; empty for one that is confirmed", func(r *Claim) any { return &r.Reason }},
		{"rules", "", "the rule set of the rotary routers; empty where none takes part", func(r *Claim) any { return &r.Rules }},
		{"prices", "", "the prices of energy that decide the verdict; empty where energy does not", func(r *Claim) any { return &r.Prices }},
		{"criterion", "", "how the measured value is computed and what decides the verdict", func(r *Claim) any { return &r.Criterion }},
		{"detail", "", "further measured numbers", func(r *Claim) any { return &r.Detail }},
		{"entry", "", "the figure or table that examined it", func(r *Claim) any { return &r.Entry }},
	},
}

// FigurePoint is one value of a figure.
type FigurePoint struct {
	Figure, Panel, Group, Label string
	X                           Maybe[float64]
	Series                      string
	Value                       float64
	Low, High                   Maybe[float64]
	Runs                        uint64
	Quantity, Unit, Baseline    string
	Warning                     Maybe[string]
}

// FigurePoints is the table of the values that figures show.
var FigurePoints = &Table[FigurePoint]{
	Name: "figure", Doc: "one row per value of a figure",
	Columns: []Column[FigurePoint]{
		{"figure", "", "name of the picture", func(r *FigurePoint) any { return &r.Figure }},
		{"panel", "", "which of its panels", func(r *FigurePoint) any { return &r.Panel }},
		{"bar_group", "", "group of bars", func(r *FigurePoint) any { return &r.Group }},
		{"label", "", "bars of the group", func(r *FigurePoint) any { return &r.Label }},
		{"x", "", "position of a point of a curve, in the unit of the axis", func(r *FigurePoint) any { return &r.X }},
		{"series", "", "what is compared", func(r *FigurePoint) any { return &r.Series }},
		{"value", "", "mean over runs, in the unit of the row, or divided by the baseline's run of the same seed", func(r *FigurePoint) any { return &r.Value }},
		{"ci95_low", "", "lower end of the 95 % confidence interval", func(r *FigurePoint) any { return &r.Low }},
		{"ci95_high", "", "upper end of the 95 % confidence interval", func(r *FigurePoint) any { return &r.High }},
		{"runs", "runs", "runs behind the value", func(r *FigurePoint) any { return &r.Runs }},
		{"quantity", "", "what the value is", func(r *FigurePoint) any { return &r.Quantity }},
		{"unit", "", "unit of the value; empty for a ratio", func(r *FigurePoint) any { return &r.Unit }},
		{"baseline", "", "series that the value is divided by; empty when it is not", func(r *FigurePoint) any { return &r.Baseline }},
		{"warning", "", "how much of the plan is finished; absent when all of it is", func(r *FigurePoint) any { return &r.Warning }},
	},
}
