package suggest

import "testing"

func TestNearest(t *testing.T) {
	names := []string{"base", "base-mc", "rr", "mrr", "ideal", "wormhole", "token", "directory", "msi", "chip.core.window"}
	for written, want := range map[string]string{
		"mmr": "mrr", "base-cm": "base-mc", "BASE": "base", "idael": "ideal", "worm": "wormhole", "dire": "directory", "wo": "", "bas": "base", "quantum": "", "basemc": "base-mc",
		"mesi": "directory", "TokenCMP": "token", "core.window": "chip.core.window", "": "",
	} {
		if got := Nearest(written, names); got != want {
			t.Errorf("nearest to %q is %q; want %q", written, got, want)
		}
	}
	if got := Text("mmr", names); got != `; did you mean "mrr"?` {
		t.Error(got)
	}
}
