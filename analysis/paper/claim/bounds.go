package claim

import (
	"fmt"
	"math"
	"strings"

	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// tie is the largest difference that is none.
const tie = 0.005

// bounds are those that a part asks for: values between them, without them, hold.
func (p *Part) bounds() (low, high float64) {
	low, high = math.Inf(-1), math.Inf(1)
	if p.Above != nil {
		low = *p.Above
	}
	if p.Below != nil {
		high = *p.Below
	}
	if p.Gain != nil {
		if low, high = 1+*p.Gain/2, 1+2**p.Gain; *p.Gain < 0 { // a reduction cannot be larger than the whole
			low, high = max(0, high), low
		}
	}
	return low, high
}

// asked are the bounds in words.
func (p *Part) asked() string {
	low, high := p.bounds()
	switch {
	case math.IsInf(low, -1):
		return fmt.Sprintf("below %.4g", high)
	case math.IsInf(high, 1):
		return fmt.Sprintf("above %.4g", low)
	}
	return fmt.Sprintf("between %.4g and %.4g", low, high)
}

// beyond is by how much a value is outside the bounds; below 0 it is inside.
func (p *Part) beyond(v float64) float64 {
	low, high := p.bounds()
	return max(low-v, v-high)
}

// sides counts the estimates that hold with 95 % confidence, that contradict with it, that do
// neither, and that were not measured.
type sides struct{ hold, contradict, undecided, missing int }

// verdict is confirmed when all hold, not confirmed when one contradicts, and open otherwise.
func (n sides) verdict() string {
	switch {
	case n.contradict > 0:
		return tables.NotConfirmed
	case n.undecided > 0 || n.missing > 0 || n.hold == 0:
		return tables.Open
	}
	return tables.Confirmed
}

// tally holds estimates to the bounds of a part.
type tally struct {
	part       *Part
	what       string // is judged
	n          sides
	worst      metrics.Estimate // speaks most against the claim
	where      string           // the worst is
	exceptions []string
}

// side is that of an estimate: 1 holds, -1 contradicts, 0 is neither.
func (p *Part) side(e metrics.Estimate) int {
	low, high := p.bounds()
	switch {
	case p.Tie && math.Min(e.Low, e.Mean) > 1-tie && math.Max(e.High, e.Mean) < 1+tie, e.High < low, e.Low > high:
		return -1
	case e.Low > low && e.High < high:
		return 1
	}
	return 0
}

// add counts an estimate; one that is not OK is missing.
func (t *tally) add(e metrics.Estimate, where string) {
	if !e.OK || math.IsNaN(e.Mean) {
		t.n.missing++
		return
	}
	if !t.worst.OK || t.part.beyond(e.Mean) > t.part.beyond(t.worst.Mean) {
		t.worst, t.where = e, where
	}
	switch t.part.side(e) {
	case 1:
		t.n.hold++
		return
	case 0:
		t.n.undecided++
	default:
		t.n.contradict++
	}
	t.exceptions = append(t.exceptions, strings.TrimPrefix(where+": ", ": ")+e.Text())
}

// finding is what the tally says. The value is the worst, unless another is given.
func (t *tally) finding(shown metrics.Estimate) Finding {
	known := t.n.hold + t.n.contradict + t.n.undecided
	if known == 0 {
		return nothing(t.what + " was not measured")
	}
	f := Finding{Verdict: t.n.verdict(), Detail: fmt.Sprintf("%s is %s in %d of %d cells; least favourable %s%s",
		t.what, t.part.asked(), t.n.hold, known+t.n.missing, t.worst.Text(), inParentheses(t.where))}
	var reasons []string
	switch {
	case known+t.n.missing == 1:
		f.Detail = fmt.Sprintf("%s is %s%s, asked %s", t.what, t.worst.Text(), inParentheses(t.where), t.part.asked())
		if len(t.exceptions) > 0 {
			reasons = []string{f.Detail}
		}
	case len(t.exceptions) > 0:
		reasons = []string{fmt.Sprintf("%s is not %s in %d of %d cells, or not with confidence (%s)", t.what, t.part.asked(), len(t.exceptions), known, shortList(t.exceptions))}
	}
	if t.n.missing > 0 {
		reasons = append(reasons, fmt.Sprintf("%s is unknown in %d of %d cells", t.what, t.n.missing, known+t.n.missing))
	}
	f.Reason = strings.Join(reasons, ", and ")
	if !shown.OK {
		shown = t.worst
	}
	f.setMeasured(shown)
	return f
}

// inParentheses puts a place behind a number.
func inParentheses(where string) string {
	if where == "" {
		return ""
	}
	return " (" + where + ")"
}
