package traces

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc/leaf/must"
)

// TestCheck gives each rule a trace that breaks it, in text form.
func TestCheck(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       error
		says       string
	}{
		{"nothing", "core 0", nil, ""},
		{"accesses", "core 0\n+1 load 0 8\n+1 store 0x38 8 after 1\n+0 atomic 4 4\n+2 fetch 0x1000 64", nil, ""},
		{"edges", "core 0\n+1 store 0 8\ncore 1\nedge 0 0\n+1 load 0 8", nil, ""},
		{"edge cycle", "core 0\nedge 1 0\n+1 load 0 8\ncore 1\nedge 0 0\n+1 load 8 8", ErrDeadlock, "core 0 waits at record 0 for core 1 to pass record 0 (edge 0), core 1 waits at record 0"},
		{"edge to oneself", "core 0\nedge 0 0\n+1 load 0 8\n+1 load 0 8", ErrIllegal, "name another core"},
		{"edge to a missing core", "core 0\nedge 7 0\n+1 load 0 8", ErrIllegal, "name another core"},
		{"edge beyond the producer", "core 0\n+1 load 0 8\nedge 1 9\n+1 load 0 8\ncore 1", ErrIllegal, "which has only 1"},
		{"edge beyond the end", "core 0\n+1 end\nedge 1 0\ncore 1", ErrIllegal, "beyond the end"},
		{"lock", "core 0\n+1 lock 3\n+1 unlock 3\ncore 1\n+1 lock 3\n+1 unlock 3", nil, ""},
		{"lock kept", "core 0\n+1 lock 3", ErrIllegal, "holds lock 3"},
		{"lock twice", "core 0\n+1 lock 3\n+1 lock 3", ErrIllegal, "again by its holder"},
		{"unlock alone", "core 0\n+1 unlock 3", ErrIllegal, "does not hold it"},
		{"lock across a barrier", "core 0\n+1 lock 3\n+1 barrier 1 of 2\n+1 unlock 3\ncore 1\n+1 lock 3\n+1 unlock 3\n+1 barrier 1 of 2", ErrDeadlock, "for lock 3, held by core 0"},
		{"barrier", "core 0\n+1 barrier 1 of 2\n+1 barrier 1 of 2\ncore 1\n+1 barrier 1 of 2\n+1 barrier 1 of 2", nil, ""},
		{"barrier of one", "core 0\n+1 barrier 1 of 1\n+1 barrier 1 of 1", nil, ""},
		{"barrier never full", "core 0\n+1 barrier 1 of 2\ncore 1", ErrDeadlock, "at barrier 1, where 1 of 2 have arrived"},
		{"barrier of too many", "core 0\n+1 barrier 1 of 2", ErrIllegal, "a barrier for 2 of 1 cores"},
		{"barrier shared", "core 0\n+1 barrier 1 of 1 shared", ErrIllegal, "in way 2"},
		{"barrier counts differ", "core 0\n+1 barrier 1 of 2\ncore 1\n+1 barrier 1 of 3\ncore 2\n+1 barrier 1 of 2", ErrIllegal, "for 3 cores here and for 2"},
		{"creation", "core 0\n+1 create 1\n+1 join 1\ncore 1\n+1 load 0 8", nil, ""},
		{"creation of a core that waits for it", "core 0\nedge 1 0\n+1 create 1\ncore 1\n+1 load 0 8", ErrDeadlock, "core 1 waits at record 0 for its creation"},
		{"created twice", "core 0\n+1 create 1\n+1 create 1\ncore 1", ErrIllegal, "created again"},
		{"create a missing core", "core 0\n+1 create 1", ErrIllegal, "create of core 1 of 1"},
		{"join oneself", "core 0\n+1 join 0", ErrDeadlock, "for the end of core 0"},
		{"join of a thread", "core 0\nedge 1 0\n+1 join 1 1\n+1 store 0 8\ncore 1\n+1 atomic 8 4\nedge 0 1\n+1 load 0 8", nil, ""},
		{"join in another way", "core 0\n+1 join 1 2\ncore 1", ErrIllegal, "a join with a count of 2"},
		{"outside the memory", "core 0\n+1 load 0x100000000 8", ErrAddress, "0x100000000"},
		{"lock outside the memory", "core 0\n+1 lock 0x8000000100000000\n+1 unlock 0x8000000100000000", ErrAddress, "0x100000000"},
		{"dependence before the start", "core 0\n+1 load 0 8\n+1 load 0 8 after 2", ErrIllegal, "before the first"},
		{"across a line", "core 0\n+1 load 0x3c 8", ErrIllegal, "crosses a line"},
	} {
		_, err := check(read(c.text), 4<<30)
		if !errors.Is(err, c.want) || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %v with %q", c.name, err, c.want, c.says)
		}
	}
}

// check replays a source in memory.
func check(s Source, memoryBytes uint64) (Survey, error) {
	p := newReplay(s)
	for core := range p.cores {
		c := &p.cores[core]
		if c.scanned = scan(s, core, memoryBytes, nil); c.err != nil {
			return p.survey(), c.err
		}
	}
	return p.replay()
}

// read makes a source of a text: a line for each core, edge and record. A core without an end gets one.
func read(text string) *Memory {
	var records [][]Record
	var edges [][]Edge
	core := -1
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		number := func(i int) uint64 { return must.Get(strconv.ParseUint(strings.TrimPrefix(words[i], "+"), 0, 64)) }
		switch {
		case words[0] == "core":
			core = int(number(1))
			records, edges = append(records, nil), append(edges, nil)
		case words[0] == "edge":
			edges[core] = append(edges[core], Edge{At: uint64(len(records[core])), Position: number(2), Producer: uint16(number(1))})
		case words[0][0] == '+':
			r := Record{Instructions: uint32(number(0))}
			r.Kind, _ = KindOf(words[1])
			if len(words) > 2 {
				r.Address = number(2)
			}
			switch rest := words[min(3, len(words)):]; {
			case r.Kind.IsAccess():
				r.Size = uint8(bits.TrailingZeros64(number(3)))
				if len(rest) == 3 {
					r.Dependence = uint16(number(5))
				}
			case r.Kind == Barrier:
				r.Count = uint16(number(4))
				if len(words) > 5 {
					r.Size = uint8(slices.Index(WaitNames[:], words[5]))
				}
			case r.Kind == Join && len(rest) == 1:
				r.Count = uint16(number(3))
			case len(rest) == 1:
				r.Size = uint8(slices.Index(WaitNames[:], rest[0]))
			}
			records[core] = append(records[core], r)
		}
	}
	return NewMemory(records, edges)
}

func TestSurvey(t *testing.T) {
	s := must.Get(check(read(`core 0
+1 load 0 8
+1 load 8 8
+1 fetch 0x2000 64
+1 store 0x40 8
+1 atomic 0x80 8
core 1
+1 load 0 8
+3 load 0x40 8
+1 fetch 0x2000 64
+1 load 0x1000 8
+1 fence`), 1<<20))
	sum := s.Sum()
	if sum.Records != 12 || sum.Instructions != 12 || sum.Loads != 5 || sum.Stores != 1 || sum.Atomics != 1 || sum.Fetches != 2 || sum.Others != 1 || sum.Accesses() != 7 {
		t.Errorf("%+v", sum)
	}
}

// endless is a source that does not end.
type endless struct{}

func (endless) Cores() int                                    { return 1 }
func (endless) ReadRecords(_ int, into []Record) (int, error) { return len(into), nil }
func (endless) ReadEdges(int, []Edge) (int, error)            { return 0, io.EOF }

// TestDigestCanBeStopped: a long source is not read to its end.
func TestDigestCanBeStopped(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if _, _, err := Digest(ctx, endless{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestMetadataIsPrintable: texts of a foreign trace have no control characters, whoever wrote it.
func TestMetadataIsPrintable(t *testing.T) {
	var out bytes.Buffer
	m := DefaultMetadata("by us \x1b", 1)
	m.CoreNames, m.Notes, m.Symbols = []string{"marked"}, []string{"marked"}, []Symbol{{Name: "marked"}}
	w := must.Get(NewWriter(&out, m, DefaultWriterConfig()))
	must.Do(w.WriteRecords(0, []Record{{Kind: End, Instructions: 1}}))
	must.Do(w.Close())
	content := bytes.ReplaceAll(out.Bytes(), []byte("marked"), []byte(`\u009b`))
	head := content[:headBytes+int(littleEndian.Uint32(content[12:]))]
	littleEndian.PutUint32(content[len(head):], checksum(head))
	f := must.Get(OpenReader(bytes.NewReader(content), int64(len(content)), DefaultReaderConfig()))
	defer f.Close()
	got := f.Metadata()
	if got.Workload != `by us \x1b` || got.CoreNames[0] != `\u009b` || got.Notes[0] != `\u009b` || got.Symbols[0].Name != `\u009b` || m.Notes[0] != "marked" {
		t.Errorf("%+v", got)
	}
}
