package experiment

import (
	"bytes"
	"cmp"
	"context"
	"debug/elf"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/noc/leaf/printable"
	"github.com/carousel-sim/carousel/noc/leaf/wholefile"
	"github.com/carousel-sim/carousel/noc/models"
)

// Manifest says how results came about. It travels inside every table.
type Manifest struct {
	Command  []string `json:"command"`
	Kind     string   `json:"kind,omitempty"`
	Study    string   `json:"study"` // digest of all run keys
	Coverage          // how much of the study the tables hold
	// Plan is what a sweep varies; the configuration then holds all other keys.
	Plan *PlanIdentity `json:"plan,omitempty"`
	// Baseline is what ratios are relative to, such as "chip.protocol=token", or "fastest" for the fastest router.
	Baseline string `json:"baseline,omitempty"`
	// Repriced lists what was set when the study was priced again; the configuration has the new
	// prices.
	Repriced string `json:"repriced,omitempty"`
	// Configuration holds the effective value of every key, Given the keys that are not at their
	// defaults and where each was set.
	Configuration any               `json:"configuration"`
	Given         map[string]string `json:"given"`
	Version       string            `json:"version"`
	Revision      *string           `json:"vcs_revision"` // null when the program was built without it
	Modified      *bool             `json:"vcs_modified"`
	Build         string            `json:"build,omitempty"` // see [Build]; of the program that began the study
	GoVersion     string            `json:"go_version"`
	Platform      string            `json:"platform"`
	ModelVersion  string            `json:"model_version"`
	SchemaVersion string            `json:"schema_version"`
	Traces        []TraceIdentity   `json:"traces"`
	Seeds         []uint64          `json:"seeds"`
	Routers       []string          `json:"routers"`
	Programs      []models.Program  `json:"programs,omitempty"` // the routers that are programs
	// Files are those that studies have written into the directory, in its manifest.json only.
	Files []string `json:"files,omitempty"`
}

// PageGenerator is what tells a page of carousel report from other pages.
const PageGenerator = `<meta name="generator" content="carousel report">`

// PlanIdentity is a sweep's plan in a manifest.
type PlanIdentity struct {
	File     string        `json:"file"`
	Title    string        `json:"title"`
	Kind     string        `json:"kind"` // run, traffic or messages
	Quick    bool          `json:"quick"`
	Axes     []PlanAxis    `json:"axes"` // the last one varies fastest, but for seeds
	Variants []PlanVariant `json:"variants,omitempty"`
	Points   int           `json:"points"`
	Shard    string        `json:"shard,omitempty"`
	Changed  []string      `json:"changed,omitempty"` // settings that change the points of a paper's figure
}

// Varies reports whether a key has several values, or one in a variant; nil is no plan.
func (p *PlanIdentity) Varies(key string) bool {
	return p != nil && (slices.ContainsFunc(p.Axes, func(a PlanAxis) bool { return a.Key == key }) ||
		slices.ContainsFunc(p.Variants, func(v PlanVariant) bool { return v.Set[key] != "" }))
}

// PlanVariant is what a value of the axis variant stands for: the keys that any variant sets, with
// values as --set takes them.
type PlanVariant struct {
	Name string            `json:"name"`
	Set  map[string]string `json:"set"`
}

// PlanAxis is a key that a plan varies and its values, as --set takes them.
type PlanAxis struct {
	Key    string   `json:"key"`
	Values []string `json:"values"`
}

// TraceIdentity is a workload's trace in a manifest.
type TraceIdentity struct {
	Workload string `json:"workload"`
	Source   string `json:"source"` // recorded or synthetic
	Digest   string `json:"digest"`
	Cores    int    `json:"cores"`
	Records  uint64 `json:"records"`
	Windows  int    `json:"windows,omitempty"` // of the trace
}

// Identity is the workload's trace in a manifest.
func (w *Workload) Identity() TraceIdentity {
	return TraceIdentity{w.Name, w.Source, w.Digest, w.Cores, w.Records, w.Windows}
}

// Program fills in what the running program knows about itself.
func Program() Manifest {
	m := Manifest{
		Version: "devel", GoVersion: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
		ModelVersion: ModelVersion, SchemaVersion: tables.SchemaVersion,
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return m
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		m.Version = v
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			m.Revision = &s.Value
		case "vcs.modified":
			modified := s.Value == "true"
			m.Modified = &modified
		}
	}
	return m
}

// Build identifies the file of the running program; "" where it cannot be read. A program whose models
// were changed has another build, although it may have the same version and model version.
var Build = sync.OnceValue(func() string {
	path, err := os.Executable()
	if err != nil {
		return ""
	}
	content := linkedID(path)
	if content == "" {
		content, err = wholefile.Digest(context.Background(), path)
	}
	if err != nil {
		return ""
	}
	return Digest(content)[:16]
})

// linkedID is what the linker of Go has written into an executable file about its content, which is read
// much faster than the file; "" where there is none, or where other tools may have put something in its
// place that is the same in every build.
func linkedID(path string) string {
	f, err := elf.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	section := f.Section(".note.go.buildid")
	if section == nil {
		return ""
	}
	id, err := section.Data()
	if err != nil || bytes.Count(id, []byte("/")) < 3 { // the actions and contents of package and program
		return ""
	}
	return string(id)
}

// pseudoVersion is what a version made from a commit between releases ends with.
var pseudoVersion = regexp.MustCompile(`[-.]\d{14}-[0-9a-f]{12}$`)

// PointBuild is the part of a finished point's name that tells builds of the program apart: [Build],
// or "" for a release, which its model version tells apart from other releases.
func PointBuild() string {
	if isRelease(Program().Version) {
		return ""
	}
	if build := Build(); build != "" {
		return build
	}
	return "unknown"
}

// isRelease reports whether a version, as Go stamps it, is that of a tagged and unchanged source.
func isRelease(version string) bool {
	return strings.HasPrefix(version, "v") && !strings.Contains(version, "+") && !pseudoVersion.MatchString(version)
}

// ParseManifest reads the text of a manifest. Numbers of the configuration keep all their digits: a seed
// has up to 20.
func ParseManifest(text []byte) (*Manifest, error) {
	m := new(Manifest)
	err := exactly(text, m)
	if m.Plan != nil {
		m.Plan.Title = printable.Name(m.Plan.Title)
	}
	return m, err
}

// exactly decodes JSON into a value whose numbers are of any size.
func exactly(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	err := d.Decode(into)
	if err == nil && d.More() {
		err = errors.New("more text follows the JSON document")
	}
	return err
}

// Text is the manifest as it travels inside tables.
func (m *Manifest) Text() string {
	content, _ := json.Marshal(m) // texts, and values of a configuration that has been checked: it cannot fail
	return string(content)
}

// DescribeRouters adds routers to a manifest, with what identifies those that are programs.
func (m *Manifest) DescribeRouters(list models.List, routers []string, o models.Options) {
	for _, router := range routers {
		shown := models.Shown(router)
		m.Routers = append(m.Routers, shown)
		if shown == router {
			continue
		}
		if p, err := list.Program(router, o); err == nil { // the point tells the error
			m.Programs = append(m.Programs, p)
		}
	}
}

// Describe adds the study to a manifest.
func (m *Manifest) Describe(s *Study) {
	m.DescribeRouters(s.Models, s.Routers, s.Network)
	for i := range s.Workloads {
		m.Traces = append(m.Traces, s.Workloads[i].Identity())
	}
	m.Seeds = Seeds(s.Seed, s.Runs)
}

// Seeds are consecutive, from the first one on.
func Seeds(first uint64, runs int) (list []uint64) {
	for i := range runs {
		list = append(list, first+uint64(i))
	}
	return list
}

// Coverage says how many points the plan of a study has, how many of them have been measured, and
// how many ended with an error. The zero value stands for a study of which nothing is known, and is
// not complete.
type Coverage struct {
	Points   int `json:"points,omitempty"`
	Finished int `json:"finished,omitempty"`
	Failed   int `json:"failed,omitempty"`
	Earlier  int `json:"-"` // of those finished, before this command
}

// Complete reports whether every planned point has been measured.
func (c Coverage) Complete() bool { return c.Points > 0 && c.Finished == c.Points }

// Tried reports whether every planned point has been measured or has failed.
func (c Coverage) Tried() bool { return c.Points > 0 && c.Finished+c.Failed == c.Points }

// String returns a text such as "10 of 480 points".
func (c Coverage) String() string { return fmt.Sprintf("%d of %d points", c.Finished, c.Points) }

// Warning returns what an output of an incomplete study must say, and "" for a complete one.
func (c Coverage) Warning() string {
	if c.Complete() {
		return ""
	}
	text := "incomplete: " + c.String() + " are finished"
	if c.Failed > 0 {
		text += fmt.Sprintf(", %d failed", c.Failed)
	}
	return text
}

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
	same := func(name string) bool { return a[name] == b[name] }
	switch {
	case same("study") && same("kind") && same("shard") && same("repriced"):
		return ""
	case !same("kind"):
		return fmt.Sprintf("kind: %s there, %s here", a["kind"], b["kind"])
	}
	either := maps.Clone(a)
	maps.Copy(either, b)
	given := func(name string) int { // the user has given it
		if there.Given[name] == "" && here.Given[name] == "" {
			return 1
		}
		return 0
	}
	names := slices.SortedFunc(maps.Keys(either), func(x, y string) int {
		return cmp.Or(given(x)-given(y), strings.Count(x, ".")-strings.Count(y, "."), strings.Compare(x, y))
	})
	var parts, traces []string
	for _, name := range names {
		switch {
		case same(name), name == "study":
		case !strings.HasPrefix(name, traceOf):
			parts = append(parts, fmt.Sprintf("%s: %s there, %s here", name, shorten(a[name]), shorten(b[name])))
		case a[name] != "" && b[name] != "":
			traces = append(traces, "the "+name+" has changed")
		}
	}
	if parts == nil { // else the traces follow from other settings
		parts = traces
	}
	const shown = 4
	switch {
	case len(parts) == 0:
		return "its points have other keys"
	case len(parts) > shown:
		return strings.Join(parts[:shown], "; ") + fmt.Sprintf("; and %d more", len(parts)-shown)
	}
	return strings.Join(parts, "; ")
}

// traceOf begins the names of the digests of traces in an identity.
const traceOf = "trace of "

// shorten returns a value as errors show it.
func shorten(value string) string {
	const longest = 40
	if len(value) > longest {
		return value[:longest] + "..."
	}
	return cmp.Or(value, "none")
}

// withoutEffect are keys that change nothing in the results of a study.
var withoutEffect = []string{"out", "jobs", "parquet", "csv", "compression"}

// identity lists what can tell two studies apart, by name.
func (m *Manifest) identity() map[string]string {
	id := map[string]string{"kind": m.Kind, "study": m.Study, "model_version": m.ModelVersion, "repriced": m.Repriced,
		"seeds": strings.Trim(fmt.Sprint(m.Seeds), "[]"), "routers": strings.Join(m.Routers, ",")}
	for _, t := range m.Traces {
		id[traceOf+t.Workload] = t.Digest
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
