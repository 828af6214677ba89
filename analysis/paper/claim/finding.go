package claim

import (
	"fmt"
	"math"
	"strings"

	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// Finding is what the measurements say about a claim, or about a part of one.
type Finding struct {
	Measured, CI tables.Maybe[float64]
	Verdict      string // tables.Confirmed, NotConfirmed or Open
	// Reason says why the verdict is not confirmed. Detail has the numbers behind it.
	Reason, Detail string
}

// nothing is the finding when what a claim is about was not measured.
func nothing(why string) Finding { return Finding{Verdict: tables.Open, Detail: why, Reason: why} }

// setMeasured puts an estimate into a finding.
func (f *Finding) setMeasured(e metrics.Estimate) {
	if !e.OK || math.IsNaN(e.Mean) {
		return
	}
	f.Measured = tables.Some(e.Mean)
	if e.N > 1 {
		f.CI = tables.Some(e.HalfWidth())
	}
}

// join is the finding of several parts: confirmed when all are, not confirmed when one is not. The
// measured value is that of the first.
func join(parts []Finding) Finding {
	f := parts[0]
	var details, reasons []string
	for _, p := range parts {
		details = append(details, p.Detail)
		if p.Verdict == tables.NotConfirmed || p.Verdict == tables.Open && f.Verdict == tables.Confirmed {
			f.Verdict = p.Verdict
		}
	}
	for _, p := range parts {
		if p.Verdict == f.Verdict && p.Reason != "" {
			reasons = append(reasons, p.Reason)
		}
	}
	f.Detail, f.Reason = strings.Join(details, "; "), shortList(reasons)
	return f
}

// shortList joins the first few of a list.
func shortList(list []string) string {
	const shown = 6
	if len(list) > shown {
		return strings.Join(list[:shown], "; ") + fmt.Sprintf("; and %d more", len(list)-shown)
	}
	return strings.Join(list, "; ")
}
