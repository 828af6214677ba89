package drawing

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/analysis/show/figures"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/multicast"
	"github.com/carousel-sim/carousel/noc/topology"
)

// TestPlan draws a plan and counts: a line for each link, a line and a head for each channel that a worm
// crosses, a circle for each node and one more for each that sends the message on, and a box of the legend for
// each worm.
func TestPlan(t *testing.T) {
	layout := must.Get(topology.Open("mesh:6x4"))
	scheme := must.Get(multicast.LookupScheme("qg"))
	r := multicast.Request{Source: 7, Destinations: []noc.NodeID{0, 2, 5, 11, 16, 20, 21, 23}}
	p := must.Get(scheme.Plan(multicast.NewNetwork(layout), r, multicast.DefaultOptions()))
	var content bytes.Buffer
	must.Do(must.Get(Plan(layout, r, p, "a < b")).Render(&content, figures.SVG))
	count := map[string]int{}
	text := xml.NewDecoder(strings.NewReader(content.String()))
	for {
		token, err := text.Token()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("the picture is not well formed: %v", err)
		}
		if e, ok := token.(xml.StartElement); ok {
			count[e.Name.Local]++
		}
	}
	channels, senders := 0, map[noc.NodeID]bool{}
	for _, m := range p {
		m.Visit(layout.Wiring, func(_, _ noc.NodeID) { channels++ })
		senders[m.From] = m.From != r.Source
	}
	again := 0
	for _, on := range senders {
		if on {
			again++
		}
	}
	if again == 0 || count["path"] != len(layout.Wiring.Channels)/2+2*channels+len(p) || count["circle"] != layout.Wiring.Nodes()+again || !strings.Contains(content.String(), "a &lt; b") {
		t.Errorf("%v; want lines and heads of %d arrows and %d circles", count, channels, layout.Wiring.Nodes()+again)
	}
	for _, name := range []string{"torus:4x4", "mesh:2x2x2"} {
		other := must.Get(topology.Open(name))
		if _, err := Plan(other, r, p, ""); err == nil {
			t.Errorf("%s is drawn", name)
		}
	}
}
