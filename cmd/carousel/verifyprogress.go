package main

import (
	"fmt"
	"io"
	"time"

	"github.com/carousel-sim/carousel/coherence/explore"
)

// verifyProgress draws one line about the check under way. It is used on terminals only; a nil one draws
// nothing.
type verifyProgress struct {
	out     io.Writer
	columns int
	drawn   time.Time
}

func newVerifyProgress(out io.Writer, columns int) *verifyProgress {
	return &verifyProgress{out: out, columns: columns}
}

func (p *verifyProgress) draw(format string, parts ...any) {
	if p == nil {
		return
	}
	if now := time.Now(); now.Sub(p.drawn) >= redraw {
		p.drawn = now
		fmt.Fprintf(p.out, "\r\x1b[K%s", clip(fmt.Sprintf(format, parts...), p.columns-1))
	}
}

// exploring is "token 2 L1s, T=2: depth 12, 1.2 M states, 64% of them expanded, 9.1 M transitions".
func (p *verifyProgress) exploring(name string, x explore.Progress) {
	p.draw("%s: depth %d, %s states, %d%% of them expanded, %s transitions", name, x.Depth, rate(float64(x.States)),
		100*x.Expanded/max(x.States, 1), rate(float64(x.Transitions)))
}

// counting is "token, random tests: 12 of 48".
func (p *verifyProgress) counting(name string, done, all int) {
	p.draw("%s: %d of %d", name, done, all)
}

// clear removes the line.
func (p *verifyProgress) clear() {
	if p != nil {
		fmt.Fprint(p.out, "\r\x1b[K")
	}
}
