package chakra

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/traces"
)

// The traces of these tests are written here, byte by byte after the schema, without the library of the reader.

// varint is a field with a number, text one with bytes.
func varint(field int, v uint64) []byte {
	return binary.AppendUvarint(binary.AppendUvarint(nil, uint64(field<<3)), v)
}

func text(field int, content string) []byte {
	return append(binary.AppendUvarint(binary.AppendUvarint(nil, uint64(field<<3|2)), uint64(len(content))), content...)
}

func join(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

// framed is a message behind its length.
func framed(parts ...[]byte) []byte {
	m := join(parts...)
	return append(binary.AppendUvarint(nil, uint64(len(m))), m...)
}

// int64Of, uint64Of and textOf are attributes.
func int64Of(name string, v uint64) []byte {
	return text(10, string(join(text(1, name), varint(9, v))))
}
func uint64Of(name string, v uint64) []byte {
	return text(10, string(join(text(1, name), varint(13, v))))
}
func textOf(name, v string) []byte { return text(10, string(join(text(1, name), text(29, v)))) }

// packedDeps are dependences in the packed form, and plainDeps one by one.
func packedDeps(ids ...uint64) []byte {
	var list []byte
	for _, id := range ids {
		list = binary.AppendUvarint(list, id)
	}
	return text(5, string(list))
}

func plainDeps(ids ...uint64) (list []byte) {
	for _, id := range ids {
		list = append(list, varint(4, id)...)
	}
	return list
}

var metadata = framed(text(1, "0.0.4"))

// one reads the file of one rank.
func one(path string, rank int) (*Trace, error) {
	list, _, err := Read(map[int]string{rank: path}, nil)
	if err != nil {
		return nil, err
	}
	return list[0], nil
}

func write(t *testing.T, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	must.Do(os.WriteFile(path, content, 0o600))
	return path
}

// sample computes, sends, receives and meets others, and has fields and attributes that no reader needs.
var sample = join(framed(text(1, "0.0.4"), text(2, string(join(text(1, "schema"), text(29, "x"))))),
	framed(varint(1, 7), text(2, "gemm"), varint(3, 4), varint(7, 250), text(8, string(text(1, "in"))), int64Of("num_ops", 5)),
	framed(varint(1, 9), text(2, "send"), varint(3, 5), packedDeps(7), int64Of("comm_size", 4096), int64Of("comm_src", 0), uint64Of("comm_dst", 3), int64Of("comm_tag", 2)),
	framed(varint(1, 8), text(2, "sum"), varint(3, 7), plainDeps(7, 9), packedDeps(9), int64Of("comm_type", 0), uint64Of("comm_size", 1<<20), textOf("pg_name", "tp")),
	framed(varint(1, 1), text(2, "loss"), varint(3, 4), packedDeps(8), varint(7, 3), append(binary.AppendUvarint(nil, 12<<3|1), 1, 2, 3, 4, 5, 6, 7, 8)))

func TestRead(t *testing.T) {
	var gz bytes.Buffer
	z := gzip.NewWriter(&gz)
	must.Get(z.Write(sample))
	must.Do(z.Close())
	for name, content := range map[string][]byte{"x.0.et": sample, "x.0.et.gz": gz.Bytes()} {
		path := write(t, name, content)
		got, err := one(path, 0)
		if err != nil || len(got.Nodes) != 4 || !Is(path) {
			t.Fatalf("%s: %v, %+v", name, err, got)
		}
		if n := got.Nodes[0]; n.ID != 7 || n.Name != "gemm" || n.Type != Compute || n.Micros != 250 || n.After != nil {
			t.Errorf("%+v", n)
		}
		if n := got.Nodes[1]; n.Type != Send || n.Bytes != 4096 || n.From != 0 || n.To != 3 || n.Tag != 2 || !slices.Equal(n.After, []int{0}) {
			t.Errorf("%+v", n)
		}
		if n := got.Nodes[2]; n.Type != Collective || n.CommType != 0 || n.Bytes != 1<<20 || n.Group != "tp" || !slices.Equal(n.After, []int{0, 1}) {
			t.Errorf("%+v", n)
		}
	}
	if !Is(write(t, "x", join(metadata, framed(varint(1, 1), varint(3, 5))))) {
		t.Error("a trace whose first node lacks attributes is not recognised")
	}
	if Is(write(t, "list.csv", []byte("cycle,source,destinations,phits\n0,0,1,1\n"))) || Is(t.TempDir()) {
		t.Error("a list of packets, or an empty folder, is taken for a trace")
	}
}

// TestCalls: a collective operation of a processor is the call that starts one, and takes its time.
func TestCalls(t *testing.T) {
	call := func(field int, cpu uint64) []byte {
		return join(metadata, framed(varint(1, 1), varint(3, 7), varint(7, 85), text(10, string(join(text(1, "is_cpu_op"), varint(field, cpu)))), int64Of("comm_type", 5), int64Of("comm_size", 8)))
	}
	for _, c := range []struct {
		content []byte
		want    Type
	}{{call(27, 1), Compute}, {call(7, 1), Compute}, {call(27, 0), Collective}} {
		if got := must.Get(one(write(t, "x.0.et", c.content), 0)); got.Nodes[0].Type != c.want || got.Nodes[0].Micros != 85 {
			t.Errorf("%+v, want type %d", got.Nodes[0], c.want)
		}
	}
}

// TestCallers: if the file of a rank lacks a node of ctrl_deps, these are callers and not dependences on all ranks;
// otherwise a node waits for both.
func TestCallers(t *testing.T) {
	node := func(id uint64, parts ...[]byte) []byte {
		return framed(append([][]byte{varint(1, id), varint(3, 4)}, parts...)...)
	}
	whole := join(metadata, node(1), node(2, plainDeps(1)), node(4, plainDeps(2), packedDeps(1)))
	lacking := join(metadata, node(5, plainDeps(3)))
	files := map[int]string{0: write(t, "x.0.et", whole)}
	if list, callers, err := Read(files, nil); err != nil || callers || !slices.Equal(list[0].Nodes[2].After, []int{0, 1}) {
		t.Errorf("%v, %v, %+v", err, callers, list)
	}
	files[1] = write(t, "x.1.et", lacking)
	if list, callers, err := Read(files, nil); err != nil || !callers || list[0].Nodes[1].After != nil ||
		!slices.Equal(list[0].Nodes[2].After, []int{0}) || list[1].Nodes[0].After != nil {
		t.Errorf("%v, %v, %+v", err, callers, list)
	}
}

// TestFaults: an error names the node that fails, and why.
func TestFaults(t *testing.T) {
	node := func(id uint64, parts ...[]byte) []byte {
		return framed(append([][]byte{varint(1, id), text(2, "op"), varint(3, 4)}, parts...)...)
	}
	for _, c := range []struct {
		name      string
		content   []byte
		condition error
		want      string
	}{
		{"cut", sample[:len(sample)-3], traces.ErrTruncated, "the file ends within the message after node 3"},
		{"cut length", append(slices.Clone(sample), 0x80), traces.ErrTruncated, "after node 4"},
		{"long", append(slices.Clone(metadata), 0xff, 0xff, 0xff, 0xff, 0x7f), traces.ErrIllegal, "the message after node 0 cannot have the length"},
		{"missing", join(metadata, node(1), node(2, packedDeps(1, 5))), traces.ErrIllegal, `node 2 ("op") of rank 3: it depends on node 5, which is not in the file`},
		{"twice", join(metadata, node(2), node(2)), traces.ErrIllegal, `node 2 ("op") of rank 3: another node has the same id`},
		{"type", join(metadata, framed(varint(1, 6), varint(3, 11))), traces.ErrIllegal, `node 6 ("") of rank 3: type 11 is not known`},
		{"wire", join(metadata, framed(text(1, "6"))), traces.ErrIllegal, "field 1 of the node has the wire type 2"},
		{"string", join(metadata, node(1, textOf("comm_size", "4096"))), traces.ErrIllegal, "node 0 of the file is not a node of Chakra: attribute comm_size has no integer, such as int64_val"},
		{"float", join(metadata, node(1, text(10, string(join(text(1, "comm_size"), []byte{5<<3 | 5, 0, 0, 128, 69}))))), traces.ErrIllegal, "attribute comm_size has no integer"},
		{"damaged", join(metadata, node(1, text(10, string(join(text(1, "comm_size"), text(9, "")))))), traces.ErrIllegal, "attribute comm_size has no integer"},
		{"nothing", join(metadata, node(1, text(10, string(text(1, "comm_tag"))))), traces.ErrIllegal, "attribute comm_tag has no integer"},
		{"group", join(metadata, node(1, int64Of("pg_name", 3))), traces.ErrIllegal, "attribute pg_name has no string_val"},
		{"long group", join(metadata, node(1, textOf("pg_name", strings.Repeat("x", 2000)))), traces.ErrIllegal, "pg_name has 2000 bytes; at most 1024 are possible"},
		{"two sizes", join(metadata, node(1, int64Of("comm_size", 3), uint64Of("comm_size", 3))), traces.ErrIllegal, "attribute comm_size comes twice"},
		{"send", join(metadata, framed(varint(1, 1), varint(3, 5), int64Of("comm_size", 3))), traces.ErrIllegal, `node 1 ("") of rank 3: it has no attribute comm_dst`},
		{"receive", join(metadata, framed(varint(1, 1), varint(3, 6), int64Of("comm_size", 3))), traces.ErrIllegal, "it has no attribute comm_src"},
		{"operation", join(metadata, framed(varint(1, 1), varint(3, 7), int64Of("comm_size", 3))), traces.ErrIllegal, "it has no attribute comm_type"},
		{"size", join(metadata, framed(varint(1, 1), varint(3, 7), int64Of("comm_type", 0))), traces.ErrIllegal, "it has no attribute comm_size"},
		{"text", []byte("cycle,source,destinations,phits\n"), traces.ErrTruncated, ""},
		{"other", framed(varint(9, 1)), traces.ErrNotATrace, "does not begin with the metadata"},
		{"empty", nil, traces.ErrNotATrace, "EOF"},
	} {
		_, err := one(write(t, "x.3.et", c.content), 3)
		if !errors.Is(err, c.condition) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// TestMemory: repeated dependences and long names, which compress well, are not kept.
func TestMemory(t *testing.T) {
	content := bytes.Clone(metadata)
	for id := range uint64(16) {
		content = append(content, framed(varint(1, id), varint(3, 4), text(2, strings.Repeat("x", 1<<18)), text(5, strings.Repeat("\x00", 1<<18)))...)
	}
	path := write(t, "x.0.et", content)
	content = nil
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	got := must.Get(one(path, 0))
	runtime.GC()
	runtime.ReadMemStats(&after)
	if used := int64(after.HeapAlloc) - int64(before.HeapAlloc); len(got.Nodes) != 16 || used > 4<<20 {
		t.Errorf("%d nodes take %d bytes", len(got.Nodes), used)
	}
}

// TestFiles: a folder, or one file, stands for the files of all ranks.
func TestFiles(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.0.et", "a.1.et.gz", "a.12.et", "notes.txt"} {
		must.Do(os.WriteFile(filepath.Join(dir, name), metadata, 0o600))
	}
	for _, path := range []string{dir, filepath.Join(dir, "a.12.et")} {
		files, err := Files(path)
		if err != nil || len(files) != 3 || filepath.Base(files[1]) != "a.1.et.gz" || filepath.Base(files[12]) != "a.12.et" {
			t.Errorf("%s: %v, %v", path, files, err)
		}
	}
	must.Do(os.WriteFile(filepath.Join(dir, "b.0.et"), metadata, 0o600))
	if _, err := Files(dir); err == nil || !strings.Contains(err.Error(), "both of rank 0") {
		t.Error(err)
	}
	if files, err := Files(filepath.Join(dir, "b.0.et")); err != nil || len(files) != 1 {
		t.Errorf("%v, %v", files, err)
	}
}

// FuzzRead: no input makes the reader panic, take much memory, or return a dependence on nothing.
func FuzzRead(f *testing.F) {
	f.Add(sample)
	f.Add(sample[:40])
	f.Fuzz(func(t *testing.T, content []byte) {
		got, err := one(write(t, "x", content), 0)
		if err != nil {
			return
		}
		for _, n := range got.Nodes {
			for _, d := range n.After {
				if d < 0 || d >= len(got.Nodes) {
					t.Errorf("%+v", n)
				}
			}
			if n.Micros == math.MaxUint64 && n.Type > lastType {
				t.Errorf("%+v", n)
			}
		}
	})
}
