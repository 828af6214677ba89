package program

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/carousel-sim/carousel/noc"
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
