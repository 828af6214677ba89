package traces

import (
	"bytes"
	"fmt"
	"os"
	"testing"
	"unsafe"
)

// stencil makes the records of a loop over four arrays with a stack access and a table lookup, in
// the proportions of a compiled kernel.
func stencil(core, n int) []Record {
	records := make([]Record, 0, n)
	base := uint64(core) << 24
	random := uint64(core + 1)
	for i := 0; len(records) < n; i++ {
		at := base + uint64(i)*8
		random = random*6364136223846793005 + 1442695040888963407
		for k, r := range [...]Record{
			{Address: at, Instructions: 2, Size: 3}, {Address: at + 1<<20, Instructions: 1, Size: 3},
			{Address: base + 1<<21 + random>>51*4, Instructions: 3, Size: 2},
			{Address: at + 3<<20, Instructions: 2, Size: 3, Kind: Store}, {Address: base + 4<<20 + 0xd38, Instructions: 1, Size: 3, Kind: Store},
		} {
			if i%16 == 0 && k == 0 {
				records = append(records, Record{Address: base + 5<<20 + uint64(i%256)*4, Kind: Fetch, Size: 6, Instructions: 1})
			}
			records = append(records, r)
		}
	}
	return append(records[:n-1], Record{Kind: End})
}

// BenchmarkDecode reads traces over and over: one of a kernel, and the embedded recordings.
func BenchmarkDecode(b *testing.B) {
	const cores, each = 4, 1 << 18
	records := make([][]Record, cores)
	for core := range records {
		records[core] = stencil(core, each)
	}
	plain := encodeTrace(b, records, nil, nil, DefaultWriterConfig().BlockRecords)
	b.Run("stencil", func(b *testing.B) { decodes(b, plain) })
	for _, name := range []string{"nas-is-s", "nas-sp-s"} {
		file, err := os.ReadFile("../workloads/recorded/" + name + ".trace")
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) { decodes(b, file) })
	}
}

// decodes reads all records of a file, and reports how fast, and how much a stream of records takes.
func decodes(b *testing.B, file []byte) {
	f, err := openBytes(file)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	batch := make([]Record, 1024)
	b.ReportAllocs()
	total := 0
	for b.Loop() {
		f.Rewind()
		for core := range f.Cores() {
			for {
				n, err := f.ReadRecords(core, batch)
				if n == 0 {
					break
				}
				if err != nil {
					b.Fatal(err)
				}
				total += n
			}
		}
	}
	b.ReportMetric(float64(total)/1e6/b.Elapsed().Seconds(), "Mrecords/s")
	b.ReportMetric(float64(len(file))*float64(b.N)/float64(total), "bytes/record")
	b.ReportMetric(float64(held(f))/1024, "KB/stream")
}

// held is how many bytes the largest stream of a file takes.
func held(f *File) (most int) {
	for core := range f.records {
		r := &f.records[core]
		most = max(most, int(unsafe.Sizeof(*r))+cap(r.plain))
	}
	return most
}

func BenchmarkEncode(b *testing.B) {
	records := [][]Record{stencil(0, 1<<18)}
	total := 0
	for b.Loop() {
		var out bytes.Buffer
		w, err := NewWriter(&out, DefaultMetadata("bench", 1), DefaultWriterConfig())
		if err != nil {
			b.Fatal(err)
		}
		if err := w.WriteRecords(0, records[0]); err != nil {
			b.Fatal(err)
		}
		if err := w.Close(); err != nil {
			b.Fatal(err)
		}
		total += len(records[0])
	}
	b.ReportMetric(float64(total)/1e6/b.Elapsed().Seconds(), "Mrecords/s")
}

func BenchmarkVerify(b *testing.B) {
	const cores, each = 4, 1 << 18
	records := make([][]Record, cores)
	for core := range records {
		records[core] = stencil(core, each)
	}
	f, err := openBytes(encodeTrace(b, records, nil, nil, DefaultWriterConfig().BlockRecords))
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprint(workers), func(b *testing.B) {
			total := 0
			for b.Loop() {
				if _, err := f.VerifyBy(workers); err != nil {
					b.Fatal(err)
				}
				total += cores * each
			}
			b.ReportMetric(float64(total)/1e6/b.Elapsed().Seconds(), "Mrecords/s")
		})
	}
}
