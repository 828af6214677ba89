//go:build !invariants

package fabric

// Invariants tells whether engines are to check their invariants after every cycle: build with -tags invariants.
const Invariants = false
