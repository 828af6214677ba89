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

// Passed reports whether every row is within the tolerance, and the mean where it has one of its
// own.
func (g Group) Passed() bool {
	return g.MaxError <= g.Tolerance && (g.MeanTolerance == 0 || g.MeanError <= g.MeanTolerance)
}

// The components that more than one place names.
const (
	phitTotal  = "phit_total"
	linkEnergy = "link_energy"
	linkLeak   = "link_leakage"
	leak       = "leakage"
)

// tolerances are the largest errors of a row and of the mean over rows, 0 for no limit, in per cent
// (rule 13). Profile S was fitted. CACTI, which chooses how to divide an array, jumps between
// sizes; tags and leakage are smaller than what they belong to. Kinds of instructions differ from
// their mix.
var tolerances = map[string][2]float64{
	"buffer_write": {6}, "buffer_read": {6}, "crossbar": {5}, "arbiters": {10}, "clock": {12}, leak: {5},
	phitTotal: {5}, linkEnergy: {6}, linkLeak: {5}, "area": {5},
	"word_read": {40, 20}, "word_write": {40, 20}, "block_read": {40, 20}, "block_write": {40, 20}, "wide_block_read": {40, 20}, "wide_block_write": {40, 20},
	"tag": {100}, "cache_leakage": {100}, "instruction": {40},
}

// tolerance returns the bounds of a group. Profile O must repeat its tool, whose equations it
// copies; profile S was fitted to a few rows only at 22 nm.
func tolerance(p Profile, techNM int, component string) (most, mean float64) {
	perCent := tolerances[component]
	switch {
	case p == ProfileO:
		perCent[0] = 1
	case p == ProfileS && techNM == 22 && component != linkEnergy:
		perCent[0] = 10
	}
	return perCent[0] / 100, perCent[1] / 100
}

// Excluded counts rows that no profile claims to match, by the reason.
type Excluded struct {
	Reason string `json:"reason"`
	Rows   int    `json:"rows"`
}

// Comparison is what the model is compared with: the figures of public tools, and published chips.
type Comparison struct {
	Groups   []Group    `json:"groups"`
	Excluded []Excluded `json:"excluded"`
	Chips    []Chip     `json:"chips"`
	Shares   []Share    `json:"shares"`
}

// Compare compares the rows of a file in CSV with the prices of what they are of: Orion 2.0 with
// profile O, DSENT with S, CACTI and McPAT with the prices of package chip, and published chips
// with all of these. Chips that the program knows come after those of the file, unless the file has
// the same row. Groups come in the order in which the file first needs them. Rows that are not
// modelled (other tools, transistors or circuits, and rows flagged timing-limited or context-only)
// are counted, not compared. A file that is malformed, or of which nothing can be compared, is an
// error.
func Compare(file io.Reader) (*Comparison, error) {
	t := new(Comparison)
	if err := readReferences(file, t.row); err != nil {
		return nil, err
	}
	if len(t.Groups)+len(t.Chips)+len(t.Shares) == 0 {
		return nil, errors.New("no row of the file can be compared: rows of tool Orion-2.0 (NVT), DSENT-0.91 (LVT), CACTI or McPAT, or of published chips are expected")
	}
	for i := range t.Groups {
		t.Groups[i].MeanError /= float64(t.Groups[i].Rows)
	}
	return t, readReferences(strings.NewReader(publishedFile), t.row)
}

// Verdict is the error that a tolerance is exceeded, or a chip is too far away.
func (t *Comparison) Verdict() error {
	if exceeded := failures(t.Groups); exceeded > 0 {
		return fmt.Errorf("%d of %d groups exceed their tolerance", exceeded, len(t.Groups))
	}
	if far := failures(t.Chips); far > 0 {
		return fmt.Errorf("%d comparisons with published chips are beyond a factor of %d", far, ChipFactor)
	}
	return nil
}

func failures[T interface{ Passed() bool }](list []T) (n int) {
	for _, one := range list {
		if !one.Passed() {
			n++
		}
	}
	return n
}

func (t *Comparison) row(r *reference) error {
	like := Group{Tool: r.text("tool")}
	var list []prediction
	var reason string
	switch {
	case r.has(publishedColumns[2]):
		return t.comparePublished(r)
	case r.has("e_tag_read_pj"):
		list, reason = cachePrices(r)
	case r.has("e_per_instruction_pj"):
		list, reason = corePrices(r)
	default:
		if like.Profile, reason = matching(r); reason == "" && r.wrong == nil {
			config, err := r.config(like.Profile)
			if err != nil {
				return err
			}
			if list, err = r.predict(config); err != nil {
				return err
			}
		}
	}
	switch like.TechNM = r.count("tech_nm"); {
	case r.wrong != nil:
		return r.wrong
	case reason != "":
		t.exclude(reason)
		return nil
	}
	return t.compare(r, like, list)
}

func (t *Comparison) exclude(reason string) {
	i := slices.IndexFunc(t.Excluded, func(e Excluded) bool { return e.Reason == reason })
	if i < 0 {
		i, t.Excluded = len(t.Excluded), append(t.Excluded, Excluded{Reason: reason})
	}
	t.Excluded[i].Rows++
}

// add counts an error of a row in its group, which like describes.
func (t *Comparison) add(like Group, off float64) {
	i := slices.IndexFunc(t.Groups, func(g Group) bool {
		return g.Tool == like.Tool && g.TechNM == like.TechNM && g.Component == like.Component
	})
	if i < 0 {
		like.Tolerance, like.MeanTolerance = tolerance(like.Profile, like.TechNM, like.Component)
		i, t.Groups = len(t.Groups), append(t.Groups, like)
	}
	g := &t.Groups[i]
	g.Rows++
	g.MeanError += off // a sum until all rows are read
	g.MaxError = math.Max(g.MaxError, off)
}

// compare adds the errors of one row to their groups: of each component the largest, and that of
// the energy of a phit, if the row has all of its parts.
func (t *Comparison) compare(r *reference, like Group, list []prediction) error {
	var order []string
	worst := map[string]float64{}
	note := func(component string, off float64) {
		if !slices.Contains(order, component) {
			order = append(order, component)
		}
		worst[component] = max(worst[component], off)
	}
	parts, predicted, measured := 0, 0.0, 0.0 // of phitColumns
	for _, m := range list {
		value, ok := r.sum(m.column)
		if !ok {
			continue
		}
		note(m.component, relativeError(m.value, value))
		if slices.Contains(phitColumns[:], m.column) {
			parts, predicted, measured = parts+1, predicted+m.value, measured+value
		}
	}
	if parts == len(phitColumns) {
		note(phitTotal, relativeError(predicted, measured))
	}
	if r.wrong != nil {
		return r.wrong
	}
	for _, like.Component = range order {
		t.add(like, worst[like.Component])
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

// tools lists what the profiles model: rows of other tools and other circuits are not compared. Of
// a row of a kind, each column must have one of some values.
var tools = [...]struct {
	name         string // how the tool's name begins
	profile      Profile
	technologies []int
	of           map[string]string // by kind
}{
	{"Orion-2", ProfileO, []int{90, 65, 45, 32}, map[string]string{
		"router": "vt=NVT buffer_model=SRAM|REGISTER xbar_model=matrix arb_local=round-robin arb_global=matrix", "link": "vt=NVT wire_layer=Global"}},
	{"DSENT", ProfileS, []int{45, 32, 22}, map[string]string{
		"router": "vt=LVT buffer_model=DFF-RAM xbar_model=mux arb_local=matrix arb_global=matrix", "link": "vt=LVT wire_layer=Global"}},
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
		nm, kind := r.count("tech_nm"), r.text("kind")
		required, ok := tool.of[kind]
		if !ok {
			r.fault("kind", "router or link")
		}
		if !slices.Contains(tool.technologies, nm) {
			return "", fmt.Sprintf("profile %s has no tolerance at %d nm", tool.profile, nm)
		}
		for condition := range strings.FieldsSeq(required) {
			column, values, _ := strings.Cut(condition, "=")
			if value := r.text(column); !slices.Contains(strings.Split(values, "|"), value) {
				return "", fmt.Sprintf("profile %s does not model %s %q", tool.profile, column, value)
			}
		}
		if kind == "link" && r.count("wire_spacing_mult") > 2 {
			return "", fmt.Sprintf("profile %s does not model wire_spacing_mult %s", tool.profile, r.text("wire_spacing_mult"))
		}
		return tool.profile, ""
	}
	return "", fmt.Sprintf("no profile models the tool %q", r.text("tool"))
}
