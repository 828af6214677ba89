package cmp

import (
	"testing"
	"unsafe"
)

// TestCoreLayout: what a step looks at is in five lines of the host's cache, each of which begins
// with what this says, and no line is of two cores.
func TestCoreLayout(t *testing.T) {
	if unsafe.Sizeof(uintptr(0)) != 8 {
		t.Skip("pointers are of another size")
	}
	const line = 64
	var c core
	for name, at := range map[string]uintptr{
		"idleFrom": unsafe.Offsetof(c.idleFrom), "dispatched": unsafe.Offsetof(c.dispatched), "hits": unsafe.Offsetof(c.hits),
		"stores": unsafe.Offsetof(c.stores), "all": unsafe.Sizeof(c),
	} {
		if at%line != 0 {
			t.Errorf("%s begins, or ends, %d bytes into a line", name, at%line)
		}
	}
	if at := unsafe.Offsetof(c.pieces); at%line+unsafe.Sizeof(c.pieces)+unsafe.Sizeof(c.bytes)+unsafe.Offsetof(c.input.taken)+8 > line {
		t.Errorf("what the core enters next begins %d bytes into a line, and so has parts in the next one", at%line)
	}
	if s := unsafe.Sizeof(operation{}); s != 32 {
		t.Errorf("an operation has %d bytes", s)
	}
	if s := unsafe.Sizeof(store{}); s != 16 {
		t.Errorf("a store has %d bytes", s)
	}
}
