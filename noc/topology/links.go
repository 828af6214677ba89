package topology

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/carousel-sim/carousel/noc"
)

// Link is what a channel has of its own. A value of 0 is that of the network's other links.
type Link struct {
	Cycles int     `json:",omitempty" unit:"cycles" doc:"latency of {of}; 0 means 4 between chiplets, and else the link_cycles of the router"`
	Bits   int     `json:",omitempty" unit:"bits" doc:"width of {of}; 0 means that of a phit. A phit takes several cycles on a narrower link"`
	MM     float64 `json:",omitempty" unit:"mm" doc:"length for energy of {of}; 0 means power.link_mm"`
	Class  string  `json:",omitempty" key:"-"` // such as DieToDie
}

// DieToDie is the class of links between chiplets. Its energy has a key of its own.
const DieToDie = "d2d"

// Bounds of what a link can have.
const (
	MaxLinkCycles = 256
	MaxLinkBits   = 1 << 16
	MaxLinkMM     = 1000
	maxClass      = 32 // bytes of a class's name
)

// Validate reports what no link can have.
func (l Link) Validate() error {
	switch {
	case l.Cycles < 0 || l.Cycles > MaxLinkCycles:
		return fmt.Errorf("latency is %d cycles; 0 to %d are allowed", l.Cycles, MaxLinkCycles)
	case l.Bits < 0 || l.Bits > MaxLinkBits:
		return fmt.Errorf("width is %d bits; 0 to %d are allowed", l.Bits, MaxLinkBits)
	case math.IsNaN(l.MM) || l.MM < 0 || l.MM > MaxLinkMM:
		return fmt.Errorf("length is %g mm; up to %d are allowed", l.MM, MaxLinkMM)
	case len(l.Class) > maxClass || strings.ContainsFunc(l.Class, func(r rune) bool { return r <= ' ' || r > '~' }):
		return fmt.Errorf("class %q; use at most %d letters, digits and signs", l.Class, maxClass)
	}
	return nil
}

// Parts returns the number of cycles that a phit of some bits takes on the link, one for each part of its width.
func (l *Link) Parts(phitBits int) int {
	if l == nil || l.Bits == 0 {
		return 1
	}
	return (phitBits + l.Bits - 1) / l.Bits
}

// parseLink reads what a link has of its own from words such as latency=4, width=64, length=2.5 and class=d2d. A first
// word that is a number is the latency, as in BookSim2's files. It returns nil for no words.
func parseLink(words []string) (*Link, error) {
	var l *Link
	seen := map[string]bool{}
	for i, word := range words {
		name, value, found := strings.Cut(word, "=")
		if _, err := strconv.Atoi(word); i == 0 && err == nil {
			name, value, found = "latency", word, true
		}
		if !found {
			return nil, fmt.Errorf("link: %q is not one of latency=CYCLES, width=BITS, length=MM and class=NAME", word)
		}
		if seen[name] {
			return nil, fmt.Errorf("link: %s is given twice", name)
		}
		seen[name] = true
		if l == nil {
			l = &Link{}
		}
		var err error
		switch name {
		case "latency":
			l.Cycles, err = strconv.Atoi(value)
		case "width":
			l.Bits, err = strconv.Atoi(value)
		case "length":
			l.MM, err = strconv.ParseFloat(value, 64)
		case "class":
			l.Class = value
		default:
			return nil, fmt.Errorf("link: %q is not one of latency, width, length and class", name)
		}
		if err == nil {
			err = l.Validate()
		} else {
			err = fmt.Errorf("%s=%s is not a number", name, value)
		}
		if err == nil && (name == "latency" && l.Cycles == 0 || name == "width" && l.Bits == 0) {
			err = fmt.Errorf("%s must be given a value above 0; leave it out for the network's own", name)
		}
		if name == "class" && value == "" {
			err = errors.New("class must be given a name, such as class=d2d")
		}
		if err != nil {
			return nil, fmt.Errorf("link: %w", err)
		}
	}
	return l, nil
}

// LinkOptions are the links of a grid along one dimension, or every Every-th of them.
type LinkOptions struct {
	Link
	Every int `json:",omitempty" unit:"routers" doc:"number N: of {of}, only those after every N routers have these values; 0 means that all have them"`
}

// LinksOptions are links that differ from the others: along a dimension of a grid, or of the class of
// links between chiplets. They replace what a topology says of these links.
type LinksOptions struct {
	X   LinkOptions `json:",omitzero" of:"the links of a grid along x"`
	Y   LinkOptions `json:",omitzero" of:"the links of a grid along y"`
	Z   LinkOptions `json:",omitzero" of:"the links of a grid along z"`
	D2D Link        `json:",omitzero" key:"d2d" of:"the links of class d2d, between chiplets"`
}

// Special reports whether some links are unlike the others.
func (w *Wiring) Special() bool {
	for i := range w.Channels {
		if w.Channels[i].Link != nil {
			return true
		}
	}
	return false
}

// Own returns what some links have of their own, by sender and port.
func (w *Wiring) Own(links []noc.Link) []*Link {
	own := make([]*Link, len(links))
	for i, l := range links {
		if k := slices.IndexFunc(w.Out(l.From), func(c Channel) bool { return c.Out == uint16(l.Port) }); k >= 0 {
			own[i] = w.Out(l.From)[k].Link
		}
	}
	return own
}

// WithLinks returns the layout with links as the options say. Options that fit no link are an error.
func (l Layout) WithLinks(o LinksOptions) (Layout, error) {
	w := *l.Wiring
	w.Channels = append([]Channel(nil), w.Channels...)
	for i, d := range [...]LinkOptions{o.X, o.Y, o.Z} {
		if d == (LinkOptions{}) {
			continue
		}
		name := "network.link." + dimensionNames[i:i+1]
		if l.Grid == nil || i >= len(l.Grid.Radix) {
			return l, fmt.Errorf("%s: %s has no such dimension (in graph files, links have their own values)", name, l)
		}
		if d.Every < 0 || d.Every > l.Grid.Radix[i] {
			return l, fmt.Errorf("%s.every is %d; 0 to %d are allowed on %s", name, d.Every, l.Grid.Radix[i], l)
		}
		if d.Link == (Link{}) {
			return l, fmt.Errorf("%s.every is %d, but no value recurs; set cycles, bits or mm of %s as well", name, d.Every, name)
		}
		if err := d.Validate(); err != nil {
			return l, fmt.Errorf("%s: %w", name, err)
		}
		change(w.Channels, d.Link, func(c Channel) bool { return l.Grid.cut(c, i, d.Every) })
	}
	if o.D2D != (Link{}) {
		if err := o.D2D.Validate(); err != nil {
			return l, fmt.Errorf("network.link.d2d: %w", err)
		}
		if change(w.Channels, o.D2D, func(c Channel) bool { return c.Link != nil && c.Link.Class == DieToDie }) == 0 {
			return l, fmt.Errorf("network.link.d2d: %s has no links of this class; use chiplets:AxB:mesh:CxD, or class=d2d in a graph file", l)
		}
	}
	l.Wiring = &w
	return l, nil
}

// change gives values to some channels, and returns their number.
func change(channels []Channel, to Link, which func(Channel) bool) (count int) {
	for i := range channels {
		if !which(channels[i]) {
			continue
		}
		count++
		var l Link
		if channels[i].Link != nil {
			l = *channels[i].Link
		}
		if to.Cycles > 0 {
			l.Cycles = to.Cycles
		}
		if to.Bits > 0 {
			l.Bits = to.Bits
		}
		if to.MM > 0 {
			l.MM = to.MM
		}
		channels[i].Link = &l
	}
	return count
}

// cut reports whether a channel leads along a dimension, and between two groups of every routers if that is
// not 0.
func (g Grid) cut(c Channel, dim, every int) bool {
	if along, _ := g.Direction(int(c.Out)); along != dim {
		return false
	}
	if every == 0 {
		return true
	}
	a, b := g.Coordinate(c.From, dim), g.Coordinate(c.To, dim)
	return a/every != b/every
}
