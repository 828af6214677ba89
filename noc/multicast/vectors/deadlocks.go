package vectors

import (
	"fmt"

	"github.com/carousel-sim/carousel/noc/multicast"
	"github.com/carousel-sim/carousel/noc/multicast/deadlock"
)

// deadlockCase compares whether very long multicast worms can reach a deadlock, without and with
// the tokens of switch groups.
type deadlockCase struct {
	size
	Network  string        `json:"network"`
	Several  bool          `json:"b_consumption"`
	Messages []nodeAndList `json:"messages"` // sources and destinations
	Without  bool          `json:"deadlock_reachable_without_token"`
	With     bool          `json:"deadlock_reachable_with_token"`
}

func (k *deadlockCase) check(c *comparison) error {
	if k.Network != "uni" && k.Network != "bi" {
		return fmt.Errorf("network %q; there are uni and bi", k.Network)
	}
	m, err := k.open(k.Network == "bi")
	if err != nil {
		return err
	}
	s := deadlock.Search{Network: m, Consumption: 1}
	if k.Several {
		s.Consumption = m.Arity
	}
	var requests []multicast.Request
	for _, message := range k.Messages {
		requests = append(requests, multicast.Request{Source: message.node, Destinations: message.list})
	}
	for _, want := range []bool{k.Without, k.With} {
		result, err := s.Run(requests)
		if err != nil {
			return err
		}
		c.equal(fmt.Sprintf("deadlock with tokens %v", s.Tokens), result.Deadlock, want)
		s.Tokens = true
	}
	return nil
}
