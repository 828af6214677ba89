package claim

import (
	"fmt"
	"math"
	"strings"

	"github.com/carousel-sim/carousel/analysis/show/chart"
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
	worst      chart.Estimate // speaks most against the claim
	where      string         // the worst is
	exceptions []string
}

// side is that of an estimate: 1 holds, -1 contradicts, 0 is neither.
func (p *Part) side(e chart.Estimate) int {
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
func (y *tally) add(e chart.Estimate, where string) {
	if !e.OK || math.IsNaN(e.Mean) {
		y.n.missing++
		return
	}
	if !y.worst.OK || y.part.beyond(e.Mean) > y.part.beyond(y.worst.Mean) {
		y.worst, y.where = e, where
	}
	switch y.part.side(e) {
	case 1:
		y.n.hold++
		return
	case 0:
		y.n.undecided++
	default:
		y.n.contradict++
	}
	y.exceptions = append(y.exceptions, strings.TrimPrefix(where+": ", ": ")+e.Text())
}

// finding is what the tally says. The value is the worst, unless another is given.
func (y *tally) finding(shown chart.Estimate) Finding {
	known := y.n.hold + y.n.contradict + y.n.undecided
	if known == 0 {
		return nothing(y.what + " was not measured")
	}
	f := Finding{Verdict: y.n.verdict(), Detail: fmt.Sprintf("%s is %s in %d of %d cells; least favourable %s%s",
		y.what, y.part.asked(), y.n.hold, known+y.n.missing, y.worst.Text(), inParentheses(y.where))}
	var reasons []string
	switch {
	case known+y.n.missing == 1:
		f.Detail = fmt.Sprintf("%s is %s%s, asked %s", y.what, y.worst.Text(), inParentheses(y.where), y.part.asked())
		if len(y.exceptions) > 0 {
			reasons = []string{f.Detail}
		}
	case len(y.exceptions) > 0:
		reasons = []string{fmt.Sprintf("%s is not %s in %d of %d cells, or not with confidence (%s)", y.what, y.part.asked(), len(y.exceptions), known, shortList(y.exceptions))}
	}
	if y.n.missing > 0 {
		reasons = append(reasons, fmt.Sprintf("%s is unknown in %d of %d cells", y.what, y.n.missing, known+y.n.missing))
	}
	f.Reason = strings.Join(reasons, ", and ")
	if !shown.OK {
		shown = y.worst
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
