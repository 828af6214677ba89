package msi

import (
	"testing"

	"github.com/carousel-sim/carousel/cache"
	"github.com/carousel-sim/carousel/coherence"
)

// New panics on arrays that cannot be.
func TestNewRefusesArrays(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("an array without sets is taken")
		}
	}()
	New(coherence.System{Cores: 2}, cache.Config{}, cache.Config{Sets: 1, Ways: 4}, 4)
}
