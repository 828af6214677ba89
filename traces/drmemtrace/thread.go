package drmemtrace

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/assemble"
	"github.com/carousel-sim/carousel/traces/packed"
)

// The types of entries that matter one by one.
const (
	typeRead     = 0
	typeWrite    = 1
	typeBundle   = 17
	typeThread   = 22
	typeExit     = 23
	typeProcess  = 24
	typeHeader   = 25
	typeFooter   = 26
	typeMarker   = 28
	typeNoFetch  = 29
	typeEncoding = 47
)

// What a type of entry is about.
const (
	unknown = iota
	access
	prefetch
	instruction
	flush
	other
)

func about(kind uint16) int {
	switch {
	case kind == typeRead || kind == typeWrite:
		return access
	case kind >= 2 && kind <= 9 || kind == 27 || kind >= 32 && kind <= 46:
		return prefetch
	case kind >= 10 && kind <= 16 || kind == 31 || kind == 48 || kind == 49:
		return instruction
	case kind >= 18 && kind <= 21:
		return flush
	case kind <= 49 && kind != 30: // 30 is turned into others before a trace is stored
		return other
	}
	return unknown
}

const (
	markerTime     = 2 // in microseconds
	markerFileType = 9
	markerWindow   = 14
	markerChunk    = 21                 // the end of a part of the file, with its number
	filteredTypes  = 0x1 | 0x80 | 0x100 // instructions or data that missed in a small cache only
	typeARM64      = 0x8
	typeX86        = 0x40
	coreSharded    = 0x10000 // threads change within a file, which is of a core
)

// head is what the first entries say.
type head struct{ thread, process, fileType uint64 }

func (h *head) target() string {
	for _, a := range []struct {
		bit  uint64
		name string
	}{{typeARM64, "aarch64"}, {0x10, "arm"}, {0x20, "i386"}, {typeX86, "x86_64"}} {
		if h.fileType&a.bit != 0 {
			return a.name
		}
	}
	return "unknown"
}

// see takes what an entry says of the whole file.
func (h *head) see(e entry) {
	switch {
	case e.kind == typeThread:
		h.thread = e.value
	case e.kind == typeProcess:
		h.process = e.value
	case e.kind == typeMarker && e.size == markerFileType:
		h.fileType = e.value
	}
}

// thread turns the entries of one file into records.
type thread struct {
	in     *packed.Entries
	core   int // stream
	of     *layout
	head   head
	parked map[uint64]thread // the state of threads that do not run
	// known tells that head has the thread's number.
	known    bool
	executed uint64
	pc       uint64 // after the last instruction
	encoding []byte
	locks    map[uint64]lockKind // by address of the instruction, where its encoding was given
	locked   lockKind            // the current instruction
	loaded   entry               // by a locked instruction, not yet a record
	waiting  bool                // there is one
	reserved uint64              // address of the last exclusive load, 0 if there is none
	window   uint64
	chunk    uint64 // number of the current one; 0 until one has ended
}

// read is the loop.
func (t *thread) read(limit uint64) error {
	for {
		e, err := next(t.in)
		if err != nil {
			return err
		}
		begins := about(e.kind) == instruction || e.kind == typeBundle || e.kind == typeFooter
		if begins && limit != 0 && t.executed >= limit {
			t.entry(entry{kind: typeFooter}) // what it has read becomes a record
			return nil
		}
		problem := t.entry(e)
		if problem == errInterleaved.Error() {
			return fmt.Errorf("%s: %w, and it must be imported alone", t.in.Name, errInterleaved)
		}
		if problem != "" {
			return t.in.Fault(t.in.Offset, traces.ErrIllegal, problem, "")
		}
		if err := t.of.to.Err(); err != nil {
			return err
		}
		t.of.counts.entries++
		if err := t.in.Pass(entryBytes); err != nil {
			return err
		}
		if e.kind != typeFooter {
			continue
		}
		if t.in.Ended() {
			return nil
		}
		if t.of.threads == nil && t.head.fileType&coreSharded == 0 { // else another thread goes on
			return t.in.Fault(t.in.Offset, traces.ErrIllegal, "something follows the footer", "")
		}
	}
}

// entry takes one entry and tells what is wrong with it.
func (t *thread) entry(e entry) string {
	kind := about(e.kind)
	if t.waiting && !(e.kind == typeWrite && e.value == t.loaded.value && e.size == t.loaded.size) {
		if problem := t.data(traces.Load, t.loaded); problem != "" {
			return problem
		}
		t.waiting = false
	}
	switch kind {
	case access:
		return t.access(e)
	case prefetch:
		t.of.counts.prefetches++
	case flush:
		t.of.counts.flushes++
	case instruction:
		return t.instruction(e.value, e.size)
	case unknown:
		return fmt.Sprintf("an entry of type %d, which is not known", e.kind)
	}
	switch e.kind {
	case typeBundle:
		return t.bundle(e)
	case typeNoFetch:
		t.of.counts.turns++
		t.locked, t.encoding = plain, t.encoding[:0] // a chunk may begin with a turn, and then gives its encoding
	case typeMarker:
		t.of.counts.markers++
		switch {
		case e.size == markerTime:
			t.of.counts.times++
			t.of.times[t.core].note(moment{e.value, t.of.to.Position(t.core)})
		case e.size == markerWindow && e.value != t.window:
			t.of.counts.windows++
			t.window = e.value
		case e.size == markerChunk && t.chunk > 0 && e.value != t.chunk:
			return fmt.Sprintf("the end of chunk %d instead of chunk %d: a part of the file is missing, or there twice", e.value, t.chunk)
		case e.size == markerChunk:
			t.chunk = e.value + 1
		}
	case typeEncoding:
		t.of.counts.encodings++
		if e.size > 8 || len(t.encoding) > 32 {
			return fmt.Sprintf("an encoding of %d bytes in an entry, after %d others", e.size, len(t.encoding))
		}
		for i := range e.size {
			t.encoding = append(t.encoding, byte(e.value>>(8*i)))
		}
	case typeThread:
		if t.of.threads != nil {
			t.change(e.value)
		} else if t.known && e.value != t.head.thread && t.head.fileType&coreSharded == 0 {
			return errInterleaved.Error()
		}
		t.known = true
	case typeProcess:
		if t.head.process != 0 && e.value != t.head.process {
			return fmt.Sprintf("an entry of process %d in the stream of process %d, whose address space is another one; record each process by itself", e.value, t.head.process)
		}
	}
	t.head.see(e)
	return ""
}

// change goes on with another thread of the file.
func (t *thread) change(number uint64) {
	if t.parked == nil {
		t.parked = map[uint64]thread{}
	}
	if t.known {
		t.parked[t.head.thread] = *t
	}
	next, known := t.parked[number]
	if !known {
		next = thread{in: t.in, of: t.of, head: t.head, locks: t.locks, core: slices.Index(t.of.threads, number)}
		next.head.process = 0
	}
	next.parked = t.parked
	*t = next
}

func (t *thread) instruction(pc uint64, size uint16) string {
	if size == 0 || pc+uint64(size)-1 < pc {
		return fmt.Sprintf("an instruction of %d bytes at %#x", size, pc)
	}
	if len(t.encoding) > 0 {
		t.locks[pc] = t.kindOf(t.encoding)
		t.encoding = t.encoding[:0]
	}
	t.locked = t.locks[pc]
	t.pc = pc + uint64(size)
	t.executed++
	t.of.counts.instructions++
	t.of.to.Execute(t.core, 1)
	return t.of.to.Fetch(t.core, pc, uint64(size))
}

func (t *thread) bundle(e entry) string {
	if e.size == 0 || e.size > 8 || t.executed == 0 {
		return fmt.Sprintf("a bundle of %d instructions; 1 to 8 can follow an instruction", e.size)
	}
	for i := range e.size {
		if problem := t.instruction(t.pc, uint16(byte(e.value>>(8*i)))); problem != "" {
			return problem
		}
	}
	return ""
}

func (t *thread) access(e entry) string {
	n := &t.of.counts
	if e.size == 0 {
		n.empty++
		return ""
	}
	if e.kind == typeRead {
		n.reads++
		if t.locked == atomic {
			t.loaded, t.waiting = e, true
			return ""
		}
		if t.locked == exclusive {
			t.reserved = e.value
		}
		return t.data(traces.Load, e)
	}
	n.writes++
	kind := traces.Store
	if t.waiting || t.locked == exclusive && t.reserved == e.value {
		n.atomics++
		kind = traces.Atomic
	}
	if t.waiting = false; t.locked == exclusive {
		t.reserved = 0
	}
	return t.data(kind, e)
}

// data writes a data access, in parts where it is longer than any other format's.
func (t *thread) data(kind traces.Kind, e entry) string {
	for at, left := e.value, uint64(e.size); left > 0; {
		part := min(left, assemble.LimitBytes)
		if problem := t.of.to.Access(t.core, traces.Record{Kind: kind, Address: at}, part); problem != "" {
			return problem
		}
		at, left = at+part, left-part
	}
	return ""
}

// lockKind is what an instruction does to memory.
type lockKind uint8

const (
	plain     lockKind = iota
	atomic             // it reads and writes the same bytes
	exclusive          // it is the load or the store of a pair that does
)

// kindOf finds out from the bytes of an instruction.
func (t *thread) kindOf(b []byte) lockKind {
	switch {
	case t.head.fileType&typeX86 != 0 && isAtomic(b):
		return atomic
	case t.head.fileType&typeARM64 != 0 && len(b) == 4:
		return kindARM64(binary.LittleEndian.Uint32(b))
	}
	return plain
}

// kindARM64 tells the loads and stores of A64 apart, as the Arm Architecture Reference Manual encodes
// them: exclusive ones of one register (bit 21 is 0) or of two (bit 31 is 1), compare and swap of one
// register or of two, and the atomic operations of LSE, with SWP.
func kindARM64(code uint32) lockKind {
	switch {
	case code&0x3F800000 == 0x08000000 && (code>>21&1 == 0 || code>>31 == 1):
		return exclusive
	case code&0x3FA00000 == 0x08A00000, code&0xBFA00000 == 0x08200000, code&0x3F200C00 == 0x38200000:
		return atomic
	}
	return plain
}

// isAtomic reports from the bytes of an x86 instruction whether it is a LOCK instruction or an
// exchange with memory (opcodes 86 and 87, where the top two bits of the next byte exclude a
// register).
func isAtomic(b []byte) bool {
	for i, v := range b {
		switch {
		case v == 0xF0:
			return true
		case v == 0x66 || v == 0x67 || v == 0xF2 || v == 0xF3 || v&0xE7 == 0x26 || v == 0x64 || v == 0x65 || v&0xF0 == 0x40:
		default:
			return v&0xFE == 0x86 && i+1 < len(b) && b[i+1] < 0xC0
		}
	}
	return false
}
