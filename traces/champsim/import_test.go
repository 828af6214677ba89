package champsim

import (
	"encoding/binary"
	"errors"
	"reflect"
	"testing"

	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/tracetest"
)

func encode(list ...instruction) []byte {
	var b []byte
	for _, i := range list {
		b = binary.LittleEndian.AppendUint64(b, i.address)
		b = append(b, 0, 0)
		b = append(b, i.destinations[:2]...)
		b = append(b, i.sources[:]...)
		for _, a := range i.stores[:2] {
			b = binary.LittleEndian.AppendUint64(b, a)
		}
		for _, a := range i.loads {
			b = binary.LittleEndian.AppendUint64(b, a)
		}
	}
	return b
}

// program: a pointer chase, an addition and a store through the sum; the second line begins at the
// store.
func program() []byte {
	return encode(
		instruction{address: 0x400000, destinations: [4]uint8{1}, loads: [4]uint64{0x7000_0008}},
		instruction{address: 0x400004, destinations: [4]uint8{1}, sources: [4]uint8{1}, loads: [4]uint64{0x7000_1010}},
		instruction{address: 0x400008, destinations: [4]uint8{2, 25}, sources: [4]uint8{1, 3}},
		instruction{address: 0x40000c},
		instruction{address: 0x400040, sources: [4]uint8{2, 6}, stores: [4]uint64{0x7000_003e}},
		instruction{address: 0x400044, destinations: [4]uint8{6}, sources: [4]uint8{6}, loads: [4]uint64{0x7000_0020}},
		instruction{address: 0x400048, sources: [4]uint8{6}, loads: [4]uint64{0x7000_0028}},
		instruction{address: 0x40004a},
	)
}

var want = []traces.Record{
	{Address: 0x0000, Kind: traces.Fetch, Size: 6, Instructions: 1},
	{Address: 0x1008, Size: 3},
	{Address: 0x2010, Size: 3, Instructions: 1, Dependence: 1},
	{Address: 0x0040, Kind: traces.Fetch, Size: 6, Instructions: 3},
	{Address: 0x103e, Kind: traces.Store, Size: 1, Dependence: 2},
	{Address: 0x1020, Size: 3, Instructions: 1},
	{Address: 0x1028, Size: 3, Instructions: 1},
	{Kind: traces.End, Instructions: 1},
}

func importBytes(t *testing.T, c traces.ImportConfig, files ...[]byte) ([][]traces.Record, error) {
	t.Helper()
	file, _, err := tracetest.Import(t, Import, c, files...)
	if err != nil {
		return nil, err
	}
	return tracetest.Read(t, file).Records, nil
}

func TestImport(t *testing.T) {
	got := must.Get(importBytes(t, traces.ImportConfig{}, program()))
	if !reflect.DeepEqual(got[0], want) {
		t.Errorf("%+v\nwant\n%+v", got[0], want)
	}
}

func TestEveryProgramHasItsOwnFrames(t *testing.T) {
	got := must.Get(importBytes(t, traces.ImportConfig{Instructions: 2}, program(), program()))
	// The files take turns: core 0 touches frames 0 and 1, then core 1 frames 2 and 3, then 4 and
	// 5.
	for core, frames := range [][]uint64{{0, 1, 4}, {2, 3, 5}} {
		for i, frame := range frames {
			if r := got[core][i]; r.Address/traces.PageBytes != frame {
				t.Errorf("core %d, record %d: %#x, want frame %d", core, i, r.Address, frame)
			}
		}
		if n := len(got[core]); n != 4 {
			t.Errorf("core %d: %d records of two instructions", core, n)
		}
	}
}

func TestTruncationNamesTheByte(t *testing.T) {
	_, err := importBytes(t, traces.ImportConfig{}, program()[:150])
	var e *traces.Error
	if !errors.Is(err, traces.ErrTruncated) || !errors.As(err, &e) || e.Offset != 128 || e.Record != 2 {
		t.Errorf("%v", err)
	}
}

// TestCloudSuite: 96 bytes for each instruction, four destinations. (inc/trace_instruction.h of ChampSim/ChampSim.)
func TestCloudSuite(t *testing.T) {
	var b []byte
	for i := range uint64(200) {
		r := make([]byte, 96)
		binary.LittleEndian.PutUint64(r, 0x400000+4*i)
		r[88] = 1
		if i%2 == 1 {
			binary.LittleEndian.PutUint64(r[56:], 0x600000+64*i)
		}
		if i%3 == 0 {
			binary.LittleEndian.PutUint64(r[24:], 0x7fff0000)
			binary.LittleEndian.PutUint64(r[48:], 0x7fff0100)
		}
		b = append(b, r...)
	}
	_, done, err := tracetest.Import(t, Import, traces.ImportConfig{}, b)
	if sum := done.Sum(); err != nil || sum.Instructions != 200 || sum.Loads != 100 || sum.Stores != 134 {
		t.Errorf("%+v, %v", sum, err)
	}
}
