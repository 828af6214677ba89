package topology

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"pgregory.net/rapid"
)

// TestLattice: a lattice is connected, its switches have at most four links and lie on the points
// that their links need, and the seed alone decides it.
func TestLattice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, seed := rapid.IntRange(1, 80).Draw(t, "switches"), rapid.Uint64().Draw(t, "seed")
		g := must.Get(Lattice(n, seed))
		if err := g.Validate(); err != nil {
			t.Fatal(err)
		}
		if _, err := NewUpDown(g, 0); err != nil {
			t.Fatal(err)
		}
		for s, near := range g.Neighbours() {
			if len(near) > 4 {
				t.Fatalf("switch %d has %d links", s, len(near))
			}
		}
		again, _ := Lattice(n, seed)
		if !slices.Equal(g.Links, again.Links) {
			t.Fatal("the same seed makes another lattice")
		}
	})
	full, err := LatticeOfSide(64, 8, 1, LatticePorts, 5)
	if err != nil || len(full.Links) != 2*8*7 {
		t.Errorf("a full 8x8 lattice has %d links (%v)", len(full.Links), err)
	}
	a, _ := Lattice(64, 1)
	b, _ := Lattice(64, 2)
	if slices.Equal(a.Links, b.Links) {
		t.Error("two seeds make one lattice")
	}
}

// TestGraphWiring: channels come in pairs, no two use one port, and processors have ports of
// their own.
func TestGraphWiring(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := anyGraph.Draw(t, "graph")
		w := g.Wiring()
		if len(w.Channels) != 2*len(g.Links) || w.Nodes() != g.Nodes() {
			t.Fatalf("%d channels for %d links, %d nodes for %d processors", len(w.Channels), len(g.Links), w.Nodes(), g.Nodes())
		}
		used := map[Place]bool{}
		take := func(p Place) {
			if used[p] {
				t.Fatalf("port %d of router %d is used twice", p.Port, p.Router)
			}
			used[p] = true
		}
		for _, c := range w.Channels {
			take(Place{c.From, c.Out})
			back := w.Channels[w.Channel(c.To, c.From)]
			if back.Out != c.In || back.In != c.Out {
				t.Fatalf("%+v and %+v are not one link", c, back)
			}
		}
		for n, p := range w.Entry {
			take(p)
			if w.Exit[n] != p {
				t.Fatalf("node %d enters at %v and leaves at %v", n, p, w.Exit[n])
			}
		}
	})
}

// TestOpen reads every form, and says what is wrong with others.
func TestOpen(t *testing.T) {
	file := filepath.Join(t.TempDir(), "g")
	if err := os.WriteFile(file, []byte("switches 3 # a line\nlink 0 1\n\nlink 1 2\nprocessors 0 0\nprocessors 2\nroot 1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		spec           string
		routers, nodes int
		channels       int
	}{
		{"mesh:4x3", 12, 12, 2 * (3*3 + 4*2)}, {"torus:4x4", 16, 16, 64},
		{"min:baseline:16:2", 32, 16, 3 * 16}, {"bimin:butterfly:16:4", 8, 16, 2 * 16},
		{"lattice:9:7:3", 9, 9, 2 * 12}, {"lattice:9:7:3:4", 9, 36, 2 * 12}, {"graph:" + file, 3, 3, 4},
	} {
		l, err := Open(c.spec)
		if err != nil {
			t.Errorf("%s: %v", c.spec, err)
			continue
		}
		if w := l.Wiring; w.Name != c.spec || w.Routers != c.routers || w.Nodes() != c.nodes || len(w.Channels) != c.channels {
			t.Errorf("%s: %s has %d routers, %d nodes, %d channels; want %+v", c.spec, w.Name, w.Routers, w.Nodes(), len(w.Channels), c)
		}
	}
	for spec, want := range map[string]string{
		"min:baseline:12:2":                     "12 nodes: the number must be 2, 4, 8 or a higher power",
		"min:baseline:16":                       "want min:baseline:N:B",
		"bimin:baseline:16:2":                   "want bimin:butterfly:N:B",
		"min:baseline:16:x":                     `"x" is not a whole number`,
		"min:baseline:16:1":                     "switches with 1 ports to each side",
		"min:baseline:9999999999999999999999:2": "is not a whole number",
		"min:baseline:9223372036854775807:2":    "nodes: the number must be",
		"lattice:9:-1":                          `the seed "-1" is not a whole number`,
		"lattice:9223372036854775807:1":         "switches; 1 to",
		"lattice:9:1:9223372036854775807":       "9 switches do not fit",
		"lattice:9":                             "want lattice:N:SEED",
		"lattice:9:1:2":                         "9 switches do not fit on 2 x 2 points",
		"lattice:9:1:3:5":                       "5 processors per switch; 1 to 4 are possible",
		"lattice:9:1:3:1:4":                     "switches of 4 ports; 5 to",
		"lattice:9:1:3:3:6":                     "3 processors per switch; 1 to 2 are possible with 6 ports",
		"lattice:9:1:3:1:8:1":                   "want lattice:N:SEED",
		"lattice:0:1":                           "0 switches; 1 to",
		"hypercube:8":                           "choose from torus:AxB, mesh:AxB, utorus:AxB, min:baseline:N:B",
		"graph:/nowhere":                        "topology graph:/nowhere: open /nowhere: no such file",
		"mesh:0x8":                              "0 routers along a dimension",
	} {
		if _, err := Open(spec); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", spec, err, want)
		}
	}
}

// graphMistakes are graph files with the message that each must give.
var graphMistakes = map[string]string{
	"":                                  "there is no line with switches",
	"link 0 1":                          "line 1: link comes before the line with the number of switches",
	"switches 3\nswitches 3":            "line 2: the number of switches is given again",
	"switches 0":                        "line 1: 0 switches; 1 to",
	"switches two":                      `line 1: switches: "two" is not a whole number`,
	"switches 3\nlink 0":                "line 2: link takes 2 numbers, but there are 1",
	"switches 3\nlink 0 3":              "line 2: switch 3: switches are 0 to 2",
	"switches 3\nlink 1 1":              "line 2: link joins switch 1 to itself",
	"switches 3\nlink 0 1\nlink 1 0":    "link 1 joins 1 and 0 again",
	"switches 3\nprocessors 0 4":        "line 2: switch 4: switches are 0 to 2",
	"switches 3\nroot 3":                "line 2: switch 3: switches are 0 to 2",
	"switches 3\nlabels 0 1":            "2 labels for 3 switches",
	"switches 3\nlink -1 0":             `link: "-1" is not a whole number`,
	"switches 3\nedge 0 1":              `line 2: "edge" is not one of switches, link, processors, root, labels`,
	strings.Repeat("#", maxGraphLine+1): "line 1: bufio.Scanner: token too long",
}

func TestReadGraphMistakes(t *testing.T) {
	for text, want := range graphMistakes {
		if _, err := ReadGraph("file", strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "file: ") {
			t.Errorf("%.40q: got %v, want %q", text, err, want)
		}
	}
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
