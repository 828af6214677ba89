package checks

import (
	"fmt"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/noc/leaf/must"
)

// TestHandOffs: nanoseconds of all round trips become cycles of one hand-off; output that is no number is refused.
func TestHandOffs(t *testing.T) {
	var output strings.Builder
	for i := range 101 {
		fmt.Fprintln(&output, 1000+10*i)
	}
	run := tables.Run{Router: "mrr", ProgramOutput: tables.Some(output.String())}
	got := must.Get(HandOffs([]tables.Run{run}, 10, 2))
	want := HandOff{"simulated, mrr", 101, 105, 150, 150, 195, 1.86}
	if len(got) != 1+len(published) || got[0] != want {
		t.Errorf("%+v, want %+v", got[0], want)
	}
	if text := fmt.Sprint(HandOffSheet(got)); !strings.Contains(text, "Graviton2, 64 Neoverse N1: mean +26 %, spread +34 %") {
		t.Error(text)
	}
	for _, wrong := range []string{"", "12\nx\n"} {
		run.ProgramOutput.Value = wrong
		if _, err := HandOffs([]tables.Run{run}, 10, 2); err == nil {
			t.Errorf("%q is accepted", wrong)
		}
	}
}
