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

var table = [columns]packed.Column{{Name: "core", Most: 1<<16 - 1}, {Name: "gap", Most: 1<<32 - 1}, {Name: "kind"}, {Name: "address", Most: 1<<64 - 1, Optional: true},
	{Name: "size", Most: assemble.LimitBytes}, {Name: "physical", Most: 1<<64 - 1, Optional: true}, {Name: "dependence", Most: 1<<16 - 1, Optional: true},
	{Name: "count", Most: 1<<16 - 1, Optional: true}, {Name: "after", Optional: true}}

type reader struct {
	*packed.Table
	cores int // 0: not said
	head  [headCount]bool
	own   [][]uint64 // per core, with the word given
}

// The words of the first line, behind the number of cores.
const (
	headSeparate = iota
	headSynthetic
	headMapped
	headTickets
	headTries
	headGiven
	headEnded // the last line is that of packed.EndLine
	headCount
)

var headWords = [headCount]string{"separate", "synthetic", "mapped", "tickets", "tries", "given", "ended"}

// open opens a file and reads it up to the names of its columns.
func open(path string, c traces.ImportConfig) (*packed.Reader, *reader, error) {
	from, err := packed.OpenFor(path, c)
	if err != nil {
		return nil, nil, err
	}
	r := &reader{Table: packed.NewTable(path, from.Reader, slices.Clone(table[:]))}
	if err := r.readNames(); err != nil {
		from.Close()
		return nil, nil, err
	}
	return from, r, nil
}

// Import reads one file.
func Import(paths []string, c traces.ImportConfig, to traces.Destination) (none traces.Imported, err error) {
	if len(paths) != 1 {
		return none, fmt.Errorf("%d files given: a trace in CSV is one file for all cores", len(paths))
	}
	from, r, err := open(paths[0], c)
	if err != nil {
		return none, err
	}
	cores, complete, err := r.survey()
	if from.Close(); err != nil {
		return none, err
	}
	if from, r, err = open(paths[0], c); err != nil {
		return none, err
	}
	defer from.Close()
	m := traces.DefaultMetadata(c.Workload, cores)
	m.Origin, m.Importer, m.Target, m.Addresses = c.Origin, Version, "unknown", "mapped"
	if !complete {
		m.Notes = packed.CutNotes(paths[0])
	}
	if r.Has(columnPhysical) {
		m.Addresses = "physical"
	}
	if i := slices.Index(r.head[headSynthetic:headTickets], true); i >= 0 {
		m.Addresses = headWords[headSynthetic+i]
	}
	if r.head[headSeparate] {
		m.AddressSpaces = cores
	}
	m.Tickets, m.Tries = r.head[headTickets], r.head[headTries]
	r.Columns[columnCore].Most = uint64(cores) - 1
	return assemble.Write(m, to, func(b *assemble.Builder) ([]traces.Count, error) {
		if r.head[headGiven] {
			b.GiveTickets(r.own)
		}
		rows, err := r.rows(b)
		return []traces.Count{{Name: "rows", N: rows}}, err
	})
}

// survey finds the number of cores, and whether the file shows that it is complete.
func (r *reader) survey() (cores int, complete bool, err error) {
	if r.head[headEnded] {
		return r.cores, true, nil
	}
	ended := map[int]bool{} // cores with an end
	rows := 0
	for ; ; rows++ {
		ok, err := r.Next()
		if errors.Is(err, traces.ErrHead) {
			return max(cores, r.cores, 1), true, r.far(cores, rows)
		}
		if err != nil {
			return 0, false, err
		}
		if !ok {
			break
		}
		core, problem := r.Number(columnCore)
		if problem != "" {
			return 0, false, r.Fault(traces.ErrIllegal, problem)
		}
		cores = max(cores, int(core)+1)
		if string(r.Field(columnKind)) == traces.End.String() {
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
	return cores, r.Ended || r.cores > 0 && len(ended) > 0, r.far(cores, rows)
}

// far returns an error if so many rows name so many cores: a typing error must not make streams for all cores up to it.
func (r *reader) far(cores, rows int) error {
	if r.cores > 0 || cores <= 1024+64*rows {
		return nil
	}
	return r.Fault(traces.ErrIllegal, fmt.Sprintf("core %d in a file of %d rows; number cores without gaps, or begin the file with \"# cores %d\"", cores-1, rows, cores))
}

// rows is the loop.
func (r *reader) rows(b *assemble.Builder) (n uint64, err error) {
	for ; ; n++ {
		ok, err := r.Next()
		if err == nil && !ok && r.head[headEnded] && !r.Ended {
			err = r.Fault(traces.ErrTruncated, "the file is cut off: it has no line \"# end\" with the number of its rows, as its first line says")
		}
		if err != nil || !ok {
			return n, err
		}
		core, problem := r.Number(columnCore)
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
	gap, problem := r.Number(columnGap)
	if problem != "" {
		return problem
	}
	kind, ok := traces.KindOf(string(r.Field(columnKind)))
	if !ok {
		return fmt.Sprintf("kind is %.40q; the kinds are %s", r.Field(columnKind), strings.Join(traces.KindNames(), ", "))
	}
	if problem := r.edges(core, b); problem != "" {
		return problem
	}
	record := traces.Record{Kind: kind, Instructions: uint32(gap)}
	if kind == traces.Barrier || len(r.Field(columnCount)) > 0 {
		count, problem := r.Number(columnCount)
		if problem != "" {
			return problem
		}
		record.Count = uint16(count)
	}
	switch {
	case kind.IsAccess() && record.Count > 0 && (!r.head[headTickets] || kind == traces.Load && record.Count == traces.Tries && !r.head[headTries]):
		return fmt.Sprintf("count is %d for a %s; the first line then needs the word tickets, and for attempts tries", record.Count, kind)
	case kind.IsAccess():
		return r.access(core, record, b)
	case kind == traces.Lock || kind == traces.Unlock || kind == traces.Barrier:
		way := slices.Index(traces.WaitNames[:], string(r.Field(columnSize)))
		if way < 0 && string(r.Field(columnSize)) != "0" {
			return fmt.Sprintf("size is %.40q; of a %s it is 0, nothing or one of %s", r.Field(columnSize), kind, strings.Join(traces.WaitNames[1:], ", "))
		}
		record.Size = uint8(max(way, traces.Spins))
	}
	if kind != traces.Fence && (kind != traces.End || record.Count > 0) {
		column := columnAddress
		if !r.Has(column) {
			column = columnPhysical
		}
		if record.Address, problem = r.Number(column); problem != "" {
			return problem
		}
	}
	return b.Append(core, record)
}

func (r *reader) access(core int, record traces.Record, b *assemble.Builder) string {
	size, problem := r.Number(columnSize)
	if problem != "" {
		return problem
	}
	if len(r.Field(columnDependence)) > 0 {
		distance, problem := r.Number(columnDependence)
		if problem != "" {
			return problem
		}
		record.Dependence = uint16(distance)
	}
	if !r.Has(columnPhysical) {
		if record.Address, problem = r.Number(columnAddress); problem != "" {
			return problem
		}
		return b.Access(core, record, size)
	}
	if record.Address, problem = r.Number(columnPhysical); problem != "" {
		return problem
	}
	if len(r.Field(columnAddress)) > 0 {
		virtual, problem := r.Number(columnAddress)
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

func (r *reader) edges(core int, b *assemble.Builder) string {
	for pair := range bytes.FieldsSeq(r.Field(columnAfter)) {
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

// readNames reads the lines up to the one that names the columns.
func (r *reader) readNames() error {
	if head, _ := r.From.Peek(len(coresHead)); string(head) == coresHead {
		text, err := r.Text()
		if err != nil {
			return err
		}
		words := strings.Fields(string(text[len(coresHead):]))
		for i := 1; err == nil && i < len(words); i++ {
			if at := slices.Index(headWords[:], words[i]); at >= 0 {
				r.head[at] = true
			} else {
				err = strconv.ErrSyntax
			}
		}
		if err == nil && len(words) > 0 {
			r.cores, err = strconv.Atoi(words[0])
		}
		if err != nil || r.cores < 1 || r.cores > 1<<16 {
			return r.Fault(traces.ErrIllegal, fmt.Sprintf("%.60q is not \"# cores\", a number from 1 to 65536, and perhaps some of the words %s", text, strings.Join(headWords[:], ", ")))
		}
		if r.head[headGiven] && !r.head[headTickets] {
			return r.Fault(traces.ErrIllegal, "the word given needs the word tickets before it")
		}
		if err := r.readOwn(); err != nil {
			return err
		}
	}
	if err := r.Names(); err != nil {
		return err
	}
	if !r.Has(columnAddress) && !r.Has(columnPhysical) {
		return r.Fault(traces.ErrNotATrace, "missing columns: address, physical; one of them is needed")
	}
	return nil
}

const coresHead = "# cores "

// ownHead begins lines that name a core and a line of its own, see [traces.Ticketed].
const ownHead = "# own "

func (r *reader) readOwn() error {
	for r.own = make([][]uint64, r.cores); ; {
		if head, _ := r.From.Peek(len(ownHead)); string(head) != ownHead {
			return nil
		}
		text, err := r.Text()
		if err != nil {
			return err
		}
		var core int
		var line uint64
		if n, _ := fmt.Sscanf(string(text[len(ownHead):]), "%d %v", &core, &line); n != 2 || core < 0 || core >= r.cores {
			return r.Fault(traces.ErrIllegal, fmt.Sprintf("%.60q is not \"# own\", a core from 0 to %d, and the number of a line", text, r.cores-1))
		}
		r.own[core] = append(r.own[core], line)
	}
}
