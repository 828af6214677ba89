package vectors

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/carousel-sim/carousel/noc"
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

// checker is the decoded form of one kind of case. An error means that the case itself is
// malformed.
type checker interface {
	check(c *comparison) error
}

// kinds tells a case's kind by a field that only it has.
var kinds = []struct {
	field string
	new   func() checker
}{
	{"routes", func() checker { return new(labelCase) }},
	{"high", func() checker { return new(starCase) }},
	{"dual", func() checker { return new(pathCase) }},
	{"primary", func() checker { return new(groupCase) }},
	{"weights", func() checker { return new(weightCase) }},
	{"kind", func() checker { return new(stageCase) }},
	{"conflicts_uni", func() checker { return new(chainCase) }},
	{"postorder_id", func() checker { return new(treeCase) }},
	{"parent_by_id", func() checker { return new(figureCase) }},
}

// Check compares every case of a file. The error is for a file that is not one of cases, with the
// byte at which it goes wrong where that is known.
func Check(r io.Reader) (Report, error) {
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

// checkCase compares one case and returns its name and what is wrong.
func checkCase(raw json.RawMessage) (id string, problems []string) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		return "", []string{err.Error()}
	}
	_ = json.Unmarshal(fields["id"], &id) // an absent name is replaced by the case's number
	for _, kind := range kinds {
		if _, ok := fields[kind.field]; !ok {
			continue
		}
		k := kind.new()
		if err := strict(raw, k); err != nil {
			return id, []string{err.Error()}
		}
		var c comparison
		if err := k.check(&c); err != nil {
			c.problems = append(c.problems, err.Error())
		}
		return id, c.problems
	}
	return id, []string{"none of its fields tells what kind of case this is"}
}

// nodeAndList is a node and those that belong to it, written [node, [nodes]].
type nodeAndList struct {
	node noc.NodeID
	list []noc.NodeID
}

// UnmarshalJSON reads [node, [nodes]].
func (n *nodeAndList) UnmarshalJSON(text []byte) error {
	var parts []json.RawMessage
	if err := json.Unmarshal(text, &parts); err != nil {
		return err
	}
	if len(parts) != 2 {
		return fmt.Errorf("%s has %d parts; it is [node, [nodes]]", text, len(parts))
	}
	if err := json.Unmarshal(parts[0], &n.node); err != nil {
		return err
	}
	return json.Unmarshal(parts[1], &n.list)
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

// comparison collects what differs.
type comparison struct{ problems []string }

// equal compares two values by their JSON form.
func (c *comparison) equal(what string, got, want any) {
	g, err := json.Marshal(got)
	if err != nil {
		panic(err) // only plain values are compared
	}
	w, err := json.Marshal(want)
	if err != nil {
		panic(err)
	}
	if !bytes.Equal(g, w) && !(isEmpty(g) && isEmpty(w)) {
		c.problems = append(c.problems, fmt.Sprintf("%s is %s, want %s", what, g, w))
	}
}

// isEmpty accepts an absent list for an empty one.
func isEmpty(text []byte) bool { return string(text) == "null" || string(text) == "[]" }

// valid notes an error of a plan's own check.
func (c *comparison) valid(what string, err error) {
	if err != nil {
		c.problems = append(c.problems, fmt.Sprintf("%s: %v", what, err))
	}
}
