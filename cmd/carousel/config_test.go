package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"github.com/spf13/viper"

	"github.com/carousel-sim/carousel/noc/topology"
)

// other makes a valid value that differs from v, in the form of a file and as text.
func other(t *testing.T, k key, v reflect.Value) (raw any, text string) {
	t.Helper()
	if names := choices(k.kind); names != nil {
		for _, n := range names {
			if n != fmt.Sprint(v.Interface()) {
				return n, n
			}
		}
	}
	switch kind := k.kind.Kind(); {
	case k.name == "topology":
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
	t.Fatalf("%s has type %s, which the test does not know", k.name, k.kind)
	return nil, ""
}

// TestEveryKeyFromEveryPlace sets each key, one at a time, in a file, in the environment and by --set,
// and expects the same settings, which differ from the defaults in that key alone.
func TestEveryKeyFromEveryPlace(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config.yaml")
	for _, k := range settingKeys() {
		if k.name == "power.clock_ghz" {
			continue // must agree with another key, see TestOneClock
		}
		raw, text := other(t, k, reflect.ValueOf(DefaultSettings()).FieldByIndex(k.field))
		want := expect(t, k, raw)
		writeYAML(t, file, k.name, raw)
		for place, from := range map[Origin]sources{
			Origin("file " + file):            {file: file},
			Origin("env " + variable(k.name)): {env: []string{"HOME=/", variable(k.name) + "=" + text}},
			"set":                             {set: []string{k.name + "=" + text}},
		} {
			c, err := load(from)
			if err != nil {
				t.Errorf("%s from %s: %v", k.name, place, err)
				continue
			}
			if !reflect.DeepEqual(c.Settings, want) {
				t.Errorf("%s=%s from %s: settings are\n%+v\nwant\n%+v", k.name, text, place, c.Settings, want)
			}
			for name, origin := range c.Origins {
				if name == k.name && origin != place || name != k.name && c.Given(name) {
					t.Errorf("%s from %s: origin of %s is %q", k.name, place, name, origin)
				}
			}
		}
	}
}

// expect is the default settings with one key changed, and with what follows from it.
func expect(t *testing.T, k key, raw any) Settings {
	t.Helper()
	want := DefaultSettings()
	value, err := convert(k.kind, raw)
	if err != nil {
		t.Fatalf("%s: %v", k.name, err)
	}
	want.Chip.Place.Columns = 8
	reflect.ValueOf(&want).Elem().FieldByIndex(k.field).Set(reflect.ValueOf(value))
	if k.name == "topology" {
		want.Network.Grid, want.Chip.Place.Columns = topology.Mesh(4, 2), 4
	}
	if k.name == "trace" || k.name == "twin" {
		want.Workload = ""
	}
	want.Power.ClockGHz = want.Chip.ClockGHz
	if want.Power.Validate() == nil {
		want.Power = want.Power.Effective()
	}
	return want
}

func writeYAML(t *testing.T, file, name string, raw any) {
	t.Helper()
	content, err := json.Marshal(raw) // JSON is YAML
	if err != nil {
		t.Fatal(err)
	}
	parts, indent := strings.Split(name, "."), ""
	var b strings.Builder
	for _, part := range parts[:len(parts)-1] {
		b.WriteString(indent + part + ":\n")
		indent += "  "
	}
	b.WriteString(indent + parts[len(parts)-1] + ": " + string(content) + "\n")
	if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestDefaultsAreTheStructures(t *testing.T) {
	c, err := load(sources{})
	if err != nil {
		t.Fatal(err)
	}
	want := DefaultSettings()
	want.Chip.Place.Columns, want.Power.ClockGHz = 8, want.Chip.ClockGHz // see derive
	want.Power = want.Power.Effective()
	if !reflect.DeepEqual(c.Settings, want) {
		t.Errorf("loaded\n%+v\nwant\n%+v", c.Settings, want)
	}
	if err := c.Validate(); err != nil {
		t.Errorf("the defaults are not valid: %v", err)
	}
}

func TestOneClock(t *testing.T) {
	c, err := load(sources{set: []string{"chip.clock_ghz=2"}})
	if err != nil || c.Power.ClockGHz != 2 || c.Origins["power.clock_ghz"] != "chip.clock_ghz" {
		t.Errorf("the network is priced at %g GHz (%v)", c.Power.ClockGHz, err)
	}
	if _, err = load(sources{set: []string{"power.clock_ghz=2"}}); err == nil || !strings.Contains(err.Error(), "chip.clock_ghz") {
		t.Errorf("two clocks give error %v", err)
	}
}

func TestLaterPlacesWin(t *testing.T) {
	file := filepath.Join(t.TempDir(), "c.yaml")
	os.WriteFile(file, []byte("chip:\n  core: {width: 2, window: 65, outstanding: 3, load_ports: 4}\nseed: 5\n"), 0o644)
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	flags.Uint64("seed", 1, "")
	flags.Bool("quiet", false, "")
	flags.Parse([]string{"--seed", "9", "--quiet"})
	c, err := load(sources{
		file: file, flags: flags, bound: map[string]string{"seed": "seed"},
		env: []string{"CAROUSEL_CHIP_CORE_WINDOW=66", "CAROUSEL_CHIP_CORE_OUTSTANDING=4", "CAROUSEL_SEED=6"},
		set: []string{"chip.core.outstanding=5", "seed=7", "chip.core.load_ports=2", "chip.core.load_ports=3"},
	})
	if err != nil {
		t.Fatal(err)
	}
	core := c.Chip.Core
	if core.Width != 2 || core.Window != 66 || core.Outstanding != 5 || core.LoadPorts != 3 || c.Seed != 9 {
		t.Errorf("core is %+v, seed %d", core, c.Seed)
	}
	if c.Origins["seed"] != "flag --seed" || c.Origins["chip.core.outstanding"] != "set" {
		t.Errorf("origins are %v", c.Origins)
	}
}

func TestMistakesAreNamed(t *testing.T) {
	dir := t.TempDir()
	file := func(content string) sources {
		path := filepath.Join(t.TempDir(), "c.yaml")
		os.WriteFile(path, []byte(content), 0o644)
		return sources{file: path}
	}
	for _, c := range []struct {
		name string
		from sources
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
		{"broken file", file("a: [\n"), []string{"c.yaml", "yaml"}},
		{"no such file", sources{file: filepath.Join(dir, "none.yaml")}, []string{"none.yaml", "no such file"}},
		{"misspelt in the environment", sources{env: []string{"CAROUSEL_CHIP_CORE_WINDWO=4"}}, []string{"CAROUSEL_CHIP_CORE_WINDWO", `"CAROUSEL_CHIP_CORE_WINDOW"`}},
		{"bad value in the environment", sources{env: []string{"CAROUSEL_SEED=x"}}, []string{"CAROUSEL_SEED", `"x"`}},
		{"misspelt in --set", sources{set: []string{"power.tech=45"}}, []string{`"power.tech"`, `"power.tech_nm"`}},
		{"no value in --set", sources{set: []string{"seed"}}, []string{"key=value"}},
		{"choice that does not exist", sources{set: []string{"chip.l1.policy=lruu"}}, []string{"lru", "tree-plru"}},
		{"too large", sources{set: []string{"seed=99999999999999999999999"}}, []string{"seed is"}},
	} {
		_, err := load(c.from)
		if err == nil || exitCode(err) != exitUsage {
			t.Errorf("%s: error %v with code %d", c.name, err, exitCode(err))
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
	var names []string
	for _, k := range settingKeys() {
		names = append(names, k.name)
		if keyFacts[k.name].doc == "" {
			t.Errorf("%s has no description in keyFacts", k.name)
		}
	}
	for name := range keyFacts {
		if !slices.Contains(names, name) {
			t.Errorf("keyFacts describes %s, which does not exist", name)
		}
	}
	for flag, name := range boundFlags {
		if !slices.Contains(names, name) {
			t.Errorf("--%s sets %s, which does not exist", flag, name)
		}
	}
}

func TestKeyNames(t *testing.T) {
	for field, want := range map[string]string{
		"StoreBuffer": "store_buffer", "ClockGHz": "clock_ghz", "L1": "l1", "TechNM": "tech_nm", "FIFO": "fifo",
		"BanksPerRouter": "banks_per_router", "VoltageV": "voltage_v", "Rule4Scope": "rule4_scope", "RR": "rr", "BaseMC": "base_mc",
	} {
		if got := keyName(field); got != want {
			t.Errorf("%s becomes %s; want %s", field, got, want)
		}
	}
}

// TestManifestConfiguresTheSameRun feeds the configuration of a manifest back as a file.
func TestManifestConfiguresTheSameRun(t *testing.T) {
	c, err := load(sources{set: []string{"chip.core.window=77", "routers=mrr,rr", "chip.l1.policy=tree-plru"}})
	if err != nil {
		t.Fatal(err)
	}
	values, given := manifestSettings(c)
	if given["chip.core.window"] != "set" || len(given) != 3 {
		t.Errorf("given are %v", given)
	}
	content, err := json.Marshal(values)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "m.yaml")
	os.WriteFile(file, content, 0o644)
	again, err := load(sources{file: file})
	if err != nil {
		t.Fatal(err)
	}
	a, _ := json.Marshal(c.Settings)
	b, _ := json.Marshal(again.Settings)
	if string(a) != string(b) {
		t.Errorf("read back\n%s\nwant\n%s", b, a)
	}
}

// TestSchemaKnowsEveryKey walks the schema along each key.
func TestSchemaKnowsEveryKey(t *testing.T) {
	content, err := json.Marshal(configurationSchema())
	if err != nil {
		t.Fatal(err)
	}
	v := viper.New()
	v.SetConfigType("json")
	if err := v.ReadConfig(strings.NewReader(string(content))); err != nil {
		t.Fatal(err)
	}
	for _, k := range settingKeys() {
		path := "properties." + strings.ReplaceAll(k.name, ".", ".properties.")
		if v.GetString(path+".type") == "" || v.GetString(path+".description") == "" {
			t.Errorf("the schema lacks type or description of %s", k.name)
		}
	}
	if v.Get("additionalProperties") != false || v.Get("properties.chip.additionalProperties") != false {
		t.Error("the schema allows unknown keys")
	}
}

func TestSuggestions(t *testing.T) {
	names := []string{"base", "base-mc", "rr", "mrr", "ideal", "wormhole"}
	for written, want := range map[string]string{
		"mmr": "mrr", "base-cm": "base-mc", "BASE": "base", "idael": "ideal", "worm": "", "quantum": "", "basemc": "base-mc",
	} {
		if got := nearest(written, names); got != want {
			t.Errorf("nearest to %s is %q; want %q", written, got, want)
		}
	}
}
