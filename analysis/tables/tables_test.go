package tables

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/parquet/file"
	"pgregory.net/rapid"

	"github.com/carousel-sim/carousel/noc/leaf/must"
)

// contract lists the columns that every version has, in order. "..." stands for the counters of a
// router.
var contract = map[string]string{
	"classes": "run_key, class",
	"batches": "run_key, batch, multicasts",
	"runs": "run_key, workload, trace_digest, router, topology, scheme, protocol, cores, seed, cycles, seconds, " +
		"instructions, loads, stores, fetches, l1_hits, l1_misses, l2_hits, l2_misses, memory_reads, memory_writes, " +
		"reissues, persistent_requests, packets_unicast, packets_multicast, packets_broadcast, packet_latency_mean, " +
		"miss_latency_mean, energy_dynamic_j, energy_static_j, energy_j, ed_js, ed2p_js2, exit_state, digest, wall_seconds",
	"routers":       "run_key, node",
	"links":         "run_key, from_node, to_node, phits, utilisation",
	"latency":       "run_key, class, cast_type, low, high, count, sum",
	"cores":         "run_key, core, instructions, finish_cycle",
	"axes":          "run_key, key, value",
	"claims":        "id, paper, text, conditions, printed_value, measured_value, ci95, verdict",
	"figure":        "figure, panel, bar_group, label, x, series, value",
	"epochs":        "run_key, cycle, injected, delivered, in_flight, buffered_phits, misses",
	"router_epochs": "run_key, cycle, node, phits",
	"hot_blocks":    "run_key, block, sharing, block_misses, core, misses, bytes_read, bytes_written",
	"traffic":       "run_key, router, topology, scheme, pattern, multicast_fraction, multicast_destinations, packet_phits",
}

// TestColumns: the columns of every table begin as the contract says, each with a field of its own, a
// sentence and a unit.
func TestColumns(t *testing.T) {
	check(t, Runs)
	check(t, Routers)
	check(t, Links)
	check(t, Latencies)
	check(t, Cores)
	check(t, Epochs)
	check(t, RouterEpochs)
	check(t, HotBlocks)
	check(t, Classes)
	check(t, Batches)
	check(t, TrafficPoints)
	check(t, Axes)
	check(t, Claims)
	check(t, FigurePoints)
	checkUnits(t, SummaryTable(nil))
}

func check[R any](t *testing.T, table *Table[R]) {
	t.Helper()
	var names []string
	var row R
	seen := map[string]bool{}
	cells := map[any]bool{}
	for _, c := range table.Columns {
		if seen[c.Name] || c.Name != strings.ToLower(c.Name) {
			t.Errorf("%s: column %q is there twice or not in lower case", table.Name, c.Name)
		}
		if cells[c.Cell(&row)] {
			t.Errorf("%s: column %q shares its field with another", table.Name, c.Name)
		}
		seen[c.Name], cells[c.Cell(&row)] = true, true
		names = append(names, c.Name)
	}
	checkUnits(t, table)
	want := strings.Split(contract[table.Name], ", ")
	if len(names) < len(want) || !slices.Equal(names[:len(want)], want) {
		t.Errorf("%s: columns are\n%v\nthe contract begins with\n%v", table.Name, names, want)
	}
	if n := leaves(reflect.TypeFor[R]()); n != len(names) {
		t.Errorf("%s: the row has %d fields, the table %d columns", table.Name, n, len(names))
	}
}

// leaves counts the cells of a row type: every counter needs a column.
func leaves(row reflect.Type) int {
	switch {
	case row.Kind() == reflect.Array:
		return row.Len() * leaves(row.Elem())
	case row.Kind() == reflect.Struct && !strings.HasPrefix(row.Name(), "Maybe["):
		n := 0
		for i := range row.NumField() {
			n += leaves(row.Field(i).Type)
		}
		return n
	}
	return 1
}

// drawRow fills every cell of a row with something arbitrary; a cell that may be absent is so at
// times.
func drawRow[R any](t *rapid.T, table *Table[R]) R {
	var row R
	for _, c := range table.Columns {
		cell := c.Cell(&row)
		if c.Null && rapid.Bool().Draw(t, "absent") {
			continue
		}
		switch c.Type {
		case textType:
			setCell(cell, rapid.String().Draw(t, c.Name))
		case countType:
			setCell(cell, rapid.Uint64().Draw(t, c.Name))
		default:
			setCell(cell, rapid.Float64().Draw(t, c.Name))
		}
	}
	return row
}

func TestArrowRoundTrip(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		roundTrip(t, dir, Runs)
		roundTrip(t, dir, Cores)
	})
	rapid.Check(t, func(t *rapid.T) { roundTrip(t, dir, Routers) })
}

func roundTrip[R comparable](t *rapid.T, dir string, table *Table[R]) {
	rows := make([]R, rapid.IntRange(0, 4).Draw(t, "rows"))
	for i := range rows {
		rows[i] = drawRow(t, table)
	}
	folder := must.Get(OpenFolder(dir))
	Put(folder, table, rows, `{"a":1}`)
	must.Do(folder.Commit())
	got, manifest, err := table.ReadArrow(filepath.Join(dir, table.Name+".arrow"))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, rows) || manifest != `{"a":1}` {
		t.Fatalf("wrote %+v\nread %+v with manifest %s", rows, got, manifest)
	}
}

func TestAbsentIsNullAndZeroIsZero(t *testing.T) {
	path := filepath.Join(t.TempDir(), "links.arrow")
	w := must.Get(os.Create(path))
	rows := []Link{{RunKey: "a"}, {RunKey: "b", Utilisation: Some(0.0)}}
	must.Do(errors.Join(Links.WriteArrow(w, rows, "{}", Zstd), w.Close()))
	f := must.Get(os.Open(path))
	defer f.Close()
	reader := must.Get(ipc.NewFileReader(f))
	record := must.Get(reader.Record(0))
	column := record.Column(4)
	if !column.IsNull(0) || column.IsNull(1) {
		t.Errorf("utilisation is null in rows %v, %v; want true, false", column.IsNull(0), column.IsNull(1))
	}
	field := reader.Schema().Field(4)
	unit, _ := field.Metadata.GetValue("unit")
	doc, _ := field.Metadata.GetValue("doc")
	if unit != "cycles/cycle" || doc == "" || field.Name != "utilisation" {
		t.Errorf("field %s has unit %q and doc %q", field.Name, unit, doc)
	}
}

func TestRowsAcrossBatches(t *testing.T) {
	rows := make([]Epoch, batchRows+3)
	for i := range rows {
		rows[i] = Epoch{RunKey: "k", Cycle: uint64(i)}
	}
	path := filepath.Join(t.TempDir(), "epochs.arrow")
	w, _ := os.Create(path)
	must.Do(errors.Join(Epochs.WriteArrow(w, rows, "", Zstd), w.Close()))
	got, _, err := Epochs.ReadArrow(path)
	if err != nil || !slices.Equal(got, rows) {
		t.Errorf("read %d rows (%v), wrote %d", len(got), err, len(rows))
	}
}

func TestParquetHoldsTheSameCells(t *testing.T) {
	rows := []Link{{RunKey: "a", FromNode: 1, Phits: 1 << 63}, {RunKey: "b", Port: 4, Utilisation: Some(0.25)}}
	path := filepath.Join(t.TempDir(), "links.parquet")
	w, _ := os.Create(path)
	must.Do(errors.Join(Links.WriteParquet(w, rows, "{}", true), w.Close()))
	reader := must.Get(file.OpenParquetFile(path, false))
	defer reader.Close()
	if v := reader.MetaData().KeyValueMetadata().FindValue(manifestKey); v == nil || *v != "{}" {
		t.Error("the manifest is missing")
	}
	column := func(i int) file.ColumnChunkReader {
		c := must.Get(reader.RowGroup(0).Column(i))
		return c
	}
	phits, levels := make([]int64, 2), make([]int16, 2)
	if _, _, err := column(3).(*file.Int64ColumnChunkReader).ReadBatch(2, phits, levels, nil); err != nil || uint64(phits[0]) != 1<<63 {
		t.Errorf("phits are %v (%v)", phits, err)
	}
	utilisation := make([]float64, 2)
	_, n, err := column(4).(*file.Float64ColumnChunkReader).ReadBatch(2, utilisation, levels, nil)
	if err != nil || n != 1 || utilisation[0] != 0.25 || !slices.Equal(levels, []int16{0, 1}) {
		t.Errorf("utilisation: %d values %v, levels %v (%v)", n, utilisation, levels, err)
	}
}

func TestFailureLeavesNothing(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "new")
	folder := must.Get(OpenFolder(dir))
	folder.Formats = Formats{Parquet: true, CSV: true}
	Put(folder, Links, []Link{{RunKey: "a"}}, "")
	folder.Add("broken.arrow", func(w *os.File) error {
		fmt.Fprint(w, "half")
		return errors.New("disk full")
	})
	if broken := folder.Commit(); broken == nil || !strings.Contains(broken.Error(), "broken.arrow: disk full") {
		t.Errorf("the error is %v", broken)
	}
	folder.Discard()
	if left, _ := os.ReadDir(parent); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestCommitReplacesAndKeepsForeignFiles(t *testing.T) {
	dir := t.TempDir()
	os.WriteFile(filepath.Join(dir, "links.arrow"), []byte("old"), 0o644)
	os.WriteFile(filepath.Join(dir, "mine.txt"), []byte("mine"), 0o644)
	folder := must.Get(OpenFolder(dir))
	Put(folder, Links, nil, "")
	must.Do(folder.Commit())
	folder.Discard()
	var names []string
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if !slices.Equal(names, []string{"links.arrow", "mine.txt"}) {
		t.Errorf("the directory holds %v", names)
	}
	if rows, _, err := Links.ReadArrow(filepath.Join(dir, "links.arrow")); err != nil || len(rows) != 0 {
		t.Errorf("read %v, %v", rows, err)
	}
}

func TestUnreadableFiles(t *testing.T) {
	dir := t.TempDir()
	good := filepath.Join(dir, "good.arrow")
	w, _ := os.Create(good)
	must.Do(errors.Join(Links.WriteArrow(w, []Link{{RunKey: "a", Phits: 7}}, "", Zstd), w.Close()))
	whole, _ := os.ReadFile(good)
	for n := 0; n < len(whole); n += 37 {
		cut := filepath.Join(dir, "cut.arrow")
		os.WriteFile(cut, whole[:n], 0o644)
		if _, _, err := Links.ReadArrow(cut); err == nil || !strings.Contains(err.Error(), "cut.arrow") {
			t.Fatalf("cut after %d of %d bytes: error %v", n, len(whole), err)
		}
	}
	if _, _, err := Epochs.ReadArrow(good); err == nil || !strings.Contains(err.Error(), `"cycle"`) {
		t.Errorf("the wrong table reads with error %v", err)
	}
}

func TestUnwritableDirectory(t *testing.T) {
	blocked := filepath.Join(t.TempDir(), "file")
	os.WriteFile(blocked, nil, 0o644)
	if _, err := OpenFolder(filepath.Join(blocked, "sub")); err == nil {
		t.Error("a directory below a file was accepted")
	}
}
