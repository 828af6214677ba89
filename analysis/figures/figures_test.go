package figures

import (
	"bytes"
	"fmt"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// sample has both kinds of panels, a gap, an interval and a value above the axis.
func sample() *Figure {
	f := &Figure{Name: "sample", Title: "Two kinds of panels", Note: "mean ± 95 % confidence", Series: []string{"base", "mrr"}}
	bars := Panel{Title: "bars", YLabel: "latency / base", Reference: 1}
	for _, group := range []string{"uniform", "tornado"} {
		for _, label := range []string{"1 %", "5 %", "10 %"} {
			bars.Categories = append(bars.Categories, Category{group, label})
		}
	}
	curve := Panel{Title: "curves", XLabel: "load [phits/node/cycle]", YLabel: "latency [cycles]", YMax: 100}
	for _, name := range f.Series {
		b, c := Series{Name: name}, Series{Name: name}
		for i := range bars.Categories {
			x := float64(i)
			if i != 2 {
				b.Points = append(b.Points, Point{x, 1 / (1 + x/10), 0.9 / (1 + x/10), 1.1 / (1 + x/10)})
			}
			c.Points = append(c.Points, Point{x / 10, 30 + x*x*x, 30 + x*x*x, 30 + x*x*x})
		}
		bars.Series, curve.Series = append(bars.Series, b), append(curve.Series, c)
	}
	f.Panels = []Panel{bars, curve}
	return f
}

func render(t *testing.T, f *Figure, format string) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := f.Render(&b, format); err != nil {
		t.Fatal(err)
	}
	if dir := os.Getenv("CAROUSEL_FIGURES"); dir != "" {
		if err := os.WriteFile(filepath.Join(dir, f.Name+"."+format), b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

// TestSameBytes: the same figure gives the same file, and another value another one.
func TestSameBytes(t *testing.T) {
	for _, format := range []string{SVG, PNG} {
		one, two := render(t, sample(), format), render(t, sample(), format)
		if !bytes.Equal(one, two) {
			t.Errorf("two %s files of one figure differ", format)
		}
		other := sample()
		other.Panels[0].Series[1].Points[0].Y = 0.5
		if bytes.Equal(one, render(t, other, format)) {
			t.Errorf("%s: another value gives the same picture", format)
		}
	}
}

func TestSVGStandsAlone(t *testing.T) {
	svg := string(render(t, sample(), SVG))
	for _, want := range []string{"@font-face", "Two kinds of panels", "uniform", "tornado", "10 %", "latency / base", "load [phits/node/cycle]", "mean ± 95 % confidence", ">mrr<"} {
		if !strings.Contains(svg, want) {
			t.Errorf("the SVG has no %q", want)
		}
	}
}

// TestPNGShowsTheColours: each kind of panel draws every series in its own colour.
func TestPNGShowsTheColours(t *testing.T) {
	for panel, least := range []int{10_000, 300} {
		f := sample()
		f.Name, f.Panels = fmt.Sprint("panel", panel), f.Panels[panel:panel+1]
		if panel == 1 { // curves that do not hide each other
			for i := range f.Panels[0].Series[0].Points {
				f.Panels[0].Series[0].Points[i].Y /= 2
			}
		}
		for colour, n := range colours(t, render(t, f, PNG)) {
			if n < least {
				t.Errorf("panel %d: colour %d is there %d times", panel, colour, n)
			}
		}
	}
}

// TestLongLabel: a label longer than its axis is broken, and leaves room for the bars.
func TestLongLabel(t *testing.T) {
	f := sample()
	f.Name, f.Panels = "long", f.Panels[:1]
	short := colours(t, render(t, f, PNG))
	f.Panels[0].YLabel = "energy-delay-squared product (energy of the window / throughput^2) / that of the router base with the same seed"
	if long := colours(t, render(t, f, PNG)); long[0] < short[0]*8/10 || long[1] < short[1]*8/10 {
		t.Errorf("the bars have %v points, those with a short label %v", long, short)
	}
	if got := wrap("one two three", 7); got != "one two\nthree" {
		t.Errorf("wrapped as %q", got)
	}
}

// colours counts the points of a picture in the colours of the first two series.
func colours(t *testing.T, file []byte) [2]int {
	t.Helper()
	picture, err := png.Decode(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[[3]uint32]int{}
	for y := range picture.Bounds().Dy() {
		for x := range picture.Bounds().Dx() {
			r, g, b, _ := picture.At(x, y).RGBA()
			seen[[3]uint32{r >> 8, g >> 8, b >> 8}]++
		}
	}
	return [2]int{seen[[3]uint32{0x99, 0x99, 0x99}], seen[[3]uint32{0x00, 0x72, 0xb2}]}
}

func TestWhatCannotBeDrawn(t *testing.T) {
	for want, change := range map[string]func(*Figure){
		"0 panels":          func(f *Figure) { f.Panels = nil },
		"9 series":          func(f *Figure) { f.Series = strings.Split("base mrr c d e f g h i", " ") },
		`series "rr"`:       func(f *Figure) { f.Panels[1].Series[0].Name = "rr" },
		"leave out":         func(f *Figure) { f.Panels[0].Series[0].Points[0].Y = math.NaN() },
		"category 6 of 6":   func(f *Figure) { f.Panels[0].Series[0].Points[0].X = 6 },
		"start above 0":     func(f *Figure) { f.Panels[1].Doublings = true },
		"picture format \"": func(*Figure) {},
	} {
		f := sample()
		change(f)
		format := SVG
		if strings.HasPrefix(want, "picture") {
			format = "bmp"
		}
		if err := f.Render(&bytes.Buffer{}, format); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v; want one with %q", err, want)
		}
	}
}

func TestRoundTicks(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		want      string
	}{
		{0, 1.04, "0 0.2 0.4 0.6 0.8 1"}, {0, 0.52, "0 0.1 0.2 0.3 0.4 0.5"}, {0, 1000, "0 200 400 600 800 1000"},
		{0, 0.035, "0 0.01 0.02 0.03"}, {2, 2, "2"},
	} {
		var got []string
		for _, tick := range (roundTicks{}).Ticks(c.low, c.high) {
			got = append(got, tick.Label)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%g to %g: marks at %v; want %s", c.low, c.high, got, c.want)
		}
	}
}

// TestDoublings: sizes that double are equally far apart, with a mark at each.
func TestDoublings(t *testing.T) {
	f := &Figure{Name: "doublings", Title: "growth", Series: []string{"a"}}
	p := Panel{XLabel: "k", YLabel: "ratio", Doublings: true, Series: []Series{{Name: "a"}}}
	for x := 8.0; x <= 512; x *= 2 {
		p.Series[0].Points = append(p.Series[0].Points, Point{x, 1, 1, 1})
	}
	f.Panels = []Panel{p}
	svg := string(render(t, f, SVG))
	at := func(label string) (x float64) {
		_, before, _ := strings.Cut(strings.ReplaceAll(svg, "\n", ""), "<text x=\"")
		for _, part := range strings.Split(before, "<text x=\"") {
			if strings.Contains(part, ">"+label+"</text>") {
				fmt.Sscan(part[:strings.IndexByte(part, '"')], &x)
			}
		}
		return x
	}
	first, second, last := at("16"), at("32"), at("256")
	if step := second - first; step < 20 || math.Abs(last-first-4*step) > step/2 {
		t.Errorf("16 is at %g, 32 at %g, 256 at %g", first, second, last)
	}
}

// TestLegendRows: a legend that is too long for one row takes several, and every name is in one.
func TestLegendRows(t *testing.T) {
	f := sample()
	if rows := f.legendRows(width); len(rows) != 1 || len(rows[0]) != 2 {
		t.Errorf("two short names: %v", rows)
	}
	f.Series = nil
	for i := range 8 {
		f.Series = append(f.Series, fmt.Sprintf("a name that is rather long, number %d", i))
	}
	rows, next := f.legendRows(width), 0
	for _, row := range rows {
		for _, i := range row {
			if i != next {
				t.Errorf("rows are %v", rows)
			}
			next++
		}
	}
	if len(rows) < 2 || next != 8 {
		t.Errorf("rows are %v", rows)
	}
}

// TestCategoryLabels: many labels stand in several lines, and their groups below the tallest.
func TestCategoryLabels(t *testing.T) {
	var p Panel
	for range 12 {
		p.Categories = append(p.Categories, Category{Group: "chips", Label: "memory in 130 cycles"})
	}
	ticks := p.categoryTicks()
	if got := ticks[0].Label; got != "memory in\n130 cycles" {
		t.Errorf("12 labels: %q", got)
	}
	if got := ticks[len(ticks)-1].Label; got != "\n\nchips" {
		t.Errorf("group of two lines: %q", got)
	}
	p.Categories = p.Categories[:3]
	if got := p.categoryTicks()[0].Label; got != "memory in 130 cycles" {
		t.Errorf("3 labels: %q", got)
	}
}
