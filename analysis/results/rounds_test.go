package results

import (
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/result"
)

// TestForecast: a ratio whose interval says nothing is not known; the sentence has no number. Nor has it one that nobody
// can replay.
func TestForecast(t *testing.T) {
	for want, next := range map[string]metrics.Estimate{
		"--until: after 4 windows mrr takes 0.950 ± 0.020 of the time of base with lu.":         {Mean: 0.95, Low: 0.93, High: 0.97, N: 4, OK: true},
		"--until: after 4 windows the ratio of the times of mrr and base with lu is not known.": {Mean: 0.9, Low: -0.1, High: 1.9, N: 4, OK: true},
	} {
		a := &result.Application{Name: "lu", Rows: []result.Row{{Name: "mrr", Next: next}, {Name: "base"}}}
		if got := forecast(a, 0.01, 5); len(got) < len(want) || got[:len(want)] != want {
			t.Errorf("%+v: %q does not start with %q", next, got, want)
		}
		if got := forecast(a, 0.0003, 5); next.Mean > 0.9 && !strings.HasSuffix(got, ". More windows will not give ±0.03 %: it takes more than 1,000.") {
			t.Error(got)
		}
	}
}
