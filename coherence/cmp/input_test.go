package cmp

import (
	"errors"
	"testing"

	"github.com/carousel-sim/carousel/traces"
)

// damagedEdges has one edge, and then a block that cannot be read.
type damagedEdges struct {
	script
	read bool
	err  error
}

func (d *damagedEdges) ReadEdges(_ int, into []traces.Edge) (int, error) {
	if d.read {
		return 0, d.err
	}
	d.read = true
	into[0] = traces.Edge{At: 0, Producer: 1}
	return 1, nil
}

// TestDamagedEdgesAreReported: an edge that cannot be read is the error of the next record, although
// all records have been read.
func TestDamagedEdgesAreReported(t *testing.T) {
	damage := errors.New("the checksum of the block is wrong")
	in := newInput(&damagedEdges{script: script{records: [][]traces.Record{{{Size: 3}, {Size: 3}, {Kind: traces.End}}}}, err: damage}, 0, Default().Core.Dependences)
	if err := in.next(); err != nil || !in.edgeDue() {
		t.Fatalf("%v, an edge is due: %v", err, in.edgeDue())
	}
	in.edgeMet()
	for range 2 {
		if err := in.next(); err != damage {
			t.Errorf("the error is %v, want %v", err, damage)
		}
	}
}
