// Package must is for tests in which nothing is left to do after an error: it panics, and the stack
// shows where. Tests that look at errors do not use it.
package must

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
