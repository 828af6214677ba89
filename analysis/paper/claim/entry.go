package claim

import (
	"fmt"

	"github.com/carousel-sim/carousel/analysis/chart"
	"github.com/carousel-sim/carousel/analysis/figures"
	"github.com/carousel-sim/carousel/analysis/paper/plans"
	"github.com/carousel-sim/carousel/analysis/plan"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// Entry is one figure or table of a paper.
type Entry struct {
	ID     string // such as mrr.fig7
	Paper  string
	Figure string // its name in the paper
	Title  string
	// Plan is the file of the sweep below plans; "" for claims that need none.
	Plan   string
	Charts []chart.Chart
	Claims []Claim
}

// Claim is a statement of a paper, in other words, and how to judge it.
type Claim struct {
	ID         string // of the list of claims
	Text       string
	Conditions string
	Printed    string // the value or the words of the paper
	// Criterion says what the measured value is and what decides the verdict.
	Criterion string
	// FailureRefutes marks a claim that says that points do not fail: a failed point is then a
	// measurement, and not a gap.
	FailureRefutes bool
	Judge          func(*chart.Data) Finding
	Rules          string // the rule set of the rotary routers; "" where none takes part
	Prices         string // the prices that decide; "" for claims that are not about energy
	// Cause is what explains a verdict other than confirmed, where that is known: a sentence behind
	// the numbers that decide.
	Cause string
}

// Result is what a finished sweep says about an entry.
type Result struct {
	Figures []figures.Figure
	Points  []tables.FigurePoint
	Claims  []tables.Claim
}

// ReadPlan is the text of the entry's plan, as carousel sweep takes it; empty when there is none.
func (e *Entry) ReadPlan() ([]byte, error) {
	if e.Plan == "" {
		return nil, nil
	}
	return plans.Files.ReadFile(e.Plan)
}

// ParsePlan parses the entry's plan, for short runs or full ones; nil when there is none.
func (e *Entry) ParsePlan(quick bool) (*plan.Plan, error) {
	text, err := e.ReadPlan()
	if err != nil || text == nil {
		return nil, err
	}
	return plan.Parse(e.Plan, text, quick)
}

// Analyse draws the entry's figures and judges its claims. Figures and claims of an incomplete
// study say so, and no claim about measurements is decided by one.
func (e *Entry) Analyse(rows *tables.Rows, extent chart.Extent) (Result, error) {
	d := chart.NewData(rows, extent)
	var r Result
	for i := range e.Charts {
		c := &e.Charts[i]
		figure, points, err := c.Draw(d)
		if err != nil {
			return Result{}, fmt.Errorf("%s: %w", e.ID, err)
		}
		r.Points = append(r.Points, points...)
		if figure != nil && !c.TableOnly {
			r.Figures = append(r.Figures, *figure)
		}
	}
	for i := range e.Claims {
		c := &e.Claims[i]
		f := c.finding(d)
		conditions := c.Conditions
		if c.Rules != "" {
			conditions += "; rotary rules " + c.Rules
		}
		if rules := rows.RuleText(); rules != "" {
			conditions += "; " + rules
		}
		if d.Quick {
			conditions += "; quick: short runs"
		}
		if e.Plan != "" && !d.Complete() {
			conditions += "; " + d.Warning()
		}
		r.Claims = append(r.Claims, tables.Claim{ID: c.ID, Paper: e.Paper, Text: c.Text, Conditions: conditions, Printed: c.Printed,
			Measured: f.Measured, CI: f.CI, Verdict: f.Verdict, Reason: c.reason(&f), Rules: c.Rules, Prices: c.Prices,
			Criterion: c.Criterion, Detail: f.Detail, Entry: e.ID})
	}
	return r, nil
}

// finding asks for a claim's finding. What follows from an incomplete study is open.
func (c *Claim) finding(d *chart.Data) Finding {
	d.Consulted = false
	f := c.Judge(d)
	if !d.Consulted || d.Complete() || c.FailureRefutes && d.Tried() {
		return f
	}
	return Finding{Verdict: tables.Open, Detail: fmt.Sprintf("%s; so far: %s", d.Warning(), f.Detail)}
}

// reason says in a sentence why a claim is not confirmed; "" where it is.
func (c *Claim) reason(f *Finding) string {
	switch {
	case f.Verdict == tables.Confirmed:
		return ""
	case f.Verdict == tables.Open || c.Cause == "":
		return f.why()
	}
	return f.why() + ": " + c.Cause
}
