package cohtest

import (
	"fmt"

	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/noc"
)

// Dependencies reports whether accepting a message of a protocol only generates classes above its
// own, so that the classes cannot wait for each other in a circle.
func Dependencies(p coherence.Protocol) error {
	for r := range coherence.Roles {
		for in := range noc.Class(p.Classes()) {
			for _, out := range p.Generates(r, in) {
				if out <= in || int(out) >= p.Classes() {
					return fmt.Errorf("%s: %s at a %s generates class %d", p.Name(), p.ClassName(in), r, out)
				}
			}
		}
	}
	return nil
}
