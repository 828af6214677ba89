package plan

import "testing"

// FuzzParse reads anything as a plan: there is an error, or a plan without contradictions.
func FuzzParse(f *testing.F) {
	for _, text := range []string{small, "", "kind: run", "kind: messages\nset: {flits: 3}\nseeds: [1, 2]", "kind: traffic\naxes: {traffic.load: 0.1:0.5:0.1}",
		"kind: run\nquick: {variants: {a: {}}}", "kind: run\n---\nkind: run", "kind: run\nset: &a {b: *a}"} {
		f.Add([]byte(text), false)
		f.Add([]byte(text), true)
	}
	f.Fuzz(func(t *testing.T, content []byte, quick bool) {
		p, err := Parse("p.yaml", content, quick)
		if err == nil && (p.Runs < 1 || p.check() != nil) {
			t.Fatalf("%+v", p)
		}
	})
}
