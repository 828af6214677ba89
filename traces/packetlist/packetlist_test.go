package packetlist

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/packed"
)

// read reads a list, which may be compressed.
func read(from io.Reader) (list []Packet, err error) {
	file, err := packed.NewReader("x.csv", from)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	r, err := New("x.csv", file.Reader)
	if err != nil {
		return nil, err
	}
	for {
		p, err := r.Next()
		if err == io.EOF {
			return list, nil
		}
		if err != nil {
			return list, err
		}
		q := *p
		q.Destinations, q.DependsOn = append([]uint64(nil), p.Destinations...), append([]uint64(nil), p.DependsOn...)
		list = append(list, q)
	}
}

const sample = `# made up
source,cycle,destinations,phits,depends_on,class
0,3,5,1,,0

5,0x14,0 9 3,5,1,1
# a remark
3,20,5,2,1 2,0
`

func want() []Packet {
	return []Packet{{Number: 1, Cycle: 3, Source: 0, Destinations: []uint64{5}, Phits: 1},
		{Number: 2, Cycle: 20, Source: 5, Destinations: []uint64{0, 3, 9}, Phits: 5, Class: 1, DependsOn: []uint64{1}},
		{Number: 3, Cycle: 20, Source: 3, Destinations: []uint64{5}, Phits: 2, DependsOn: []uint64{1, 2}}}
}

func TestRead(t *testing.T) {
	if got, err := read(strings.NewReader(sample)); err != nil || !reflect.DeepEqual(got, want()) {
		t.Errorf("%+v, %v", got, err)
	}
	got, err := read(strings.NewReader("bytes,destinations,source,cycle\r\n072,0X1,02,0010.0\r\n"))
	if err != nil || !reflect.DeepEqual(got, []Packet{{Number: 1, Cycle: 10, Source: 2, Destinations: []uint64{1}, Bytes: 72}}) {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestSurvey(t *testing.T) {
	r := must.Get(New("x", bufio.NewReader(strings.NewReader(sample))))
	if h, err := Survey(r); err != nil || h != (Head{Nodes: 10, Classes: 2, Packets: 3, Cycles: 21, Phits: 5}) {
		t.Errorf("%+v, %v", h, err)
	}
}

// TestMistakes: every mistake is told with its line and column.
func TestMistakes(t *testing.T) {
	const names = "cycle,source,destinations,phits,class,depends_on\n"
	for _, c := range []struct {
		text, says string
		condition  error
		offset     int64
	}{
		{"", "line 1: the file has no line that names the columns", traces.ErrNotATrace, 0},
		{"cycle,source,destinations\n", `needs one of the columns "phits" and "bytes"`, traces.ErrNotATrace, 0},
		{"cycle,source,destinations,phits,bytes\n", `needs one of the columns "phits" and "bytes"`, traces.ErrNotATrace, 0},
		{"cycle,source,phits\n", `line 1: missing columns: destinations; needed are cycle, source, destinations`, traces.ErrNotATrace, 0},
		{"cycle,src\n", `line 1: column "src" is not known`, traces.ErrNotATrace, 0},
		{"cycle,cycle\n", `column "cycle" is not known, or comes twice`, traces.ErrNotATrace, 0},
		{names + "0,0,1,1,0\n", "line 2: 5 fields, and the first line names 6", traces.ErrIllegal, 49},
		{names + "0,0,1,1,0,\n0,0,1,1,0", "line 3: 5 fields, and the first line names 6", traces.ErrIllegal, 60},
		{names + "x,0,1,1,0,\n", `line 2: cycle is "x"; a whole number from 0 to 4611686018427387904 is needed`, traces.ErrIllegal, 49},
		{names + "-1,0,1,1,0,\n", `line 2: cycle is "-1"; a whole number`, traces.ErrIllegal, 49},
		{names + ",0,1,1,0,\n", `line 2: cycle is ""; a whole number`, traces.ErrIllegal, 49},
		{names + "0,1 2,1,1,0,\n", `line 2: source is "1 2"; a whole number`, traces.ErrIllegal, 49},
		{names + "0,65536,1,1,0,\n", `line 2: source is "65536"; a whole number from 0 to 65535 is needed`, traces.ErrIllegal, 49},
		{names + "0,0,,1,0,\n", "line 2: destinations: there is none", traces.ErrIllegal, 49},
		{names + "0,0,4 1 4,1,0,\n", "line 2: destinations: node 4 comes twice", traces.ErrIllegal, 49},
		{names + "0,0,1,0,0,\n", `line 2: phits is "0"; a whole number from 1 to 65535 is needed`, traces.ErrIllegal, 49},
		{names + "0,0,1,1,256,\n", `line 2: class is "256"`, traces.ErrIllegal, 49},
		{names + "0,0,1,1,0,1\n", "line 2: depends_on is 1 in packet 1", traces.ErrIllegal, 49},
		{names + "0,0,1,1,0,0\n", "line 2: depends_on is \"0\"; a whole number from 1 to", traces.ErrIllegal, 49},
		{names + "5,0,1,1,0,\n4,0,1,1,0,\n", "line 3: cycle is 4 after 5; rows are in order of cycles", traces.ErrIllegal, 60},
		{names + strings.Repeat("1", 1<<17), "line 2: the line is longer than", traces.ErrIllegal, 49},
	} {
		_, err := read(strings.NewReader(c.text))
		var e *traces.Error
		if !errors.As(err, &e) || !errors.Is(err, c.condition) || e.Offset != c.offset || !strings.Contains(err.Error(), c.says) || !strings.HasPrefix(err.Error(), "x.csv: ") {
			t.Errorf("%.80q: %v, want %q", c.text, err, c.says)
		}
	}
}

// long is a list of so many packets, made while it is read.
type long struct {
	left, made int
	buffer     bytes.Buffer
}

func (l *long) Read(b []byte) (int, error) {
	for ; l.left > 0 && l.buffer.Len() < len(b); l.left-- {
		if l.made == 0 {
			l.buffer.WriteString("cycle,source,destinations,bytes,depends_on\n")
		}
		l.made++
		fmt.Fprintf(&l.buffer, "%d,%d,%d,64,%d\n", l.made, l.made%64, (l.made+9)%64, max(1, l.made-1))
		if l.made == 1 {
			l.buffer.Reset()
			l.buffer.WriteString("cycle,source,destinations,bytes,depends_on\n1,0,1,64,\n")
		}
	}
	return l.buffer.Read(b)
}

// TestMemory: reading a list of 10 MB takes no more than a buffer.
func TestMemory(t *testing.T) {
	const rows = 400_000
	r := must.Get(New("x", bufio.NewReaderSize(&long{left: rows}, 1<<16)))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	n := 0
	for {
		p, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if n++; p.Number != uint64(n) {
			t.Fatalf("packet %d comes as number %d", n, p.Number)
		}
		if n%(rows/4) == 0 {
			runtime.GC()
			if runtime.ReadMemStats(&after); after.HeapAlloc > before.HeapAlloc+4<<20 {
				t.Fatalf("after %d packets %d bytes are in memory, %d before", n, after.HeapAlloc, before.HeapAlloc)
			}
		}
	}
	if n != rows {
		t.Errorf("%d packets, want %d", n, rows)
	}
}

// FuzzCSV: whatever the text is, there are packets that keep the form's rules, or an error with a
// place.
func FuzzCSV(f *testing.F) {
	f.Add([]byte(sample))
	f.Add([]byte("bytes,destinations,source,cycle\r\n072,0X1,02,0010.0\r\n"))
	f.Add([]byte("cycle,source,destinations,phits,depends_on\n1,1,1,1,\n1,1,1 2,1,1 1\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		list, err := read(bytes.NewReader(b))
		var e *traces.Error
		if err != nil && (!errors.As(err, &e) || e.File == "") {
			t.Error(err)
		}
		last := uint64(0)
		for i, p := range list {
			if p.Number != uint64(i+1) || p.Cycle < last || len(p.Destinations) == 0 || (p.Phits == 0) == (p.Bytes == 0) {
				t.Errorf("%+v", p)
			}
			for _, d := range p.DependsOn {
				if d == 0 || d >= p.Number {
					t.Errorf("%+v", p)
				}
			}
			last = p.Cycle
		}
	})
}
