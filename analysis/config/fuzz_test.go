package config

import "testing"

// FuzzFile reads anything as a configuration file: there is an error, or a layer that a configuration can be
// made of.
func FuzzFile(f *testing.F) {
	for _, text := range []string{"", "seed: 7", "chip:\n  core: {window: 3}\n  l1.policy: lru\n", "routers: [rr, mrr]", "a: &x {b: *x}", "chip: {<<: {clock_ghz: 2}}",
		"seed: 7\n---\nseed: 8", "? [a]\n: b", "topology: lattice:16:1", "{\"study\": \"a\", \"configuration\": {\"seed\": 1}}", "seed: 18446744073709551615"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		layer, err := Parse("f.yaml", content)
		if err != nil {
			return
		}
		for _, s := range layer {
			if s.Origin.Line < 1 || s.Key.Name == "" {
				t.Fatalf("%+v has no place", s)
			}
			if s.Key.Name == "topology" {
				return // a large network takes its time
			}
		}
		if c, err := New(layer); err == nil {
			c.Check()
		}
	})
}

// FuzzSet reads anything as key=value.
func FuzzSet(f *testing.F) {
	for _, text := range []string{"seed=7", "chip.l1.policy=lru", "routers=a,,b", "chip.core", "traffic.load=NaN", "parquet=T", "chip.place.core_list=1, 2,x"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		layer, err := Assignments([]string{text})
		if err == nil && (len(layer) != 1 || layer[0].Origin.Kind != FromSet) {
			t.Fatalf("%q is %+v", text, layer)
		}
		if err != nil {
			return
		}
		s := layer[0]
		if again, err := ParseText(s.Key.Name, Text(s.Value), s.Origin); err != nil || Text(again.Value) != Text(s.Value) {
			t.Fatalf("%q is %s, which reads as %v (%v)", text, Text(s.Value), again.Value, err)
		}
	})
}
