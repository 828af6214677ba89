// Package vectors compares the schemes of package multicast with files of worked cases.
//
// A file is one JSON object {"algorithm", "set", "cases"}; each case has an "id", its input and the
// expected output. The fields of a case tell its kind ([kinds]); a field that is neither an input of
// the kind nor a result fails the case, so that nothing is skipped in silence. [Check] reads one file
// and returns a [Report].
//
// Meshes are given by "dims", x first, with node numbers row by row; graphs by "adj", the
// neighbours of each node, and "labels", its positions on a Hamiltonian path.
//
// To add a kind: write a function that reads the inputs of a case and returns its results by the names
// that the case gives them, and add one line to kinds. One comparison serves all kinds.
package vectors

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/noc/leaf/printable"
	"github.com/carousel-sim/carousel/noc/multicast"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Report is the outcome of one file.
type Report struct {
	Algorithm string   `json:"algorithm"`
	Passed    int      `json:"passed"`
	Failed    int      `json:"failed"`
	Failures  []Failed `json:"failures"`
}

// Failed is a case that did not come out as written.
type Failed struct {
	ID       string   `json:"id"`
	Problems []string `json:"problems"`
}

// kinds tells a case's kind by a field that only it has.
var kinds = []struct {
	field   string
	results func(c *task) object
}{
	{"routes", labelRoutes},
	{"high", stars},
	{"dual", paths},
	{"primary", groups},
	{"weights", weights},
	{"kind", stages},
	{"conflicts_uni", chains},
	{"postorder_id", trees},
	{"parent_by_id", figure},
}

// unordered names the results whose elements a scheme may list in any order.
var unordered = map[string]bool{"dual": true, "multi": true, "column": true, "step1_dual": true, "step2_dual": true, "ports": true,
	"uni_channels": true, "bi_channels": true, "schedule": true, "relaxed": true, "relaxed_1_to_4": true}

// Check compares every case of a file, until ctx is done. The error is for a file that is not one of
// cases, with the byte at which it goes wrong where that is known.
func Check(ctx context.Context, r io.Reader) (Report, error) {
	content, err := io.ReadAll(r)
	if err != nil {
		return Report{}, err
	}
	var file struct {
		Algorithm string            `json:"algorithm"`
		Set       string            `json:"set"`
		Cases     []json.RawMessage `json:"cases"`
	}
	if err := strict(content, &file); err != nil {
		return Report{}, err
	}
	if len(file.Cases) == 0 {
		return Report{}, errors.New(`no cases; a file of cases is {"algorithm": "...", "cases": [{"id": "...", ...}, ...]}`)
	}
	report := Report{Algorithm: file.Algorithm, Failures: []Failed{}}
	for i, raw := range file.Cases {
		if err := ctx.Err(); err != nil {
			return report, err
		}
		id, problems := checkCase(raw)
		if id == "" {
			id = fmt.Sprintf("case %d", i)
		}
		if len(problems) == 0 {
			report.Passed++
			continue
		}
		report.Failed++
		report.Failures = append(report.Failures, Failed{id, problems})
	}
	return report, nil
}

// strict decodes one JSON document and refuses fields that the target does not have.
func strict(content []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(content))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			return fmt.Errorf("byte %d: %w", syntax.Offset, err)
		}
		return fmt.Errorf("byte %d: %s", d.InputOffset(), strings.TrimPrefix(err.Error(), "json: "))
	}
	if d.More() {
		return fmt.Errorf("byte %d: something follows the document", d.InputOffset())
	}
	return nil
}

// object is a JSON object, by field.
type object = map[string]any

// task is a case that is compared.
type task struct {
	raw      json.RawMessage
	fields   object // of the case
	inputs   object // those that need no result
	problems []string
}

// about is what cases of all kinds may have.
type about struct {
	ID   string `json:"id"`
	Note string `json:"note"`
}

// checkCase compares one case and returns its name and what is wrong. A case that is malformed has
// that problem.
func checkCase(raw json.RawMessage) (id string, problems []string) {
	c := &task{raw: raw}
	if err := json.Unmarshal(raw, &c.fields); err != nil {
		return "", []string{err.Error()}
	}
	id, _ = c.fields["id"].(string) // an absent name is replaced by the case's number
	id = printable.Name(id)
	defer func() {
		switch wrong := recover().(type) {
		case nil:
		case malformed:
			problems = append(c.problems, wrong.Error())
		default:
			panic(wrong)
		}
	}()
	for _, kind := range kinds {
		if _, ok := c.fields[kind.field]; ok {
			c.compare("", plain(kind.results(c)).(object), c.fields)
			return id, c.problems
		}
	}
	return id, []string{"none of its fields tells what kind of case this is"}
}

// malformed is the panic that ends the work on a case which is not one of its kind.
type malformed struct{ error }

func fail(format string, parts ...any) { panic(malformed{fmt.Errorf(format, parts...)}) }

// need fails with an error, if there is one; get is the same for what comes with a value.
func need(err error) {
	if err != nil {
		panic(malformed{err})
	}
}

func get[T any](value T, err error) T {
	need(err)
	return value
}

// input decodes the inputs of a case, which are all fields of a structure.
func (c *task) input(into any) {
	if err := json.Unmarshal(c.raw, into); err != nil {
		fail("byte %d: %s", len(c.raw), strings.TrimPrefix(err.Error(), "json: "))
	}
	c.inputs = plain(into).(object)
}

// plain returns a value as package json decodes it.
func plain(value any) (decoded any) {
	text, err := json.Marshal(value)
	if err == nil {
		err = json.Unmarshal(text, &decoded)
	}
	if err != nil {
		panic(err) // inputs and results are plain values
	}
	return decoded
}

// compare notes where results differ from the fields of the same names. A field without a result makes
// the case malformed. Objects of routes and of paths are told by their ends.
func (c *task) compare(name string, got, want object) {
	for _, key := range slices.Sorted(maps.Keys(want)) {
		_, has := got[key]
		if _, input := c.inputs[key]; !has && (!input || name != "") {
			fail("byte %d: unknown field %q", len(c.raw), key)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(got)) {
		if inner, ok := want[key].(object); ok {
			if result, ok := got[key].(object); ok {
				c.compare(name+key+" ", result, inner)
				continue
			}
		}
		results, list := got[key].([]any)
		given, _ := want[key].([]any)
		if list && len(results) == len(given) && (key == "routes" || key == "paths") {
			for i := range results {
				result := results[i].(object)
				fields, _ := given[i].(object)
				c.compare(fmt.Sprintf("from %v to %v: ", result["from"], result["to"]), result, fields)
			}
			continue
		}
		if g, w := canonical(key, got[key]), canonical(key, want[key]); g != w {
			c.problems = append(c.problems, fmt.Sprintf("%s%s is %s, want %s", name, key, g, w))
		}
	}
}

// canonical writes a value in the one form that equal values have. An absent list is an empty one.
func canonical(key string, value any) string {
	list, isList := value.([]any)
	if value == nil || isList && len(list) == 0 {
		return "[]"
	}
	if !isList || !unordered[key] {
		text, err := json.Marshal(value)
		if err != nil {
			panic(err) // what has been decoded can be encoded
		}
		return string(text)
	}
	elements := make([]string, len(list))
	for i, e := range list {
		elements[i] = canonical("", e)
	}
	slices.Sort(elements)
	return "[" + strings.Join(elements, ",") + "]"
}

// valid notes an error of a plan's own check.
func (c *task) valid(what string, err error) {
	if err != nil {
		c.problems = append(c.problems, fmt.Sprintf("%s: %v", what, err))
	}
}

// latency returns the latency of a plan in an idle network.
func (c *task) latency(p multicast.Plan, w *topology.Wiring, t multicast.Timing) int64 {
	latency, err := p.Latency(w, t)
	c.valid("latency", err)
	return latency
}
