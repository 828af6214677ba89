package program

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/noctest"
	"github.com/carousel-sim/carousel/noc/topology"
)

// compile compiles a network in C with the frame. Without a C compiler the test is skipped.
func compile(t testing.TB, source string, flags ...string) string {
	t.Helper()
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("there is no C compiler named cc")
	}
	path := filepath.Join(t.TempDir(), "network")
	command := exec.Command(cc, append([]string{"-std=c99", "-Wall", "-Wextra", "-Werror", "-O2", "-Isource", "-o", path, source, "source/carousel_router_main.c"}, flags...)...)
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}

// setup returns a setup on a grid.
func setup(path string, g topology.Grid) Setup {
	return Setup{Path: path, Nodes: g.Nodes(), Topology: g.String(), Grid: &g, Classes: 6, Seed: 1, Config: Default()}
}

// build starts the network of a setup, which ends with the test.
func build(t testing.TB, s Setup) (noc.Network, error) {
	n, err := New(s)
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() { n.Close() })
	return n, nil
}

// TestConformance holds the example in C to the laws of package noc.
func TestConformance(t *testing.T) {
	path := compile(t, "source/relay.c")
	subject := func(everyCycle bool) func(topology.Grid, uint64) (noc.Network, error) {
		return func(g topology.Grid, seed uint64) (noc.Network, error) {
			s := setup(path, g)
			s.Seed, s.EveryCycle = seed, everyCycle
			return build(t, s)
		}
	}
	noctest.Run(t, noctest.Subject{Build: subject(false), EveryCycle: subject(true), Classes: 6, Phits: 5})
}

// TestPython: the example in Python passes the suite: it takes sets, and its nodes share one router.
func TestPython(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("there is no python3")
	}
	g := topology.Torus(2, 2)
	t.Setenv("PYTHONDONTWRITEBYTECODE", "1")
	n, err := New(setup("source/crossbar.py", g))
	if err != nil {
		t.Fatal(err)
	}
	n.Close()
	s := noctest.Subject{Classes: 6, Phits: 5, Program: true, Wiring: n.Wiring(),
		Build: func(_ topology.Grid, _ uint64) (noc.Network, error) { return build(t, setup("source/crossbar.py", g)) }}
	for _, x := range must.Get(noctest.Conform(t.Context(), s)) {
		if x.Violation != "" {
			t.Errorf("%s: %s", x.Check, x.Violation)
		}
	}
}

// TestMessagesAreOnThePage: the manual describes every message, and the version of this program.
func TestMessagesAreOnThePage(t *testing.T) {
	page := string(must.Get(os.ReadFile(filepath.Join("..", "..", "cmd", "carousel", "manual", "detachable.md"))))
	_, section, _ := strings.Cut(page, "## Other languages")
	for _, text := range []string{fmt.Sprintf("\n%s   0 u32     version of the interface, %d\n", newTag, Version), fmt.Sprintf("\n%s   0 u32     version of the interface, %d\n", shapeTag, Version),
		"\n" + runTag + "   0 u64 ", "\n" + doneTag + "   0 u64 ", "\n" + sumsTag + "   0 ", countTag, explainTag, checkTag, textTag, failTag,
		fmt.Sprintf("%6d         for each link", shapeBytes), fmt.Sprintf("%6d         for each packet taken", doneBytes)} {
		if !strings.Contains(section, text) {
			t.Errorf("the section has no %q", text)
		}
	}
}
