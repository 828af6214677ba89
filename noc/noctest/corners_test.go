package noctest

import (
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

// TestNetworkWithoutLinks: a network that lists no links, or wrong ones, is told so.
func TestNetworkWithoutLinks(t *testing.T) {
	w := topology.Mesh(2).Wiring()
	for want, links := range map[string][]noc.Link{
		"mesh:2: 0 links, want 2":  nil,
		"mesh:2: link 0 is {1 0 1": {{From: 1, Port: 1}, {To: 1}},
	} {
		if err := checkLinks(w, links); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("links %v: %v, want %s", links, err, want)
		}
	}
}
