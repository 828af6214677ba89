//go:build invariants

package treeworm

// checking makes the network check its invariants after every cycle.
const checking = true
