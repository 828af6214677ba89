package compare

import (
	"fmt"

	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// leastWindows is how many windows an interval is made of, at least, that decides whether more are
// replayed.
const leastWindows = 4

// Precision is how well the time of the fastest router of an application is known against that of the
// next one.
type Precision struct {
	Application, Router, Next string
	Ratio                     metrics.Estimate
}

// LeastKnown returns the precision of the application that is known least.
func LeastKnown(rows *tables.Rows) (p Precision) {
	width := -1.0
	for _, c := range Of(rows, nil) {
		for i := range c.Applications {
			a := &c.Applications[i]
			if len(a.Rows) < 2 {
				continue
			}
			o := Precision{a.Name, a.Rows[0].Router, a.Rows[1].Router, a.Rows[0].Next}
			if w := o.Width(); w > width {
				p, width = o, w
			}
		}
	}
	return p
}

// Width is half the width of the interval as a part of the ratio; 1 where it is not known yet, and 0
// where nothing is compared.
func (p *Precision) Width() float64 {
	switch {
	case p.Router == "":
		return 0
	case !p.Ratio.OK || p.Ratio.N < leastWindows:
		return 1
	}
	return p.Ratio.HalfWidth() / p.Ratio.Mean
}

// Forecast says how well the ratio is known, and how many windows a width is expected to take; of is
// how many there are.
func (p *Precision) Forecast(width float64, of int) string {
	text := fmt.Sprintf("--until: after %d windows %s takes %s of the time of %s with %s", p.Ratio.N, p.Router, p.Ratio.Text(), p.Next, p.Application)
	n, ok := p.Ratio.NeededFor(width * p.Ratio.Mean)
	if !ok {
		return fmt.Sprintf("%s. No number of windows is known that gives ±%.3g %%.", text, 100*width)
	}
	text += fmt.Sprintf(". About %d would give ±%.3g %%, and the trace has %d", n, 100*width, of)
	if n > of {
		text += makeWindows(p.Application, n)
	}
	return text + "."
}
