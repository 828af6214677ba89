//go:build invariants

package wormhole

// checking makes the network check its invariants after every cycle.
const checking = true
