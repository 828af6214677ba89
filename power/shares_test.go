package power

import (
	"testing"

	"github.com/carousel-sim/carousel/noc/leaf/must"
)

// TestShares: the network's share of chips that can be modelled is within a factor of 2 of the published one; of the
// others a reason is given.
func TestShares(t *testing.T) {
	modelled := 0
	for _, s := range must.Get(Shares()) {
		t.Logf("%+v", s)
		switch {
		case s.Reason == "" && s.Outside() || s.Reason != "" && s.Factor != 0:
			t.Errorf("%s: factor %g, reason %q", s.Name, s.Factor, s.Reason)
		case !s.Outside():
			modelled++
		}
	}
	if modelled < 3 {
		t.Errorf("only %d chips are modelled", modelled)
	}
	if far := (Share{Factor: 2.5}); !far.Outside() {
		t.Error("a factor of 2.5 is within 2")
	}
}
