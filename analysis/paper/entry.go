package paper

import (
	"embed"
	"fmt"
	"strings"

	"github.com/carousel-sim/carousel/analysis/figures"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// MRR is the paper of the rotary routers.
const MRR = "Abad, Puente, Gregorio: MRR: Enabling Fully Adaptive Multicast Routing for CMP Interconnection Networks"

// Entry is one figure or table of a paper.
type Entry struct {
	ID     string // such as mrr.fig7
	Paper  string
	Figure string // its name in the paper
	Title  string
	// Plan is the file of the sweep below plans; "" for claims that need none.
	Plan   string
	Charts []Chart
	Counts []Count
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
	// FailureRefutes marks a claim that says that points do not fail: a failed point is then a measurement, and not a gap.
	FailureRefutes bool
	Judge          func(*Data) Finding
}

// Result is what a finished sweep says about an entry.
type Result struct {
	Figures []figures.Figure
	Points  []tables.FigurePoint
	Claims  []tables.Claim
}

//go:embed plans
var plans embed.FS

// Table lists the entries, in the order of the papers.
var Table = []func() Entry{mrrSection1, mrrFig1, mrrRules, mrrFig6, mrrFig7, mrrFig8, mrrFig9, mrrFig10, mrrFig11, mrrSensitivity,
	atbmRules, atbmFig14, atbmFig15, atbmFig16, atbmFig17, atbmSwitches, atbmFig18, atbmFig19, atbmFig21, atbmFig22, atbmFig23,
	ocmsRules, ocms, ocmsLoad, qgRules, qgPrinted, qgSection42, qgTable3, qgFig10, qgFig12, qgFig14, qgTable4, qgFig15, qgFig17, qgFig19,
	nowRules, nowFig3, nowFig3Larger, nowMultiple}

// Entries makes all entries.
func Entries() []Entry {
	list := make([]Entry, len(Table))
	for i, entry := range Table {
		list[i] = entry()
	}
	return list
}

// Lookup finds an entry by its identifier.
func Lookup(id string) (Entry, error) {
	var ids []string
	for _, entry := range Table {
		e := entry()
		if e.ID == id {
			return e, nil
		}
		ids = append(ids, e.ID)
	}
	return Entry{}, fmt.Errorf("no figure or table is called %q; there are %s", id, strings.Join(ids, ", "))
}

// ReadPlan is the text of the entry's plan, as carousel sweep takes it; empty when there is none.
func (e *Entry) ReadPlan() ([]byte, error) {
	if e.Plan == "" {
		return nil, nil
	}
	return plans.ReadFile("plans/" + e.Plan)
}

// Analyse draws the entry's figures and judges its claims. Figures and claims of an incomplete study say so, and no
// claim about measurements is decided by one.
func (e *Entry) Analyse(rows *tables.Rows, extent Extent) (Result, error) {
	d := NewData(rows, extent)
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
	for i := range e.Counts {
		c := &e.Counts[i]
		figure, points, err := c.draw(e.ID + "-" + c.Claim)
		if err != nil {
			return Result{}, fmt.Errorf("%s: %w", c.Claim, err)
		}
		r.Points, r.Figures = append(r.Points, points...), append(r.Figures, *figure)
	}
	for i := range e.Claims {
		c := &e.Claims[i]
		f := d.judge(c)
		conditions := c.Conditions
		if d.Quick {
			conditions += "; quick: short runs"
		}
		if e.Plan != "" && !d.Complete() {
			conditions += "; " + d.Warning()
		}
		r.Claims = append(r.Claims, tables.Claim{ID: c.ID, Paper: e.Paper, Text: c.Text, Conditions: conditions, Printed: c.Printed,
			Measured: f.Measured, CI: f.CI, Verdict: f.Verdict, Criterion: c.Criterion, Detail: f.Detail, Entry: e.ID})
	}
	return r, nil
}
