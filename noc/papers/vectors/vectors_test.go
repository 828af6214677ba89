package vectors

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc/leaf/must"
)

// inputs are the fields that a case gives rather than expects: a change makes another case of it.
var inputs = regexp.MustCompile(`^(id|note|kind|dims|adj|source|dests|dest|b|n|TD|switches|links|processor_switch|root|network|cross|not_relaxed)\b`)

// caseFiles is how many cases each file has.
var caseFiles = map[string]int{"hamiltonian.json": 14, "star.json": 49, "pathbased.json": 42, "qg.json": 53, "min.json": 81,
	"software_multicast.json": 30, "updown.json": 25}

// casesOf reads a file of cases.
func casesOf(t testing.TB, name string) (content []byte, cases []json.RawMessage) {
	content, err := os.ReadFile(filepath.Join("testdata", name))
	var file struct {
		Cases []json.RawMessage `json:"cases"`
	}
	if err == nil {
		err = json.Unmarshal(content, &file)
	}
	if err != nil {
		t.Fatal(err)
	}
	return content, file.Cases
}

// TestFiles: every file of cases passes.
func TestFiles(t *testing.T) {
	for name, cases := range caseFiles {
		content, _ := casesOf(t, name)
		report, err := Check(context.Background(), bytes.NewReader(content))
		if err != nil || report.Passed != cases || report.Failed != 0 {
			t.Errorf("%s: %d passed, %d failed, %v; want %d and 0", name, report.Passed, report.Failed, err, cases)
		}
		for _, f := range report.Failures {
			t.Errorf("%s: %s: %.300s", name, f.ID, strings.Join(f.Problems, "; "))
		}
	}
}

// TestEveryNumberCounts changes each kind of number in every file, one at a time, and sees the case
// fail: a value that could be anything would not be checked.
func TestEveryNumberCounts(t *testing.T) {
	for file := range caseFiles {
		tried, caught := map[string]int{}, map[string]int{}
		_, cases := casesOf(t, file)
		for _, raw := range cases {
			changes(t, raw, tried, caught)
		}
		if len(tried) == 0 {
			t.Errorf("%s: no numbers are found", file)
		}
		for name := range tried {
			if caught[name] < tried[name] {
				t.Errorf("%s: %d of %d changes of %s pass", file, tried[name]-caught[name], tried[name], name)
			}
		}
	}
}

// changes counts, for up to two numbers of each name in a case, whether adding one makes the case
// fail.
func changes(t *testing.T, raw json.RawMessage, tried, caught map[string]int) {
	var document any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	must.Do(d.Decode(&document))
	seen := map[string]int{}
	var walk func(name string, value any, set func(any))
	walk = func(name string, value any, set func(any)) {
		switch v := value.(type) {
		case map[string]any:
			for key, inner := range v {
				path := strings.TrimPrefix(name+"."+key, ".")
				if _, err := strconv.Atoi(key); err == nil {
					path = name
				}
				walk(path, inner, func(x any) { v[key] = x })
			}
		case []any:
			for i, inner := range v {
				walk(name, inner, func(x any) { v[i] = x })
			}
		case bool, json.Number:
			if seen[name]++; inputs.MatchString(name) || seen[name] > 2 {
				return
			}
			var other any
			if truth, ok := v.(bool); ok {
				other = !truth
			} else {
				number, _ := v.(json.Number).Float64()
				other = number + 1
			}
			set(other)
			text := must.Get(json.Marshal(document))
			tried[name]++
			if _, problems := checkCase(text); len(problems) > 0 {
				caught[name]++
			}
			set(value)
		}
	}
	walk("", document, nil)
}

// TestMalformed: what cannot be worked says why, and never panics.
func TestMalformed(t *testing.T) {
	for text, want := range map[string]string{
		`{"id":"a","routes":[]}`:                                                        `neither "dims" nor "adj" is given`,
		`{"id":"a","dims":[0],"routes":[]}`:                                             "0 routers along a dimension",
		`{"id":"a","dims":[3,3],"routes":[{"from":9}]}`:                                 "source 9: the network has nodes 0 to 8",
		`{"id":"a","adj":[[1],[]],"labels":[0,1],"routes":[]}`:                          "adj: 0 lists 1 but not the other way round",
		`{"id":"a","adj":[[0]],"labels":[0],"routes":[]}`:                               "link 0 joins switch 0 to itself",
		`{"id":"a","adj":[[1],[0]],"labels":[0,0],"routes":[]}`:                         "node 1 has label 0",
		`{"id":"a","adj":[[1],[0]],"labels":[0,1],"dual":[]}`:                           `this kind of case needs a mesh`,
		`{"id":"a","dims":[2,2],"source":4,"dests":[],"dual":[]}`:                       "source 4",
		`{"id":"a","dims":[2,2],"TD":0.12345,"primary":[]}`:                             "TD is 0.12345; it has at most three decimals",
		`{"id":"a","dims":[2,2],"TD":-1,"primary":[]}`:                                  "threshold is -1000 thousandths",
		`{"id":"a","weights":[],"TD":0.5}`:                                              "weights are []",
		`{"id":"a","kind":"uni wiring","b":1,"n":2}`:                                    "switches with 1 ports",
		`{"id":"a","kind":"uni wiring","b":9,"n":99}`:                                   "nodes: the number must be 9, 81",
		`{"id":"a","kind":"ring","b":2,"n":2}`:                                          `kind "ring" is not known`,
		`{"id":"a","kind":"unicast","b":2,"n":2,"source":1,"dest":1}`:                   "a unicast from node 1 to itself",
		`{"id":"a","conflicts_uni":0,"b":2,"n":2,"source":7}`:                           "source 7",
		`{"id":"a","postorder_id":[],"switches":2,"links":[[0,2]]}`:                     "link 0 joins 0 and 2",
		`{"id":"a","postorder_id":[],"switches":2,"links":[[0,1]],"source":1}`:          "vertex 1 is not a processor",
		`{"id":"a","parent_by_id":{"1":2,"2":1}}`:                                       "",
		`{"id":"a","parent_by_id":{"1":9}}`:                                             "parent of 1 is 9",
		`{"id":"a","dims":[2,2],"high":{"strict":{"ocms_witness":[[1]]}},"source":0}`:   "[1] has 1 parts; it is [node, [nodes]]",
		`{"id":"a","dims":[2,2],"high":{"strict":{"ocms_witness":[[9,[8]]]}},"low":{}}`: "it names node 8",
		`{"id":"a"}`: "none of its fields",
		`[]`:         "cannot unmarshal",
	} {
		_, problems := checkCase(json.RawMessage(text))
		if len(problems) == 0 || !strings.Contains(strings.Join(problems, "\n"), want) {
			t.Errorf("%s: got %q, want %q", text, problems, want)
		}
	}
	for text, want := range map[string]string{
		``:                         "byte 0: EOF",
		`{"cases": []}`:            "no cases",
		`{"cases": [1]} 2`:         "something follows the document",
		`{"case": [1]}`:            `unknown field "case"`,
		`{"cases": [{"id": "a"},}`: "byte 24: invalid character",
	} {
		if _, err := Check(context.Background(), strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
}

// FuzzCheck: no file makes the comparison panic.
func FuzzCheck(f *testing.F) {
	for name := range caseFiles {
		_, cases := casesOf(f, name)
		for i := 0; i < len(cases); i += 5 {
			if len(cases[i]) < 1500 {
				f.Add([]byte(cases[i]))
			}
		}
	}
	large := regexp.MustCompile(`[0-9]{3}|[eE][0-9]`) // networks of that size only take time
	f.Fuzz(func(_ *testing.T, content []byte) {
		if len(content) < 3000 && !large.Match(content) {
			checkCase(content)
		}
	})
}
