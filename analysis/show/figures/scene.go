package figures

import (
	"strings"
	"sync"
	"unicode/utf8"

	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"golang.org/x/image/font/opentype"
	"gonum.org/v1/plot/font"
)

// Measures of pictures, in points of which an inch has 96, as on web pages.
const (
	titleSize = 15.0
	textSize  = 12.0
	smallSize = 11.0
	lineSpace = 1.3 // of texts, in their sizes
	gap       = 8.0
)

// xy is a place in a picture, from its upper left corner.
type xy struct{ x, y float64 }

// kind is what a shape is.
type kind uint8

const (
	area kind = iota // filled polygons
	line
	disc
	words
)

// shape is one thing in a picture, whatever draws it.
type shape struct {
	kind  kind
	role  string  // of its colour
	rings [][]xy  // corners of areas, ends of a line, the centre of a disc, the place of words
	size  float64 // width of a line, radius of a disc, size of letters
	dash  int     // of a line
	open  bool    // a disc of which only the edge is drawn
	text  string  // the words
	bold  bool    // in SVG
	align float64 // of words: 0 starts at the place, 0.5 is centred, 1 ends there
	// title says what the shape shows, series whose value it is; "" for axes and the like.
	title, series string
	data          string // further attributes of the shape in SVG
}

// scene is a picture before it is drawn: its shapes from back to front.
type scene struct {
	width, height float64
	shapes        []shape
	title, about  string // for readers who do not see it
	data          string // further attributes of the picture in SVG
}

func (s *scene) add(one shape) { s.shapes = append(s.shapes, one) }

// box adds a filled rectangle.
func (s *scene) box(role string, x0, y0, x1, y1 float64) *shape {
	s.add(shape{kind: area, role: role, rings: [][]xy{{{x0, y0}, {x1, y0}, {x1, y1}, {x0, y1}}}})
	return &s.shapes[len(s.shapes)-1]
}

// stroke adds a line.
func (s *scene) stroke(role string, width float64, at ...xy) *shape {
	s.add(shape{kind: line, role: role, size: width, rings: [][]xy{at}})
	return &s.shapes[len(s.shapes)-1]
}

// write adds words.
func (s *scene) write(role string, size, align, x, y float64, text string) *shape {
	s.add(shape{kind: words, role: role, size: size, align: align, rings: [][]xy{{{x, y}}}, text: text})
	return &s.shapes[len(s.shapes)-1]
}

// lines adds words in as many lines as a width needs, and returns the place below them. y is their
// upper edge. A line that would leave the scene at a side is moved.
func (s *scene) lines(role string, size, width, align, x, y float64, text string) float64 {
	for _, part := range wrap(text, size, width) {
		y += size * lineSpace
		wide := extent(part, size)
		s.write(role, size, align, max(wide*align, min(x, s.width-wide*(1-align))), y-size*0.35, part)
	}
	return y
}

// place puts another scene into this one.
func (s *scene) place(other *scene, x, y float64) {
	for _, one := range other.shapes {
		rings := make([][]xy, len(one.rings))
		for i, ring := range one.rings {
			for _, p := range ring {
				rings[i] = append(rings[i], xy{p.x + x, p.y + y})
			}
		}
		one.rings = rings
		s.add(one)
	}
}

// face is the font that texts are measured with, and drawn with where a picture is no SVG. It is
// never bold: the drawing library finds no bold letters for a PDF.
func face(size float64) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Size: font.Length(size)}
}

// fonts has the one font that is used. The drawing library's own collection would embed twelve.
var fonts = sync.OnceValue(func() *font.Cache {
	letters, err := opentype.Parse(liberationsansregular.TTF)
	if err != nil {
		panic(err) // the font is part of the program
	}
	return font.NewCache(font.Collection{{Font: face(0), Face: letters}})
})

// otherFonts is how much wider than ours the font of a reader may be.
const otherFonts = 1.18

// extent is the width of a text.
func extent(text string, size float64) float64 {
	const large = 100
	f := fonts().Lookup(face(large), large)
	return float64(f.Width(text)) / large * size * otherFonts
}

// wrap breaks a text into lines of at most a width: at spaces, and in words that are wider.
func wrap(text string, size, width float64) (lines []string) {
	for part := range strings.Lines(text) {
		line := ""
		for _, word := range strings.Fields(part) {
			for word != "" && extent(word, size) > width {
				if line != "" {
					lines, line = append(lines, line), ""
				}
				start := word
				for utf8.RuneCountInString(start) > 1 && extent(start, size) > width {
					_, last := utf8.DecodeLastRuneInString(start)
					start = start[:len(start)-last]
				}
				lines, word = append(lines, start), word[len(start):]
			}
			switch {
			case line == "":
				line = word
			case extent(line+" "+word, size) <= width:
				line += " " + word
			default:
				lines, line = append(lines, line), word
			}
		}
		if line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}
