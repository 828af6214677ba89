package traces_test

import (
	"bytes"
	"errors"
	"hash/crc32"
	"reflect"
	"testing"

	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/tracetest"
)

// plainSurvey counts with maps.
func plainSurvey(t tracetest.Trace) traces.Survey {
	var s traces.Survey
	touched, pages := map[uint64]bool{}, map[uint64]bool{}
	by, written := map[uint64]map[int]bool{}, map[uint64]bool{}
	for core, records := range t.Records {
		sum := traces.CoreTotals{Edges: uint64(len(t.Edges[core])), Created: core > 0 && core == len(t.Records)-1}
		for _, r := range records {
			sum.Records++
			sum.Instructions += uint64(r.Instructions)
			line := r.Address / traces.LineBytes
			if r.Kind.IsAccess() {
				touched[line], pages[r.Address/traces.PageBytes] = true, true
			}
			if r.Dependence > 0 {
				s.Dependent++
			}
			switch r.Kind {
			case traces.Load:
				sum.Loads++
			case traces.Store:
				sum.Stores++
			case traces.Atomic:
				sum.Atomics++
			case traces.Fetch:
				sum.Fetches++
				continue
			case traces.End:
				continue
			default:
				sum.Others++
				continue
			}
			if by[line] == nil {
				by[line] = map[int]bool{}
			}
			by[line][core] = true
			written[line] = written[line] || r.Kind != traces.Load
		}
		s.Totals = append(s.Totals, sum)
	}
	s.Lines, s.Pages = uint64(len(touched)), uint64(len(pages))
	for line, cores := range by {
		if len(cores) > 1 {
			s.SharedLines++
			if written[line] {
				s.WrittenSharedLines++
			}
		}
	}
	return s
}

func TestVerifyByAnyNumberOfWorkers(t *testing.T) {
	for seed := range uint64(8) {
		trace := tracetest.Random(seed, 1+int(seed), 800)
		file, want := tracetest.Write(t, trace), plainSurvey(trace)
		for _, workers := range []int{1, 2, 9} {
			f := tracetest.Open(t, file)
			if got, err := f.VerifyBy(workers); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("seed %d, %d workers: %v\n%+v\nwant\n%+v", seed, workers, err, got, want)
			}
		}
	}
}

// TestErrorOfTheLowestCore: the error is the same, whichever core finds something first.
func TestErrorOfTheLowestCore(t *testing.T) {
	trace := tracetest.Random(3, 4, 400)
	trace.Records[2][5] = traces.Record{Kind: traces.Load, Address: 5 << 30, Size: 3}
	trace.Records[3][0] = traces.Record{Kind: traces.Load, Address: 63, Size: 3}
	file := tracetest.Write(t, trace)
	f, err := traces.OpenReader(bytes.NewReader(file), int64(len(file)), traces.DefaultReaderConfig())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for range 20 {
		for _, workers := range []int{1, 4} {
			_, err := f.VerifyBy(workers)
			var e *traces.Error
			if !errors.Is(err, traces.ErrAddress) || !errors.As(err, &e) || e.Core != 2 || e.Record != 5 || e.Offset < 0 {
				t.Fatal(err)
			}
		}
	}
}

// TestFilesStayTheSame: files are what earlier programs wrote, byte by byte.
func TestFilesStayTheSame(t *testing.T) {
	trace := tracetest.Random(4, 3, 2000)
	for _, records := range trace.Records {
		for i := range records {
			if !records[i].Kind.IsAccess() {
				records[i].Size = 0 // they did not know how cores wait for locks
			}
		}
	}
	if sum := crc32.ChecksumIEEE(tracetest.Write(t, trace)); sum != 0x3d1ff681 {
		t.Errorf("the file has checksum %#x", sum)
	}
}
