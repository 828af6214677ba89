package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/topology"
)

// places are the settings of file, environment and --set, weakest first.
type places struct {
	file string
	env  []string
	set  []string
}

// load reads all places and lays them over each other.
func load(from places) (*Effective, error) {
	var layers []Layer
	if from.file != "" {
		layer, err := ReadFile(from.file)
		if err != nil {
			return nil, err
		}
		layers = append(layers, layer)
	}
	environment, err := Environment(from.env)
	if err != nil {
		return nil, err
	}
	set, err := Assignments(from.set)
	if err != nil {
		return nil, err
	}
	return New(append(layers, environment, set)...)
}

// other makes a valid value that differs from v, in the form of a file and as text.
func other(t *testing.T, k Key, v reflect.Value) (raw any, text string) {
	t.Helper()
	for _, name := range k.choices {
		if v.Kind() != reflect.String && name != fmt.Sprint(v.Interface()) {
			return name, name
		}
	}
	switch kind := k.kind.Kind(); {
	case k.Name == "topology":
		return "mesh:4x2", "mesh:4x2"
	case kind == reflect.Bool:
		return !v.Bool(), fmt.Sprint(!v.Bool())
	case kind == reflect.String:
		return v.String() + "x", v.String() + "x"
	case kind == reflect.Float64:
		return v.Float() + 0.5, fmt.Sprint(v.Float() + 0.5)
	case v.CanInt():
		return int(v.Int()) + 1, fmt.Sprint(v.Int() + 1)
	case v.CanUint():
		return int(v.Uint()) + 1, fmt.Sprint(v.Uint() + 1)
	case kind == reflect.Slice && k.kind.Elem().Kind() == reflect.Int:
		return []any{7, 9}, "7,9"
	case kind == reflect.Slice:
		return []any{"a", "b"}, "a, b"
	}
	t.Fatalf("%s has type %s, which the test does not know", k.Name, k.kind)
	return nil, ""
}

// TestEveryKeyFromEveryPlace sets each key, one at a time, in a file, in the environment and by
// --set, and expects the same settings, which differ from the defaults in that key alone.
func TestEveryKeyFromEveryPlace(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config.yaml")
	for _, k := range Keys() {
		if k.Name == "power.clock_ghz" {
			continue // must agree with another key, see TestOneClock
		}
		if k.in("network.link") {
			continue // changes the topology and the routers, see TestLinkKeys
		}
		raw, text := other(t, k, reflect.ValueOf(k.Value(Default())))
		want := expect(t, k, raw)
		writeYAML(t, file, k.Name, raw)
		for place, from := range map[Origin]places{
			{Kind: FromFile, Name: file, Line: strings.Count(k.Name, ".") + 1}: {file: file},
			{Kind: FromEnvironment, Name: k.Variable()}:                        {env: []string{"HOME=/", k.Variable() + "=" + text}},
			{Kind: FromSet}: {set: []string{k.Name + "=" + text}},
		} {
			c, err := load(from)
			if err != nil {
				t.Errorf("%s from %s: %v", k.Name, place, err)
				continue
			}
			if !reflect.DeepEqual(c.Config, want) {
				t.Errorf("%s=%s from %s: %v", k.Name, text, place, differences(c.Config, want))
			}
			for name, origin := range c.origins {
				if name == k.Name && origin != place || name != k.Name && c.Given(name) {
					t.Errorf("%s from %s: origin of %s is %q", k.Name, place, name, origin)
				}
			}
		}
	}
}

// differences lists the keys whose values differ.
func differences(got, want Config) (list []string) {
	for _, k := range Keys() {
		if a, b := Text(k.Value(got)), Text(k.Value(want)); a != b {
			list = append(list, fmt.Sprintf("%s is %s, want %s", k.Name, a, b))
		}
	}
	return list
}

// expect is the default settings with one key changed, and with what follows from it.
func expect(t *testing.T, k Key, raw any) Config {
	t.Helper()
	want := Default()
	value, err := k.convert(raw)
	if err != nil {
		t.Fatalf("%s: %v", k.Name, err)
	}
	want.Chip.Place.Columns = 8
	k.Set(&want, value)
	if k.Name == "topology" {
		want.Network.Grid, want.Chip.Place.Columns = topology.Mesh(4, 2), 4
	}
	if k.Name == "trace" || k.Name == "program.path" {
		want.Workload = ""
	}
	want.Power.ClockGHz, want.Chip.Memory.Latency = want.Chip.ClockGHz, want.Chip.ReadLatency()
	if want.Power.Validate() == nil {
		want.Power = want.Power.Effective()
	}
	return want
}

func writeYAML(t *testing.T, file, name string, raw any) {
	t.Helper()
	content := must.Get(json.Marshal(raw)) // JSON is YAML
	parts, indent := strings.Split(name, "."), ""
	var b strings.Builder
	for _, part := range parts[:len(parts)-1] {
		b.WriteString(indent + part + ":\n")
		indent += "  "
	}
	b.WriteString(indent + parts[len(parts)-1] + ": " + string(content) + "\n")
	must.Do(os.WriteFile(file, []byte(b.String()), 0o644))
}

func TestDefaultsAreTheStructures(t *testing.T) {
	c := must.Get(load(places{}))
	want := Default()
	want.Chip.Place.Columns, want.Power.ClockGHz = 8, want.Chip.ClockGHz // see derive
	want.Power = want.Power.Effective()
	if !reflect.DeepEqual(c.Config, want) {
		t.Error(differences(c.Config, want))
	}
	if err := c.Check(); err != nil {
		t.Errorf("the defaults are not valid: %v", err)
	}
}

// TestLinkKeys: keys of links change the links that they name, leave routers that take them, and say where there
// are none.
func TestLinkKeys(t *testing.T) {
	c := must.Get(load(places{set: []string{"topology=mesh:8x4", "network.link.x.cycles=4", "network.link.x.every=4", "network.link.y.bits=32"}}))
	if !slices.Equal(c.Routers, []string{"wormhole", "ideal"}) || c.Network.Other == nil {
		t.Fatalf("the network is %v, with routers %q", c.Network.Other, c.Routers)
	}
	g := c.Network.Grid
	for _, l := range c.Network.Other.Wiring.Channels {
		dim, _ := g.Direction(int(l.Out))
		switch a, b := g.Coordinate(l.From, 0), g.Coordinate(l.To, 0); {
		case dim == 1 && (l.Link == nil || *l.Link != topology.Link{Bits: 32}), a/4 != b/4 && (l.Link == nil || *l.Link != topology.Link{Cycles: 4}), dim == 0 && a/4 == b/4 && l.Link != nil:
			t.Errorf("from %d to %d is %+v", l.From, l.To, l.Link)
		}
	}
	for set, want := range map[string]string{
		"network.link.z.mm=2":       "network.link.z: torus:8x8 has no such dimension",
		"network.link.d2d.cycles=2": "network.link.d2d: torus:8x8 has no links of this class",
		"network.link.y.every=2":    "no value recurs; set cycles, bits or mm of network.link.y as well",
		"network.link.y.every=9":    "network.link.y.every is 9; 0 to 8 are allowed",
		"network.link.x.cycles=-1":  "network.link.x: latency is -1 cycles; 0 to 256 are allowed",
	} {
		if _, err := load(places{set: []string{set}}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", set, err, want)
		}
	}
}

// TestListsInTexts: an element in double quotes may have commas.
func TestListsInTexts(t *testing.T) {
	s, err := ParseText("routers", `base, "program:./a,b","program:./say ""c"""`, Origin{Kind: FromSet})
	if got := fmt.Sprintf("%q %v", s.Value, err); got != `["base" "program:./a,b" "program:./say \"c\""] <nil>` {
		t.Errorf("the list is %s", got)
	}
	for _, wrong := range []string{`"base`, "base\nmrr", `a "b"`} {
		if _, err := ParseText("routers", wrong, Origin{Kind: FromSet}); err == nil || !strings.Contains(err.Error(), "into double quotes") {
			t.Errorf("%q: %v", wrong, err)
		}
	}
}

func TestOneClock(t *testing.T) {
	c, err := load(places{set: []string{"chip.clock_ghz=2"}})
	if err != nil || c.Power.ClockGHz != 2 || c.Origin("power.clock_ghz").String() != "chip.clock_ghz" {
		t.Errorf("the network is priced at %g GHz (%v)", c.Power.ClockGHz, err)
	}
	if _, err = load(places{set: []string{"power.clock_ghz=2"}}); err == nil || !strings.Contains(err.Error(), "chip.clock_ghz") {
		t.Errorf("two clocks give error %v", err)
	}
}

// TestSetsOfLargeNetworks: the L2 does not grow with the network beyond its default size, unless its sets
// are given.
func TestSetsOfLargeNetworks(t *testing.T) {
	for _, c := range []struct {
		set    []string
		sets   int
		origin string
	}{
		{nil, 64, "default"},
		{[]string{"topology=torus:4x4"}, 64, "default"},
		{[]string{"topology=torus:16x16"}, 16, "topology"},
		{[]string{"topology=mesh:9x9"}, 32, "topology"},
		{[]string{"topology=torus:64x64"}, 1, "topology"},
		{[]string{"topology=torus:16x16", "chip.l2.sets=64"}, 64, "--set"},
	} {
		e := must.Get(load(places{set: c.set}))
		if e.Chip.L2.Sets != c.sets || e.Origin("chip.l2.sets").String() != c.origin {
			t.Errorf("%v: %d sets from %s; want %d from %s", c.set, e.Chip.L2.Sets, e.Origin("chip.l2.sets"), c.sets, c.origin)
		}
	}
}

// TestMemoryLatencyInNanoseconds: the latency in cycles follows from that in ns and from the clock, and of
// two latencies the one that is given in the stronger place counts.
func TestMemoryLatencyInNanoseconds(t *testing.T) {
	file := filepath.Join(t.TempDir(), "c.yaml")
	must.Do(os.WriteFile(file, []byte("chip: {memory: {latency: 100, latency_ns: 0}}\n"), 0o600))
	for _, c := range []struct {
		places
		cycles noc.Cycle
		origin string
	}{
		{places{}, 260, "default"},
		{places{set: []string{"chip.memory.latency_ns=65"}}, 260, "chip.memory.latency_ns"},
		{places{set: []string{"chip.memory.latency_ns=65", "chip.clock_ghz=1"}}, 65, "chip.memory.latency_ns"},
		{places{set: []string{"chip.memory.latency_ns=20.4", "chip.clock_ghz=2.5"}}, 51, "chip.memory.latency_ns"},
		{places{set: []string{"chip.memory.latency=130", "chip.clock_ghz=2"}}, 130, "--set"},
		{places{set: []string{"chip.memory.latency=130", "chip.memory.latency_ns=65", "chip.clock_ghz=2"}}, 130, "chip.memory.latency_ns"},
		{places{file: file, set: []string{"chip.memory.latency_ns=50"}}, 200, "chip.memory.latency_ns"},
		{places{env: []string{"CAROUSEL_CHIP_MEMORY_LATENCY_NS=65"}, set: []string{"chip.memory.latency=99"}}, 99, "--set"},
	} {
		e := must.Get(load(c.places))
		must.Do(e.Check())
		if e.Chip.Memory.Latency != c.cycles || e.Chip.ReadLatency() != c.cycles || e.Origin("chip.memory.latency").String() != c.origin {
			t.Errorf("%+v: %d cycles, %d in use, from %s; want %d from %s", c.places, e.Chip.Memory.Latency, e.Chip.ReadLatency(), e.Origin("chip.memory.latency"), c.cycles, c.origin)
		}
	}
	for want, set := range map[string][]string{
		"chip.memory.latency is 100, but chip.memory.latency_ns=65 is 260 cycles at 4 GHz; set one of them": {"chip.memory.latency=100", "chip.memory.latency_ns=65"},
		"chip.memory.latency_ns is -1; 0 to 1000000 are allowed (given by --set)":                           {"chip.memory.latency_ns=-1"},
		"chip.perturb is 2; 0 to 0 are allowed":                                                             {"chip.memory.latency_ns=0.1"},
	} {
		e, err := load(places{set: set})
		if err == nil {
			err = e.Check()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v; want %q", set, err, want)
		}
	}
}

func TestLaterPlacesWin(t *testing.T) {
	file := filepath.Join(t.TempDir(), "c.yaml")
	os.WriteFile(file, []byte("chip:\n  core: {width: 2, window: 65, outstanding: 3, load_ports: 4}\nchip.core.store_buffer: 5\n"), 0o644)
	c, err := load(places{
		file: file,
		env:  []string{"CAROUSEL_CHIP_CORE_WINDOW=66", "CAROUSEL_CHIP_CORE_OUTSTANDING=4"},
		set:  []string{"chip.core.outstanding=5", "chip.core.load_ports=2", "chip.core.load_ports=3"},
	})
	if err != nil {
		t.Fatal(err)
	}
	core := c.Chip.Core
	if core.Width != 2 || core.Window != 66 || core.Outstanding != 5 || core.LoadPorts != 3 || core.StoreBuffer != 5 {
		t.Errorf("core is %+v", core)
	}
	if c.Origin("chip.core.outstanding").Kind != FromSet || c.Origin("chip.core.window").String() != "CAROUSEL_CHIP_CORE_WINDOW" {
		t.Errorf("origins are %v", c.origins)
	}
	if o := c.Origin("chip.core.store_buffer"); o != (Origin{FromFile, file, 3}) || o.String() != file+":3" {
		t.Errorf("the origin of a dotted key is %+v", o)
	}
}

func TestMistakesAreNamed(t *testing.T) {
	dir := t.TempDir()
	file := func(content string) places {
		path := filepath.Join(t.TempDir(), "c.yaml")
		os.WriteFile(path, []byte(content), 0o644)
		return places{file: path}
	}
	for _, c := range []struct {
		name string
		from places
		want []string
	}{
		{"misspelt in a file", file("chip:\n  core:\n    windwo: 4\n"), []string{"c.yaml:3", `"chip.core.windwo"`, `"chip.core.window"`}},
		{"wrong section", file("core:\n  window: 4\n"), []string{`"core.window"`, `"chip.core.window"`}},
		{"text for a number", file("chip:\n  cores: many\n"), []string{"c.yaml:2", "chip.cores", `"many"`, "whole number"}},
		{"fraction for a whole number", file("runs: 1.5\n"), []string{"runs is 1.5", "whole number"}},
		{"negative", file("seed: -1\n"), []string{"seed is -1", "negative"}},
		{"number for a text", file("workload: 12\n"), []string{"workload is 12", "quotes"}},
		{"number for a switch", file("parquet: 1\n"), []string{"parquet is 1", "true or false"}},
		{"value for a section", file("chip: 4\n"), []string{"chip is a section"}},
		{"section for a value", file("seed:\n  a: 4\n"), []string{`"seed.a"`}},
		{"text for a list", file("routers: mrr\n"), []string{"routers", "list"}},
		{"given twice", file("chip:\n  cores: 4\nchip.cores: 5\n"), []string{"c.yaml:3", "chip.cores is given twice, first in line 2"}},
		{"too many keys", file("chip:\n" + strings.Repeat("  x: 1\n", 10_001)), []string{"c.yaml:2: a section with 10001 keys"}},
		{"two documents", file("seed: 1\n---\nseed: 2\n"), []string{"c.yaml:2", "second document"}},
		{"no mapping", file("- seed\n"), []string{"c.yaml:1", "keys with values"}},
		{"plan", file("kind: run\naxes: {seed: [1, 2]}\n"), []string{"c.yaml is a plan", "carousel sweep --dry-run"}},
		{"manifest of messages", file(`{"study": "a", "plan": {"kind": "messages"}, "configuration": {"flits": 3}}`), []string{"kind messages"}},
		{"edited manifest", file(`{"study": "a", "configuration": {"seed": 3}, "checksum": "sha256:` + strings.Repeat("0", 64) + `"}`),
			[]string{"c.yaml", "checksum does not match", `remove its line "checksum"`}},
		{"broken file", file("a: [\n"), []string{"c.yaml", "yaml"}},
		{"no such file", places{file: filepath.Join(dir, "none.yaml")}, []string{"none.yaml", "no such file"}},
		{"misspelt in the environment", places{env: []string{"CAROUSEL_CHIP_CORE_WINDWO=4"}}, []string{"CAROUSEL_CHIP_CORE_WINDWO", `"CAROUSEL_CHIP_CORE_WINDOW"`}},
		{"bad value in the environment", places{env: []string{"CAROUSEL_SEED=x"}}, []string{"CAROUSEL_SEED", `"x"`}},
		{"misspelt in --set", places{set: []string{"power.tech=45"}}, []string{`"power.tech"`, `"power.tech_nm"`}},
		{"no value in --set", places{set: []string{"seed"}}, []string{"key=value"}},
		{"choice that does not exist", places{set: []string{"chip.l1.policy=lruu"}}, []string{`"lruu"`, "lru", "tree-plru", "did you mean"}},
		{"too large", places{set: []string{"seed=99999999999999999999999"}}, []string{"seed is"}},
	} {
		_, err := load(c.from)
		if err == nil || errors.As(err, new(*InputError)) {
			t.Errorf("%s: error %v", c.name, err)
			continue
		}
		for _, part := range c.want {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%s: the message lacks %s: %v", c.name, part, err)
			}
		}
	}
}

func TestEveryKeyIsDescribed(t *testing.T) {
	for _, k := range Keys() {
		if k.Doc == "" {
			t.Errorf("%s has no description; add the tag doc to its field", k.Name)
		}
	}
}

func TestKeyNames(t *testing.T) {
	for field, want := range map[string]string{
		"StoreBuffer": "store_buffer", "ClockGHz": "clock_ghz", "L1": "l1", "TechNM": "tech_nm", "FIFO": "fifo",
		"BanksPerRouter": "banks_per_router", "VoltageV": "voltage_v", "RR": "rr", "BaseMC": "base_mc",
	} {
		if got := keyName(field); got != want {
			t.Errorf("%s becomes %s; want %s", field, got, want)
		}
	}
}

// TestManifestConfiguresTheSameRun feeds the configuration of a manifest back as a file.
func TestManifestConfiguresTheSameRun(t *testing.T) {
	c := must.Get(load(places{set: []string{"chip.core.window=77", "routers=mrr,rr", "chip.l1.policy=tree-plru"}}))
	values, given := c.Nested()
	if given["chip.core.window"] != "--set" || len(given) != 3 {
		t.Errorf("given are %v", given)
	}
	content := must.Get(json.Marshal(values))
	file := filepath.Join(t.TempDir(), "m.yaml")
	os.WriteFile(file, content, 0o644)
	again := must.Get(load(places{file: file}))
	if !reflect.DeepEqual(c.Config, again.Config) {
		t.Errorf("read back: %v", differences(again.Config, c.Config))
	}
}

// TestSchemaKnowsEveryKey follows each key through the schema.
func TestSchemaKnowsEveryKey(t *testing.T) {
	root := Schema()
	for _, k := range Keys() {
		section, name := root, k.Name
		for first, rest, nested := strings.Cut(name, "."); nested; first, rest, nested = strings.Cut(name, ".") {
			if section["additionalProperties"] != false {
				t.Fatalf("%s: a section above it allows unknown keys", k.Name)
			}
			section, name = section["properties"].(map[string]any)[first].(map[string]any), rest
		}
		at, ok := section["properties"].(map[string]any)[name].(keySchema)
		if !ok || at["type"] == nil || at["description"] == "" {
			t.Errorf("the schema of %s is %v", k.Name, at)
		}
		if allowed, closed := at["enum"].([]string); closed && !slices.Contains(allowed, Text(k.Value(Default()))) {
			t.Errorf("the default of %s, %v, is not among %v", k.Name, k.Value(Default()), allowed)
		}
	}
}

// TestBlameOfPrograms: the error of a router that is a program names the routers, without further checks,
// each of which would start the program again.
func TestBlameOfPrograms(t *testing.T) {
	e := must.Get(load(places{set: []string{"routers=program:./mynet", "network.program.arguments=x"}}))
	err := e.Blame(&noc.Failure{Err: errors.New("hangs")}, func(Config) error {
		t.Error("checked again")
		return nil
	})
	if err == nil || err.Error() != "hangs (given by --set)" {
		t.Error(err)
	}
}
