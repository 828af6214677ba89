package topology

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/must"
)

// graphMistakes are graph files with the message that each must give.
var graphMistakes = map[string]string{
	"":                                     "there is no line with switches",
	"link 0 1":                             "line 1: link comes before the line with the number of switches",
	"switches 3\nswitches 3":               "line 2: switches again, after line 1",
	"switches 0":                           "line 1: 0 switches; 1 to",
	"switches two":                         `line 1: switches: "two" is not a whole number`,
	"switches 3\nlink 0":                   "line 2: link takes 2 numbers, but there are 1",
	"switches 3\nlink 0 3":                 "line 2: switch 3: switches are 0 to 2",
	"switches 3\nlink 1 1":                 "line 2: link joins switch 1 to itself",
	"switches 3\nlink 0 1 latency=0":       "line 2: link: latency must be given a value above 0",
	"switches 3\nlink 0 1 0":               "line 2: link: latency must be given a value above 0",
	"switches 3\nlink 0 1 4 latency=4":     "line 2: link: latency is given twice",
	"switches 3\nlink 0 1 width=8 4":       `line 2: link: "4" is not one of latency=CYCLES`,
	"switches 3\nlink 0 1 width=x":         "line 2: link: width=x is not a number",
	"switches 3\nlink 0 1 width=-1":        "line 2: link: width is -1 bits; 0 to 65536 are allowed",
	"switches 3\nlink 0 1 speed=4":         `line 2: link: "speed" is not one of latency, width`,
	"switches 3\nlink 0 1 length=nan":      "line 2: link: length is NaN mm",
	"switches 3\nlink 0 1 class=a class=b": "line 2: link: class is given twice",
	"switches 3\nprocessors 0 4":           "line 2: switch 4: switches are 0 to 2",
	"switches 3\nroot 3":                   "line 2: switch 3: switches are 0 to 2",
	"switches 3\nlabels 0 1":               "2 labels for 3 switches",
	"switches 3\nlabels 0 1 1":             "labels: switches 1 and 2 both have position 1",
	"switches 3\nlabels 0 1 3":             "labels: switch 2 has position 3; positions are 0 to 2",
	"switches 1\nlabels 0\nlabels 0":       "line 3: labels again, after line 2",
	"switches 3\nroot 0\nroot 1":           "line 3: root again, after line 2",
	"switches 3\nprocessors":               "line 2: processors takes the switch of one or more, but there are 0",
	"switches 3\nlink 0 1 class=":          "line 2: link: class must be given a name",
	"switches 3\nlink -1 0":                `link: "-1" is not a whole number`,
	"router 0 node 0 router 1 15":          `line 1: "router" is not one of switches, link`,
	"switches 3\nedge 0 1":                 `line 2: "edge" is not one of switches, link, processors, root, labels`,
	strings.Repeat("#", maxGraphLine+1):    "line 1: bufio.Scanner: token too long",
}

func TestReadGraphMistakes(t *testing.T) {
	for text, want := range graphMistakes {
		if _, err := ReadGraph("file", strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "file: ") {
			t.Errorf("%.40q: got %v, want %q", text, err, want)
		}
	}
}

// TestLinks: several links may join two switches, each with ports and values of its own, and both directions of a
// link lead back to each other.
func TestLinks(t *testing.T) {
	g := must.Get(ReadGraph("file", strings.NewReader("switches 3\nlink 1 0\nlink 0 1 latency=4 width=64 length=2.5 class=d2d\nlink 1 2\nlink 0 1 2\nprocessors 0 1 1 2")))
	w := g.Wiring()
	if must.Do(g.Validate()); !w.Special() || len(w.Channels) != 8 {
		t.Fatalf("%d channels", len(w.Channels))
	}
	own := map[string]int{}
	for _, c := range w.Channels {
		back := slices.IndexFunc(w.Channels, func(b Channel) bool { return b.From == c.To && b.Out == c.In })
		if b := w.Channels[back]; b.To != c.From || b.In != c.Out || b.Link != c.Link {
			t.Errorf("%+v goes back as %+v", c, b)
		}
		if c.Link != nil {
			own[string(must.Get(json.Marshal(c.Link)))]++
		}
	}
	if want := map[string]int{`{"Cycles":4,"Bits":64,"MM":2.5,"Class":"d2d"}`: 2, `{"Cycles":2}`: 2}; !reflect.DeepEqual(own, want) {
		t.Errorf("links are %v", own)
	}
	must.Get(NewWiring(w.Name, w.Routers, w.Channels, w.Entry, w.Exit)) // no port is used twice
}

// anynetMistakes are network files of BookSim2 with the message that each must give.
var anynetMistakes = map[string]string{
	"":                                 "there are 0 nodes; at least 2 are needed",
	"router 0 node 0\nswitch 1":        `line 2: "switch" is neither router nor node`,
	"router 0 node":                    `line 1: the line ends behind "node"`,
	"router x node 0":                  `line 1: "x" is not the number of a router`,
	"router 0 router 0":                "line 1: router 0 is connected to itself",
	"router 0 router 1 0":              `line 1: "0" is no latency`,
	"router 0 node 0 7":                "line 1: the channel between a router and a node has 7 cycles",
	"node 0 node 1":                    "line 1: node 0 is connected to node 1",
	"router 0 node 0\nrouter 1 node 0": "line 2: node 0 is connected to the routers 0 and 1",
	"router 0 router 1 2\nrouter 0 router 1 3": "line 2: the channel from router 0 to router 1 has 2 cycles and 3 cycles",
	"router 0 router 1 5 router 1":             "line 1: the channel from router 0 to router 1 has 5 cycles and 1 cycles",
}

// TestReadAnynet: routers and nodes are counted in the order of their numbers, and each direction of a link has the
// latency that a line gives it.
func TestReadAnynet(t *testing.T) {
	for text, want := range anynetMistakes {
		if _, err := ReadAnynet("file", strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "file: ") {
			t.Errorf("%.40q: got %v, want %q", text, err, want)
		}
	}
	g := must.Get(ReadAnynet("file", strings.NewReader("router 7 node 30 node 10 router 9 10 router 3 5\n\nrouter 9 node 20 router 7 4 router 3\nnode 40 router 3 1\n")))
	if w := g.Wiring(); !slices.Equal(g.Processors, []int{1, 2, 1, 0}) || w.Routers != 3 || len(w.Channels) != 6 {
		t.Errorf("%+v", g)
	} else {
		got := map[[2]noc.NodeID]int{}
		for _, c := range w.Channels {
			if got[[2]noc.NodeID{c.From, c.To}] = 1; c.Link != nil {
				got[[2]noc.NodeID{c.From, c.To}] = c.Link.Cycles
			}
		}
		if want := map[[2]noc.NodeID]int{{1, 2}: 10, {2, 1}: 4, {1, 0}: 5, {0, 1}: 1, {2, 0}: 1, {0, 2}: 1}; !reflect.DeepEqual(got, want) {
			t.Errorf("latencies are %v", got)
		}
	}
}

// FuzzReadAnynet: any input gives a graph that can be wired, or an error.
func FuzzReadAnynet(f *testing.F) {
	for text := range anynetMistakes {
		f.Add(text)
	}
	f.Add("router 7 node 30 node 10 router 9 10 router 3 5\nrouter 9 node 20 router 7 4")
	f.Fuzz(func(t *testing.T, text string) {
		if g, err := ReadAnynet("file", strings.NewReader(text)); err == nil {
			g.Wiring()
		}
	})
}

// FuzzReadGraph: any input gives a graph that can be wired, or an error.
func FuzzReadGraph(f *testing.F) {
	for text := range graphMistakes {
		if len(text) < 100 {
			f.Add([]byte(text))
		}
	}
	f.Add([]byte("switches 3\nlink 0 1\nlink 1 2\nprocessors 0 0 1 2\nroot 1\nlabels 0 1 2"))
	f.Fuzz(func(t *testing.T, content []byte) {
		g, err := ReadGraph("file", bytes.NewReader(content))
		if err != nil || g.Switches > 1000 {
			return
		}
		w := g.Wiring()
		for n := range noc.NodeID(w.Nodes()) {
			if int(w.Entry[n].Router) >= g.Switches {
				t.Fatalf("processor %d is at switch %d of %d", n, w.Entry[n].Router, g.Switches)
			}
		}
	})
}
