package power

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
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
	// MeanTolerance is the largest MeanError that passes; 0 is no limit.
	MeanTolerance float64 `json:"mean_tolerance,omitempty"`
}

// Passed reports whether every row is within the tolerance, and the mean where it has one of its own.
func (g Group) Passed() bool {
	return g.MaxError <= g.Tolerance && (g.MeanTolerance == 0 || g.MeanError <= g.MeanTolerance)
}

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
// with O, DSENT with S; CACTI and McPAT with the prices of package chip. Groups come in the order
// in which the file first needs them. Rows that no profile models (other tools, transistors or
// circuits, and rows flagged timing-limited or context-only) are counted, not compared. A file that
// is malformed, or of which nothing can be compared, is an error.
func Check(r io.Reader) ([]Group, []Excluded, error) {
	var t tally
	err := readReferences(r, func(row *reference) error {
		switch {
		case row.has("e_tag_read_pj"):
			return t.compareCache(row)
		case row.has("e_per_instruction_pj"):
			return t.compareCore(row)
		}
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
		return nil, t.excluded, errors.New("no row of the file can be compared: rows of tool Orion-2.0 (NVT), DSENT-0.91 (LVT), CACTI or McPAT are expected")
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

// add counts an error of a row in its group, which like describes.
func (t *tally) add(like Group, off float64) {
	i := slices.IndexFunc(t.groups, func(g Group) bool {
		return g.Tool == like.Tool && g.TechNM == like.TechNM && g.Component == like.Component
	})
	if i < 0 {
		i, t.groups = len(t.groups), append(t.groups, like)
	}
	g := &t.groups[i]
	g.Rows++
	g.MeanError += off // a sum until all rows are read
	g.MaxError = math.Max(g.MaxError, off)
}

// compare adds the errors of one row to their groups.
func (t *tally) compare(r *reference, p Profile) error {
	config, err := r.config(p)
	if err != nil {
		return err
	}
	var worst [components]float64
	var rows [components]bool
	parts, predicted, measured := 0, 0.0, 0.0 // of phitColumns
	for _, m := range r.predict(config) {
		value, ok := r.measured(m.column)
		if !ok {
			continue
		}
		rows[m.component] = true
		worst[m.component] = math.Max(worst[m.component], relativeError(m.value, value))
		if slices.Contains(phitColumns[:], m.column) {
			parts, predicted, measured = parts+1, predicted+m.value, measured+value
		}
	}
	if r.wrong != nil {
		return r.wrong
	}
	if parts == len(phitColumns) {
		rows[phitTotal], worst[phitTotal] = true, relativeError(predicted, measured)
	}
	for c := range components {
		if !rows[c] {
			continue
		}
		t.add(Group{Tool: r.text("tool"), TechNM: config.TechNM, Profile: p, Component: c.String(), Tolerance: tolerance(p, config.TechNM, c)}, worst[c])
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

// requirement is a column and the values of it that a profile models.
type requirement struct {
	column string
	values []string
}

// tools lists what the profiles model: rows of other tools and other circuits are not compared.
var tools = [...]struct {
	name         string // how the tool's name begins
	profile      Profile
	technologies []int
	router, link []requirement
}{
	{
		"Orion-2", ProfileO, []int{90, 65, 45, 32},
		[]requirement{{"vt", []string{"NVT"}}, {"buffer_model", []string{"SRAM", "REGISTER"}},
			{"xbar_model", []string{"matrix"}}, {"arb_local", []string{"round-robin"}}, {"arb_global", []string{"matrix"}}},
		[]requirement{{"vt", []string{"NVT"}}, {"wire_layer", []string{"Global"}}},
	},
	{
		"DSENT", ProfileS, []int{45, 32, 22},
		[]requirement{{"vt", []string{"LVT"}}, {"buffer_model", []string{"DFF-RAM"}},
			{"xbar_model", []string{"mux"}}, {"arb_local", []string{"matrix"}}, {"arb_global", []string{"matrix"}}},
		[]requirement{{"vt", []string{"LVT"}}, {"wire_layer", []string{"Global"}}},
	},
}

// matching is the profile that models the tool of a row, or the reason why there is none.
func matching(r *reference) (p Profile, reason string) {
	for _, flag := range [...]string{"timing-limited", "context-only"} {
		if strings.Contains(r.text("flag"), flag) {
			return "", "flagged " + flag
		}
	}
	for _, tool := range tools {
		if !strings.HasPrefix(r.text("tool"), tool.name) {
			continue
		}
		if nm := r.count("tech_nm"); !slices.Contains(tool.technologies, nm) {
			return "", fmt.Sprintf("profile %s has no tolerance at %d nm", tool.profile, nm)
		}
		if reason = unmodelled(r, tool.router, tool.link); reason != "" {
			reason = fmt.Sprintf("profile %s does not model %s", tool.profile, reason)
		}
		return tool.profile, reason
	}
	return "", fmt.Sprintf("no profile models the tool %q", r.text("tool"))
}

// unmodelled is what stands in the way of comparing a row, "" when nothing does.
func unmodelled(r *reference, router, link []requirement) string {
	var required []requirement
	switch r.text("kind") {
	case "router":
		required = router
	case "link":
		required = link
		if spacing := r.count("wire_spacing_mult"); spacing > 2 {
			return fmt.Sprintf("wire_spacing_mult %d", spacing)
		}
	default:
		r.fault("kind", "router or link")
	}
	for _, q := range required {
		if value := r.text(q.column); !slices.Contains(q.values, value) {
			return fmt.Sprintf("%s %q", q.column, value)
		}
	}
	return ""
}
