package tables

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/leaf/wholefile"
)

// sample is the file of a table with texts, counts and numbers, some of which are absent.
func sample(t testing.TB, compression Compression) []byte {
	t.Helper()
	rows := make([]Link, compressedRows)
	for i := range rows {
		rows[i] = Link{RunKey: "a", FromNode: uint64(i), Phits: uint64(i * i), Utilisation: Maybe[float64]{float64(i), i%3 > 0}}
	}
	var content bytes.Buffer
	must.Do(Links.WriteArrow(&content, rows, `{"a":1}`, compression))
	return content.Bytes()
}

// withoutChecksum turns a file into one that an older version could have written.
func withoutChecksum(content []byte) []byte {
	return bytes.ReplaceAll(content, []byte(`"checksum"`), []byte(`"checksun"`))
}

// TestFlippedBits flips bits of a table's file, which reads well before: the checksum finds each.
func TestFlippedBits(t *testing.T) {
	r, path := rand.New(rand.NewPCG(1, 2)), filepath.Join(t.TempDir(), "links.arrow")
	for _, compression := range []Compression{Zstd, LZ4, Uncompressed} {
		content := sample(t, compression)
		must.Do(os.WriteFile(path, content, 0o644))
		if rows, _, err := Links.ReadArrow(path); err != nil || len(rows) != compressedRows || rows[9].Phits != 81 {
			t.Fatalf("compression %d: %d rows, %v", compression, len(rows), err)
		}
		for range 400 {
			flipped, bit := bytes.Clone(content), r.IntN(8*len(content))
			flipped[bit/8] ^= 1 << (bit % 8)
			must.Do(os.WriteFile(path, flipped, 0o644))
			if _, _, err := Links.ReadArrow(path); !errors.Is(err, wholefile.ErrChecksum) || !strings.Contains(err.Error(), path) {
				t.Fatalf("bit %d of %d bytes: %v", bit, len(content), err)
			}
		}
	}
}

// TestDamageWithoutChecksum flips bits and bytes of files that have no checksum, which may be
// read or not, but not with more memory than files of their size can need.
func TestDamageWithoutChecksum(t *testing.T) {
	r, path := rand.New(rand.NewPCG(3, 4)), filepath.Join(t.TempDir(), "links.arrow")
	refused := 0
	for _, compression := range []Compression{Zstd, LZ4, Uncompressed} {
		content := withoutChecksum(sample(t, compression))
		for range 400 {
			damaged, at := bytes.Clone(content), r.IntN(len(content))
			damaged[at] ^= byte(1 + r.IntN(255))
			must.Do(os.WriteFile(path, damaged, 0o644))
			if _, _, err := Links.ReadArrow(path); err != nil {
				refused++
			}
			if _, err := openArrow(path); err != nil && !strings.Contains(err.Error(), path) {
				t.Fatalf("byte %d: %v", at, err)
			}
		}
	}
	var used runtime.MemStats
	if runtime.ReadMemStats(&used); used.Sys > 2<<30 || refused < 100 {
		t.Errorf("%d files were refused, with %d MiB of memory", refused, used.Sys>>20)
	}
}

// TestLongBuffer: the length of a compressed buffer is compared with the size of the file before
// memory is allocated.
func TestLongBuffer(t *testing.T) {
	content, path := withoutChecksum(sample(t, Zstd)), filepath.Join(t.TempDir(), "links.arrow")
	at := bytes.Index(content, []byte("\x28\xb5\x2f\xfd")) // start of a frame of zstd
	for place := at - 4; place < at; place++ {
		long := bytes.Clone(content)
		long[place] |= 0x10
		must.Do(os.WriteFile(path, long, 0o644))
		if _, _, err := Links.ReadArrow(path); err == nil || !strings.Contains(err.Error(), "more memory than a file of its size needs") {
			t.Errorf("a length with bit %d reads with error %v", 8*(place-at+8)+4, err)
		}
	}
}

// TestLongLists: no length in the metadata of a file makes the library allocate more than the file can need.
func TestLongLists(t *testing.T) {
	content, path := withoutChecksum(sample(t, Uncompressed)), filepath.Join(t.TempDir(), "links.arrow")
	end := len(content) - len(ipc.Magic) - 4
	refused := 0
	for at := end - int(binary.LittleEndian.Uint32(content[end:])); at < len(content); at++ {
		if content[at] != 0 || at%4 != 3 { // not the last byte of a length
			continue
		}
		long := bytes.Clone(content)
		long[at] = 0x40
		must.Do(os.WriteFile(path, long, 0o644))
		if _, _, err := Links.ReadArrow(path); err != nil {
			refused++
		}
	}
	if refused < 100 {
		t.Errorf("%d files were refused", refused)
	}
}

// TestOlderTables: tables without a checksum are read, and a note says so.
func TestOlderTables(t *testing.T) {
	dir := t.TempDir()
	folder := must.Get(OpenFolder(dir))
	(&Rows{Runs: []Run{{RunKey: "a"}}}).Put(folder, "{}")
	must.Do(folder.Commit())
	rows, _, err := ReadRows(dir)
	if err != nil || rows.Warnings() != nil {
		t.Errorf("warnings %q, %v", rows.Warnings(), err)
	}
	for _, name := range []string{"runs", "links"} {
		path := filepath.Join(dir, name+".arrow")
		must.Do(os.WriteFile(path, withoutChecksum(must.Get(os.ReadFile(path))), 0o644))
	}
	var all Rows
	rows, _, err = ReadRows(dir)
	all.Append(&rows)
	if err != nil || len(all.Runs) != 1 || !strings.Contains(strings.Join(all.Warnings(), ""), "2 of the tables") {
		t.Errorf("%d runs, warnings %q, %v", len(all.Runs), all.Warnings(), err)
	}
}

// TestForeignFiles reads what the Arrow library writes from other programs: the same columns in
// another order with others beside them, in several batches. Types that no table has are refused
// by name.
func TestForeignFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "axes.arrow")
	metadata := arrow.NewMetadata([]string{versionKey}, []string{SchemaVersion})
	write := func(last arrow.Field, fill func(array.Builder)) {
		fields := []arrow.Field{{Name: "value", Type: arrowTypes[textType]}, {Name: "key", Type: arrowTypes[textType]}, {Name: "run_key", Type: arrowTypes[textType]}, last}
		builder := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema(fields, &metadata))
		f := must.Get(os.Create(path))
		file := must.Get(ipc.NewFileWriter(f, ipc.WithSchema(builder.Schema())))
		for range 2 {
			for i, text := range []string{"v", "k", "r"} {
				builder.Field(i).(*array.StringBuilder).Append(text)
			}
			fill(builder.Field(3))
			must.Do(file.Write(builder.NewRecord()))
		}
		must.Do(errors.Join(file.Close(), f.Close()))
	}
	write(arrow.Field{Name: "more", Type: arrowTypes[numberType], Nullable: true}, func(b array.Builder) { b.AppendNull() })
	if rows, _, err := Axes.ReadArrow(path); err != nil || !slices.Equal(rows, []Axis{{"r", "k", "v"}, {"r", "k", "v"}}) {
		t.Errorf("read %v, %v", rows, err)
	}
	write(arrow.Field{Name: "more", Type: arrow.PrimitiveTypes.Int64}, func(b array.Builder) { b.(*array.Int64Builder).Append(1) })
	if _, _, err := Axes.ReadArrow(path); err == nil || !strings.Contains(err.Error(), `column "more" has a type`) {
		t.Errorf("an integer with a sign is read with error %v", err)
	}
}

// FuzzReadArrow reads damaged files without a checksum.
func FuzzReadArrow(f *testing.F) {
	f.Add(withoutChecksum(sample(f, Zstd)))
	f.Add(withoutChecksum(sample(f, Uncompressed)))
	path := filepath.Join(f.TempDir(), "links.arrow")
	f.Fuzz(func(t *testing.T, content []byte) {
		must.Do(os.WriteFile(path, content, 0o644))
		_, _, _ = Links.ReadArrow(path)
	})
}
