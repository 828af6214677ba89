package multicast

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
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

// TestWorkedCases: every case comes out as written. Those of deadlock.json are for package
// wormholeideal.
func TestWorkedCases(t *testing.T) {
	for name, want := range map[string]int{"hamiltonian": 14, "star": 49, "pathbased": 42, "qg": 53, "min": 81, "software_multicast": 30, "updown": 25} {
		var file struct{ Cases []json.RawMessage }
		if err := json.Unmarshal(must(os.ReadFile(filepath.Join("testdata", name+".json"))), &file); err != nil || len(file.Cases) != want {
			t.Fatalf("%s: %d cases (%v), want %d", name, len(file.Cases), err, want)
		}
		for _, raw := range file.Cases {
			for _, p := range problems(raw) {
				t.Errorf("%s: %.60s: %.300s", name, raw, p)
			}
		}
	}
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
