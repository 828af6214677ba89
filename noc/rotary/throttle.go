package rotary

import "github.com/carousel-sim/carousel/noc"

// account is what an interface owes for what it has sent and consumed (rule 20), in hundredths of cycles. One cycle is
// earned per cycle.
type account struct{ paid noc.Cycle }

// charge adds what some phits cost at a share of their length in percent.
func (a *account) charge(c *Config, now noc.Cycle, phits, percent int) {
	if c.PacePercent > 0 {
		a.paid = max(a.paid, 100*now) + noc.Cycle(phits*percent)
	}
}

// overdrawn reports whether the interface owes too much to inject.
func (a *account) overdrawn(c *Config, now noc.Cycle) bool {
	return c.PacePercent > 0 && a.paid > 100*(now+noc.Cycle(c.PaceSlack))
}

// solvent returns the first cycle in which the interface owes little enough to inject.
func (a *account) solvent(c *Config) noc.Cycle {
	due, slack := (a.paid+99)/100, noc.Cycle(c.PaceSlack)
	if c.PacePercent == 0 || due <= slack {
		return 0
	}
	return due - slack
}

// calmClass returns the class up to which the aged packets on the rings of a router keep its interface from injecting
// (rule 19), or none. patient tells that the interface has injected nothing for long.
func (n *Network) calmClass(r *router, patient bool) int {
	if !n.config.CalmInjection {
		return none
	}
	highest, jammed := none, false
	for ring := range r.segments {
		for p := range r.segments[ring] {
			for lane := range 2 {
				for _, s := range r.segments[ring][p].lanes[lane].all() {
					if k := s.packet; n.aged(k) {
						highest = max(highest, int(k.class))
						// A packet whose sink is full waits for the node, not for the network.
						jammed = jammed || n.sinks.Room(noc.NodeID(r.id), k.class)
					}
				}
			}
		}
	}
	if jammed && !patient {
		return n.config.Classes
	}
	return highest
}
