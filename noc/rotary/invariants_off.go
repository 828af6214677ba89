//go:build !invariants

package rotary

// invariants tells whether the laws of check.go are verified after every cycle: build with -tags invariants.
const invariants = false
