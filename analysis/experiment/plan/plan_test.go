package plan

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/workloads/riscv/kernels"
)

const small = `title: A small plan
kind: traffic
set:
  topology: torus:4x4
  traffic: {cycles: 600, warmup: 100}
axes:
  routers: [base, mrr]
  traffic.load: 0.1:0.3:0.1
variants:
  usual: {}
  deep: {network.buffered.channel_phits: 20}
seeds: 2
quick:
  axes: {routers: [ideal]}
  seeds: [7]
`

func labels(x *Expansion) (list []string) {
	for _, p := range x.Points {
		list = append(list, p.Label)
	}
	return list
}

// TestExpandOrder: variants, then axes with the last one fastest, then seeds.
func TestExpandOrder(t *testing.T) {
	p := must.Get(Parse("small.yaml", []byte(small), false))
	x := must.Get(p.Expand(nil, nil))
	if len(x.Points) != 2*2*3*2 {
		t.Fatalf("%d points: %q", len(x.Points), labels(x))
	}
	var seen []string
	for _, point := range x.Points {
		seen = append(seen, fmt.Sprint(point.Axes))
	}
	if want := "[{variant usual} {routers base} {traffic.load 0.1}]"; seen[0] != want || seen[1] != want {
		t.Errorf("the first points are %s and %s; want %s twice, with two seeds", seen[0], seen[1], want)
	}
	if want := "[{variant usual} {routers base} {traffic.load 0.2}]"; seen[2] != want {
		t.Errorf("the third point is %s; want %s", seen[2], want)
	}
	if want := "[{variant usual} {routers mrr} {traffic.load 0.1}]"; seen[6] != want {
		t.Errorf("the seventh point is %s; want %s", seen[6], want)
	}
	m := x.Manifest(false)
	values := m.Configuration.(map[string]any)
	if _, there := values["routers"]; there || m.Given["topology"] != "small.yaml:4" || m.Plan.Points != len(x.Points) {
		t.Errorf("the manifest has %v, given %v", values["routers"], m.Given)
	}
}

// writeWindows writes a trace of one core with so many windows, in each of which it loads a block.
func writeWindows(path string, windows int) error {
	m := traces.DefaultMetadata("test", 1)
	m.Windows = make([]traces.Window, windows)
	for i := range m.Windows {
		m.Windows[i].After = uint64(100 * i)
	}
	w, err := traces.CreateFile(path, m, traces.DefaultWriterConfig())
	if err != nil {
		return err
	}
	for i := range windows {
		records := []traces.Record{{Kind: traces.Load, Size: 3, Address: uint64(i) * 64, Instructions: 1}, {Kind: traces.End, Instructions: 1}}
		if err := w.WriteRecords(i, records); err != nil {
			return err
		}
	}
	return w.Close()
}

// TestExpandCounts: the axes decide together how many points a combination has. Windows 0, 2 and 9 of a trace
// with five windows share points.
func TestExpandCounts(t *testing.T) {
	trace := filepath.Join(t.TempDir(), "windows.trace")
	must.Do(writeWindows(trace, 5))
	chips := "kind: run\nset: {topology: \"torus:4x4\", chip.cold: true, synthetic: {cores: 4, records: 20}, workload: \"\"}\n"
	for name, c := range map[string]struct {
		text  string
		count int
	}{
		"no axes": {"kind: traffic\nset: {topology: \"torus:4x4\"}\nseeds: 3", 4 * 3},
		"lists": {"kind: traffic\nset: {topology: \"torus:4x4\"}\naxes: {routers: [[base, mrr], [ideal]], traffic.loads: [0.1:0.3:0.1, 0.5:0.5:0.1], traffic.pattern: [uniform, tornado]}\nseeds: [5, 7]",
			3 * (3 + 1) * 2 * 2},
		"routers of a topology": {"kind: traffic\nset: {traffic.load: 0.1}\naxes: {topology: [\"torus:4x4\", \"lattice:16:1\"]}", 4 + 3},
		"searches":              {"kind: traffic\nset: {topology: \"torus:4x4\", routers: mrr, traffic: {step: 0.25}}\naxes: {traffic.saturation: [true, false]}", 2},
		"windows":               {chips + "axes: {routers: [[base, mrr], [ideal]], windows: [0, 2, 9], trace: [" + trace + "]}", 3 * 5},
		"windows and workloads": {chips + "variants: {trace: {trace: " + trace + "}, two: {workload: \"locks-and-barriers,producer-consumer\"}}\naxes: {routers: [ideal], windows: [1, 3]}", 1 + 3 + 2 - 1},
		"messages":              {"kind: messages\nset: {topology: \"mesh:4x4\"}\naxes: {destinations: [2, 3, 4]}\nseeds: 2", 6},
	} {
		p, err := Parse("p.yaml", []byte(c.text), false)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if x, err := p.Expand(nil, nil); err != nil || len(x.Points) != c.count {
			t.Errorf("%s: %d points are made (%v); want %d", name, len(x.Points), err, c.count)
		}
	}
}

// TestManyPoints: a plan with too many points or combinations is refused, and points hold little.
func TestManyPoints(t *testing.T) {
	numbers := func(from, to int) string {
		var list []string
		for i := from; i < to; i++ {
			list = append(list, fmt.Sprint(i))
		}
		return "[" + strings.Join(list, ", ") + "]"
	}
	plan := func(lengths, warmups string) *Plan {
		p := must.Get(Parse("p.yaml", []byte("kind: traffic\nset: {topology: \"torus:4x4\", routers: mrr}\naxes: {traffic.cycles: "+lengths+", traffic.warmup: "+warmups+"}\nseeds: 50"), false))
		return p
	}
	seeds := must.Get(Parse("p.yaml", []byte("kind: traffic\nset: {topology: \"torus:4x4\", traffic.loads: 0.01:0.2:0.01}\nseeds: 10000"), false))
	for want, p := range map[string]*Plan{"there are 800000 points or more": seeds, "there are 100100 combinations": plan(numbers(2000, 3001), numbers(0, 100))} {
		if _, err := p.Expand(nil, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("too many points: %v; want %s", err, want)
		}
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	x := must.Get(plan(numbers(2000, 2010), numbers(0, 10)).Expand(nil, nil))
	runtime.GC()
	runtime.ReadMemStats(&after)
	if each := (after.HeapAlloc - before.HeapAlloc) / uint64(len(x.Points)); len(x.Points) != 5000 || each > 8192 {
		t.Errorf("%d points hold %d bytes each; at most 8192 are allowed", len(x.Points), each)
	}
	runtime.KeepAlive(x)
}

// TestExpandStops: the making of points ends as soon as it is told to.
func TestExpandStops(t *testing.T) {
	p := must.Get(Parse("small.yaml", []byte(small), false))
	asked, stop := 0, errors.New("stop")
	p.Stopped = func() error {
		if asked++; asked > 9 { // in the middle of the combinations
			return stop
		}
		return nil
	}
	if _, err := p.Expand(nil, nil); !errors.Is(err, stop) || asked != 10 {
		t.Errorf("asked %d times: %v", asked, err)
	}
}

// TestChangedFile: a plan reads the files that its networks depend on once. A point measures what was planned.
func TestChangedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ring.graph")
	must.Do(os.WriteFile(path, []byte("switches 3\nlink 0 1\nlink 1 2\nlink 2 0\n"), 0o600))
	p := must.Get(Parse("p.yaml", []byte("kind: traffic\nset: {topology: \"graph:"+path+"\", traffic: {cycles: 300, warmup: 100}}"), false))
	x := must.Get(p.Expand(nil, nil))
	must.Do(os.WriteFile(path, []byte("switches 3\nlink 0 1\nlink 1 2\n"), 0o600))
	if rows, err := x.Points[0].Run(t.Context(), func(experiment.Progress) {}); err != nil || len(rows.Links) != 6 {
		t.Errorf("%d links are measured: %v", len(rows.Links), err)
	}
}

// TestNumbersOfWindowsOfPrograms: the windows of a program are others if there are more of them.
func TestNumbersOfWindowsOfPrograms(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kernels")
	must.Do(os.WriteFile(path, kernels.Executable, 0o600))
	p := must.Get(Parse("p.yaml", []byte("kind: run\nset: {program: {path: "+path+", arguments: counter 2 8, threads: 2, window_instructions: 500}}\n"+
		"axes: {windows: [0, 1, 3], routers: [[ideal]]}"), false))
	if x := must.Get(p.Expand(nil, nil)); len(x.Points) != 1+1+3 {
		t.Errorf("%d points: %q", len(x.Points), labels(x))
	}
}

func TestQuickReplaces(t *testing.T) {
	p := must.Get(Parse("small.yaml", []byte(small), true))
	x, err := p.Expand(nil, nil)
	if err != nil || len(x.Points) != 2*3 {
		t.Fatalf("%q (%v)", labels(x), err)
	}
}

// TestSettingsAboveAndBelow: those below are weaker than the plan, those above stronger, and what
// the plan varies cannot be set.
func TestSettingsAboveAndBelow(t *testing.T) {
	p := must.Get(Parse("small.yaml", []byte(small), false))
	layer := func(text string) config.Layer {
		l := must.Get(config.Assignments([]string{text}))
		return l
	}
	x, err := p.Expand(layer("traffic.cycles=500"), layer("traffic.warmup=200"))
	if err != nil || x.First.Traffic.Cycles != 600 || x.First.Traffic.Warmup != 200 {
		t.Errorf("traffic is %+v (%v)", x.First.Traffic, err)
	}
	if _, err := p.Expand(nil, layer("network.buffered.channel_phits=30")); err == nil || !strings.Contains(err.Error(), "small.yaml varies network.buffered.channel_phits; change the plan") {
		t.Errorf("a key that the plan varies is set: %v", err)
	}
}

func TestMistakesInPlans(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"empty":             {"", "the plan is empty"},
		"no kind":           {"set: {topology: torus:4x4}", "kind is missing"},
		"unknown kind":      {"kind: trafic", `p.yaml:1: kind is "trafic"`},
		"unknown section":   {"kind: run\naxis: {}", `p.yaml:2: unknown key "axis"; a plan has title`},
		"twice":             {"kind: run\nset: {runs: 1, jobs: 2}", "p.yaml:2: runs cannot be part of a plan; use seeds"},
		"nested and dotted": {"kind: traffic\nset:\n  traffic.load: 0.1\n  traffic: {load: 0.2}", "p.yaml:4: traffic.load is given twice, first in line 3"},
		"axis and set":      {"kind: traffic\nset: {traffic.load: 0.1}\naxes: {traffic.load: [0.1]}", "traffic.load is an axis (line 3) and is set"},
		"axis and variant":  {"kind: traffic\naxes: {traffic.load: [0.1]}\nvariants:\n  a: {traffic.load: 1}", "p.yaml:4: variant a sets traffic.load"},
		"list of variants":  {"kind: run\nvariants: [{name: a}]", "p.yaml:2: variants must have keys with values, such as NAME: {KEY: VALUE}"},
		"no list":           {"kind: traffic\naxes: {traffic.load: 1}", "axis traffic.load must be a list"},
		"twice in an axis":  {"kind: traffic\naxes: {routers: [rr, rr]}", "axis routers has rr twice"},
		"seeds":             {"kind: run\nseeds: 0", "write a number from 1"},
		"wrong in quick":    {"kind: run\nquick: {axes: {seed: 3}}", "seed cannot be part of a plan"},
	} {
		if _, err := Parse("p.yaml", []byte(c.text), false); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v; want %s", name, err, c.want)
		}
	}
	for name, c := range map[string]struct{ text, want string }{
		"misspelt key":      {"kind: traffic\nset: {traffic.lod: 1}", `p.yaml:2: unknown key "traffic.lod"; did you mean "traffic.load"?`},
		"value of no sense": {"kind: traffic\nset: {topology: torus:4x4, traffic: {pattern: nonsense, cycles: 200, warmup: 10}}", "traffic.pattern"},
		"message key":       {"kind: messages\nset: {flit: 3}", `p.yaml:2: unknown key "flit"; did you mean "flits"?`},
		"message value":     {"kind: messages\nset: {flits: long}", `p.yaml:2: flits is "long"; a whole number is needed`},
	} {
		p, err := Parse("p.yaml", []byte(c.text), false)
		if err == nil {
			_, err = p.Expand(nil, nil)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v; want %s", name, err, c.want)
		}
	}
	if _, err := Read(filepath.Join(t.TempDir(), "none.yaml"), false); !errors.As(err, new(*config.InputError)) {
		t.Errorf("a plan that is not there gives %v", err)
	}
}

// TestWrongValueIsBlamedOnItsPlace: the message of a network names the place of the key behind it.
func TestWrongValueIsBlamedOnItsPlace(t *testing.T) {
	for text, want := range map[string]string{
		"network.rotary.slot_phits=99":                                 "(given by --set)",
		"network.buffered.channel_phits=7":                             "(given by --set)",
		"chip.l1.ways=3,chip.l1.policy=tree-plru":                      "(chip.l1.ways given by --set, chip.l1.policy given by --set)",
		"power.clock_gating=false,power.profile=S":                     "(power.profile given by --set, power.clock_gating given by --set)",
		"chip.perturb=300":                                             "(given by --set)",
		"chip.interface_slots=4,routers=wormhole-ideal,chip.l2.ways=8": "(routers given by --set, chip.interface_slots given by --set)",
	} {
		layer := must.Get(config.Assignments(strings.Split(text, ",")))
		c := must.Get(config.New(layer))
		if err := Check(c); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: %v; want %s", text, err, want)
		}
	}
}

// TestOneInput: a trace and a workload cannot both be replayed.
func TestOneInput(t *testing.T) {
	layer := must.Get(config.Assignments([]string{"trace=a.trace", "workload=is"}))
	c := must.Get(config.New(layer))
	if _, err := OpenWorkload(context.Background(), c); err == nil || !strings.Contains(err.Error(), `workload is "is" (given by --set) and trace is "a.trace"`) {
		t.Errorf("two inputs give %v", err)
	}
	damaged := filepath.Join(t.TempDir(), "d.trace")
	os.WriteFile(damaged, []byte("no trace"), 0o644)
	if _, err := OpenTrace(context.Background(), damaged, 1<<30); !errors.As(err, new(*config.InputError)) {
		t.Errorf("a damaged trace gives %v", err)
	}
}

// TestChoicesAreAllThereAre: for every key that lists what it can be, something else is refused
// before a study begins, and each of the names is read.
func TestChoicesAreAllThereAre(t *testing.T) {
	refused := func(texts ...string) bool {
		layer, err := config.Assignments(texts)
		if err != nil {
			return true
		}
		c, err := config.New(layer)
		if err != nil || Check(c) != nil {
			return true
		}
		if _, err = NetworksAlone(c); err == nil {
			_, err = Chips(context.Background(), c)
		}
		return err != nil
	}
	usual := []string{"routers=base,mrr,wormhole,wormhole-ideal", "workload=producer-consumer", "synthetic.records=10"}
	if refused(usual...) {
		t.Fatal("the usual settings are refused")
	}
	for _, k := range config.Keys() {
		choices := config.Extra{}.Choices(k)
		if choices == nil {
			continue
		}
		if !refused(append(usual, k.Name+"=nonsense")...) {
			t.Errorf("%s=nonsense is taken, but %q are all choices", k.Name, choices)
		}
		for _, name := range choices {
			if s, err := config.ParseText(k.Name, name, config.Origin{}); err != nil || config.Text(s.Value) != name {
				t.Errorf("%s=%s is read as %v (%v)", k.Name, name, s.Value, err)
			}
		}
	}
}

// TestMessageKeysAreDescribed: the manual lists them.
func TestMessageKeysAreDescribed(t *testing.T) {
	for _, k := range messageKeys {
		if k.Doc == "" {
			t.Errorf("%s has no description; add the tag doc to its field", k.Name)
		}
	}
}

// TestAxisKeys: what the package takes for keys of axes are such keys.
func TestAxisKeys(t *testing.T) {
	for _, key := range labelled {
		if !slices.Contains(AxisKeys(), key) {
			t.Errorf("no axis has the key %q", key)
		}
	}
}

// TestSameResults: keys that change no result are those whose descriptions say so.
func TestSameResults(t *testing.T) {
	for _, k := range config.Keys() {
		if says := strings.Contains(k.Doc, "same results"); says != slices.Contains(sameResults, k.Name) {
			t.Errorf("%s: its description says so: %v", k.Name, says)
		}
	}
}
