package traces

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"testing"

	"github.com/carousel-sim/carousel/noc/leaf/must"
)

// smallTrace is a legal trace of three cores with every kind of record and edges, in many small
// blocks.
func smallTrace() (records [][]Record, edges [][]Edge, pages []Page) {
	for core := range 3 {
		var s []Record
		if core == 0 {
			s = append(s, Record{Kind: Create, Address: 2, Instructions: 1})
		}
		for i := range 9 {
			a := uint64(core)<<20 + uint64(i)*8
			s = append(s, Record{Address: a, Instructions: 2, Size: 3}, Record{Address: a + 4096, Kind: Store, Size: 3, Dependence: 1})
			if i%4 == 1 {
				s = append(s, Record{Kind: Lock, Address: 5, Instructions: 1}, Record{Kind: Atomic, Address: 64, Size: 2, Instructions: 1},
					Record{Kind: Unlock, Address: 5, Instructions: 1}, Record{Kind: Barrier, Address: 1, Count: 3, Instructions: 1})
			}
			if i == 5 {
				s = append(s, Record{Kind: Fetch, Address: 1 << 30, Size: 6, Instructions: 1}, Record{Kind: Fence, Instructions: 1})
			}
		}
		if core == 0 {
			s = append(s, Record{Kind: Join, Address: 2, Instructions: 1})
		}
		records = append(records, append(s, Record{Kind: End, Instructions: 5}))
	}
	edges = [][]Edge{nil, {{At: 3, Position: 2}, {At: 9, Position: 7}, {At: 9, Position: 4, Producer: 2}}, {{At: 15, Position: 14, Producer: 1}}}
	return records, edges, []Page{{Virtual: 0x40f, Frame: 0}, {Virtual: 0x40007ff, Frame: 1}}
}

// sameContent reads and verifies a file's bytes; true means that it holds exactly the small trace.
func sameContent(b []byte) (same bool, err error) {
	f, err := openBytes(b)
	if err != nil {
		return false, err
	}
	defer f.Close()
	if _, err := f.Verify(); err != nil {
		return false, err
	}
	records, edges, pages := smallTrace()
	for core := range records {
		r, e := readAll(panicker{}, f, core, 7)
		if !reflect.DeepEqual(r, records[core]) || fmt.Sprint(e) != fmt.Sprint(edges[core]) {
			return false, nil
		}
	}
	p, err := f.ReadPages(0)
	return reflect.DeepEqual(p, pages), err
}

type panicker struct{}

func (panicker) Helper()           {}
func (panicker) Fatal(args ...any) { panic(fmt.Sprint(args...)) }

func TestCutAtEveryByte(t *testing.T) {
	records, edges, pages := smallTrace()
	whole := encodeTrace(t, records, edges, pages, 8)
	if same, err := sameContent(whole); !same || err != nil {
		t.Fatalf("the whole file: %v, %v", same, err)
	}
	for n := range whole {
		_, err := sameContent(whole[:n])
		var e *Error
		if !errors.As(err, &e) || !errors.Is(err, ErrTruncated) {
			t.Fatalf("cut to %d of %d bytes: %v, want %v", n, len(whole), err, ErrTruncated)
		}
	}
	if _, err := sameContent(append(whole[:len(whole):len(whole)], 0)); err == nil {
		t.Error("a byte too many goes unnoticed")
	}
}

func TestFlipEveryByte(t *testing.T) {
	records, edges, pages := smallTrace()
	whole := encodeTrace(t, records, edges, pages, 8)
	for n := range whole {
		flip := [...]byte{0x01, 0x80, 0xff}[n%3]
		damaged := bytes.Clone(whole)
		damaged[n] ^= flip
		_, err := sameContent(damaged)
		var e *Error
		if !errors.As(err, &e) {
			t.Fatalf("byte %d changed by %#x: %v, want an error with a place", n, flip, err)
		}
	}
}

// TestClaimsSetNoMemoryAside: a small file cannot have a reader set a gigabyte aside by a number that
// it claims, whose checksum is right.
func TestClaimsSetNoMemoryAside(t *testing.T) {
	records, edges, pages := smallTrace()
	index := encodeTrace(t, records, edges, pages, 8)
	tail := index[len(index)-trailerBytes:]
	stored := int(littleEndian.Uint32(tail[8:]))
	littleEndian.PutUint32(tail[12:], 1<<30)
	littleEndian.PutUint32(tail[16:], checksum(index[len(index)-trailerBytes-stored:][:stored+16]))

	for name, open := range map[string]func() error{
		"index": func() error { _, err := sameContent(index); return err },
		"block": func() error {
			h := blockHead{blockRow: blockRow{stream: TimestampStream, entries: limitEntries}}
			for id := range limitColumns {
				h.columns = append(h.columns, column{id: uint8(id + 1), compression: compressionZstd, plain: depthBytes * limitEntries, stored: 20})
			}
			if _, problem := parseBlockHead(appendBlockHead(nil, &h), new(blockHead)); problem != "" {
				return &Error{Problem: problem, Err: ErrCorrupt}
			}
			return nil
		},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := open()
		runtime.ReadMemStats(&after)
		if taken := after.TotalAlloc - before.TotalAlloc; !errors.Is(err, ErrCorrupt) || taken > 64<<20 {
			t.Errorf("%s: %v after %d bytes of memory, want an error after little", name, err, taken)
		}
	}
}

func TestErrorsNameThePlace(t *testing.T) {
	records := [][]Record{{{Address: 8, Instructions: 1}, {Address: 4 << 30, Kind: Store}}}
	f, err := openBytes(encodeTrace(t, [][]Record{append(records[0], Record{Kind: End})}, nil, nil, 100))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	_, err = f.ReadRecords(0, make([]Record, 10))
	var e *Error
	if !errors.Is(err, ErrAddress) || !errors.As(err, &e) || e.Core != 0 || e.Record != 1 || e.Offset != f.blocks {
		t.Errorf("address outside the memory: %+v", err)
	}
}

// TestSliceOfDamagedTrace: other cores, and the records before a damaged block, can be saved.
func TestSliceOfDamagedTrace(t *testing.T) {
	records, edges, pages := smallTrace()
	whole := encodeTrace(t, records, edges, pages, 8)
	f := must.Get(openBytes(whole))
	defer f.Close()
	second := f.index[f.records[1].rows[1]]
	whole[second.offset+50] ^= 4
	for _, c := range []struct {
		config SliceConfig
		kept   []int // records of each core
	}{
		{SliceConfig{Cores: []int{0, 2}}, []int{len(records[0]), len(records[2])}},
		{SliceConfig{Range: Range{Last: second.first - 1}}, []int{9, 9, 9}}, // and an end
		{SliceConfig{}, nil},
		{SliceConfig{Range: Range{Last: second.first}}, nil},
	} {
		var out bytes.Buffer
		done, err := Slice(f, c.config, ToStream(&out, DefaultWriterConfig()))
		if c.kept == nil {
			var e *Error
			if !errors.Is(err, ErrCorrupt) || !errors.As(err, &e) || e.Core != 1 || e.Record != second.first {
				t.Errorf("%+v: %v, want the place of the damage", c.config, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%+v: %v", c.config, err)
			continue
		}
		part := must.Get(openBytes(out.Bytes()))
		if _, err := part.Verify(); err != nil {
			t.Errorf("%+v: %v", c.config, err)
		}
		for core, n := range c.kept {
			if got := int(done.Totals[core].Records); got > n || got < n-4 {
				t.Errorf("%+v: %d records of core %d, want %d but for barriers and creations", c.config, got, core, n)
			}
		}
		part.Close()
	}
}

// TestTotalsMustAgree: sound checksums do not make false totals true.
func TestTotalsMustAgree(t *testing.T) {
	var b bytes.Buffer
	w := must.Get(NewWriter(&b, DefaultMetadata("x", 1), DefaultWriterConfig()))
	must.Do(w.WriteRecords(0, []Record{{Size: 3}, {Kind: End}}))
	w.cores[0].written.Loads = 1
	must.Do(w.Close())
	f := must.Get(openBytes(b.Bytes()))
	defer f.Close()
	if _, err := f.Verify(); !errors.Is(err, ErrCorrupt) {
		t.Error(err)
	}
}

// A block whose instructions do not lead to those of the next one is damaged.
func TestInstructionsOfBlocksJoin(t *testing.T) {
	records, edges, pages := smallTrace()
	f, err := openBytes(encodeTrace(t, records, edges, pages, 8))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	f.index[f.records[1].rows[1]].instructions++
	_, err = f.ReadRecords(1, make([]Record, 8))
	var e *Error
	if !errors.As(err, &e) || !errors.Is(err, ErrCorrupt) || e.Core != 1 || e.Record != 0 || e.Offset != int64(f.index[f.records[1].rows[0]].offset) {
		t.Error(err)
	}
}
