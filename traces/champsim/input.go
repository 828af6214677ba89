package champsim

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/packed"
)

const instructionBytes = 64

// instruction is one decoded record.
type instruction struct {
	address      uint64
	destinations [2]uint8
	sources      [4]uint8
	stores       [2]uint64
	loads        [4]uint64
}

func decode(b []byte) instruction {
	i := instruction{address: binary.LittleEndian.Uint64(b), destinations: [2]uint8(b[10:12]), sources: [4]uint8(b[12:16])}
	for k := range i.stores {
		i.stores[k] = binary.LittleEndian.Uint64(b[16+8*k:])
	}
	for k := range i.loads {
		i.loads[k] = binary.LittleEndian.Uint64(b[32+8*k:])
	}
	return i
}

// input reads one file.
type input struct {
	name   string
	core   int
	from   *packed.Reader
	number uint64 // instructions read
}

func openInput(path string, core int, passed packed.Passed) (*input, error) {
	from, err := packed.Open(path, passed)
	if err != nil {
		return nil, err
	}
	return &input{name: path, core: core, from: from}, nil
}

// next reads an instruction; false is the end of the file.
func (in *input) next() (instruction, bool, error) {
	b, err := in.from.Peek(instructionBytes)
	switch {
	case len(b) == 0 && err == io.EOF:
		return instruction{}, false, nil
	case err == io.EOF:
		return instruction{}, false, in.fault(traces.ErrTruncated, fmt.Sprintf("the file ends %d bytes into an instruction of %d", len(b), instructionBytes),
			"fetch it again; a ChampSim trace of this kind has a multiple of 64 bytes (those for Cloudsuite are another format)")
	case err != nil:
		problem, condition := packed.Condition(err)
		return instruction{}, false, in.fault(condition, problem, "fetch it again")
	}
	i := decode(b)
	if _, err := in.from.Discard(instructionBytes); err != nil {
		return i, false, err
	}
	in.number++
	return i, true, nil
}

func (in *input) fault(condition error, problem, hint string) error {
	return &traces.Error{File: in.name, Stream: traces.RecordStream, Core: in.core, Record: in.number,
		Offset: int64(in.number) * instructionBytes, Problem: problem, Hint: hint, Err: condition}
}
