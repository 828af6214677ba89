package engine

import (
	"testing"
	"unsafe"
)

// TestRouterLayout: what is read together is in one line of the host's cache, and no line is of two routers.
func TestRouterLayout(t *testing.T) {
	if unsafe.Sizeof(uintptr(0)) != 8 {
		t.Skip("pointers are of another size")
	}
	const line = 64
	var r router
	for name, at := range map[string]uintptr{
		"used": unsafe.Offsetof(r.used), "turned": unsafe.Offsetof(r.turned), "size": unsafe.Offsetof(r.size), "lane": unsafe.Offsetof(r.lane),
		"count": unsafe.Offsetof(r.count), "stages": unsafe.Offsetof(r.stages), "each stage": unsafe.Sizeof(r.stages[0]), "all": unsafe.Sizeof(r),
	} {
		if at%line != 0 {
			t.Errorf("%s begins, or ends, %d bytes into a line", name, at%line)
		}
	}
}

// TestAtMost compares each pair of bytes, in one place of a word after the other.
func TestAtMost(t *testing.T) {
	for a := range uint64(256) {
		for b := range uint64(256) {
			shift := 8 * ((a + b) % 8)
			want := uint64(0x8080808080808080) // the other bytes are equal
			if a > b {
				want &^= 0x80 << shift
			}
			if got := atMost(a<<shift, b<<shift); got != want {
				t.Fatalf("%d at most %d: %x, want %x", a, b, got, want)
			}
		}
	}
}
