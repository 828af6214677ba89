package traces

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/carousel-sim/carousel/noc/leaf/must"
)

var smallLimit = CacheLimit{L1Sets: 4, L1Ways: 2, L2Sets: 16, L2Ways: 2}

// smallTimestamps is a record of three cores within the small limit.
func smallTimestamps(seed uint64) *Timestamps {
	r := rand.New(rand.NewPCG(seed, 1))
	t := new(Timestamps)
	taken := map[[2]uint32]bool{}
	for range 40 {
		e := Timestamp{Block: uint32(r.IntN(1 << 20)), Cache: uint16(r.IntN(6)), Flags: TimestampFlags(r.IntN(4))}
		if key := [2]uint32{e.Block, uint32(e.Cache)}; !taken[key] {
			taken[key] = true
			t.Entries = append(t.Entries, e)
		}
	}
	for i := range t.Entries {
		if i%3 == 0 {
			t.Depths = append(t.Depths, Depth{uint32(i), 0, 2}, Depth{uint32(i), 2, 1})
		}
	}
	return t
}

// encodeWindows writes the small trace several times over, with timestamps in all windows but the
// first.
func encodeWindows(t fataler, windows int, stamps func(window int) *Timestamps) []byte {
	t.Helper()
	records, edges, pages := smallTrace()
	m := DefaultMetadata("test", len(records))
	m.Timestamps = &smallLimit
	for i := range windows {
		m.Windows = append(m.Windows, Window{After: uint64(100 * i)})
	}
	var b bytes.Buffer
	w, err := NewWriter(&b, m, WriterConfig{BlockRecords: 8})
	fail := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	fail(err)
	fail(w.WritePages(0, pages))
	for i := range windows {
		for core := range records {
			fail(w.WriteRecords(i*len(records)+core, append([]Record{{Kind: Load, Size: 3, Address: uint64(i) * 64, Instructions: 1}}, records[core]...)))
			var later []Edge
			if core < len(edges) {
				for _, e := range edges[core] {
					later = append(later, Edge{At: e.At + 1, Position: e.Position + 1, Producer: e.Producer})
				}
			}
			fail(w.WriteEdges(i*len(records)+core, later))
		}
		if s := stamps(i); s != nil {
			fail(w.WriteTimestamps(i, s))
		}
	}
	fail(w.Close())
	return b.Bytes()
}

func laterStamps(window int) *Timestamps {
	if window == 0 {
		return nil
	}
	return smallTimestamps(uint64(window))
}

// checkWindows compares all of a trace of encodeWindows with what was written.
func checkWindows(t fataler, f *File, windows int) error {
	records, _, _ := smallTrace()
	if f.Windows() != windows || f.Cores() != len(records) {
		return fmt.Errorf("%d windows of %d cores", f.Windows(), f.Cores())
	}
	for i := range windows {
		one, err := f.Window(i)
		if err != nil {
			return err
		}
		defer one.zstd.Close()
		for core := range records {
			got, _ := readAll(t, one, core, 7)
			if len(got) != len(records[core])+1 || got[0].Address != uint64(i)*64 || !reflect.DeepEqual(got[1:], records[core]) {
				return fmt.Errorf("window %d, core %d: other records", i, core)
			}
		}
		if one.Created(0) || !one.Created(2) {
			return fmt.Errorf("window %d: other creations", i)
		}
		got, limit, err := one.ReadTimestamps()
		if err != nil {
			return err
		}
		want := laterStamps(i)
		if want == nil {
			want = new(Timestamps)
		}
		if limit != smallLimit || !reflect.DeepEqual(got, want) {
			return fmt.Errorf("window %d: timestamps %+v, want %+v", i, got, want)
		}
	}
	return nil
}

// TestWindows: each window is read by itself, with its timestamps.
func TestWindows(t *testing.T) {
	const windows = 3
	dir := t.TempDir()
	path := filepath.Join(dir, "a.trace")
	content := encodeWindows(t, windows, laterStamps)
	must.Do(os.WriteFile(path, content, 0o600))
	f := must.Get(Open(path, DefaultReaderConfig()))
	defer f.Close()
	if err := checkWindows(t, f, windows); err != nil {
		t.Error(err)
	}
	s, err := f.Verify()
	records, _, _ := smallTrace()
	if err != nil || s.Totals[1].Records != windows*uint64(len(records[1])+1) || f.Version() != "3.0" {
		t.Errorf("%v, %+v", err, s.Totals)
	}
}

// TestActiveCores: a core that accesses memory in several windows is one core.
func TestActiveCores(t *testing.T) {
	busy, idle := CoreTotals{Loads: 1}, CoreTotals{}
	if got := ActiveCores([]CoreTotals{busy, idle, idle, busy, busy, idle}, 3); got != 2 {
		t.Errorf("%d cores access memory, want 2", got)
	}
}

// TestDamagedWindows: no changed byte gives other timestamps, and every error says where.
func TestDamagedWindows(t *testing.T) {
	whole := encodeWindows(t, 2, laterStamps)
	const stride = 5 // every byte would take several seconds
	for at := 0; at < len(whole); at += stride {
		b := bytes.Clone(whole)
		b[at] ^= 0x55
		f, err := openBytes(b)
		if err == nil {
			if _, err = f.Verify(); err == nil {
				err = checkWindows(panicker{}, f, 2)
			}
			f.Close()
		}
		var e *Error
		if at != 10 && at != 11 && !errors.As(err, &e) { // the minor version may be any
			t.Fatalf("byte %d: %v", at, err)
		}
	}
}

// TestIllegalTimestamps: what no history can have left is refused, by the writer and, when the file
// says otherwise, by the reader, with window and entry.
func TestIllegalTimestamps(t *testing.T) {
	many := new(Timestamps)
	for i := range 100 {
		many.Entries = append(many.Entries, Timestamp{Block: uint32(i)})
	}
	one := []Timestamp{{Block: 5}}
	for name, bad := range map[string]*Timestamps{
		"oversized": many, "cache": {Entries: []Timestamp{{Cache: 6}}}, "flags": {Entries: []Timestamp{{Flags: 8}}},
		"twice": {Entries: []Timestamp{{Block: 5}, {Block: 5}}},
		"sets":  {Entries: one, Depths: []Depth{{Sets: 3, Ways: 1}}}, "ways": {Entries: one, Depths: []Depth{{Ways: 3}}},
		"entry": {Entries: one, Depths: []Depth{{Entry: 1, Ways: 1}}}, "order": {Entries: one, Depths: []Depth{{Ways: 1}, {Ways: 1}}},
	} {
		if _, problem, condition := bad.check(smallLimit, 3, 1<<40); condition != ErrIllegal || problem == "" {
			t.Errorf("%s: %v, %q", name, condition, problem)
		}
	}
	m := DefaultMetadata("x", 3)
	w := must.Get(NewWriter(new(bytes.Buffer), m, DefaultWriterConfig()))
	if err := w.WriteTimestamps(0, many); !errors.Is(err, ErrIllegal) {
		t.Error(err)
	}
	far := &Timestamps{Entries: []Timestamp{{Block: 1 << 31}}}
	missing := func(int) *Timestamps { return nil }
	for name, c := range map[string]struct {
		stamps func(int) *Timestamps
		want   error
	}{
		"address": {func(int) *Timestamps { return far }, ErrAddress}, "missing": {missing, ErrMissingStream},
	} {
		f := must.Get(openBytes(encodeWindows(t, 2, c.stamps)))
		second, err := f.Window(1)
		if err != nil {
			t.Fatal(err)
		}
		_, _, err = second.ReadTimestamps()
		var e *Error
		if !errors.Is(err, c.want) || !errors.As(err, &e) || e.Window != 2 || e.Stream != TimestampStream || name == "address" && e.Offset < f.blocks {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := f.Verify(); !errors.Is(err, c.want) {
			t.Errorf("%s: verified with %v", name, err)
		}
		second.Close()
		f.Close()
	}
	if err := (&File{metadata: DefaultMetadata("x", 1)}).Choose(1); !errors.Is(err, ErrMissingStream) {
		t.Error(err)
	}
	for _, m := range []Metadata{
		{Cores: 1 << 15, Windows: make([]Window, 3)}, {Cores: 1, Timestamps: &smallLimit},
		{Cores: 1, Windows: make([]Window, 1), Timestamps: &CacheLimit{L1Sets: 3, L1Ways: 1, L2Sets: 1, L2Ways: 1}},
		{Cores: 1, Windows: make([]Window, 1), Timestamps: &CacheLimit{L1Sets: 1, L1Ways: 1, L2Sets: 1, L2Ways: 65}},
	} {
		if m.Validate() == nil {
			t.Errorf("%+v is accepted", m)
		}
	}
}

// FuzzTimestamps: columns of any content are refused, or decode to what encodes to a record that
// decodes to the same.
func FuzzTimestamps(f *testing.F) {
	var c columns
	s := smallTimestamps(1)
	encodeTimestamps(s, 0, len(s.Entries), &c)
	f.Add(c[1], c[2], c[3], c[4], c[5])
	f.Add([]byte{1, 2}, []byte{1, 0}, []byte{0, 1}, []byte{2, 2}, []byte{1, 0, 1})
	f.Fuzz(func(t *testing.T, low, high, flags, blocks, depths []byte) {
		in := columns{1: low, 2: high, 3: flags, 4: blocks, 5: depths}
		var one, two Timestamps
		if !decodeTimestamps(&one, len(low), &in) {
			return
		}
		one.check(smallLimit, 3, 1<<30)
		var again columns
		encodeTimestamps(&one, 0, len(one.Entries), &again)
		if !decodeTimestamps(&two, len(low), &again) || !reflect.DeepEqual(one, two) {
			t.Errorf("%+v, then %+v", one, two)
		}
	})
}
