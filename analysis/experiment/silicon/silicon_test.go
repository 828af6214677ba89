package silicon

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/analysis/experiment/closedloop"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/traces/ttmetal"
)

// sample are the recordings in testdata.
func sample(t testing.TB) []*ttmetal.Trace {
	t.Helper()
	all := must.Get(ttmetal.Open([]string{"testdata"}, nil))
	return all
}

// fitted are the 20 recordings that the parameters were fitted to, where they lie beside the
// checkout.
func fitted(t testing.TB) []*ttmetal.Trace {
	t.Helper()
	path := filepath.Join("..", "..", "..", "..", "shared", "reference", "silicon", "fit.tar.xz")
	if _, err := os.Stat(path); err != nil {
		t.Skip("the recordings are not beside the checkout")
	}
	all := must.Get(ttmetal.Open([]string{path}, nil))
	return all
}

func report(t *testing.T, all []*ttmetal.Trace, o Options, jobs int) Report {
	t.Helper()
	r := must.Get(Run(context.Background(), all, o, jobs, nil))
	return r
}

// TestSample: the kernels in testdata come out close to the chip, in both loops.
func TestSample(t *testing.T) {
	for _, open := range []bool{false, true} {
		o := DefaultOptions()
		o.Open = open
		r := report(t, sample(t), o, 0)
		if len(r.Kernels) != 2 || r.Worst > 0.05 || r.Mean == 0 || r.Kernels[0].Measured != 3901 || r.Kernels[1].Measured != 4909 {
			t.Errorf("open %v: %+v", open, r)
		}
		for _, k := range r.Kernels {
			if want := float64(k.Cycles)/float64(k.Measured) - 1; k.Error != want || k.Waits == 0 || math.Abs(k.WaitSimulated/k.WaitMeasured-1) > 0.1 {
				t.Errorf("%+v", k)
			}
		}
	}
}

// TestFitted: closed loop, the kernels of the fit come near the chip, and much nearer than without
// a network.
func TestFitted(t *testing.T) {
	o := DefaultOptions()
	if os.Getenv("CAROUSEL_LONG") == "" {
		o.Replicas = 2
	}
	r := report(t, fitted(t), o, 0)
	if len(r.Kernels) != 20 || r.Mean > 0.025 || r.Worst > 0.08 {
		t.Errorf("%d kernels, mean %.4f, worst %.4f", len(r.Kernels), r.Mean, r.Worst)
	}
	for _, n := range r.Null {
		if n.Mean < 2*r.Mean {
			t.Errorf("%s has a mean error of %.4f; the model of the network has %.4f", n.Model, n.Mean, r.Mean)
		}
	}
}

// TestJobs: how many kernels run at a time changes nothing.
func TestJobs(t *testing.T) {
	if one, two := report(t, sample(t), DefaultOptions(), 1), report(t, sample(t), DefaultOptions(), 2); !reflect.DeepEqual(one, two) {
		t.Errorf("%+v\n%+v", one, two)
	}
}

// TestZeroLoad: alone on the chip, a read takes 10 cycles and 9 per link each way, the server's
// latency and a cycle per flit of data, on both networks. The links are those of whole rings, so
// that there are only four latencies, whatever the distance.
func TestZeroLoad(t *testing.T) {
	p := Default()
	seen := map[noc.Cycle]bool{}
	for network := range uint8(2) {
		for _, from := range []ttmetal.Node{{X: 1, Y: 1}, {X: 9, Y: 11}, {X: 4, Y: 7}} {
			for _, to := range []ttmetal.Node{{X: 1, Y: 1}, {X: 2, Y: 1}, {X: 9, Y: 1}, {X: 1, Y: 2}, {X: 1, Y: 11}, {X: 9, Y: 11}, {X: 4, Y: 7}, {X: 3, Y: 8}, {X: 8, Y: 3}} {
				reader, _ := nodeID(from)
				source, _ := nodeID(to)
				networks := must.Get(p.networks(false))
				r, err := closedloop.Run(context.Background(), networks, closedloop.Program{Processes: []closedloop.Process{{Node: reader,
					Steps: []closedloop.Step{{Kind: closedloop.Read, Peer: source, Bytes: 4096, Network: network}}}}}, p.config())
				if err != nil {
					t.Fatal(err)
				}
				n := 0
				if from.X != to.X {
					n += 10
				}
				if from.Y != to.Y {
					n += 12
				}
				want := noc.Cycle(20 + 9*n + p.L1Latency + 128)
				if noc.Cycle(r.Latency) != want || p.zeroLoad(links(reader, source), ttmetal.Worker, 4096) != want {
					t.Errorf("network %d, %s reads from %s in %d cycles, want %d", network, from, to, r.Latency, want)
				}
				seen[want] = true
			}
		}
	}
	if len(seen) != 4 {
		t.Errorf("there are %d latencies", len(seen))
	}
}

// TestRoutes: no link has to carry more than its 32 bytes per cycle in the time that a kernel took.
// With the dimensions exchanged some would, so the recordings know in which order the chip routes.
func TestRoutes(t *testing.T) {
	busiest := func(all []*ttmetal.Trace, names [2]string) (most float64) {
		for _, k := range all {
			load := map[[3]int]uint32{}
			for _, p := range k.Processes {
				for _, e := range p.Events {
					if e.Kind != ttmetal.Read {
						continue
					}
					u := must.Get(topology.ParseUniTorus(names[e.Network]))
					at, _ := nodeID(e.Peer)
					reader, _ := nodeID(p.Node)
					for _, next := range u.Route(at, reader) {
						load[[3]int{int(e.Network), int(at), int(next)}] += e.Bytes
						at = next
					}
				}
			}
			for _, bytes := range load {
				most = max(most, float64(bytes)/float64(k.Cycles))
			}
		}
		return most
	}
	all := fitted(t)
	if most := busiest(all, Topologies); most > FlitBytes {
		t.Errorf("a link carries %.1f bytes per cycle", most)
	}
	if most := busiest(all, [2]string{"utorus:10x12:+y+x", "utorus:10x12:-x-y"}); most <= FlitBytes {
		t.Errorf("with the dimensions exchanged no link carries more than %.1f bytes per cycle", most)
	}
}

// TestNodeKinds counts the kinds of nodes.
func TestNodeKinds(t *testing.T) {
	count := map[ttmetal.NodeKind]int{}
	for n := range noc.NodeID(Nodes) {
		count[ttmetal.KindOf(placeOf(n))]++
		if back, err := nodeID(placeOf(n)); err != nil || back != n {
			t.Errorf("node %d is %d", n, back)
		}
	}
	if want := map[ttmetal.NodeKind]int{ttmetal.Worker: 80, ttmetal.DRAM: 18, ttmetal.Ethernet: 16, ttmetal.OtherNode: 6}; !reflect.DeepEqual(count, want) {
		t.Errorf("%v, want %v", count, want)
	}
}

func parse(t *testing.T, text string) *ttmetal.Trace {
	t.Helper()
	k := must.Get(ttmetal.Parse("k.json", strings.NewReader(text)))
	return k
}

// everything is a kernel with all that a processor can do.
const everything = `[{"proc":"BRISC","zone":"BRISC-KERNEL","zone_phase":"begin","sx":1,"sy":1,"timestamp":0},
{"proc":"BRISC","noc":"NOC_1","sx":1,"sy":1,"dx":0,"dy":5,"num_bytes":2048,"type":"READ","timestamp":100},
{"proc":"BRISC","noc":"NOC_0","sx":1,"sy":1,"dx":1,"dy":1,"num_bytes":16384,"type":"WRITE_","timestamp":200},
{"proc":"BRISC","noc":"NOC_0","sx":1,"sy":1,"dx":2,"dy":1,"num_bytes":0,"type":"SEMAPHORE_INC","timestamp":220},
{"proc":"BRISC","noc":"NOC_0","sx":1,"sy":1,"mcast_start_x":9,"mcast_start_y":10,"mcast_end_x":1,"mcast_end_y":1,"num_bytes":64,"type":"WRITE_MULTICAST","timestamp":240},
{"proc":"BRISC","noc":"NOC_1","sx":1,"sy":1,"dx":-1,"dy":-1,"num_bytes":0,"type":"READ_BARRIER_START","timestamp":300},
{"proc":"BRISC","noc":"NOC_1","sx":1,"sy":1,"dx":-1,"dy":-1,"num_bytes":0,"type":"READ_BARRIER_END","timestamp":900},
{"proc":"BRISC","noc":"NOC_0","sx":1,"sy":1,"dx":-1,"dy":-1,"num_bytes":0,"type":"WRITE_FLUSH","timestamp":950},
{"proc":"BRISC","noc":"NOC_0","sx":1,"sy":1,"dx":-1,"dy":-1,"num_bytes":0,"type":"WRITE_BARRIER_START","timestamp":960},
{"proc":"BRISC","noc":"NOC_0","sx":1,"sy":1,"dx":-1,"dy":-1,"num_bytes":0,"type":"WRITE_BARRIER_END","timestamp":1200},
{"proc":"BRISC","noc":"NOC_0","sx":1,"sy":1,"dx":-1,"dy":-1,"num_bytes":0,"type":"ATOMIC_BARRIER","timestamp":1300},
{"proc":"BRISC","noc":"NOC_0","sx":1,"sy":1,"dx":-1,"dy":-1,"num_bytes":0,"type":"FULL_BARRIER","timestamp":1400},
{"proc":"BRISC","noc":"NOC_0","sx":1,"sy":1,"type":"SEMAPHORE_SET","timestamp":1450},
{"proc":"BRISC","noc":"NOC_0","sx":1,"sy":1,"dx":-1,"dy":-1,"num_bytes":0,"type":"READ_BARRIER_START","timestamp":1500}]`

// TestProgram: what was between two events is between two steps, waiting is not, and a multicast
// goes to the workers of its rectangle, around the edges too.
func TestProgram(t *testing.T) {
	k := parse(t, everything)
	p := must.Get(Program(k))
	type step struct {
		kind    closedloop.Kind
		after   noc.Cycle
		network uint8
	}
	want := []step{{closedloop.Pause, 0, 0}, {closedloop.Read, 100, 1}, {closedloop.Write, 100, 0}, {closedloop.Atomic, 20, 0}, {closedloop.Multicast, 20, 0},
		{closedloop.AwaitReads, 60, 1}, {closedloop.AwaitSent, 0, 0}, {closedloop.AwaitWrites, 10, 0}, {closedloop.AwaitAtomics, 0, 0},
		{closedloop.AwaitAll, 0, closedloop.AllNetworks}, {closedloop.Pause, 50, 0}, {closedloop.Pause, 50, 0}}
	var got []step
	for _, s := range p.Processes[0].Steps {
		got = append(got, step{s.Kind, s.After, s.Network})
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
	to := func(x, y int) bool {
		id, _ := nodeID(ttmetal.Node{X: x, Y: y})
		return p.Processes[0].Steps[4].Set.Has(id)
	}
	if set := p.Processes[0].Steps[4].Set; set.Count() != 5 || to(1, 1) || to(0, 11) || !to(9, 10) || !to(9, 11) || !to(9, 1) || !to(1, 10) || !to(1, 11) {
		t.Errorf("the multicast goes to %v", set)
	}
	if r := report(t, []*ttmetal.Trace{k}, DefaultOptions(), 1); r.Kernels[0].Cycles < 1000 || r.Kernels[0].Group != "other" {
		t.Errorf("%+v", r.Kernels[0])
	}
}

// TestForeignKernel: a recording of a larger chip is refused by name.
func TestForeignKernel(t *testing.T) {
	for _, text := range []string{strings.Replace(everything, `"dx":0,"dy":5`, `"dx":0,"dy":12`, 1), strings.ReplaceAll(everything, `"sx":1`, `"sx":17`),
		strings.Replace(everything, `"mcast_end_x":1`, `"mcast_end_x":21`, 1)} {
		_, err := Run(context.Background(), []*ttmetal.Trace{parse(t, text)}, DefaultOptions(), 1, nil)
		if _, ok := err.(ForeignKernel); !ok || !strings.Contains(err.Error(), "is not on a chip of 10 columns and 12 rows") || !strings.Contains(err.Error(), "k:") {
			t.Errorf("got %v", err)
		}
	}
}

// TestScore sums up errors.
func TestScore(t *testing.T) {
	if s := ScoreOf([]float64{0.01, -0.04, 0.02, 0.03}); math.Abs(s.Mean-0.025) > 1e-12 || math.Abs(s.Median-0.025) > 1e-12 || s.Worst != 0.04 || math.Abs(s.Bias-0.005) > 1e-12 {
		t.Errorf("%+v", s)
	}
	for name, want := range map[string]string{"1x2_BLOCK_TO_2x8_BLOCK": "1x2_BLOCK", "DRAM_TO_8x4_HEIGHT": "DRAM to 8xN", "else": "other"} {
		if got := Group(name); got != want {
			t.Errorf("%s is of group %s, want %s", name, got, want)
		}
	}
}

// TestPlain: the routers' readable form, which moves flit by flit, carries a kernel of the chip
// exactly as the fast one does.
func TestPlain(t *testing.T) {
	for i, k := range sample(t) {
		if i > 0 && testing.Short() {
			break
		}
		o := DefaultOptions()
		o.Replicas = 1
		fast := must.Get(Simulate(context.Background(), k, o))
		o.Plain = true
		plain := must.Get(Simulate(context.Background(), k, o))
		if !reflect.DeepEqual(fast, plain) {
			t.Errorf("%+v\n%+v", fast, plain)
		}
	}
}
