package config

import "testing"

// FuzzFile reads anything as a configuration file: there is an error, or a layer that a
// configuration can be made of.
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

// FuzzText reads anything as the value of a key: there is an error, or a value whose text reads as
// the same.
func FuzzText(f *testing.F) {
	for i, text := range []string{"7", "lru", "a,,b", "NaN", "T", "1, 2,x", "0x10", "18446744073709551615", `base,"program:./a,b ""c"" "`, "[1 2]", "-1e3"} {
		f.Add(uint(i), text)
	}
	keys := Keys()
	f.Fuzz(func(t *testing.T, key uint, text string) {
		name := keys[key%uint(len(keys))].Name
		s, err := ParseText(name, text, Origin{Kind: FromSet})
		if err != nil {
			return
		}
		if again, err := ParseText(name, Text(s.Value), s.Origin); err != nil || Text(again.Value) != Text(s.Value) {
			t.Fatalf("%s=%q is %s, which reads as %v (%v)", name, text, Text(s.Value), again.Value, err)
		}
	})
}
