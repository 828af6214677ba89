package plan

import (
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/analysis/config"
)

// TestAllowed: each number has a range or takes any value, and each example is allowed.
func TestAllowed(t *testing.T) {
	want := map[string]string{"chip.core.window": "1 to 1024; 128", "chip.l1.sets": "a power of two from 1 to 16777216; 512", "network.buffered.channel_phits": "5 to 500; 20",
		"network.rotary.miss_limit": "1 to 1048576; 20", "power.profile": "O, O1, S; O1", "chip.cold": "true, false; true", "chip.protocol": "; ", "seed": "0 or more; 2"}
	without := 0
	for _, k := range config.Keys() {
		allowed, example := Allowed(k), Example(k)
		if w, named := want[k.Name]; named && w != allowed+"; "+example {
			t.Errorf("%s: %s; %s, want %s", k.Name, allowed, example, w)
		}
		if strings.Contains(allowed, "given by") || strings.HasPrefix(allowed, "use ") || len(allowed) > 200 {
			t.Errorf("%s: %s", k.Name, allowed)
		}
		if allowed == "" {
			without++
			t.Logf("%s takes any value, such as %s", k.Name, example)
		}
	}
	if without > 25 {
		t.Errorf("%d keys have no range", without)
	}
}
