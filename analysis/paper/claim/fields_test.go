package claim

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/result"
	"github.com/carousel-sim/carousel/analysis/show/chart"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// change are fields of a part and their values in YAML; "" leaves a field out.
type change map[string]string

// changes give each field of a part values, of which one at least must matter to each judge that
// uses the field.
var changes = map[string][]change{
	"of": {{"of": "c"}}, "over": {{"over": "c"}},
	"below": {{"below": "0.01"}}, "above": {{"above": "2000"}}, "gain": {{"above": "", "gain": "0.5"}, {"above": "", "gain": "-0.9"}},
	"tie": {{"tie": "true"}}, "shows": {{"shows": "mean"}}, "mean": {{"mean": "arithmetic"}}, "by": {{"by": "panel"}}, "per": {{"per": "w"}},
	"instead": {{"over": "a", "instead": "{q: p}"}}, "seeds": {{"seeds": "true"}}, "knee": {{"seeds": "true", "knee": "w"}},
	"share": {{"share": "0.9"}, {"share": "0.1"}}, "class": {{"class": "Y"}}, "at": {{"at": "[1]"}}, "printed": {{"printed": "{a: [2]}"}},
	"data.per": {{"data": "per"}}, "data.less": {{"data": "less"}},
	"where.panel": {{"where": "{panel: p}"}, {"where": "{panel: q}"}}, "where.group": {{"where": "{group: g0}"}, {"where": "{group: g1}"}},
	"where.label": {{"where": "{label: first}"}, {"where": "{label: last}"}}, "where.x": {{"where": "{x: 1}"}, {"where": "{x: 2}"}},
	"where.from": {{"where": "{from: 2}"}, {"where": "{from: 6}"}}, "where.to": {{"where": "{to: 0.5}"}, {"where": "{to: 4}"}},
	"where.load":  {{"where": "{load: light}"}},
	"start.panel": {{"start": "{panel: p}"}}, "start.group": {{"start": "{group: g1}"}}, "start.label": {{"start": "{label: last}"}}, "start.x": {{"start": "{x: 2}"}},
	"start.from": {{"start": "{from: 2, x: [1, 2]}"}}, "start.to": {{"start": "{to: 0.5, x: 1}"}}, "start.load": {{"start": "{load: light, x: [1, 6]}"}},
}

// plain is a part that a judge accepts, with what it needs alone.
func (j *judge) plain() change {
	c := change{"judge": j.name}
	if j.of != none {
		c["of"] = "a"
	}
	if j.over == one || j.over == several {
		c["over"] = "b"
	}
	if j.bounded {
		c["above"] = "0.5"
	}
	for _, field := range strings.Fields(j.needs) {
		c[field] = map[string]string{"mean": "geometric", "share": "0.5", "start": "{x: 1}", "class": "X", "at": "[2]", "printed": "{a: [1]}"}[field]
	}
	return c
}

// read reads a claim of one part.
func (c change) read() (*Claim, error) {
	var fields []string
	for _, name := range slices.Sorted(maps.Keys(c)) {
		if c[name] != "" {
			fields = append(fields, name+": "+c[name])
		}
	}
	const columns = "series: router, panel: pattern, group: topology, label: workload, x: load}\n"
	entries, err := Read("made.yaml", []byte("figures:\n- id: f\n  conditions: made up\n  sources:\n"+
		"  - {name: v, measure: latency_mean, "+columns+"  - {name: w, measure: delivered, "+columns+
		"  - {name: per, measure: latency_mean, per: x, "+columns+"  - {name: less, measure: latency_mean, less: x, "+columns+
		"  claims:\n  - {id: c, text: text, printed: printed, parts: [{"+strings.Join(fields, ", ")+"}]}\n"))
	if err != nil {
		return nil, err
	}
	return &entries[0].Claims[0], nil
}

// with are the fields of a part after a change.
func (c change) with(other change) change {
	c = maps.Clone(c)
	maps.Copy(c, other)
	return c
}

// matters reports whether a change of a part changes what some made-up tables say of it.
func (c change) matters(t *testing.T, studies []*chart.Data, other change) bool {
	t.Helper()
	before, err := c.read()
	if err != nil {
		t.Fatal(err)
	}
	after, err := c.with(other).read()
	if err != nil {
		t.Errorf("%v with %v: %v", c, other, err)
		return true
	}
	if slices.ContainsFunc(studies, func(d *chart.Data) bool {
		a, b := before.find(d), after.find(d)
		return a.Verdict != b.Verdict || a.Measured != b.Measured || a.CI != b.CI
	}) {
		return true
	}
	return c["above"] == "0.5" && other["above"] == "" && c.with(change{"above": "2"}).matters(t, studies, other)
}

// madeStudies are tables with values that differ everywhere, and with values that hardly differ.
func madeStudies() (list []*chart.Data) {
	rows := &tables.Rows{}
	for i, router := range []string{"a", "b", "c"} {
		rows.Runs = append(rows.Runs, tables.Run{RunKey: router, Router: router, ExitState: tables.Finished})
		rows.Classes = append(rows.Classes, tables.Class{RunKey: router, Class: "X", Phits: uint64(6 - i)}, tables.Class{RunKey: router, Class: "Y", Phits: 5})
	}
	for _, of := range []struct {
		spread, rises float64 // by how much values differ, and how they rise with the load
		c             float64 // values of series c fall or rise with the load in this way
	}{{1, 0, 0}, {0.3, 1, 0}, {0.3, 1, -1}, {0.3, 0, 2}, {0.001, 0, 0}} {
		for _, saturatedFrom := range []float64{1, 4, 7} {
			d := chart.NewData(rows, chart.Extent{Coverage: experiment.Coverage{Points: 1, Finished: 1}})
			var made result.Runs
			for i := range 2 * 6 * 3 * 3 {
				panel, load, series, seed := []string{"p", "q"}[i%2], float64(i/2%6+1), []string{"a", "b", "c"}[i/12%3], uint64(i/36)
				n := float64(uint32(i+100*len(list)+1)*2654435761) / (1 << 32)
				v := (1 + of.spread*n) * math.Pow(load, of.rises)
				if series == "c" {
					v *= math.Pow(load, of.c)
				}
				r := tables.Observation{Pair: metrics.Pair{Seed: seed}, Axes: map[tables.Name]string{axisLoad: fmt.Sprint(load), col.LatencyMean: fmt.Sprint(v), col.Delivered: fmt.Sprint(load * load / (1 + n)),
					col.Router: series, col.Pattern: panel, col.Topology: fmt.Sprint("g", int(load)%2), col.Workload: fmt.Sprint("l", int(load)/4)}}
				if load >= saturatedFrom {
					r.Axes[col.Saturated] = tables.Saturated
				}
				made = append(made, r)
			}
			d.Priced[experiment.AsSimulated] = append(result.Of(rows), made...)
			list = append(list, d)
		}
	}
	return list
}

// TestJudgesUseTheirFields: every field of a part changes what a judge that takes it finds, and is
// refused with a judge that does not, as is every further series.
func TestJudgesUseTheirFields(t *testing.T) {
	fields := []string{"data.per", "data.less"}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Part]()) {
		name := strings.ToLower(f.Name)
		switch {
		case !f.IsExported() || name == "judge" || name == "data":
		case f.Type == reflect.TypeFor[Cells]():
			for _, of := range reflect.VisibleFields(f.Type) {
				fields = append(fields, name+"."+strings.ToLower(of.Name))
			}
		default:
			fields = append(fields, name)
		}
	}
	studies := madeStudies()
	for _, j := range judges {
		plain := j.plain()
		for _, field := range fields {
			if len(changes[field]) == 0 {
				t.Fatalf("the test has no value for %s", field)
			}
			from := plain
			if field == "knee" {
				from = plain.with(change{"seeds": "true"})
			}
			if !j.uses(field) {
				_, err := plain.with(changes[field][0]).read()
				if want := fmt.Sprintf("made.yaml:10: c: judge %s does not use ", j.name); err == nil || !strings.HasPrefix(err.Error(), want) {
					t.Errorf("%s with %s: %v, want %q", j.name, field, err, want)
				}
			} else if !slices.ContainsFunc(changes[field], func(c change) bool { return from.matters(t, studies, c) }) {
				t.Errorf("judge %s takes %s, which changes nothing", j.name, field)
			}
		}
		for _, field := range strings.Fields(j.needs) {
			if _, err := plain.with(change{field: ""}).read(); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("judge %s needs %s", j.name, field)) {
				t.Errorf("%s without %s: %v", j.name, field, err)
			}
		}
		for field, uses := range map[string]count{"of": j.of, "over": j.over} {
			further := change{field: map[string]string{"of": "[a, c]", "over": "[b, c]"}[field]}
			if uses == several {
				if !plain.matters(t, studies, further) {
					t.Errorf("judge %s ignores the second series of %s", j.name, field)
				}
			} else if _, err := plain.with(further).read(); err == nil {
				t.Errorf("judge %s takes a second series in %s", j.name, field)
			}
		}
	}
}
