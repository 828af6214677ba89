package program

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/noctest"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/noc/traffic"
)

// faked returns the setup of a network with a fault.
func faked(fault string, g topology.Grid) Setup {
	s := setup(must.Get(os.Executable()), g)
	s.Arguments = []string{"fake:" + fault}
	return s
}

// ended runs a network with a fault under traffic and returns how it fails.
func ended(t *testing.T, fault string, limit float64) (failure *noc.Failure) {
	t.Helper()
	s := faked(fault, topology.Torus(4, 4))
	s.Config.TimeLimit = limit
	n, err := New(s)
	if err != nil {
		if !errors.As(err, &failure) {
			t.Fatalf("%v is no failure", err)
		}
		return failure
	}
	defer n.Close()
	defer func() {
		if broken := recover(); broken != nil {
			failure = broken.(*noc.Failure) // anything else would be a defect of Carousel
		}
	}()
	if fault == "full sink" {
		n.LimitSink(5, 0, 0)
	}
	d := noctest.Drive(t, n, topology.Torus(4, 4), traffic.Config{Load: 0.2, Classes: 1})
	d.Run(10_000)
	n.Activity(nil)
	d.Run(20_000)
	n.Activity(nil)
	return nil
}

// TestEndWith: the end of a context ends a call that hangs, and the error says so.
func TestEndWith(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	EndWith(ctx)
	defer EndWith(context.Background())
	time.AfterFunc(300*time.Millisecond, cancel)
	if failure := ended(t, "hang", 60); !errors.Is(failure, context.Canceled) || !strings.HasSuffix(failure.Error(), "it was ended: context canceled") {
		t.Errorf("the error is %v", failure)
	}
}

// TestBadNetworks: each fault ends the run with an error that names program, call, cycle and what is wrong.
func TestBadNetworks(t *testing.T) {
	for fault, words := range map[string]string{
		"version":               "call 1 (create), cycle 0: it has version 7 of the interface, and this Carousel has version 1",
		"short answer":          "call 1 (create), cycle 0: its answer SHAP has 20 bytes; at least 64 are needed",
		"refusal":               "call 1 (create), cycle 0: it says: only meshes are known",
		"refusal without words": "call 1 (create), cycle 0: it says: nothing",
		"long refusal":          "it says: long long",
		"silent":                "(run), cycle * it closed its standard input or output, lived on, and was ended",
		"garbage":               `its standard output has "Loading configuration file`,
		"print":                 `"a note of the network`,
		"early end":             "it has ended with exit status 0 before Carousel closed its standard input",
		"later end":             "(run), cycle * it has ended with exit status 0 before Carousel closed its standard input",
		"crash":                 "(run), cycle * it has ended with exit status 3; its last lines on standard error:\n\tbuffer 17 overflows\n\tassertion failed: credits >= 0",
		"hang":                  "(run), cycle * it did not answer within 300ms, the value of network.program.time_limit",
		"lost":                  "(run), cycle * packet * of node * and class 0 to node *, taken in cycle *, is lost: nothing of it has arrived for",
		"lost openly":           "(run), cycle * packet * is lost: * copies are inside, and it says",
		"doubled":               "(run), cycle * packet * of node * arrives at node *, and all its copies had arrived before: doubled",
		"invented":              "(run), cycle * it delivers packet number 999 to node 1, which was never offered: invented",
		"misdelivered":          "(run), cycle * packet * arrives at node *; it is owed to node *: misdelivered",
		"early":                 "(run), cycle * packet * arrives at node * in the past: it was taken in cycle *",
		"past":                  "(run), cycle * it simulated from cycle * up to *, and should stop after",
		"taken twice":           "it takes number * which it is not offered",
		"half an answer":        `(run), cycle * it has ended with exit status 0 before Carousel closed its standard input within an answer; its standard output ends with "`,
		"two answers":           `(run), cycle * 72 bytes follow its last answer: "`,
		"far node":              "(run), cycle * packet * arrives at node 4294967295; it is owed to node *: misdelivered",
		"future":                "(run), cycle * it simulated from cycle * up to *, and should stop after",
		"takes anything":        "(run), cycle * it takes packet number 1000, which was never offered: invented",
		"long lists":            "(run), cycle * it says that it has 10* copies inside, and all have arrived: doubled or invented",
		"signal":                "(run), cycle * it has ended with signal: killed",
		"differs":               "(run), cycle * a second copy of it, asked the same, answers otherwise about packet * of node * and class *: equal runs differ",
		"far":                   "(run), cycle * packet * arrives at node * over 65536 links; at most 65535 are possible",
		"falling counters":      "(count), cycle * its counter 1 in SUMS went from * to *; counters grow",
		"huge counters":         "(count), cycle * its counter 1 in SUMS went from 0 to *; counters grow",
		"full sink":             "(run), cycle * packet * arrives at node 5, whose sink of class 0 is full",
	} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			limit := 60.0
			if fault == "hang" {
				limit = 0.3
			}
			failure := ended(t, fault, limit)
			if failure == nil {
				t.Fatal("nobody has noticed")
			}
			rest := failure.Error()
			if len(rest) > 2*tailBytes {
				t.Errorf("the error has %d bytes", len(rest))
			}
			for _, part := range append([]string{"program program.test, "}, strings.Split(words, "*")...) {
				_, after, found := strings.Cut(rest, part)
				if !found {
					t.Fatalf("%q has no %q", failure, part)
				}
				rest = after
			}
		})
	}
}

// TestFinish: a packet that is lost in a short run is named at its end; one that is under way arrives.
func TestFinish(t *testing.T) {
	for _, fault := range []string{"none", "finite", "lost"} {
		n := must.Get(New(faked(fault, topology.Torus(4, 4))))
		defer n.Close()
		d := noctest.Drive(t, n, topology.Torus(4, 4), traffic.Config{Load: 0.2, Classes: 1})
		d.Run(300)
		under := n.inside
		if fault == "finite" { // nobody takes what arrives
			n.LimitSink(5, 0, 0)
			n.Offer(noc.Packet{Src: 1, Dst: noc.One(5), Phits: 1})
			d.Run(400)
		}
		failure := func() (failure *noc.Failure) {
			defer func() { failure, _ = recover().(*noc.Failure) }()
			n.Finish()
			return nil
		}()
		if lost := failure != nil && strings.Contains(failure.Error(), "taken in cycle ") && strings.Contains(failure.Error(), " is lost: nothing of it"); lost != (fault == "lost") || under == 0 {
			t.Errorf("%s: the end of the run says %v; %d copies were under way", fault, failure, under)
		}
	}
}

// TestOddNetworks: a network that writes in parts, prints much or lists arrivals of nodes in another order is like the
// ordinary one.
func TestOddNetworks(t *testing.T) {
	digests := map[string]uint64{}
	for _, kind := range []string{"none", "slow pipe", "talkative", "other order"} {
		n := must.Get(build(t, faked(kind, topology.Torus(4, 4))))
		d := noctest.Drive(t, n, topology.Torus(4, 4), traffic.Config{Load: 0.2, Classes: 1})
		d.Run(500)
		digests[kind] = d.Window().Digest
		if digests[kind] != digests["none"] {
			t.Errorf("%s: the digest is %x, and %x without", kind, digests[kind], digests["none"])
		}
	}
}

// TestGoodFake: without a fault the network of these tests is sound, with copies from the source, with sets,
// above 64 nodes, and with sinks of finite size.
func TestGoodFake(t *testing.T) {
	for _, kind := range []string{"none", "sets", "finite"} {
		t.Run(kind, func(t *testing.T) {
			build := func(everyCycle bool) func(topology.Grid, uint64) (noc.Network, error) {
				return func(g topology.Grid, _ uint64) (noc.Network, error) {
					s := faked(kind, g)
					s.EveryCycle = everyCycle
					return build(t, s)
				}
			}
			noctest.Run(t, noctest.Subject{Build: build(false), EveryCycle: build(true), Classes: 6, Phits: 5,
				Grids: []topology.Grid{topology.Torus(4, 4), topology.Torus(9, 8), topology.Mesh(3, 2, 3)}})
		})
	}
}

// TestDiffers: the conformance suite finds a network whose answers differ between equal runs.
func TestDiffers(t *testing.T) {
	s := noctest.Subject{Classes: 6, Phits: 5, Grids: []topology.Grid{topology.Torus(4, 4)}, Program: true,
		Build: func(g topology.Grid, _ uint64) (noc.Network, error) { return build(t, faked("differs", g)) }}
	found := map[string]string{}
	for _, x := range must.Get(noctest.Conform(t.Context(), s)) {
		found[x.Check] = x.Violation
	}
	if !strings.Contains(found["NodeOrder"], "equal runs differ") || found["EveryCycle"] != "" {
		t.Errorf("the suite says %v", found)
	}
}

// TestEvents: what a program counts is the activity of its routers; without, they are not counted.
func TestEvents(t *testing.T) {
	g := topology.Torus(4, 4)
	n := must.Get(build(t, faked("counts", g)))
	n.Step(100)
	a := n.Activity(nil)
	var want noc.Activity
	want.BufferWrites[noc.VirtualChannel], want.BufferReads[noc.VirtualChannel] = 1, 2
	want.ArbRequests[noc.SwitchOutput], want.ArbGrants[noc.SwitchOutput] = 4, 5
	want.Crossbar, want.RouteLookups, want.Replications, want.Cycles, want.IdleCycles = 3, 6, 7, 100, 92
	if a[0] != want || n.Hardware().Uncounted || n.Hardware().Ports != 5 {
		t.Errorf("%+v, want %+v; %+v", a[0], want, n.Hardware())
	}
	if h := must.Get(build(t, faked("none", g))).Hardware(); !h.Uncounted {
		t.Errorf("%+v", h)
	}
}

// TestClose: a closed network's program has ended, and may be closed twice.
func TestClose(t *testing.T) {
	n := must.Get(New(faked("none", topology.Torus(4, 4))))
	noc.Close(n)
	noc.Close(n)
	if state := n.far.command.ProcessState; state == nil || !state.Success() {
		t.Errorf("the program has ended with %v", state)
	}
	if n.Explain() != nil || n.Totals() != (noc.Totals{}) {
		t.Error("a closed network tells what it does not know")
	}
}

// TestEndsBetweenCalls: the answer to the call before is not called a part of the one that is missing.
func TestEndsBetweenCalls(t *testing.T) {
	n := must.Get(New(faked("none", topology.Torus(4, 4))))
	defer n.Close()
	n.far.to.Close() // which ends the program
	n.far.begin(countTag)
	if _, err := n.far.ask("count", sumsTag); err == nil || strings.Contains(err.Error(), "within an answer") {
		t.Errorf("error %v", err)
	}
}

// TestCloseWithHeirs: a process that a program has started, in a session of its own, and that holds its standard
// output does not keep Carousel.
func TestCloseWithHeirs(t *testing.T) {
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip("there is no setsid")
	}
	heir := filepath.Join(t.TempDir(), "heir")
	must.Do(os.WriteFile(heir, []byte("#!/bin/sh\nsetsid sleep 20 &\n"), 0o755))
	since := time.Now()
	s := setup(heir, topology.Torus(4, 4))
	s.Config.TimeLimit = 1
	if n, err := New(s); err == nil {
		n.Close()
		t.Error("a program that ends at once is a network")
	}
	if waited := time.Since(since); waited > 15*time.Second {
		t.Errorf("Carousel waited %v for what the program has started", waited)
	}
}

// TestExplainStart: what is no program is named as what it is.
func TestExplainStart(t *testing.T) {
	folder := t.TempDir()
	script := filepath.Join(folder, "script")
	must.Do(os.WriteFile(script, []byte("#!/no/such/interpreter\n"), 0o755))
	for path, want := range map[string]string{
		folder:                           "is a folder or a device; name the file of a program",
		script:                           "the interpreter of " + script + " does not exist",
		filepath.Join(folder, "missing"): "there is no program",
		filepath.Join(script, "below"):   "there is no program",
	} {
		if _, err := New(setup(path, topology.Torus(4, 4))); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
}
