package champsim

import (
	"bufio"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/klauspost/compress/zstd"

	"github.com/carousel-sim/carousel/traces"
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
	file   io.Closer
	zstd   *zstd.Decoder
	from   *bufio.Reader
	number uint64 // instructions read
}

func openInput(path string, core int) (*input, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	in, err := newInput(path, core, f)
	if err != nil {
		f.Close()
		return nil, err
	}
	in.file = f
	return in, nil
}

// newInput recognises compression by the first bytes.
func newInput(name string, core int, from io.Reader) (*input, error) {
	in := &input{name: name, core: core, from: bufio.NewReaderSize(from, 1<<16)}
	head, _ := in.from.Peek(6)
	switch {
	case string(head) == "\xFD7zXZ\x00":
		return nil, in.fault(traces.ErrNotATrace, "the file is compressed with xz, which is not read", "decompress it first: xz -dk "+name)
	case len(head) >= 2 && string(head[:2]) == "\x1F\x8B":
		z, err := gzip.NewReader(in.from)
		if err != nil {
			return nil, in.fault(traces.ErrCorrupt, "the file does not decompress: "+err.Error(), "")
		}
		in.from = bufio.NewReaderSize(z, 1<<16)
	case len(head) >= 4 && string(head[:4]) == "\x28\xB5\x2F\xFD":
		z, err := zstd.NewReader(in.from, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(128<<20))
		if err != nil {
			return nil, in.fault(traces.ErrCorrupt, "the file does not decompress: "+err.Error(), "")
		}
		in.zstd = z
		in.from = bufio.NewReaderSize(z, 1<<16)
	}
	return in, nil
}

func (in *input) close() {
	if in.zstd != nil {
		in.zstd.Close()
	}
	if in.file != nil {
		in.file.Close()
	}
}

// next reads an instruction; false is the end of the file.
func (in *input) next() (instruction, bool, error) {
	b, err := in.from.Peek(instructionBytes)
	switch {
	case len(b) == 0 && err == io.EOF:
		return instruction{}, false, nil
	case err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF):
		return instruction{}, false, in.fault(traces.ErrTruncated, fmt.Sprintf("the file ends %d bytes into an instruction of %d", len(b), instructionBytes),
			"fetch it again; a ChampSim trace of this kind has a multiple of 64 bytes (those for Cloudsuite are another format)")
	case err != nil:
		return instruction{}, false, in.fault(traces.ErrCorrupt, "the file does not decompress: "+err.Error(), "fetch it again")
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
