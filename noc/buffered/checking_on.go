//go:build invariants

package buffered

// checking runs CheckInvariants after every cycle.
const checking = true
