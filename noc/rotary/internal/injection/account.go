// Package injection holds what the interfaces of rotary routers do in the same way in the plain
// router and in its engine: [Take] takes the next packet out of a source queue, and an [Account]
// limits the rate.
package injection

import "github.com/carousel-sim/carousel/noc"

// Account is rule 20: what an interface owes for what it has sent and consumed, in hundredths of
// cycles. One cycle is earned per cycle. The zero value owes nothing.
type Account struct {
	paid noc.Cycle // until here it owes
}

// Charge adds what some phits cost at a share of their length in percent.
func (a *Account) Charge(now noc.Cycle, phits, percent int) {
	a.paid = max(a.paid, 100*now) + noc.Cycle(phits*percent)
}

// Solvent returns the first cycle in which no more than slack cycles are owed.
func (a *Account) Solvent(slack int) noc.Cycle {
	due := (a.paid + 99) / 100
	if due <= noc.Cycle(slack) {
		return 0
	}
	return due - noc.Cycle(slack)
}
