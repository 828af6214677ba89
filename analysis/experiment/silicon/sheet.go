package silicon

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strconv"

	"github.com/carousel-sim/carousel/analysis/figures"
	"github.com/carousel-sim/carousel/analysis/sheet"
	"github.com/carousel-sim/carousel/traces/wholefile"
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

// Sheet lists parameters, and below them how far the fit can be trusted.
func (r Fit) Sheet() *sheet.Sheet {
	s := sheet.New("parameter", "unit", "value", "low", "high", "left out: low", "high", "mean error without %")
	for _, k := range r.Knobs {
		s.Add(k.Name, k.Unit, k.Value, k.Low, k.High, k.LeftLow, k.LeftHigh, hundredths(k.Without))
	}
	s.Note("", fmt.Sprintf("error of the fit: %s, root mean square %s %%, after %d replays", scoreText(r.Score), hundredths(r.RMS), r.Replays),
		"each group under parameters found without it: "+scoreText(r.LeaveGroupOut))
	for _, l := range r.Left {
		s.Note(fmt.Sprintf("  without %-14s %s", l.Group+":", scoreText(l.Score)))
	}
	return s
}

// scoreText is "mean 1.40 %, median 0.90 %, worst 4.26 %, bias -0.10 %".
func scoreText(s Score) string {
	return fmt.Sprintf("mean %s %%, median %s %%, worst %s %%, bias %s %%", hundredths(s.Mean), hundredths(s.Median), hundredths(s.Worst), hundredths(s.Bias))
}

// hundredths writes a fraction in per cent.
func hundredths(v float64) string { return strconv.FormatFloat(100*v, 'f', 2, 64) }

// Sheet lists kernels and variants, and below them what the variants are.
func (s Study) Sheet() *sheet.Sheet {
	t := sheet.New("group", "kernel", "readers per answer", "network", "cycles", "relative", "flit hops")
	for _, k := range s.Kernels {
		for i, v := range Variants {
			t.Add(k.Group, k.Name, strconv.FormatFloat(k.Readers, 'f', 1, 64), v.Name, k.Cycles[i],
				strconv.FormatFloat(float64(k.Cycles[i])/float64(k.Cycles[0]), 'f', 2, 64), k.FlitHops[i])
		}
	}
	t.Note("")
	for _, v := range Variants {
		t.Note(fmt.Sprintf("%-13s %s", v.Name, v.Doc))
	}
	return t
}

// Save writes the study to a folder, as CSV, JSON and a figure, and returns the files.
func (s Study) Save(folder string) (paths []string, err error) {
	figure := s.Figure()
	for _, f := range []struct {
		ending string
		write  func(io.Writer) error
	}{
		{"csv", s.Sheet().WriteCSV},
		{"json", func(w io.Writer) error { return json.NewEncoder(w).Encode(s) }},
		{figures.SVG, func(w io.Writer) error { return figure.Render(w, figures.SVG) }},
		{figures.PNG, func(w io.Writer) error { return figure.Render(w, figures.PNG) }},
	} {
		path := filepath.Join(folder, figure.Name+"."+f.ending)
		if err := wholefile.Write(path, f.write); err != nil {
			return paths, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}
