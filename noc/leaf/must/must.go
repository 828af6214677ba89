// Package must is for tests in which nothing is left to do after an error: it panics, and the stack
// shows where. Tests that look at errors do not use it.
package must

import (
	"runtime/debug"
	"slices"
	"testing"
)

// Get returns a value, and panics where there is an error instead.
func Get[T any](v T, err error) T {
	Do(err)
	return v
}

// Do panics if there is an error.
func Do(err error) {
	if err != nil {
		panic(err)
	}
}

// Allocations is testing.AllocsPerRun, except with the race detector: sync.Pool then drops values at
// random, so Allocations runs f and returns 0.
func Allocations(runs int, f func()) float64 {
	build, _ := debug.ReadBuildInfo()
	n := testing.AllocsPerRun(runs, f)
	if build != nil && slices.Contains(build.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) {
		return 0
	}
	return n
}
