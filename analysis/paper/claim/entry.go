package claim

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/experiment/plan"
	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/paper/plans"
	"github.com/carousel-sim/carousel/analysis/show/chart"
	"github.com/carousel-sim/carousel/analysis/show/figures"
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

// Claim is a statement of a paper, in other words, and how it is judged: all its parts must hold.
type Claim struct {
	ID         string // of the list of claims
	Text       string
	Conditions string
	Printed    string // the value or the words of the paper
	// FailureRefutes marks a claim that says that points do not fail: a failed point is then a
	// measurement, and not a gap.
	FailureRefutes bool   `yaml:"failure_refutes"`
	Rules          string // the rule set of the rotary routers; "" where none takes part
	Prices         string `yaml:"-"` // the prices that decide; "" for claims that are not about energy
	Parts          []Part
	// Tests are those of the source code that decide the claim, in place of parts; Refuted is what they show instead,
	// if they refute it.
	Tests, Refuted string
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

// Expand makes the points of the entry's plan, quick or in full; nil for an entry that needs none.
// Settings below are weaker than those of the plan, settings above stronger.
func (e *Entry) Expand(quick bool, below, above config.Layer) (*plan.Expansion, error) {
	p, err := e.ParsePlan(quick)
	if err != nil || p == nil {
		return nil, err
	}
	return p.Expand(below, above)
}

// Analyse draws the entry's figures and judges its claims. Figures and claims of an incomplete
// study say so, and no claim about measurements is decided by one.
func (e *Entry) Analyse(rows *tables.Rows, extent chart.Extent) (Result, error) {
	d := chart.NewData(rows, extent)
	r := Result{Claims: []tables.Claim{}}
	for i := range e.Charts {
		c := &e.Charts[i]
		figure, err := c.Draw(d)
		if err != nil {
			return Result{}, fmt.Errorf("%s: %w", e.ID, err)
		}
		if figure == nil {
			continue
		}
		if r.Points = append(r.Points, chart.Rows(figure)...); !c.TableOnly {
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
		conditions += d.Setup()
		if e.Plan != "" && !d.Complete() {
			conditions += "; " + d.Warning()
		}
		r.Claims = append(r.Claims, tables.Claim{ID: c.ID, Paper: e.Paper, Text: c.Text, Conditions: conditions, Printed: c.Printed,
			Measured: f.Measured, CI: f.CI, Verdict: f.Verdict, Reason: f.Reason, Rules: c.Rules, Prices: c.Prices,
			Criterion: c.Criterion(), Detail: f.Detail, Entry: e.ID})
	}
	return r, nil
}

// Criterion says what decides the verdict.
func (c *Claim) Criterion() string {
	if c.Tests != "" {
		return "decided by tests of the source code, which this command does not run: " + c.Tests
	}
	var parts []string
	for i := range c.Parts {
		parts = append(parts, c.Parts[i].Criterion())
	}
	return strings.Join(parts, "; ")
}

// Find judges a part.
func (p *Part) Find(d *chart.Data) Finding {
	j, _ := lookup(p.Judge)
	return j.judge(p, d)
}

// find judges all parts.
func (c *Claim) find(d *chart.Data) Finding {
	if c.Tests != "" {
		f := Finding{Verdict: tables.Confirmed, Detail: "by " + c.Tests, Reason: c.Refuted}
		if c.Refuted != "" {
			f.Verdict, f.Reason = tables.NotConfirmed, c.Refuted+" ("+c.Tests+")"
		}
		return f
	}
	var parts []Finding
	for i := range c.Parts {
		parts = append(parts, c.Parts[i].Find(d))
	}
	f := join(parts)
	if f.Verdict == tables.Confirmed {
		f.Reason = ""
	}
	return f
}

// finding judges a claim. What follows from an incomplete study is open.
func (c *Claim) finding(d *chart.Data) Finding {
	d.Consulted = false
	f := c.find(d)
	if d.Consulted && !d.Complete() && !(c.FailureRefutes && d.Tried()) {
		return Finding{Verdict: tables.Open, Reason: d.Warning(), Detail: fmt.Sprintf("%s; so far: %s", d.Warning(), f.Detail)}
	}
	if c.Prices != experiment.AsSimulated && f.Measured.Known {
		f.Detail += "; " + c.otherPrices(d)
	}
	return f
}

// otherPrices says what a claim about energy would be at all prices.
func (c *Claim) otherPrices(d *chart.Data) string {
	verdicts, all := map[string]int{}, experiment.AllPrices()
	low, high := math.Inf(1), math.Inf(-1)
	for _, prices := range all {
		other := *c
		other.Parts = slices.Clone(c.Parts)
		for i := range other.Parts {
			if p := &other.Parts[i]; p.source.Prices != experiment.AsSimulated {
				repriced := *p.source
				repriced.Prices, repriced.chart.Prices = prices.Name, prices.Name
				p.source = &repriced
			}
		}
		f := other.find(d)
		verdicts[f.Verdict]++
		if f.Measured.Known {
			low, high = min(low, f.Measured.Value), max(high, f.Measured.Value)
		}
	}
	return fmt.Sprintf("at %d prices: %d confirmed, %d not confirmed, %d open, values from %.3f to %.3f", len(all),
		verdicts[tables.Confirmed], verdicts[tables.NotConfirmed], verdicts[tables.Open], low, high)
}

// Finding is what the measurements say about a claim, or about a part of one.
type Finding struct {
	Measured, CI tables.Maybe[float64]
	Verdict      string // tables.Confirmed, NotConfirmed or Open
	// Reason says why the verdict is not confirmed. Detail has the numbers behind it.
	Reason, Detail string
}

// nothing is the finding when what a claim is about was not measured.
func nothing(why string) Finding { return Finding{Verdict: tables.Open, Detail: why, Reason: why} }

// setMeasured puts an estimate into a finding.
func (f *Finding) setMeasured(e metrics.Estimate) {
	if !e.OK || math.IsNaN(e.Mean) {
		return
	}
	f.Measured = tables.Some(e.Mean)
	if e.N > 1 {
		f.CI = tables.Some(e.HalfWidth())
	}
}

// join is the finding of several parts: confirmed when all are, not confirmed when one is not. The
// measured value is that of the first.
func join(parts []Finding) Finding {
	f := parts[0]
	var details, reasons []string
	for _, p := range parts {
		details = append(details, p.Detail)
		if p.Verdict == tables.NotConfirmed || p.Verdict == tables.Open && f.Verdict == tables.Confirmed {
			f.Verdict = p.Verdict
		}
	}
	for _, p := range parts {
		if p.Verdict == f.Verdict && p.Reason != "" {
			reasons = append(reasons, p.Reason)
		}
	}
	f.Detail, f.Reason = strings.Join(details, "; "), shortList(reasons)
	return f
}

// shortList joins the first few of a list.
func shortList(list []string) string {
	const shown = 6
	if len(list) > shown {
		return strings.Join(list[:shown], "; ") + fmt.Sprintf("; and %d more", len(list)-shown)
	}
	return strings.Join(list, "; ")
}
