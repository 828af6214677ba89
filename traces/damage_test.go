package traces

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"
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
		for _, flip := range []byte{0x01, 0x80, 0xff} {
			damaged := bytes.Clone(whole)
			damaged[n] ^= flip
			_, err := sameContent(damaged)
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("byte %d changed by %#x: %v, want an error with a place", n, flip, err)
			}
		}
	}
}

// completeBlocks counts, from the index of the whole file, the records of each core whose blocks
// lie within the first n bytes.
func completeBlocks(t *testing.T, whole []byte, n int) []uint64 {
	f, err := openBytes(whole)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	count := make([]uint64, f.Cores())
	for _, r := range f.index {
		if r.stream == RecordStream && int(r.offset)+int(r.stored) <= n {
			count[r.core] += uint64(r.entries)
		}
	}
	return count
}

// TestRecoverAtEveryByte: of a file cut anywhere after its head, all complete blocks are found, and
// what is kept of them can be replayed.
func TestRecoverAtEveryByte(t *testing.T) {
	records, edges, pages := smallTrace()
	whole := encodeTrace(t, records, edges, pages, 8)
	f, err := openBytes(whole)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for n := int(f.blocks); n <= len(whole); n++ {
		windows, _, err := recoverBlocks("", bytes.NewReader(whole[:n]), int64(n), nil)
		if err != nil {
			t.Fatalf("cut to %d: %v", n, err)
		}
		s := windows[0]
		s.rewind()
		if _, err := Check(s, 4<<30); err != nil {
			t.Fatalf("cut to %d: %v", n, err)
		}
		s.rewind()
		for core, want := range completeBlocks(t, whole, n) {
			got, _ := readAll(t, s, core, 100)
			if s.found[core] != want {
				t.Fatalf("cut to %d, core %d: %d records found, want %d", n, core, s.found[core], want)
			}
			if kept := s.limit[core]; !reflect.DeepEqual(got[:kept], records[core][:kept]) {
				t.Fatalf("cut to %d, core %d: records differ", n, core)
			}
		}
		s.file.Close()
	}
}

// TestRepair goes the whole way, from file to file, for a few cuts.
func TestRepair(t *testing.T) {
	records, edges, pages := smallTrace()
	whole := encodeTrace(t, records, edges, pages, 8)
	dir := t.TempDir()
	from, to := filepath.Join(dir, "cut"), filepath.Join(dir, "repaired")
	for n := len(whole); n > len(whole)/2; n -= 97 {
		if err := os.WriteFile(from, whole[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		report, err := Repair(from, to, DefaultWriterConfig(), nil)
		if err != nil {
			t.Fatalf("cut to %d: %v", n, err)
		}
		repaired, err := Open(to, DefaultReaderConfig())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := repaired.Verify(); err != nil {
			t.Fatalf("cut to %d: the repaired file: %v", n, err)
		}
		for core, want := range completeBlocks(t, whole, n) {
			lost := report.Lost[core]
			kept := repaired.Totals()[core].Records - lost.Unlocks
			if lost.Cut {
				kept--
			}
			if kept+lost.Records != want || n == len(whole) && lost != (Loss{}) {
				t.Fatalf("cut to %d, core %d: %d kept and %+v, of %d complete", n, core, kept, lost, want)
			}
		}
		repaired.Close()
	}
}

func TestRepairAfterDamageInTheMiddle(t *testing.T) {
	records, edges, pages := smallTrace()
	whole := encodeTrace(t, records, edges, pages, 8)
	f, err := openBytes(whole)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	second := f.index[f.records[1].rows[1]]
	whole[second.offset+50] ^= 4
	dir := t.TempDir()
	from, to := filepath.Join(dir, "damaged"), filepath.Join(dir, "repaired")
	if err := os.WriteFile(from, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	report, err := Repair(from, to, DefaultWriterConfig(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if !report.Lost[1].Cut || report.Totals[1].Records > 8+2 || report.SkippedBytes < int64(second.stored) {
		t.Errorf("%+v", report)
	}
	repaired, err := Open(to, DefaultReaderConfig())
	if err != nil {
		t.Fatal(err)
	}
	defer repaired.Close()
	if _, err := repaired.Verify(); err != nil {
		t.Error(err)
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

func TestRecoveredCoresReleaseTheirLocks(t *testing.T) {
	lock, unlock := Record{Kind: Lock, Address: 5}, Record{Kind: Unlock, Address: 5}
	records := [][]Record{{{Size: 3}, lock, {Size: 3}, unlock, {Kind: End}}, {lock, unlock, {Kind: End}}}
	whole := encodeTrace(t, records, nil, nil, 2)
	f, err := openBytes(whole)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	whole[f.index[f.records[0].rows[1]].offset+blockBytes] ^= 1
	windows, _, err := recoverBlocks("", bytes.NewReader(whole), int64(len(whole)), nil)
	if err != nil {
		t.Fatal(err)
	}
	s := windows[0]
	defer s.file.Close()
	s.rewind()
	got, _ := readAll(t, s, 0, 10)
	if !reflect.DeepEqual(got, []Record{{Size: 3}, lock, unlock, {Kind: End}}) || s.lost[0].Unlocks != 1 {
		t.Errorf("%+v, %+v", got, s.lost)
	}
}

// TestTotalsMustAgree: sound checksums do not make false totals true.
func TestTotalsMustAgree(t *testing.T) {
	var b bytes.Buffer
	w, err := NewWriter(&b, DefaultMetadata("x", 1), DefaultWriterConfig())
	if err != nil {
		t.Fatal(err)
	}
	if err := w.WriteRecords(0, []Record{{Size: 3}, {Kind: End}}); err != nil {
		t.Fatal(err)
	}
	w.cores[0].written.Loads = 1
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := openBytes(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Verify(); !errors.Is(err, ErrCorrupt) {
		t.Error(err)
	}
}
