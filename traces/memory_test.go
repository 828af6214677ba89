package traces

import (
	"errors"
	"io"
	"testing"
)

func TestMemoryEndsEveryStream(t *testing.T) {
	given := [][]Record{{{Address: 64, Instructions: 1}}, {}, {{Kind: End, Instructions: 7}}}
	m := NewMemory(given, [][]Edge{{{At: 0, Producer: 1}}})
	for core, want := range []int{2, 1, 1} {
		var all []Record
		for one := make([]Record, 1); ; {
			n, err := m.ReadRecords(core, one)
			if errors.Is(err, io.EOF) {
				break
			}
			all = append(all, one[:n]...)
		}
		if len(all) != want || all[want-1].Kind != End {
			t.Errorf("core %d: %v, want %d records with one end", core, all, want)
		}
	}
	if len(given[0]) != 1 {
		t.Error("the caller's slice has changed")
	}
	edges := make([]Edge, 4)
	if n, err := m.ReadEdges(0, edges); n != 1 || err != nil {
		t.Errorf("edges: %d, %v", n, err)
	}
	if n, err := m.ReadEdges(2, edges); n != 0 || !errors.Is(err, io.EOF) {
		t.Errorf("no edges: %d, %v", n, err)
	}
	if _, err := m.ReadRecords(3, nil); err == nil {
		t.Error("a foreign core is read")
	}
	m.Rewind()
	if n, _ := m.ReadRecords(0, make([]Record, 9)); n != 2 {
		t.Errorf("%d records after rewinding", n)
	}
}
