package silicon

import (
	"fmt"
	"strconv"

	"github.com/carousel-sim/carousel/analysis/show/sheet"
)

// Sheet lists kernels, and below them what they come to.
func (r Report) Sheet() *sheet.Sheet {
	s := sheet.New("group", "kernel", "measured", "simulated", "error %", "spread %", "barriers", "wait measured", "wait simulated")
	for _, k := range r.Kernels {
		s.Add(k.Group, k.Name, k.Measured, k.Cycles, hundredths(k.Error),
			hundredths(k.Spread/float64(k.Measured)), k.Waits, strconv.FormatFloat(k.WaitMeasured, 'f', 0, 64), strconv.FormatFloat(k.WaitSimulated, 'f', 0, 64))
	}
	s.Note("", fmt.Sprintf("%d kernels, %s loop: error %s", len(r.Kernels), r.Loop, scoreText(r.Score)), "", "by group:")
	for _, g := range r.Groups {
		s.Note(fmt.Sprintf("  %-14s %2d kernels: %s", g.Group, g.Kernels, scoreText(g.Score)))
	}
	s.Note("", "models without a network of routers:")
	for _, n := range r.Null {
		s.Note(fmt.Sprintf("  %-14s %s; %s", n.Model, scoreText(n.Score), n.Doc))
	}
	return s
}

// scoreText is "mean 1.40 %, median 0.90 %, worst 4.26 %, bias -0.10 %".
func scoreText(s Score) string {
	return fmt.Sprintf("mean %s %%, median %s %%, worst %s %%, bias %s %%", hundredths(s.Mean), hundredths(s.Median), hundredths(s.Worst), hundredths(s.Bias))
}

// hundredths writes a fraction in per cent.
func hundredths(v float64) string { return strconv.FormatFloat(100*v, 'f', 2, 64) }
