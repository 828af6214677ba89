package power

import (
	"errors"
	"io"
	"math"
	"slices"
)

// Group compares one component of the rows of one tool at one technology with the matching profile.
type Group struct {
	Tool      string  `json:"tool"`
	TechNM    int     `json:"tech_nm"`
	Profile   Profile `json:"profile"`
	Component string  `json:"component"`
	Rows      int     `json:"rows"`
	// The errors are relative to the tool's value, 0.01 is one per cent. A row's error is the
	// largest among the values it has for the component (a crossbar row has one per number of
	// outputs).
	MeanError float64 `json:"mean_error"`
	MaxError  float64 `json:"max_error"`
	// Tolerance is the largest MaxError that passes (rule 13).
	Tolerance float64 `json:"tolerance"`
}

// Passed reports whether every row is within the tolerance.
func (g Group) Passed() bool { return g.MaxError <= g.Tolerance }

// component is a quantity that reference rows hold.
type component uint8

const (
	bufferWrite component = iota
	bufferRead
	crossbar
	arbiter
	clock
	leak
	phitTotal
	linkEnergy
	linkLeak
	components
)

func (c component) String() string {
	return [...]string{"buffer_write", "buffer_read", "crossbar", "arbiters", "clock", "leakage",
		"phit_total", "link_energy", "link_leakage"}[c]
}

// tolerance returns the bound of rule 13. Profile O must repeat its tool, whose equations
// it copies; profile S was fitted, at 22 nm to a few rows only.
func tolerance(p Profile, techNM int, c component) float64 {
	if p == ProfileO {
		return 0.01
	}
	perCent := [components]float64{
		bufferWrite: 6, bufferRead: 6, crossbar: 5, arbiter: 10, clock: 12, leak: 5,
		phitTotal: 5, linkEnergy: 6, linkLeak: 5,
	}[c]
	if techNM == 22 && c != linkEnergy {
		perCent = 10
	}
	return perCent / 100
}

// Excluded counts rows that no profile claims to match, by the reason.
type Excluded struct {
	Reason string `json:"reason"`
	Rows   int    `json:"rows"`
}

// Check compares the rows of a reference file with the profile that models their tool: Orion 2.0
// with O, DSENT with S. Groups come in the order in which the file first needs them. Rows that no
// profile models (other tools, transistors or circuits, and rows flagged timing-limited or
// context-only) are counted, not compared. A file that is malformed, or of which nothing can be
// compared, is an error.
func Check(r io.Reader) ([]Group, []Excluded, error) {
	var t tally
	err := readReferences(r, func(row *reference) error {
		p, reason := matching(row)
		switch {
		case row.wrong != nil:
			return row.wrong
		case reason != "":
			t.exclude(reason)
			return nil
		}
		return t.compare(row, p)
	})
	if err != nil {
		return nil, nil, err
	}
	if len(t.groups) == 0 {
		return nil, t.excluded, errors.New("no row of the file can be compared: rows of tool Orion-2.0 (NVT) or DSENT-0.91 (LVT) are expected")
	}
	for i := range t.groups {
		t.groups[i].MeanError /= float64(t.groups[i].Rows)
	}
	return t.groups, t.excluded, nil
}

// tally collects errors by group.
type tally struct {
	groups   []Group
	excluded []Excluded
}

func (t *tally) exclude(reason string) {
	i := slices.IndexFunc(t.excluded, func(e Excluded) bool { return e.Reason == reason })
	if i < 0 {
		i, t.excluded = len(t.excluded), append(t.excluded, Excluded{Reason: reason})
	}
	t.excluded[i].Rows++
}

func (t *tally) group(tool string, nm int, p Profile, c component) *Group {
	i := slices.IndexFunc(t.groups, func(g Group) bool { return g.Tool == tool && g.TechNM == nm && g.Component == c.String() })
	if i < 0 {
		i, t.groups = len(t.groups), append(t.groups, Group{Tool: tool, TechNM: nm, Profile: p, Component: c.String(), Tolerance: tolerance(p, nm, c)})
	}
	return &t.groups[i]
}

// compare adds the errors of one row to their groups.
func (t *tally) compare(r *reference, p Profile) error {
	config, err := r.config(p)
	if err != nil {
		return err
	}
	model := r.predict(config)
	var worst [components]float64
	var rows [components]bool
	for _, m := range model {
		if value, ok := r.measured(m.column); ok {
			rows[m.component] = true
			worst[m.component] = math.Max(worst[m.component], relativeError(m.value, value))
		}
	}
	if r.wrong != nil {
		return r.wrong
	}
	if total, ok := r.phitTotal(); ok {
		rows[phitTotal] = true
		worst[phitTotal] = relativeError(predictedTotal(model), total)
	}
	for c := range components {
		if !rows[c] {
			continue
		}
		g := t.group(r.text("tool"), config.TechNM, p, c)
		g.Rows++
		g.MeanError += worst[c] // a sum until all rows are read
		g.MaxError = math.Max(g.MaxError, worst[c])
	}
	return nil
}

// relativeError of a value that should be 0 is 0 or 1.
func relativeError(got, want float64) float64 {
	if want == 0 {
		if got == 0 {
			return 0
		}
		return 1
	}
	return math.Abs(got-want) / want
}
