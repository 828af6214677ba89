package experiment

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// The kinds of studies, as a manifest names them.
const (
	Chips   = "run"     // of carousel run
	Traffic = "traffic" // of carousel traffic
	Packets = "packets" // of carousel traffic --packets
	Sweep   = "sweep"   // of carousel sweep and merge
	Paper   = "paper"   // of carousel paper run
)

// Difference names what tells the study of a manifest from that of another, for an error, or
// returns "" when both are the same study.
func Difference(there, here *Manifest) string {
	a, b := there.identity(), here.identity()
	if a["study"] == b["study"] && a["kind"] == b["kind"] && a["shard"] == b["shard"] && a["repriced"] == b["repriced"] {
		return ""
	}
	either := maps.Clone(a)
	maps.Copy(either, b)
	names := slices.SortedFunc(maps.Keys(either), func(x, y string) int {
		return cmp.Or(strings.Count(x, ".")-strings.Count(y, "."), strings.Compare(x, y))
	})
	const shown = 4
	var parts []string
	for _, name := range names {
		if a[name] != b[name] && name != "study" {
			parts = append(parts, fmt.Sprintf("%s: %s there, %s here", name, said(a[name]), said(b[name])))
		}
	}
	switch {
	case len(parts) == 0:
		return "its points have other keys"
	case len(parts) > shown:
		return strings.Join(parts[:shown], "; ") + fmt.Sprintf("; and %d more", len(parts)-shown)
	}
	return strings.Join(parts, "; ")
}

// said is a value in an error.
func said(value string) string {
	const longest = 40
	if value == "" {
		return "none"
	}
	if len(value) > longest {
		return value[:longest] + "..."
	}
	return value
}

// withoutEffect are keys that change nothing in the results of a study.
var withoutEffect = []string{"out", "jobs", "parquet", "csv", "compression"}

// identity lists what can tell two studies apart, by name.
func (m *Manifest) identity() map[string]string {
	id := map[string]string{"kind": m.Kind, "study": m.Study, "model_version": m.ModelVersion, "repriced": m.Repriced,
		"seeds": strings.Trim(fmt.Sprint(m.Seeds), "[]"), "routers": strings.Join(m.Routers, ",")}
	for _, t := range m.Traces {
		id["trace of "+t.Workload] = t.Digest
	}
	if p := m.Plan; p != nil {
		id["shard"], id["quick"] = p.Shard, fmt.Sprint(p.Quick)
		for _, axis := range p.Axes {
			id["axis "+axis.Key] = strings.Join(axis.Values, ",")
		}
	}
	maps.Copy(id, m.Settings())
	return id
}

// Settings are the values of all keys that can change the results of a study.
func (m *Manifest) Settings() map[string]string {
	settings := map[string]string{}
	content, err := json.Marshal(m.Configuration)
	var configuration any
	if err == nil {
		err = exactly(content, &configuration)
	}
	if err == nil {
		flatten(settings, "", configuration)
	}
	return settings
}

// flatten adds the keys of nested sections with their values.
func flatten(into map[string]string, name string, value any) {
	switch v := value.(type) {
	case map[string]any:
		for key, inner := range v {
			flatten(into, strings.TrimPrefix(name+"."+key, "."), inner)
		}
	case []any:
		var parts []string
		for _, one := range v {
			parts = append(parts, fmt.Sprint(one))
		}
		into[name] = strings.Join(parts, ", ")
	default:
		if !slices.Contains(withoutEffect, name) && name != "" {
			into[name] = fmt.Sprint(value)
		}
	}
}
