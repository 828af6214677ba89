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
	for written, want := range map[string]string{"mmr": `; did you mean "mrr"?`, "MESI": `; did you mean "directory"? This is the name of MESI here`} {
		if got := Text(written, names); got != want {
			t.Errorf("it says %q, want %q", got, want)
		}
	}
}
