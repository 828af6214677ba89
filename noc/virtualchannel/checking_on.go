//go:build invariants

package virtualchannel

// checking makes the network check its invariants after every cycle.
const checking = true
