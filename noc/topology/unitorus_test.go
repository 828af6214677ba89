package topology

import (
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"pgregory.net/rapid"
)

// TestUniTorus: whatever the directions, the name is read again, the distance is that of the
// wiring, and the way there and back goes once round every ring in which two nodes differ.
func TestUniTorus(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var radix []int
		for range rapid.IntRange(1, 3).Draw(t, "dimensions") {
			radix = append(radix, rapid.IntRange(2, 7).Draw(t, "radix"))
		}
		u := NewUniTorus(radix...)
		u.Order = rapid.Permutation(u.Order).Draw(t, "order")
		for d := range u.Down {
			u.Down[d] = rapid.Bool().Draw(t, "down")
		}
		l, err := Open(u.String())
		if err != nil || l.UniTorus.String() != u.String() || l.String() != u.String() {
			t.Fatalf("%s is read as %v: %v", u, l.UniTorus, err)
		}
		node := rapid.IntRange(0, l.Nodes()-1)
		a, b := noc.NodeID(node.Draw(t, "from")), noc.NodeID(node.Draw(t, "to"))
		if got, want := len(u.Route(a, b)), l.Wiring.Distance(a, b); got != want {
			t.Fatalf("%s: %d hops from %d to %d, the wiring has %d", u, got, a, b, want)
		}
		round := 0
		for d, k := range radix {
			if u.Grid().Coordinate(a, d) != u.Grid().Coordinate(b, d) {
				round += k
			}
		}
		if got := len(u.Route(a, b)) + len(u.Route(b, a)); got != round {
			t.Fatalf("%s: %d hops from %d to %d and back, want %d", u, got, a, b, round)
		}
	})
}

// TestUniTorusNames: only the directions that differ from the usual are in the name, and mistakes
// are explained.
func TestUniTorusNames(t *testing.T) {
	for spec, want := range map[string]string{"utorus:10x12": "utorus:10x12", "utorus:10x12:+x+y": "utorus:10x12",
		"utorus:10x12:-y-x": "utorus:10x12:-y-x", "utorus:5:-x": "utorus:5:-x"} {
		if u, err := ParseUniTorus(spec); err != nil || u.String() != want {
			t.Errorf("%s is %s: %v", spec, u, err)
		}
	}
	for spec, want := range map[string]string{
		"utorus:10x12:-y":   `directions are "-y"; give a sign and a letter for each dimension in the order of routing, such as utorus:10x12:+x+y`,
		"utorus:4x4:+x+x":   `directions are "+x+x"`,
		"utorus:4x4:+x*y":   `directions are "+x*y"`,
		"utorus:4x4:+x+z":   `directions are "+x+z"`,
		"utorus:4x4:":       `directions are ""`,
		"utorus:1x4":        "1 routers along a dimension",
		"utorus:4xfour":     `"four" is not a number`,
		"utorus:300x300":    "more than 65536 nodes",
		"utorus:2x2x2:+x+y": "such as utorus:2x2x2:+x+y+z",
	} {
		if _, err := Open(spec); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", spec, err, want)
		}
	}
}
