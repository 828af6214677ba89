package power

import (
	"fmt"
	"slices"
	"strings"
)

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
