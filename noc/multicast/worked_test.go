package multicast

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Worked cases come from files in testdata, made by a program that shares nothing with this one. A
// file is one JSON object {"algorithm", "set", "cases"}; a case has an "id", its input and the
// expected output. Meshes are given by "dims", x first, with node numbers row by row; graphs by
// "adj", the neighbours of each node, and "labels", its positions on a Hamiltonian path. To add a
// kind of case, write the function that works it and add one line to kinds.

// kinds tells the kind of a case by a field that only it has.
var kinds = []struct {
	field string
	work  func(workedCase) map[string]any
}{
	{"routes", workLabels},
	{"high", workStars},
	{"dual", workPaths},
	{"primary", workGroups},
	{"weights", workWeights},
	{"kind", workStages},
	{"conflicts_uni", workChain},
	{"postorder_id", workTree},
	{"parent_by_id", workFigure},
}

// workedCase is a case under way: its fields, and which of them have been read as input.
type workedCase struct {
	fields map[string]json.RawMessage
	inputs map[string]bool
}

// input reads a field; one that is absent has the zero value.
func input[T any](c workedCase, field string) (value T) {
	c.inputs[field] = true
	if raw, given := c.fields[field]; given {
		if err := json.Unmarshal(raw, &value); err != nil {
			panic(fmt.Sprintf("%s: %v", field, err))
		}
	}
	return value
}

// inAnyOrder is a list whose order says nothing.
type inAnyOrder struct{ list any }

// problems works a case and tells what is not as expected, and which fields nobody knows.
func problems(raw json.RawMessage) (all []string) {
	defer func() {
		if r := recover(); r != nil {
			all = append(all, fmt.Sprint(r))
		}
	}()
	c := workedCase{inputs: map[string]bool{"id": true, "note": true}}
	if err := json.Unmarshal(raw, &c.fields); err != nil {
		return []string{err.Error()}
	}
	for _, kind := range kinds {
		if _, is := c.fields[kind.field]; !is {
			continue
		}
		got := kind.work(c)
		for field, value := range got {
			if g, w := canonical(value, value), canonical(c.fields[field], value); !reflect.DeepEqual(g, w) {
				all = append(all, fmt.Sprintf("%s is %v, want %v", field, g, w))
			}
		}
		for field := range c.fields {
			if _, compared := got[field]; !compared && !c.inputs[field] {
				all = append(all, "nothing is known of "+field)
			}
		}
		return all
	}
	return []string{"none of its fields tells what kind of case this is"}
}

// canonical returns a value as JSON has it, absent lists as empty ones, sorted where like is
// inAnyOrder.
func canonical(value, like any) any {
	if x, is := value.(inAnyOrder); is {
		value = x.list
	}
	_, order := like.(inAnyOrder)
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	var plain any
	if err := json.Unmarshal(text, &plain); err != nil {
		panic(err)
	}
	if list, is := plain.([]any); plain == nil || is && len(list) == 0 {
		return []any{}
	} else if order {
		slices.SortFunc(list, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	}
	return plain
}

// workedFiles returns the cases of each file.
func workedFiles(t *testing.T) map[string][]json.RawMessage {
	t.Helper()
	all := map[string][]json.RawMessage{}
	for _, path := range must(filepath.Glob(filepath.Join("testdata", "*.json"))) {
		var file struct{ Cases []json.RawMessage }
		if err := json.Unmarshal(must(os.ReadFile(path)), &file); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		all[filepath.Base(path)] = file.Cases
	}
	return all
}

// TestWorkedCases: every case comes out as written.
func TestWorkedCases(t *testing.T) {
	numbers := map[string]int{}
	for file, cases := range workedFiles(t) {
		numbers[file] = len(cases)
		for _, raw := range cases {
			for _, p := range problems(raw) {
				t.Errorf("%s: %.60s: %.300s", file, raw, p)
			}
		}
	}
	if want := map[string]int{"hamiltonian.json": 14, "star.json": 49, "pathbased.json": 42, "qg.json": 53, "min.json": 81,
		"software_multicast.json": 30, "updown.json": 25}; !maps.Equal(numbers, want) {
		t.Errorf("there are %v cases, want %v", numbers, want)
	}
}

// given are the fields that a case gives rather than expects: a change makes another case of it.
var given = regexp.MustCompile(`^(id|note|kind|dims|adj|source|dests|dest|b|n|TD|switches|links|processor_switch|root|cross|not_relaxed)\b`)

// TestEveryNumberCounts changes each kind of number in every file, one at a time, and sees the case
// fail: a value that could be anything would not be checked.
func TestEveryNumberCounts(t *testing.T) {
	for file, cases := range workedFiles(t) {
		tried, caught := map[string]int{}, map[string]int{}
		for _, raw := range cases {
			changes(t, raw, tried, caught)
		}
		for name := range tried {
			if caught[name] < tried[name] {
				t.Errorf("%s: %d of %d changes of %s pass", file, tried[name]-caught[name], tried[name], name)
			}
		}
		if len(tried) == 0 {
			t.Errorf("%s: no numbers are found", file)
		}
	}
}

// changes counts, for up to three numbers of each name in a case and 15 in a file, whether adding
// one makes the case fail.
func changes(t *testing.T, raw json.RawMessage, tried, caught map[string]int) {
	t.Helper()
	var document any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&document); err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	var walk func(name string, value any, set func(any))
	walk = func(name string, value any, set func(any)) {
		var other any
		switch v := value.(type) {
		case map[string]any:
			for key, inner := range v {
				path := strings.TrimPrefix(name+"."+key, ".")
				if _, err := strconv.Atoi(key); err == nil {
					path = name
				}
				walk(path, inner, func(x any) { v[key] = x })
			}
			return
		case []any:
			for i, inner := range v {
				walk(name, inner, func(x any) { v[i] = x })
			}
			return
		case bool:
			other = !v
		case json.Number:
			other = must(v.Float64()) + 1
		default:
			return
		}
		if seen[name]++; given.MatchString(name) || seen[name] > 3 || tried[name] == 15 {
			return
		}
		set(other)
		tried[name]++
		if len(problems(must(json.Marshal(document)))) > 0 {
			caught[name]++
		}
		set(value)
	}
	walk("", document, nil)
}

// grid, labelled and request are the network and the request of a case.
func (c workedCase) grid() topology.Grid { return topology.Mesh(input[[]int](c, "dims")...) }

func (c workedCase) labelled() *Labelled {
	near := input[[][]int](c, "adj")
	if near == nil {
		g := c.grid()
		return must(NewLabelled(g.Wiring(), SnakeLabels(g)))
	}
	g := topology.Graph{Name: "adj", Switches: len(near)}
	for a, list := range near {
		for _, b := range list {
			if !slices.Contains(near[b], a) {
				panic(fmt.Sprintf("%d lists %d but not the other way round", a, b))
			}
			if a < b {
				g.Links = append(g.Links, [2]int{a, b})
			}
		}
	}
	return must(NewLabelled(g.Wiring(), input[[]int](c, "labels")))
}

func (c workedCase) request() Request {
	return Request{Source: input[noc.NodeID](c, "source"), Destinations: input[[]noc.NodeID](c, "dests")}
}

// checked returns a plan that serves the request of a case.
func checked(w *topology.Wiring, r Request, p Plan) Plan {
	if err := p.Check(w, r); err != nil {
		panic(err)
	}
	return p
}

// schedule lists [step, from, to] of every unicast of a plan whose nodes count from a number on.
func schedule(p Plan, first int) inAnyOrder {
	var list [][3]int
	for i, m := range p {
		list = append(list, [3]int{p.Step(i), int(m.From) + first, int(m.Stops[0]) + first})
	}
	return inAnyOrder{list}
}
