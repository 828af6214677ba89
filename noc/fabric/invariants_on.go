//go:build invariants

package fabric

// Invariants reports whether engines are to check their invariants after every cycle: build with
// -tags invariants.
const Invariants = true
