package figures

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc/leaf/must"
)

// sample has both kinds of panels, a gap, an interval and a value above the axis.
func sample() *Figure {
	f := &Figure{Name: "sample", Title: "Two kinds of panels", Note: "mean ± 95 % confidence", Series: []string{"base", "mrr"}}
	bars := Panel{Title: "bars", Quantity: "latency / base", Reference: 1}
	for _, group := range []string{"uniform", "tornado"} {
		for _, label := range []string{"1 %", "5 %", "10 %"} {
			bars.Categories = append(bars.Categories, Category{group, label})
		}
	}
	curve := Panel{Title: "curves", XLabel: "load [phits/node/cycle]", Quantity: "latency [cycles]", YMax: 100}
	for _, name := range f.Series {
		b, c := Series{Name: name}, Series{Name: name}
		for i := range bars.Categories {
			x := float64(i)
			if i != 2 {
				b.Points = append(b.Points, Point{x, 1 / (1 + x/10), 0.9 / (1 + x/10), 1.1 / (1 + x/10), false, false, 1})
			}
			c.Points = append(c.Points, Point{x / 10, 30 + x*x*x, 30 + x*x*x, 30 + x*x*x, x > 4, x == 9, 1})
		}
		bars.Series, curve.Series = append(bars.Series, b), append(curve.Series, c)
	}
	f.Panels = []Panel{bars, curve}
	return f
}

func render(t *testing.T, f *Figure, format string) []byte {
	t.Helper()
	var b bytes.Buffer
	must.Do(f.Render(&b, format))
	if dir := os.Getenv("CAROUSEL_FIGURES"); dir != "" {
		must.Do(os.WriteFile(filepath.Join(dir, f.Name+"."+format), b.Bytes(), 0o644))
	}
	return b.Bytes()
}

// TestSameBytes: the same figure gives the same file, and another value another one.
func TestSameBytes(t *testing.T) {
	for _, format := range []string{SVG, PNG, PDF} {
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

// TestPDFHoldsItsLettersOnly: a document does not hold the whole font, which has 400 KB.
func TestPDFHoldsItsLettersOnly(t *testing.T) {
	if n := len(render(t, sample(), PDF)); n > 40_000 {
		t.Errorf("the document has %d bytes", n)
	}
}

func TestSVGStandsAlone(t *testing.T) {
	svg := string(render(t, sample(), SVG))
	for _, want := range []string{"Two kinds of panels", "uniform", "tornado", "10 %", "latency / base", "load [phits/node/cycle]", "mean ± 95 % confidence", ">mrr<",
		`<svg xmlns="http://www.w3.org/2000/svg" viewBox=`, `role="img"`, "<title>Two kinds of panels", "<desc>Values of", "<title>mrr, uniform, 5 %: 0.9091 (0.8182 to 1)"} {
		if !strings.Contains(svg, want) {
			t.Errorf("the SVG has no %q", want)
		}
	}
	if strings.Contains(svg, "@font-face") || strings.Contains(svg, "var(") || len(svg) > 20_000 {
		t.Errorf("the SVG of %d bytes brings a font along, or needs the variables of a page", len(svg))
	}
	if err := xml.Unmarshal([]byte(svg), new(struct{})); err != nil {
		t.Error(err)
	}
}

// TestColoursBelongToNames: a router, or a part of a stack, has its colour whatever else is in the
// picture, and no two series share one.
func TestColoursBelongToNames(t *testing.T) {
	for _, f := range []Figure{{Series: []string{"mrr"}}, {Series: []string{"rr", "mrr"}}, {Series: []string{"base", "mine", "mrr"}}, {Series: []string{"mrr", "atbm", "x", "y", "z"}},
		{Stacks: true, Series: []string{"flight", "memory"}}, {Stacks: true, Series: []string{"L1", "memory", "unknown", "flight"}}} {
		seen, known := map[string]bool{}, map[string]string{"mrr": "s3", "flight": "p3", "memory": "p6"}
		for _, name := range f.Series {
			role := f.role(name)
			if want := known[name]; seen[role] || want != "" && role != want {
				t.Errorf("%v: %s has the colour %s", f.Series, name, role)
			}
			seen[role] = true
		}
	}
}

// TestStyleKnowsEveryRole: what pictures colour their shapes with has a rule and two colours.
func TestStyleKnowsEveryRole(t *testing.T) {
	style := Style()
	roles, _ := hues()
	for _, role := range roles {
		if strings.Count(style, "--"+role+":#") != 2 || !strings.Contains(style, "."+role+"{") || !strings.Contains(style, ".l"+role+"{") {
			t.Errorf("role %s is not in the style", role)
		}
	}
	part := sample().Part()
	for _, found := range regexp.MustCompile(`class="(\w+)[" ]`).FindAllStringSubmatch(part, -1) {
		if !strings.Contains(style, "."+found[1]+"{") && !slices.Contains([]string{"keys", "panels", "panel", "note", "many", "key"}, found[1]) {
			t.Errorf("class %s has no rule", found[1])
		}
	}
}

// drawn are the shapes of a kind in a figure's first panel that show values, by series.
func drawn(f *Figure, k kind) map[string][]shape {
	list := map[string][]shape{}
	for _, s := range f.panel(&f.Panels[0]).shapes {
		if s.kind == k && s.series != "" {
			list[s.series] = append(list[s.series], s)
		}
	}
	return list
}

// values are points at 0, 1 and so on, without intervals.
func values(list ...float64) (points []Point) {
	for i, v := range list {
		points = append(points, Point{X: float64(i), Y: v, Low: v, High: v})
	}
	return points
}

// TestHiddenCurves: a curve that another one covers is seen between its dashes.
func TestHiddenCurves(t *testing.T) {
	f := &Figure{Name: "hidden", Series: []string{"a", "b"}, Panels: []Panel{{Series: []Series{{"a", values(0, 1, 2, 3)}, {"b", values(0, 1, 2, 3)}}}}}
	if lines := drawn(f, line); lines["a"][0].dash == lines["b"][0].dash || lines["a"][0].role == lines["b"][0].role {
		t.Errorf("the lines are %+v", lines)
	}
	if part := f.Part(); strings.Count(part, "stroke-dasharray") != 2 {
		t.Error("the legend does not show the dashes")
	}
}

// TestAxisFits: an axis ends a little above what it shows, and where curves are near each other
// begins below them.
func TestAxisFits(t *testing.T) {
	curve := func(low, high float64) *Panel {
		return &Panel{YMax: 200, Series: []Series{{Name: "a", Points: values(low, high)}}}
	}
	for _, c := range []struct{ low, high, least, most float64 }{{20, 23, 15, 24}, {1, 23, 0, 25}, {30, 1000, 0, 200}} {
		if low, high := curve(c.low, c.high).span(); low < c.least || low > c.low || high > c.most || high < min(c.high, 200) {
			t.Errorf("%g to %g are drawn on an axis from %g to %g", c.low, c.high, low, high)
		}
	}
}

// TestIntervalsAreInside: also the caps of intervals are between the ends of an axis.
func TestIntervalsAreInside(t *testing.T) {
	for low := 0.7; low < 0.9; low += 0.01 {
		p := &Panel{Reference: 1, Series: []Series{{Name: "a", Points: []Point{{X: 1, Y: low + 0.03, Low: low, High: low + 0.06}, {X: 2, Y: 1.1, Low: 1, High: 1.2}}}}}
		if y0, y1 := p.span(); low-y0 < 0.04*(y1-y0) || y1-1.2 < 0.04*(y1-y0) {
			t.Errorf("an interval from %.2f is drawn on an axis from %.3f to %.3f", low, y0, y1)
		}
	}
}

// TestOneScale: panels of a figure with the same quantity have the same axis of values.
func TestOneScale(t *testing.T) {
	curve := func(title, unit string, low, high float64) Panel {
		return Panel{Title: title, Quantity: "latency", Unit: unit, Series: []Series{{Name: "a", Points: values(low, high)}}}
	}
	f := &Figure{Name: "scale", Series: []string{"a"}, Panels: []Panel{curve("short", "cycles", 20, 30), curve("long", "cycles", 20, 90), curve("other", "uJ", 1, 3)}}
	var ends []float64 // of the curves
	for i := range f.Panels {
		for _, one := range f.panel(&f.Panels[i]).shapes {
			if ring := one.rings[0]; one.kind == line && one.series == "a" && len(ring) == 2 {
				ends = append(ends, ring[0].y)
			}
		}
	}
	if len(ends) != 3 || ends[0] != ends[1] || ends[2] == ends[0] {
		t.Errorf("curves start at the heights %v", ends)
	}
}

// TestGrid: each router and link is in the map with its value, the hottest link is marked, and
// frames are digits.
func TestGrid(t *testing.T) {
	g := &Grid{Columns: 3, Rows: 2, Nodes: []float64{0, 1, 2, 3, 4, 5},
		Links: []GridLink{{0, 1, 0.1}, {1, 0, 0.5}, {2, 0, 0.2}}, Frames: [][]float64{{0, 1, 2, 3, 4, 5}, {5, 5, 5, 5, 5, 5}}, Times: []string{"10", "20"}}
	f := &Figure{Name: "grid", Title: "map", Panels: []Panel{{Title: "mrr", Grid: g}}}
	svg := string(render(t, f, SVG))
	for want, times := range map[string]int{"<title>router (2,1): 5</title>": 1, "<title>(1,0) to (0,0): 0.5</title>": 1,
		"<title>(2,0) to (0,0): 0.2</title>": 2, "The hottest link goes from (1,0) to (0,0)": 1} {
		if got := strings.Count(svg, want); got != times {
			t.Errorf("%q is there %d times; want %d", want, got, times)
		}
	}
	part := f.Part()
	if !strings.Contains(part, `data-frames="024579 999999" data-times="10,20"`) {
		t.Error(part)
	}
	render(t, f, PNG)
}

// TestStacks: parts are behind each other, and stacks one below the other.
func TestStacks(t *testing.T) {
	f := &Figure{Name: "stacks", Title: "energy", Stacks: true, Series: []string{"clock", "links"},
		Panels: []Panel{{Categories: []Category{{"", "base"}, {"", "mrr"}}, Series: []Series{{"clock", values(3, 2)}, {"links", values(1, 1)}}}}}
	boxes := drawn(f, area)
	clock, links := boxes["clock"], boxes["links"]
	if len(clock) != 2 || len(links) != 2 || clock[0].rings[0][1].x != links[0].rings[0][0].x || clock[0].rings[0][0].y != links[0].rings[0][0].y || clock[1].rings[0][0].y <= clock[0].rings[0][0].y {
		t.Errorf("the stacks are %+v", boxes)
	}
	render(t, f, PNG)
}

// TestPNGShowsTheColours: each kind of panel draws every series in its own colour.
func TestPNGShowsTheColours(t *testing.T) {
	for panel, least := range []int{2000, 300} {
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

// TestLongLabel: a label longer than its axis is broken, and leaves the curves as they are.
func TestLongLabel(t *testing.T) {
	f := sample()
	f.Panels = f.Panels[1:]
	tall := func() float64 { at := drawn(f, disc)["base"]; return at[0].rings[0][0].y - at[4].rings[0][0].y }
	short := tall()
	f.Panels[0].Quantity = "energy-delay-squared product (energy of the window / throughput^2) / that of the router base with the same seed"
	if long := tall(); long != short {
		t.Errorf("the first curve is %g high, with a short label %g", long, short)
	}
	if got := wrap("one two three", 10, extent("one two.", 10)); len(got) != 2 || got[0] != "one two" {
		t.Errorf("wrapped as %q", got)
	}
}

// TestCaptionsFit: no text of a picture leaves it, however long the names of settings and routers are.
func TestCaptionsFit(t *testing.T) {
	for _, name := range []string{"channel_phits 20 on base-mc", "chip.memory.controller_bandwidth 12.8 on base-mc, tree",
		"recordings/2026/a_rather_long_name_of_a_trace_without_any_blank/phases-of-the-program.trace on mrr"} {
		f := sample()
		f.Title, f.Note, f.Warning, f.Series = name, name, name, []string{"base", name}
		for i := range f.Panels {
			p := &f.Panels[i]
			p.Title, p.XLabel, p.Quantity, p.Baseline, p.Better = name, name, "execution time", name, "left is better"
			p.Series[1].Name = name
			for k := range p.Categories {
				p.Categories[k] = Category{name, name}
			}
		}
		for _, s := range []*scene{f.panel(&f.Panels[0]), f.panel(&f.Panels[1]), f.whole()} {
			for _, w := range s.shapes {
				wide := extent(w.text, w.size)
				if left := w.rings[0][0].x - w.align*wide; w.kind == words && (left < -0.1 || left+wide > s.width+0.1) {
					t.Errorf("%q is from %.0f to %.0f in a picture that is %.0f wide", w.text, left, left+wide, s.width)
				}
			}
		}
	}
}

// TestDashesOfLegend: lines have the dashes that the legend shows, marks at saturation included.
func TestDashesOfLegend(t *testing.T) {
	f := sample()
	f.Panels = f.Panels[1:]
	f.Series = append(f.Series, "large cores, 30 W", "small cores, 3 W")
	for i, name := range f.Series[1:] {
		f.Panels[0].Knees = append(f.Panels[0].Knees, Knee{Series: name, X: float64(i) / 10})
	}
	lines := drawn(f, line)
	for _, name := range f.Series {
		// Without the cross at a last point.
		own := slices.DeleteFunc(lines[name], func(s shape) bool { return s.role != f.role(name) || s.size == 2 })
		if len(own) == 0 || slices.ContainsFunc(own, func(s shape) bool { return s.dash != f.dash(name) }) {
			t.Errorf("the lines of %s are %+v, and its dash is %d", name, own, f.dash(name))
		}
	}
}

// colours counts the points of a picture in the colours of the first two series.
func colours(t *testing.T, file []byte) [2]int {
	t.Helper()
	picture := must.Get(png.Decode(bytes.NewReader(file)))
	seen := map[[3]uint32]int{}
	for y := range picture.Bounds().Dy() {
		for x := range picture.Bounds().Dx() {
			r, g, b, _ := picture.At(x, y).RGBA()
			seen[[3]uint32{r >> 8, g >> 8, b >> 8}]++
		}
	}
	return [2]int{seen[[3]uint32{0x99, 0x99, 0x99}], seen[[3]uint32{0xd5, 0x5e, 0x00}]}
}

// TestWhatCannotBeDrawn: a value that is no number is left out, and more names than colours share them with other
// dashes.
func TestWhatCannotBeDrawn(t *testing.T) {
	f := &Figure{Name: "many", Panels: []Panel{{}}}
	looks := map[string]bool{}
	for i := range 2 * len(palette) {
		f.Series = append(f.Series, fmt.Sprint("series ", i))
		f.Panels[0].Put(f.Series[i], Value(0, math.NaN()))
		f.Panels[0].Put(f.Series[i], Value(1, float64(i)))
	}
	for _, s := range f.Panels[0].Series {
		looks[fmt.Sprint(f.role(s.Name), f.dash(s.Name)%len(dashes))] = true
		if len(s.Points) != 1 {
			t.Errorf("%s has the points %v", s.Name, s.Points)
		}
	}
	if len(looks) != len(f.Series) || strings.Contains(f.Part(), "NaN") {
		t.Errorf("%d series have %d looks", len(f.Series), len(looks))
	}
	if err := f.Render(&bytes.Buffer{}, "bmp"); err == nil || !strings.Contains(err.Error(), "picture format") {
		t.Errorf("the error is %v", err)
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
		for _, v := range ticks(c.low, c.high) {
			got = append(got, tick(v))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%g to %g: marks at %v; want %s", c.low, c.high, got, c.want)
		}
	}
}

// TestLogarithmicAxis: powers of ten have equal distances, and 0 has no place.
func TestLogarithmicAxis(t *testing.T) {
	p := plot{left: 10, right: 30, x0: 0.1, x1: 10, logX: true}
	if x := p.x(1); math.Abs(x-20) > 1e-9 {
		t.Errorf("1 stands at %g between 0.1 and 10", x)
	}
	if got, want := powers(0.1, 10), []float64{0.1, 0.2, 0.5, 1, 2, 5, 10}; !slices.EqualFunc(got, want, func(a, b float64) bool { return math.Abs(a-b) < 1e-12 }) {
		t.Errorf("marks are %g, want %g", got, want)
	}
	f := Figure{Name: "a", Series: []string{"mrr"}, Panels: []Panel{{LogX: true, XLabel: "power [W]"}}}
	f.Panels[0].Put("mrr", Point{X: 1, Y: 1, Low: 1, High: 1})
	f.Panels[0].Put("mrr", Point{X: 0, Y: 1, Low: 1, High: 1})
	if points := f.Panels[0].Series[0].Points; len(points) != 1 {
		t.Errorf("0 on a logarithmic axis gives %v", points)
	}
}

// TestLegend: a legend that is too long for one row takes several, and dashes stay inside of it.
func TestLegend(t *testing.T) {
	f := &Figure{Looks: map[string]Look{}}
	for i := range 8 {
		f.Series = append(f.Series, fmt.Sprintf("a name that is rather long, number %d", i))
	}
	f.Looks[f.Series[1]] = Look{Line: "dashed"}
	s := new(scene)
	if deep := f.legend(s, 5, 0, panelWidth); deep < 4*1.5*textSize || len(s.shapes) != 16 {
		t.Errorf("8 long names take %g and are %d shapes", deep, len(s.shapes))
	}
	for _, w := range s.shapes {
		if at := w.rings[0][0].x; at < 5 || w.kind == words && at+extent(w.text, w.size) > 5+panelWidth {
			t.Errorf("%q leaves the picture, at %g", w.text, at)
		}
	}
}

// TestRowLabels: labels stand beside their rows, in the picture, and do not overlap, however many rows
// there are and however long the labels.
func TestRowLabels(t *testing.T) {
	for rows, tail := range map[int]string{12: "", 13: " with an instruction cache of its own and a wide bus", 300: ""} {
		p := Panel{Quantity: "y"}
		for i := range rows {
			p.Add("a", Category{Group: "chips", Label: fmt.Sprint("core ", i, tail)}, Value(0, 1))
		}
		f := Figure{Stacks: true, Series: []string{"a"}, Panels: []Panel{p}}
		end, labels, groups := 0.0, 0, 0
		for _, s := range f.panel(&p).shapes {
			switch at := s.rings[0]; {
			case s.text == "chips":
				groups++
			case strings.HasPrefix(s.text, "core"):
				if labels++; at[0].y-smallSize < end || at[0].x-extent(s.text, s.size) < 0 {
					t.Errorf("%d rows: %q is at %v, the one before ends at %g", rows, s.text, at, end)
				}
				end = at[0].y
			}
		}
		if groups != 1 || rows < 300 && labels != rows || labels < 12 {
			t.Errorf("%d rows have %d labels in %d groups", rows, labels, groups)
		}
	}
}

// TestRows: values of one category stand one below the other with their intervals, and what lies far
// beyond the values is cut off.
func TestRows(t *testing.T) {
	f := &Figure{Name: "rows", Title: "time", Series: []string{"base", "mrr"}, Panels: []Panel{{Reference: 1, Quantity: "time",
		Categories: []Category{{"", "is"}, {"", "lu"}}, Series: []Series{{"base", []Point{{0, 1.2, 1.1, 1.3, false, false, 1}, {1, 1.4, 1.3, 99, false, false, 1}}}, {"mrr", values(1, 1)}}}}}
	s := f.panel(&f.Panels[0])
	for _, one := range s.shapes {
		for _, ring := range one.rings {
			if slices.ContainsFunc(ring, func(at xy) bool { return at.x < 0 || at.x > s.width || at.y > s.height }) {
				t.Errorf("%+v is outside the picture", one)
			}
		}
	}
	at := func(discs []shape, i int) xy { return discs[i].rings[0][0] }
	base, mrr := drawn(f, disc)["base"], drawn(f, disc)["mrr"]
	if len(base) != 2 || len(mrr) != 2 || at(base, 0).x >= at(base, 1).x || at(mrr, 0).x >= at(base, 0).x || at(base, 0).y >= at(mrr, 0).y || at(mrr, 0).y >= at(base, 1).y {
		t.Errorf("the values are at %v and %v", base, mrr)
	}
	arrows := slices.DeleteFunc(drawn(f, line)["base"], func(s shape) bool { return len(s.rings[0]) != 3 })
	if len(arrows) != 1 {
		t.Errorf("%d arrows at the interval that is cut off", len(arrows))
	}
	render(t, f, PNG)
}
