package csv

import (
	"bytes"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/assemble"
	"github.com/carousel-sim/carousel/traces/packed"
)

// Version names the importer in the files that it writes; it goes up when its output changes.
const Version = "csv 1"

// The columns, in the order in which Export writes them.
const (
	columnCore = iota
	columnGap
	columnKind
	columnAddress
	columnSize
	columnPhysical
	columnDependence
	columnCount
	columnAfter
	columns
)

var columnNames = [columns]string{"core", "gap", "kind", "address", "size", "physical", "dependence", "count", "after"}

// reader walks the lines of a file.
type reader struct {
	packed.Table
	place    [columns]int
	cores    int // 0: not said
	separate bool
	ended    bool // the last line is that of packed.EndLine
}

// Import reads one file.
func Import(paths []string, c traces.ImportConfig, to traces.Destination) (traces.Imported, error) {
	if len(paths) != 1 {
		return traces.Imported{}, fmt.Errorf("%d files given: a trace in CSV is one file for all cores", len(paths))
	}
	cores, complete, err := survey(paths[0], c)
	if err != nil {
		return traces.Imported{}, err
	}
	from, err := packed.OpenFor(paths[0], c)
	if err != nil {
		return traces.Imported{}, err
	}
	defer from.Close()
	var notes []string
	if !complete {
		notes = packed.CutNotes(paths[0])
	}
	return importFrom(&reader{Table: packed.Table{Name: paths[0], From: from.Reader}}, cores, notes, c, to)
}

// survey finds the number of cores, and whether the file shows that it is complete.
func survey(path string, c traces.ImportConfig) (cores int, complete bool, err error) {
	from, err := packed.OpenFor(path, c)
	if err != nil {
		return 0, false, err
	}
	defer from.Close()
	r := &reader{Table: packed.Table{Name: path, From: from.Reader}}
	return r.survey()
}

func (r *reader) survey() (cores int, complete bool, err error) {
	if err := r.readNames(); err != nil || r.ended {
		return r.cores, true, err
	}
	ended := map[int]bool{} // cores with an end
	for {
		ok, err := r.Next()
		if errors.Is(err, traces.ErrHead) {
			return max(cores, r.cores, 1), true, nil
		}
		if err != nil {
			return 0, false, err
		}
		if !ok {
			break
		}
		core, problem := r.number(columnCore, 1<<16-1)
		if problem != "" {
			return 0, false, r.Fault(traces.ErrIllegal, problem)
		}
		cores = max(cores, int(core)+1)
		if string(r.field(columnKind)) == traces.End.String() {
			ended[int(core)] = true
		}
	}
	if r.cores > 0 {
		cores = r.cores
	}
	cores = max(cores, 1)
	for core := range cores {
		if !r.Ended && len(ended) > 0 && !ended[core] {
			return 0, false, r.Fault(traces.ErrTruncated, fmt.Sprintf("core %d has no end, and other cores have one: the file may be cut off", core))
		}
	}
	return cores, r.Ended || r.cores > 0 && len(ended) > 0, nil
}

func importFrom(r *reader, cores int, notes []string, c traces.ImportConfig, to traces.Destination) (traces.Imported, error) {
	if err := r.readNames(); err != nil {
		return traces.Imported{}, err
	}
	m := traces.DefaultMetadata(c.Workload, cores)
	m.Origin, m.Importer, m.Target, m.Addresses, m.Notes = c.Origin, Version, "unknown", "mapped", notes
	if r.place[columnPhysical] >= 0 {
		m.Addresses = "physical"
	}
	if r.separate {
		m.AddressSpaces = cores
	}
	return assemble.Write(m, to, func(b *assemble.Builder) ([]traces.Count, error) {
		rows, err := r.rows(b, cores)
		return []traces.Count{{Name: "rows", N: rows}}, err
	})
}

// rows is the loop.
func (r *reader) rows(b *assemble.Builder, cores int) (n uint64, err error) {
	for ; ; n++ {
		ok, err := r.Next()
		if err == nil && !ok && r.ended && !r.Ended {
			err = r.Fault(traces.ErrTruncated, "the file is cut off: it has no line \"# end\" with the number of its rows, as its first line says")
		}
		if err != nil || !ok {
			return n, err
		}
		core, problem := r.number(columnCore, uint64(cores)-1)
		if problem == "" {
			problem = r.row(int(core), b)
		}
		if problem != "" {
			return n, r.Fault(traces.ErrIllegal, problem)
		}
		if err := b.Err(); err != nil {
			return n, err
		}
	}
}

// row takes one record and tells what is wrong with it.
func (r *reader) row(core int, b *assemble.Builder) string {
	gap, problem := r.number(columnGap, 1<<32-1)
	if problem != "" {
		return problem
	}
	kind, ok := traces.KindOf(string(r.field(columnKind)))
	if !ok {
		return fmt.Sprintf("kind is %.40q; the kinds are %s", r.field(columnKind), strings.Join(traces.KindNames(), ", "))
	}
	if problem := r.edges(core, b); problem != "" {
		return problem
	}
	record := traces.Record{Kind: kind, Instructions: uint32(gap)}
	switch {
	case kind.IsAccess():
		return r.access(core, record, b)
	case kind == traces.Lock || kind == traces.Unlock || kind == traces.Barrier:
		way := slices.Index(traces.WaitNames[:], string(r.field(columnSize)))
		if way < 0 && string(r.field(columnSize)) != "0" {
			return fmt.Sprintf("size is %.40q; of a %s it is 0, nothing or one of %s", r.field(columnSize), kind, strings.Join(traces.WaitNames[1:], ", "))
		}
		record.Size = uint8(max(way, traces.Spins))
	}
	if kind == traces.Barrier {
		meet, problem := r.number(columnCount, 1<<16-1)
		if problem != "" {
			return problem
		}
		record.Count = uint16(meet)
	}
	if kind != traces.Fence && kind != traces.End {
		column := columnAddress
		if r.place[column] < 0 {
			column = columnPhysical
		}
		if record.Address, problem = r.number(column, ^uint64(0)); problem != "" {
			return problem
		}
	}
	return b.Append(core, record)
}

func (r *reader) access(core int, record traces.Record, b *assemble.Builder) string {
	size, problem := r.number(columnSize, assemble.LimitBytes)
	if problem != "" {
		return problem
	}
	if len(r.field(columnDependence)) > 0 {
		distance, problem := r.number(columnDependence, 1<<16-1)
		if problem != "" {
			return problem
		}
		record.Dependence = uint16(distance)
	}
	if r.place[columnPhysical] < 0 {
		if record.Address, problem = r.number(columnAddress, ^uint64(0)); problem != "" {
			return problem
		}
		return b.Access(core, record, size)
	}
	if record.Address, problem = r.number(columnPhysical, ^uint64(0)); problem != "" {
		return problem
	}
	if len(r.field(columnAddress)) > 0 {
		virtual, problem := r.number(columnAddress, ^uint64(0))
		if problem == "" {
			problem = b.Learn(core, virtual, record.Address)
		}
		if problem != "" {
			return problem
		}
	}
	if bits.OnesCount64(size) != 1 || size > traces.LineBytes {
		return fmt.Sprintf("size is %d; with physical addresses accesses are of 1, 2, 4 to %d bytes", size, traces.LineBytes)
	}
	record.Size = uint8(bits.TrailingZeros64(size))
	return b.Append(core, record)
}

// edges reads what the record waits for.
func (r *reader) edges(core int, b *assemble.Builder) string {
	for pair := range bytes.FieldsSeq(r.field(columnAfter)) {
		producer, position, ok := bytes.Cut(pair, []byte(":"))
		p, e1 := strconv.ParseUint(string(producer), 10, 16)
		at, e2 := strconv.ParseUint(string(position), 10, 64)
		if !ok || e1 != nil || e2 != nil {
			return fmt.Sprintf("after is %.40q; write core:position", pair)
		}
		if problem := b.After(core, uint16(p), at); problem != "" {
			return problem
		}
	}
	return ""
}

// field returns the text in a column, empty where the file does not have it.
func (r *reader) field(column int) []byte {
	if r.place[column] < 0 {
		return nil
	}
	return r.Fields[r.place[column]]
}

// number reads a column's value.
func (r *reader) number(column int, most uint64) (uint64, string) {
	text := r.field(column)
	v, err := strconv.ParseUint(string(bytes.TrimSuffix(text, []byte(".0"))), 0, 64)
	if err != nil || v > most {
		return 0, fmt.Sprintf("%s is %.40q; a whole number from 0 to %d is needed", columnNames[column], text, most)
	}
	return v, ""
}

// readNames reads the lines up to the one that names the columns.
func (r *reader) readNames() error {
	if head, _ := r.From.Peek(len(coresHead)); string(head) == coresHead {
		text, err := r.Text()
		if err != nil {
			return err
		}
		words := strings.Fields(string(text[len(coresHead):]))
		words, r.ended = without(words, "ended")
		words, r.separate = without(words, "separate")
		if len(words) == 1 {
			r.cores, err = strconv.Atoi(words[0])
		}
		if len(words) != 1 || err != nil || r.cores < 1 || r.cores > 1<<16 {
			return r.Fault(traces.ErrIllegal, fmt.Sprintf("%.60q is not \"# cores\", a number from 1 to 65536, and perhaps \"separate\" and \"ended\"", text))
		}
	}
	ok, err := r.Next()
	if err != nil {
		return err
	}
	if !ok {
		return r.Fault(traces.ErrNotATrace, "the file has no line that names the columns")
	}
	if problem := r.arrange(); problem != "" {
		return r.Fault(traces.ErrNotATrace, problem)
	}
	return nil
}

const coresHead = "# cores "

// without drops a word from the end of a list, if it is there.
func without(words []string, last string) (rest []string, found bool) {
	if n := len(words); n > 1 && words[n-1] == last {
		return words[:n-1], true
	}
	return words, false
}

func (r *reader) arrange() string {
	for column := range r.place {
		r.place[column] = -1
	}
	for at, name := range r.Fields {
		column := slices.Index(columnNames[:], string(name))
		if column < 0 || r.place[column] >= 0 {
			return fmt.Sprintf("column %.40q is not known, or comes twice; the columns are %s, of which %s are needed", name, strings.Join(columnNames[:], ", "), needed)
		}
		r.place[column] = at
	}
	var missing []string
	for _, column := range []int{columnCore, columnGap, columnKind, columnAddress, columnSize} {
		if r.place[column] < 0 && (column != columnAddress || r.place[columnPhysical] < 0) {
			missing = append(missing, columnNames[column])
		}
	}
	switch len(missing) {
	case 0:
	case 1:
		return fmt.Sprintf("column %q is missing; %s are needed", missing[0], needed)
	default:
		return fmt.Sprintf("the columns %s are missing; %s are needed", strings.Join(missing, ", "), needed)
	}
	r.Width = len(r.Fields)
	return ""
}

// needed are the columns that a file must have.
const needed = "core, gap, kind, size, and address or physical"
