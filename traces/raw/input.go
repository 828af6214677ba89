package raw

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"sort"
	"strconv"
	"strings"

	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/assemble"
	"github.com/carousel-sim/carousel/traces/packed"
)

const (
	recordBytes = 40

	kindStore  = 1
	kindAtomic = 2
	kindLock   = 4
	kindDevice = 8
	kindFetch  = 16
	kindString = 32
	kindEvent  = 128

	saturatedGap = 1<<32 - 1
)

// record is one raw record.
type record struct {
	stamp, virtual, physical, pc uint64
	gap                          uint32
	kind, size                   uint8
	cpu                          uint16
}

// input reads one thread's file.
type input struct {
	name    string
	core    int
	from    *bufio.Reader
	file    io.Closer
	read    uint64 // records read
	current record
	ended   bool
}

var lastNumber = regexp.MustCompile(`(\d+)\D*$`)

// list expands folders into the recordings in them and orders everything by the last number of the
// name.
func list(paths []string) ([]string, error) {
	files, err := assemble.Files(paths, func(name string) bool { return strings.HasSuffix(name, ".rec") || strings.HasSuffix(name, ".rec.zst") },
		"no recordings; they are named *.rec or *.rec.zst")
	if err != nil {
		return nil, err
	}
	sort.SliceStable(files, func(i, j int) bool {
		a, b := numberOf(files[i]), numberOf(files[j])
		if a != b {
			return a < b
		}
		return files[i] < files[j]
	})
	return files, nil
}

// IsFolder reports whether a folder holds recordings.
func IsFolder(path string) bool {
	_, err := list([]string{path})
	return err == nil
}

func numberOf(path string) int {
	m := lastNumber.FindStringSubmatch(filepath.Base(path))
	if m == nil {
		return 0
	}
	n, err := strconv.Atoi(m[1])
	if err != nil {
		return 0
	}
	return n
}

func openInput(path string, core int, passed packed.Passed) (*input, error) {
	from, err := packed.Open(path, passed)
	if err != nil {
		return nil, err
	}
	in := &input{name: path, core: core, from: from.Reader, file: from}
	if err := in.next(); err != nil {
		from.Close()
		return nil, err
	}
	return in, nil
}

// next moves to the next record, or sets ended.
func (in *input) next() error {
	b, err := in.from.Peek(recordBytes)
	switch {
	case len(b) == 0 && err == io.EOF:
		in.ended = true
		return nil
	case err == io.EOF:
		return in.fault(traces.ErrTruncated, fmt.Sprintf("the recording ends %d bytes into a record of %d", len(b), recordBytes),
			"copy the recording again, or cut the file to a multiple of 40 bytes")
	case err != nil:
		problem, condition := packed.Condition(err)
		return in.fault(condition, problem, "copy the recording again")
	}
	r := record{stamp: binary.LittleEndian.Uint64(b), virtual: binary.LittleEndian.Uint64(b[8:]), physical: binary.LittleEndian.Uint64(b[16:]),
		pc: binary.LittleEndian.Uint64(b[24:]), gap: binary.LittleEndian.Uint32(b[32:]), kind: b[36], size: b[37], cpu: binary.LittleEndian.Uint16(b[38:])}
	if in.read > 0 && (r.stamp <= in.current.stamp || r.cpu != in.current.cpu) {
		return in.fault(traces.ErrIllegal, fmt.Sprintf("stamp %d of CPU %d follows stamp %d of CPU %d; a file holds one thread in order",
			r.stamp, r.cpu, in.current.stamp, in.current.cpu), "")
	}
	if r.kind&^(kindStore|kindAtomic|kindLock|kindDevice|kindFetch|kindString) != 0 && r.kind != kindEvent || r.kind != kindEvent && r.size > 6 {
		return in.fault(traces.ErrIllegal, fmt.Sprintf("kind %#x with a size of 2^%d bytes", r.kind, r.size), "is this a raw recording?")
	}
	in.current = r
	in.read++
	_, err = in.from.Discard(recordBytes)
	return err
}

func (in *input) fault(condition error, problem, hint string) error {
	return &traces.Error{File: in.name, Stream: traces.RecordStream, Core: in.core, Record: in.read,
		Offset: int64(in.read) * recordBytes, Problem: problem, Hint: hint, Err: condition}
}
