package figures

import (
	"fmt"
	"slices"
	"strconv"
)

const (
	groupShare = 0.8 // the part of a category's width that its bars take
	leastBar   = 9.0 // the width that a bar should have, if the picture may grow
	widestBar  = 48.0
	mostWidth  = 1400.0
)

// barsWidth is how wide a panel of bars should be.
func (f *Figure) barsWidth(p *Panel) float64 {
	bars := 1.0
	if !f.Stacks {
		bars = float64(len(f.Series))
	}
	each := bars * leastBar / groupShare
	for _, c := range p.Categories {
		each = max(each, min(widest(c.Label, smallSize)+4, 90))
	}
	return min(each*float64(len(p.Categories))+60, mostWidth)
}

// bars draws the values of a panel with categories: side by side in the order of the figure's
// series, or on top of each other.
func (f *Figure) bars(in *plot, p *Panel) {
	each := in.x(1) - in.x(0)
	bars := float64(len(f.Series))
	if f.Stacks {
		bars = 1
	}
	width := min(each*groupShare/bars, widestBar)
	sums, wholes := make([]float64, len(p.Categories)), p.wholes()
	room := width
	if f.Stacks {
		room = each
	}
	labelled := p.labelled(room, wholes, f.Stacks)
	for _, s := range p.Series {
		place := float64(f.place(s.Name))
		for _, q := range s.Points {
			if f.Stacks && q.Y == 0 {
				continue
			}
			c := p.Categories[int(q.X)]
			left, from := in.x(q.X)+(place-bars/2)*width, 0.0
			if f.Stacks {
				left, from = in.x(q.X)-width/2, sums[int(q.X)]
				sums[int(q.X)] += q.Y
			}
			right, top := left+width*0.92, min(from+q.Y, in.y1)
			bar := in.box(f.role(s.Name), left, in.y(top), right, in.y(max(from, in.y0)))
			bar.series, bar.title = s.Name, join(", ", s.Name, c.Group, c.Label)+": "+valueText(q)
			if f.Stacks {
				bar.title += fmt.Sprintf(", %.3g %% of the whole", 100*q.Y/wholes[int(q.X)])
				continue
			}
			in.interval(s.Name, (left+right)/2, q, width/4)
			if labelled {
				in.above(s.Name, (left+right)/2, q.Y, q.High)
			}
		}
	}
	for i, sum := range sums {
		if f.Stacks && labelled {
			in.above("", in.x(float64(i)), sum, sum)
		}
	}
}

// wholes are the sums of the values in each category.
func (p *Panel) wholes() []float64 {
	sums := make([]float64, len(p.Categories))
	for _, s := range p.Series {
		for _, q := range s.Points {
			sums[int(q.X)] += q.Y
		}
	}
	return sums
}

// labelled reports whether the values of all bars of a panel can be written above them. Values stand
// at all bars or at none, as one that is missing would look like one that was not measured.
func (p *Panel) labelled(room float64, wholes []float64, stacks bool) bool {
	fits := func(v float64) bool { return extent(tick(rounded(v)), smallSize) < room }
	if stacks {
		return !slices.ContainsFunc(wholes, func(v float64) bool { return !fits(v) })
	}
	return !slices.ContainsFunc(p.Series, func(s Series) bool {
		return slices.ContainsFunc(s.Points, func(q Point) bool { return !fits(q.Y) })
	})
}

// above writes a value above its bar and its interval, on paper, so that no line crosses it.
func (p *plot) above(series string, x, v, high float64) {
	text, y := tick(rounded(v)), p.y(min(max(v, high), p.y1))-3
	half := extent(text, smallSize) / 2 / otherFonts
	p.box("paper", x-half, y-smallSize*0.8, x+half, y+1).series = series
	p.write("ink", smallSize, 0.5, x, y, text).series = series
}

// rounded is a value with three significant digits.
func rounded(v float64) float64 {
	short, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 3, 64), 64)
	return short
}

// interval draws a confidence interval around x, cut off at the top.
func (p *plot) interval(series string, x float64, q Point, half float64) {
	if !(q.High > q.Low) || q.Low >= p.y1 {
		return
	}
	low, high := p.y(max(q.Low, p.y0)), p.y(min(q.High, p.y1))
	p.stroke("ink", 1, xy{x, low}, xy{x, high}).series = series
	p.stroke("ink", 1, xy{x - half, low}, xy{x + half, low}).series = series
	if q.High <= p.y1 {
		p.stroke("ink", 1, xy{x - half, high}, xy{x + half, high}).series = series
	}
}
