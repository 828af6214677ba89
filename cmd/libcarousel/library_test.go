package main

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/experiment/openloop"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/noc/traffic"
	"github.com/carousel-sim/carousel/power"
)

const (
	testConfiguration = `{"topology": "torus:8x8", "routers": ["mrr"]}`
	testCycles        = 3000
)

// schedule writes down the packets that a network accepts.
type schedule struct {
	noc.Network
	text    *bytes.Buffer
	refused *int
}

func (s schedule) Offer(p noc.Packet) bool {
	if !s.Network.Offer(p) {
		*s.refused++
		return false
	}
	for n := range s.Nodes() {
		if p.Dst.Has(noc.NodeID(n)) {
			fmt.Fprintf(s.text, "%d %d %d %d %d %d\n", s.Now(), p.Src, p.Tag, p.Phits, p.Class, n)
		}
	}
	return true
}

// uniform measures uniform traffic on mrr as carousel traffic does, and returns its digest, the
// copies delivered, and the packets offered.
func uniform(t *testing.T, load float64) (digest string, copies uint64, packets []byte) {
	t.Helper()
	model := must.Get(models.Lookup("mrr"))
	var text bytes.Buffer
	refused := 0
	build := model.New
	model.New = func(o models.Options) (noc.Network, error) {
		n, err := build(o)
		return schedule{n, &text, &refused}, err
	}
	s := &openloop.Study{Models: models.List{model}, Routers: []string{"mrr"}, Loads: []float64{load}, Runs: 1, Seed: 1, Cycles: testCycles,
		Traffic: traffic.Default(), Network: models.DefaultOptions(), Power: power.Default().Effective()}
	points := must.Get(s.Points())
	rows := must.Get(points[0].Run(context.Background(), func(experiment.Progress) {}))
	if refused > 0 || text.Len() == 0 {
		t.Fatalf("%d packets were refused, so that their birth is not in the schedule", refused)
	}
	row := rows.Traffic[0]
	return row.Digest.Value, row.PacketsDelivered.Value, text.Bytes()
}

// output runs a program that finds the library in a folder, and returns its standard output.
func output(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	command := exec.Command(name, args...)
	// A thread interrupted by a signal looks to valgrind as if it wrote below its stack.
	command.Env = append(os.Environ(), "LD_LIBRARY_PATH="+dir, "GODEBUG=asyncpreemptoff=1", "PYTHONPATH=.", "PYTHONDONTWRITEBYTECODE=1",
		"CAROUSEL_LIBRARY="+filepath.Join(dir, "libcarousel.so"))
	var complaints bytes.Buffer
	command.Stderr = &complaints
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s%s", name, err, out, complaints.Bytes())
	}
	return strings.TrimSpace(string(out))
}

// buildClient compiles a client in testdata beside the library, and returns its path.
func buildClient(t *testing.T, compiler, name, library string) string {
	t.Helper()
	client := filepath.Join(filepath.Dir(library), name)
	output(t, ".", compiler, "-std=c11", "-Wall", "-Wextra", "-Werror", "-Wno-parentheses", "-I", ".", "-o", client, "testdata/"+name+".c", library)
	return client
}

// TestValgrind: the client in C does nothing with the library's memory that valgrind finds fault
// with.
func TestValgrind(t *testing.T) {
	if os.Getenv("CAROUSEL_LONG") == "" {
		t.Skip("builds Go's runtime for valgrind: set CAROUSEL_LONG=1")
	}
	compiler, noCompiler := exec.LookPath("cc")
	valgrind, noValgrind := exec.LookPath("valgrind")
	if noCompiler != nil || noValgrind != nil {
		t.Skip("there is no C compiler, or no valgrind")
	}
	dir := t.TempDir()
	library, packets := filepath.Join(dir, "libcarousel.so"), filepath.Join(dir, "packets")
	output(t, dir, "go", "build", "-tags", "valgrind", "-buildmode=c-shared", "-o", library, ".")
	_, _, text := uniform(t, 0.05)
	must.Do(os.WriteFile(packets, text, 0o600))
	for _, command := range [][]string{
		{buildClient(t, compiler, "client", library), testConfiguration, packets, fmt.Sprint(testCycles)},
		{buildClient(t, compiler, "simulator", library)},
	} {
		output(t, dir, valgrind, append([]string{"--error-exitcode=9", "--leak-check=full", "--show-leak-kinds=definite,indirect",
			"--errors-for-leak-kinds=definite,indirect", "--suppressions=testdata/go.supp"}, command...)...)
	}
}

// TestClients: clients in C and Python that send the packets of carousel traffic get its
// deliveries. A simulator in C, and the tests of the Python module, use all other functions.
func TestClients(t *testing.T) {
	if os.Getenv("CAROUSEL_LONG") == "" {
		t.Skip("builds everything anew as a library, with CAROUSEL_LONG=1, as .ci/run does")
	}
	compiler, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("there is no C compiler")
	}
	dir := t.TempDir()
	library, packets := filepath.Join(dir, "libcarousel.so"), filepath.Join(dir, "packets")
	run := func(name string, args ...string) string { return output(t, dir, name, args...) }
	run("go", "build", "-buildmode=c-shared", "-o", library, ".")
	client := buildClient(t, compiler, "client", library)
	if got := run(buildClient(t, compiler, "simulator", library)); got != "ok" {
		t.Error(got)
	}

	digest, copies, text := uniform(t, 0.1)
	must.Do(os.WriteFile(packets, text, 0o600))
	want := fmt.Sprintf("%s %d", digest, copies)
	cycles := fmt.Sprint(testCycles)
	if got := run(client, testConfiguration, packets, cycles); !strings.HasPrefix(got, want+" ") {
		t.Errorf("the client in C gets %s; want %s", got, want)
	}
	if python, err := exec.LookPath("python3"); err != nil {
		t.Log("there is no Python: its client is not tested")
	} else if got := run(python, "testdata/client.py", library, testConfiguration, packets, cycles); got != want {
		t.Errorf("the client in Python gets %s; want %s", got, want)
	} else {
		run(python, "testdata/module.py")
	}
}

// TestProgram: a network that is a program works like others, and one that ends in a call is named by the
// error of the call.
func TestProgram(t *testing.T) {
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("there is no C compiler")
	}
	const source = "../../noc/program/source/"
	build := func(name, network string) *network {
		path := filepath.Join(t.TempDir(), name)
		output(t, ".", cc, "-O1", "-I", source, "-o", path, network, source+"carousel_router_main.c")
		n := must.Get(open([]byte(fmt.Sprintf(`{"topology": "torus:4x4", "routers": ["program:%s"]}`, path))))
		t.Cleanup(func() { noc.Close(n.Network) })
		return n
	}
	n := build("relay", source+"relay.c")
	if n.next() != noc.Never {
		t.Errorf("an empty network has work in cycle %d", n.next())
	}
	must.Do(n.limitSink(9, 1, 1))
	for tag := range uint32(2) {
		n.offer(n.header(&packet{source: 3, tag: tag, phits: 2, class: 1, destinations: []uint32{9}}))
	}
	n.run(func() (*packet, bool) { return nil, false }, 200)
	if n.arrived.Len() != 1 || n.next() != 200 {
		t.Errorf("%d packets arrive in a sink for one; next work in cycle %d", n.arrived.Len(), n.next())
	}
	must.Do(n.freeSink(9, 1))
	n.run(func() (*packet, bool) { return nil, false }, 400)
	if n.arrived.Len() != 2 || n.next() != noc.Never {
		t.Errorf("%d packets have arrived; next work in cycle %d", n.arrived.Len(), n.next())
	}

	ends := filepath.Join(t.TempDir(), "ends.c")
	must.Do(os.WriteFile(ends, []byte("#define carousel_router_run relay_run\n#include \"relay.c\"\n#undef carousel_router_run\n"+
		"int carousel_router_run(void *network) { (void)network; exit(7); }\n"), 0o600))
	n = build("ends", ends)
	n.offer(n.header(&packet{source: 3, phits: 2, destinations: []uint32{9}}))
	n.start(10)
	if n.wait(); !n.broken || !strings.Contains(n.failure, "ends") || strings.Contains(n.failure, "defect") {
		t.Errorf("after a program has ended: broken %v, error %q", n.broken, n.failure)
	}
}

// TestRun: packets offered in one call, to a network whose queues are full, arrive in order of
// their lines, every one of them once.
func TestRun(t *testing.T) {
	n := must.Get(open([]byte(testConfiguration)))
	const packets = 400
	at := 0
	n.run(func() (*packet, bool) {
		if at == packets {
			return nil, false
		}
		at++
		return &packet{cycle: 5, source: 3, tag: uint32(at), phits: 5, class: 2, destinations: []uint32{3, 60}}, true
	}, 100)
	if n.Now() != 100 || n.lines.Len() == 0 {
		t.Errorf("at cycle %d, %d packets wait", n.Now(), n.lines.Len())
	}
	n.run(func() (*packet, bool) { return nil, false }, 100_000)
	seen := map[string]bool{}
	for _, d := range n.arrived.All() {
		seen[fmt.Sprint(d.Tag, d.At)] = true
	}
	if len(seen) != 2*packets || n.arrived.Len() != 2*packets || n.InFlight() != 0 {
		t.Errorf("%d deliveries, %d different ones, %d owed", n.arrived.Len(), len(seen), n.InFlight())
	}
}

// TestMistakes: what is wrong with a configuration or a packet is said, with the allowed values.
func TestMistakes(t *testing.T) {
	for text, want := range map[string]string{
		`{"routers": ["mmr"]}`:                                  "mrr",
		`{"routers": ["rr", "mrr"]}`:                            "name one",
		`{"rooters": ["mrr"]}`:                                  "routers",
		`{"topology": "torus:8by8"}`:                            "torus",
		`{"routers": ["mrr"], "traffic": {"x": 1}}`:             "traffic.x",
		`{"routers": ["mrr"], "network": "nothing"`:             "configuration",
		`{"routers": ["mrr"], "topology": "min:baseline:16:2"}`: "; use wormhole",
	} {
		if _, err := open([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want something about %q", text, err, want)
		}
	}
	if err := checkCount(math.MaxUint64, 32); err == nil || !strings.Contains(err.Error(), "at most 288230376151711743 packets") {
		t.Errorf("SIZE_MAX packets give error %v", err)
	}
	n := must.Get(open([]byte(testConfiguration)))
	good := packet{source: 1, phits: 5, class: 1, destinations: []uint32{2}}
	if err := n.check(0, &good); err != nil {
		t.Error(err)
	}
	for want, spoil := range map[string]func(p *packet){
		"source is 64":   func(p *packet) { p.source = 64 },
		"class is 6":     func(p *packet) { p.class = 6 },
		"phits is 0":     func(p *packet) { p.phits = 0 },
		"phits is 6":     func(p *packet) { p.phits = 6 },
		"no destination": func(p *packet) { p.destinations = nil },
		"destination 99": func(p *packet) { p.destinations = []uint32{2, 99} },
		"is given twice": func(p *packet) { p.destinations = []uint32{3, 2, 3} },
	} {
		p := good
		spoil(&p)
		if err := n.check(7, &p); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "packet 7") {
			t.Errorf("%v; want something about %q", err, want)
		}
	}
}

// TestLastCycle: a cycle that the result of a call cannot hold is refused.
func TestLastCycle(t *testing.T) {
	if err := checkUntil(math.MaxInt64); err != nil {
		t.Error(err)
	}
	for _, until := range []uint64{math.MaxInt64 + 1, math.MaxUint64} {
		if err := checkUntil(until); err == nil || !strings.Contains(err.Error(), "at most 9223372036854775807") {
			t.Errorf("until %d gives error %v", until, err)
		}
	}
}

// TestRoomForDeliveries: a call takes as many deliveries as there are and fit, and refuses room
// without an address.
func TestRoomForDeliveries(t *testing.T) {
	n := must.Get(open([]byte(testConfiguration)))
	for range 4 {
		n.arrived.Push(noc.Delivery{})
	}
	for _, c := range []struct {
		missing  bool
		capacity uint64
		want     int
	}{{false, 3, 3}, {false, math.MaxUint64, 4}, {false, 0, 0}, {true, 0, 0}} {
		if got, err := n.ready(c.missing, c.capacity); got != c.want || err != nil {
			t.Errorf("%+v: %d, error %v", c, got, err)
		}
	}
	if _, err := n.ready(true, 5); err == nil || !strings.Contains(err.Error(), "into is NULL, but capacity is 5") {
		t.Errorf("error %v", err)
	}
}
