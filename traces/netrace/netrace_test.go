package netrace

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/packed"
)

// encode writes a file as the format is documented; no test here has a file of the netrace library.
func encode(nodes uint8, packets ...Packet) []byte {
	le := binary.LittleEndian
	b := []byte(Magic)
	b = le.AppendUint32(b, math.Float32bits(1))
	b = append(b, append([]byte("example"), make([]byte, 23)...)...)
	b = append(b, nodes, 0)
	b = le.AppendUint64(b, 100)
	b = le.AppendUint64(b, uint64(len(packets)))
	b = le.AppendUint32(b, 6)
	b = le.AppendUint32(b, 1)
	b = append(b, make([]byte, 8)...)
	b = append(b, "notes\x00"...)
	b = append(b, make([]byte, regionBytes)...)
	for _, p := range packets {
		b = le.AppendUint64(b, p.Cycle)
		b = le.AppendUint32(b, p.ID)
		b = le.AppendUint32(b, 0)
		b = append(b, p.Type, p.Src, p.Dst, 0, byte(len(p.Dependants)))
		for _, d := range p.Dependants {
			b = le.AppendUint32(b, d)
		}
	}
	return b
}

func read(b []byte) (Head, []Packet, error) {
	from, err := packed.NewReader("x", bytes.NewReader(b))
	if err != nil {
		return Head{}, nil, err
	}
	defer from.Close()
	r := &Reader{from: &packed.Entries{Reader: from, Name: "x", Core: -1}}
	if err := r.readHead(); err != nil {
		return r.head, nil, err
	}
	var all []Packet
	for {
		p, err := r.Next()
		if err == io.EOF {
			return r.head, all, nil
		}
		if err != nil {
			return r.head, all, err
		}
		p.Dependants = append([]uint32(nil), p.Dependants...)
		all = append(all, *p)
	}
}

func sample() []Packet {
	return []Packet{{Cycle: 3, ID: 9, Type: 1, Src: 0, Dst: 5, Dependants: []uint32{10, 12}},
		{Cycle: 20, ID: 10, Type: 2, Src: 5, Dst: 0}, {Cycle: 20, ID: 12, Type: 27, Src: 5, Dst: 7, Dependants: []uint32{13}},
		{Cycle: 31, ID: 13, Type: 28, Src: 7, Dst: 5}}
}

func TestRead(t *testing.T) {
	head, got, err := read(encode(8, sample()...))
	if err != nil || !reflect.DeepEqual(got, sample()) || !reflect.DeepEqual(head, Head{"example", 8, 100, 4, []Region{{}}}) {
		t.Fatalf("%+v, %+v, %v", head, got, err)
	}
	if got[0].Bytes() != 8 || got[1].Bytes() != 72 || !got[2].Request() || got[3].Request() || got[2].String() != "InvalidateReq" {
		t.Errorf("%+v", got)
	}
	path := filepath.Join(t.TempDir(), "x")
	must.Do(os.WriteFile(path, encode(8), 0o600))
	if r, err := Open(path); err != nil || r.Head().Nodes != 8 {
		t.Error(err)
	} else if r.Close() != nil {
		t.Error("the file does not close")
	}
}

// TestCutAnywhere: all complete packets are read, and then the error names where the file ends too
// early.
func TestCutAnywhere(t *testing.T) {
	whole := encode(8, sample()...)
	for n := range len(whole) {
		_, got, err := read(whole[:n])
		var e *traces.Error
		if !errors.Is(err, traces.ErrTruncated) || !errors.As(err, &e) || e.Offset > int64(n) {
			t.Fatalf("cut to %d: %v", n, err)
		}
		if len(got) > 0 && !reflect.DeepEqual(got, sample()[:len(got)]) || n == len(whole)-1 && len(got) != 3 {
			t.Fatalf("cut to %d: %+v", n, got)
		}
	}
}

func TestBadFiles(t *testing.T) {
	good := encode(8, sample()...)
	at := len(encode(8))
	change := func(at int, to byte) []byte { b := bytes.Clone(good); b[at] = to; return b }
	for _, c := range []struct {
		says   string
		offset int
		bytes  []byte
	}{{"first four bytes", 0, change(0, 1)}, {"version", 4, change(7, 0)}, {"0 nodes", 38, change(38, 0)}, {"regions", 38, change(61, 1)},
		{"type 7", at, change(at+16, 7)}, {"type 31", at, change(at+16, 31)}, {"from node 9 to node 5 of 8", at, change(at+17, 9)},
		{"order of cycles", at + 29, change(at, 21)}} {
		_, _, err := read(c.bytes)
		var e *traces.Error
		if !errors.As(err, &e) || e.Offset != int64(c.offset) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", c.says, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(encode(8, sample()...))
	f.Fuzz(func(t *testing.T, b []byte) {
		_, _, err := read(b)
		var e *traces.Error
		if err != nil && !errors.As(err, &e) {
			t.Error(err)
		}
	})
}

// TestRegions: only the packets of the region, in cycles from its first one.
func TestRegions(t *testing.T) {
	for _, region := range []int{0, 1} {
		r := must.Get(Open("testdata/two-regions.tra.bz2"))
		defer r.Close()
		if err := r.Choose(region); err != nil {
			t.Fatal(err)
		}
		n := uint64(0)
		for ; ; n++ {
			p, err := r.Next()
			if err == io.EOF {
				break
			}
			if err != nil || n == 0 && p.Cycle != 0 {
				t.Fatalf("region %d: packet %d in cycle %d, %v", region, n, p.Cycle, err)
			}
		}
		if want := r.Head().Regions[region].Packets; n != want || want == 0 {
			t.Errorf("region %d: %d packets, want %d", region, n, want)
		}
	}
	r := must.Get(Open("testdata/two-regions.tra.bz2"))
	defer r.Close()
	if err := r.Choose(2); err == nil || !strings.Contains(err.Error(), "has 2 regions") {
		t.Error(err)
	}
}
