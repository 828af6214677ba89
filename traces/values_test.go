package traces_test

import (
	"bytes"
	"errors"
	"hash/crc32"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/tracetest"
)

// TestValues: what accesses read and wrote is read back, from the beginning and from anywhere, and
// counted.
func TestValues(t *testing.T) {
	want := tracetest.Random(4, 3, 2000).WithValues(5)
	file := tracetest.Write(t, want)
	if got := tracetest.Read(t, file); !reflect.DeepEqual(got.Values, want.Values) || !reflect.DeepEqual(got.Records, want.Records) {
		t.Fatal("the values have changed")
	}
	f := tracetest.Open(t, file)
	survey, err := f.Verify()
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(6, 1))
	for core, values := range want.Values {
		known := uint64(0)
		for _, v := range values {
			if v != nil {
				known++
			}
		}
		if survey.Totals[core].Values != known || f.Totals()[core].Values != known {
			t.Errorf("core %d: %d values, counted %d and %d", core, known, survey.Totals[core].Values, f.Totals()[core].Values)
		}
		for range 200 {
			first := r.IntN(len(values) + 10)
			n := r.IntN(150)
			got := tracetest.ReadValues(t, f, core, first, n)
			for i := range n {
				var wanted []byte
				if first+i < len(values) {
					wanted = values[first+i]
				}
				if !bytes.Equal(got[i], wanted) {
					t.Fatalf("core %d: the value of record %d is %x, not %x", core, first+i, got[i], wanted)
				}
			}
		}
	}
}

// TestFilesWithoutValues are what they were before there were values, byte by byte.
func TestFilesWithoutValues(t *testing.T) {
	plain := tracetest.Write(t, tracetest.Random(4, 3, 2000))
	if sum := crc32.ChecksumIEEE(plain); sum != 0x3d1ff681 {
		t.Errorf("the file has checksum %#x", sum)
	}
	if f := tracetest.Open(t, plain); f.Version() != "1.0" || f.HasValues() {
		t.Errorf("version %s, values %v", f.Version(), f.HasValues())
	}
	if f := tracetest.Open(t, tracetest.Write(t, tracetest.Random(4, 3, 20).WithValues(1))); f.Version() != "2.0" {
		t.Errorf("version %s of a file with values", f.Version())
	}
}

// TestValuesOfSlices: records keep their values.
func TestValuesOfSlices(t *testing.T) {
	whole := tracetest.Random(7, 2, 800).WithValues(8)
	f := tracetest.Open(t, tracetest.Write(t, whole))
	var out bytes.Buffer
	c := traces.SliceConfig{Range: traces.Range{First: 100, Last: 300}, Cores: []int{1}}
	if _, err := traces.Slice(f, c, traces.ToStream(&out, traces.DefaultWriterConfig())); err != nil {
		t.Fatal(err)
	}
	part := tracetest.Read(t, out.Bytes())
	from := 100
	for i, r := range part.Records[0] {
		if !r.Kind.IsAccess() {
			continue
		}
		for ; ; from++ { // the next access of the whole trace is this one
			if x := whole.Records[1][from]; x.Kind.IsAccess() {
				break
			}
		}
		if !bytes.Equal(part.Values[0][i], whole.Values[1][from]) {
			t.Fatalf("record %d has the value %x; record %d of the whole trace had %x", i, part.Values[0][i], from, whole.Values[1][from])
		}
		from++
	}
}

// TestFlippedBytesOfValues: a file with values in which any byte has changed is refused.
func TestFlippedBytesOfValues(t *testing.T) {
	file := tracetest.Write(t, tracetest.Random(3, 1, 40).WithValues(2))
	for i := range file {
		file[i] ^= 0x24
		f, err := traces.OpenReader(bytes.NewReader(file), int64(len(file)), traces.DefaultReaderConfig())
		if err == nil {
			_, err = f.Verify()
			f.Close()
		}
		if err == nil {
			t.Errorf("byte %d may change", i)
		}
		file[i] ^= 0x24
	}
}

// TestIllegalValues: values are of accesses, have their lengths, and are announced by the metadata.
func TestIllegalValues(t *testing.T) {
	one := func(value ...byte) *traces.Values {
		v := new(traces.Values)
		v.Append(value)
		return v
	}
	for _, c := range []struct {
		name   string
		value  *traces.Values
		m      traces.Metadata
		record traces.Record
	}{
		{"three bytes", one(1, 2, 3), traces.DefaultMetadata("x", 1).WithValues(), traces.Record{}},
		{"not announced", one(1), traces.DefaultMetadata("x", 1), traces.Record{}},
		{"another length", one(1, 2), traces.DefaultMetadata("x", 1).WithValues(), traces.Record{Size: 2}},
		{"of a fence", one(1), traces.DefaultMetadata("x", 1).WithValues(), traces.Record{Kind: traces.Fence}},
	} {
		var out bytes.Buffer
		w, err := traces.NewWriter(&out, c.m, traces.DefaultWriterConfig())
		if err != nil {
			t.Fatal(err)
		}
		err = errors.Join(w.WriteValues(0, c.value), w.WriteRecords(0, []traces.Record{c.record, {Kind: traces.End}}), w.Close())
		if err == nil {
			var f *traces.File
			if f, err = traces.OpenReader(bytes.NewReader(out.Bytes()), int64(out.Len()), traces.DefaultReaderConfig()); err != nil {
				t.Fatal(err)
			}
			_, err = f.Verify()
			f.Close()
		}
		if !errors.Is(err, traces.ErrIllegal) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if _, err := traces.ParseText("x", strings.NewReader("carousel trace text 1\ncore 0\n+1 load 0x10 4 = 0102\n")); err == nil {
		t.Error("a text with a value of another length was read")
	}
}
