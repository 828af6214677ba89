package figures

import (
	"image/color"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// panel makes the plot of a panel: axes, and whatever draws its values.
func (f *Figure) panel(p *Panel) *plot.Plot {
	out := plot.New()
	out.Title.Text, out.Title.TextStyle = p.Title, style(textSize, text.XCenter)
	out.X.Label.Text, out.Y.Label.Text = wrap(p.XLabel, 3*labelLetters), wrap(p.YLabel, labelLetters)
	for _, axis := range []*plot.Axis{&out.X, &out.Y} {
		axis.Label.TextStyle.Font = style(textSize, text.XCenter).Font
		axis.Tick.Label.Font = style(smallSize, text.XCenter).Font
		axis.Padding, axis.Tick.Marker = 0, roundTicks{}
	}
	out.Add(rules{p})
	if len(p.Categories) > 0 {
		out.X.Tick.Marker, out.X.Tick.Length = p.categoryTicks(), 0
		out.Add(&bars{f, p})
	} else {
		out.Add(&curves{f, p})
	}
	if p.Doublings {
		out.X.Scale, out.X.Tick.Marker = plot.LogScale{}, doublings{}
	}
	out.Y.Min, out.Y.Max = 0, p.top()*1.04
	return out
}

// labelLetters is how many letters fit along the height of a panel. A longer label would push the plot
// off its panel, for the library makes room for it.
const labelLetters = 40

// wrap breaks a text at spaces into lines of at most so many letters, if its words are not longer.
func wrap(text string, letters int) string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		switch {
		case line == "":
			line = word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) <= letters:
			line += " " + word
		default:
			lines, line = append(lines, line), word
		}
	}
	return strings.Join(append(lines, line), "\n")
}

// axisLetters is how many letters of category labels fit side by side.
const axisLetters = 150

// categoryTicks puts the label of each category below it, in lines that its neighbours leave room for, and that of each
// group in the middle below those.
func (p *Panel) categoryTicks() plot.ConstantTicks {
	var ticks plot.ConstantTicks
	below := "\n"
	for i, c := range p.Categories {
		label := wrap(c.Label, axisLetters/len(p.Categories))
		ticks = append(ticks, plot.Tick{Value: float64(i), Label: label})
		below = strings.Repeat("\n", max(len(below), 1+strings.Count(label, "\n")))
	}
	for i := 0; i < len(p.Categories); {
		end := i
		for end < len(p.Categories) && p.Categories[end].Group == p.Categories[i].Group {
			end++
		}
		if group := p.Categories[i].Group; group != "" {
			ticks = append(ticks, plot.Tick{Value: float64(i+end-1) / 2, Label: below + group})
		}
		i = end
	}
	return ticks
}

// roundTicks puts marks with labels at about six round values.
type roundTicks struct{}

// Ticks implements plot.Ticker.
func (roundTicks) Ticks(low, high float64) (ticks []plot.Tick) {
	if !(high > low) {
		return []plot.Tick{{Value: low, Label: strconv.FormatFloat(low, 'g', -1, 64)}}
	}
	step := math.Pow(10, math.Floor(math.Log10((high-low)/5)))
	for _, times := range []float64{1, 2, 2.5, 5, 10} {
		if (high-low)/(step*times) <= 7 {
			step *= times
			break
		}
	}
	for i := math.Ceil(low/step - 1e-9); i*step <= high+step*1e-9; i++ {
		v := math.Round(i*step*1e9)/1e9 + 0 // no "-0"
		ticks = append(ticks, plot.Tick{Value: v, Label: strconv.FormatFloat(v, 'g', -1, 64)})
	}
	return ticks
}

// doublings puts marks at the powers of two.
type doublings struct{}

// Ticks implements plot.Ticker.
func (doublings) Ticks(low, high float64) (ticks []plot.Tick) {
	for v := math.Exp2(math.Ceil(math.Log2(low) - 1e-9)); v <= high*(1+1e-9); v *= 2 {
		ticks = append(ticks, plot.Tick{Value: v, Label: strconv.FormatFloat(v, 'f', -1, 64)})
	}
	return ticks
}

// rules draws faint horizontal lines at the marks of the axis, and the reference.
type rules struct{ panel *Panel }

// Plot implements plot.Plotter.
func (r rules) Plot(c draw.Canvas, p *plot.Plot) {
	_, toY := p.Transforms(&c)
	faint := draw.LineStyle{Color: color.Gray{0xe0}, Width: vg.Points(0.5)}
	for _, tick := range p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max) {
		if y := toY(tick.Value); tick.Label != "" && c.ContainsY(y) {
			c.StrokeLine2(faint, c.Min.X, y, c.Max.X, y)
		}
	}
	if r.panel.Reference > 0 {
		y := toY(r.panel.Reference)
		c.StrokeLine2(draw.LineStyle{Color: color.Black, Width: vg.Points(0.7), Dashes: []vg.Length{vg.Points(4), vg.Points(3)}}, c.Min.X, y, c.Max.X, y)
	}
}

// interval draws a confidence interval around x, cut off at the edge of the canvas.
func interval(c *draw.Canvas, x, low, high, half vg.Length) {
	if !(high > low) {
		return
	}
	thin := draw.LineStyle{Color: color.Black, Width: vg.Points(0.6)}
	c.StrokeLines(thin, c.ClipLinesXY([]vg.Point{{X: x, Y: low}, {X: x, Y: high}},
		[]vg.Point{{X: x - half, Y: low}, {X: x + half, Y: low}}, []vg.Point{{X: x - half, Y: high}, {X: x + half, Y: high}})...)
}
