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

// Race reports whether the program is built with the race detector. Tests that start no goroutines
// and take long may do less then.
func Race() bool {
	build, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(build.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

// Allocations is testing.AllocsPerRun, except with the race detector: sync.Pool then drops values at
// random, so Allocations runs f and returns 0.
func Allocations(runs int, f func()) float64 {
	n := testing.AllocsPerRun(runs, f)
	if Race() {
		return 0
	}
	return n
}
