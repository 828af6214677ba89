package traces

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/bits"
	"strconv"
	"strings"
)

// The text form of a trace, for people and for traces written by hand. Lines that are empty or
// begin with # are ignored. Numbers are decimal, or hexadecimal after 0x.
//
//	carousel trace text 1           the first line
//	metadata {"workload":"x"}       optional, JSON of Metadata
//	page 0 0x40f 0x1                core, virtual page, frame
//	core 0                          the records below are of core 0
//	+2 load 0x1000 8                two instructions since the previous record; 8 bytes
//	+1 store 0x2008 4 after 3       the address came from the load 3 accesses back
//	edge 1 25                       the next record waits for record 25 of core 1
//	+0 lock 5                       also unlock, create, join
//	+0 lock 5 sleeps                a core that finds it held sleeps; unlock too
//	+1 fence
//	+1 barrier 3 of 16
//	+9 end                          added where it is missing
const textHead = "carousel trace text 1"

// CatConfig chooses what Cat prints.
type CatConfig struct {
	Core int // -1: all
	Range
}

// DefaultCatConfig prints everything.
func DefaultCatConfig() CatConfig { return CatConfig{Core: -1} }

func (c CatConfig) all() bool { return c == DefaultCatConfig() }

// Cat writes a source as text. What it writes of a whole legal trace, ParseText reads back. It
// reads on from where the source stands.
func Cat(out io.Writer, s Source, m Metadata, c CatConfig) error {
	if err := c.Validate(); err != nil {
		return err
	}
	if c.Core >= s.Cores() {
		return fmt.Errorf("core %d: the trace has cores 0 to %d", c.Core, s.Cores()-1)
	}
	w := bufio.NewWriter(out)
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%s\nmetadata %s\n", textHead, text)
	if paged, ok := s.(Paged); ok && c.all() {
		for core := range s.Cores() {
			pages, err := paged.ReadPages(core)
			if err != nil {
				return err
			}
			for _, p := range pages {
				fmt.Fprintf(w, "page %d %#x %#x\n", core, p.Virtual, p.Frame)
			}
		}
	}
	for core := range s.Cores() {
		if c.Core >= 0 && c.Core != core {
			continue
		}
		if err := catCore(w, s, core, c); err != nil {
			return err
		}
	}
	return w.Flush()
}

func catCore(w *bufio.Writer, s Source, core int, c CatConfig) error {
	fmt.Fprintf(w, "core %d\n", core)
	line, first := make([]byte, 0, 64), true
	return c.Each(s, core, func(position, executed uint64, r *Record, after []Edge) error {
		if first && position > 0 {
			fmt.Fprintf(w, "# from record %d\n", position)
		}
		first = false
		for _, e := range after {
			fmt.Fprintf(w, "edge %d %d\n", e.Producer, e.Position)
		}
		line = appendText(line[:0], r)
		_, err := w.Write(append(line, '\n'))
		return err
	})
}

// appendText writes one record, without the end of its line.
func appendText(b []byte, r *Record) []byte {
	b = append(b, '+')
	b = strconv.AppendUint(b, uint64(r.Instructions), 10)
	b = append(b, ' ')
	b = append(b, r.Kind.String()...)
	switch {
	case r.Kind.IsAccess():
		b = append(b, " 0x"...)
		b = strconv.AppendUint(b, r.Address, 16)
		b = append(b, ' ')
		b = strconv.AppendUint(b, 1<<(r.Size&63), 10)
		if r.Dependence != 0 {
			b = append(b, " after "...)
			b = strconv.AppendUint(b, uint64(r.Dependence), 10)
		}
	case r.Kind != Fence && r.Kind != End:
		b = append(b, ' ')
		b = strconv.AppendUint(b, r.Address, 10)
		if r.Kind == Barrier {
			b = append(b, " of "...)
			b = strconv.AppendUint(b, uint64(r.Count), 10)
		} else if r.Size == Sleeps {
			b = append(b, " sleeps"...)
		}
	}
	return b
}

// Text is a trace read from its text form: a source in memory with its metadata.
type Text struct {
	*Memory
	metadata Metadata
	pages    [][]Page
}

// Metadata is that of the text, or says that there was none.
func (t *Text) Metadata() Metadata { return t.metadata }

// ReadPages returns the page map of a core's address space.
func (t *Text) ReadPages(core int) ([]Page, error) {
	if core < 0 || core >= len(t.pages) {
		return nil, fmt.Errorf("core %d: the trace has cores 0 to %d", core, len(t.pages)-1)
	}
	return t.pages[core], nil
}

// textParser is the state while a text is read.
type textParser struct {
	name     string
	line     int
	core     int
	records  [][]Record
	edges    [][]Edge
	pages    [][]Page
	metadata *Metadata
}

// ParseText reads a trace in text form. Errors name the line; name is the file's, for messages.
func ParseText(name string, from io.Reader) (*Text, error) {
	p := &textParser{name: name, core: -1}
	lines := bufio.NewScanner(from)
	lines.Buffer(make([]byte, 0, 4096), limitJSON)
	for lines.Scan() {
		p.line++
		text := strings.TrimSpace(lines.Text())
		if p.line == 1 && text != textHead {
			return nil, &Error{File: name, Core: -1, Offset: 0, Err: ErrNotATrace, Problem: "the first line is not " + strconv.Quote(textHead)}
		}
		if p.line == 1 || text == "" || text[0] == '#' {
			continue
		}
		if problem := p.parse(text); problem != "" {
			return nil, p.fault(ErrIllegal, problem)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, p.fault(ErrCorrupt, err.Error())
	}
	return p.finish()
}

func (p *textParser) fault(condition error, problem string) error {
	e := &Error{File: p.name, Core: p.core, Offset: -1, Err: condition, Problem: fmt.Sprintf("line %d: %s", p.line, problem)}
	if p.core >= 0 {
		e.Stream, e.Record = RecordStream, uint64(len(p.records[p.core]))
	}
	return e
}

func (p *textParser) finish() (*Text, error) {
	if len(p.records) == 0 {
		return nil, p.fault(ErrMissingStream, "the text has no line \"core 0\"")
	}
	m := DefaultMetadata("text", len(p.records))
	if p.metadata != nil {
		m = *p.metadata
		if m.Cores < len(p.records) || m.Cores > limitCores {
			return nil, p.fault(ErrIllegal, fmt.Sprintf("the metadata has %d cores, the text %d", m.Cores, len(p.records)))
		}
	}
	p.grow(m.Cores - 1)
	if err := m.Validate(); err != nil {
		return nil, p.fault(ErrIllegal, err.Error())
	}
	t := &Text{Memory: NewMemory(p.records, p.edges), metadata: m, pages: p.pages}
	return t, nil
}

func (p *textParser) grow(core int) {
	for len(p.records) <= core {
		p.records, p.edges, p.pages = append(p.records, nil), append(p.edges, nil), append(p.pages, nil)
	}
}

// parse reads one line and tells what is wrong with it.
func (p *textParser) parse(text string) string {
	if rest, ok := strings.CutPrefix(text, "metadata "); ok {
		p.metadata = new(Metadata)
		if err := json.Unmarshal([]byte(rest), p.metadata); err != nil {
			return "the metadata is not JSON: " + err.Error()
		}
		return ""
	}
	fields := strings.Fields(text)
	switch {
	case fields[0] == "core" && len(fields) == 2:
		n, err := strconv.ParseUint(fields[1], 0, 16)
		if err != nil {
			return "cores are numbered 0 to 65535"
		}
		p.core = int(n)
		p.grow(p.core)
		return ""
	case fields[0] == "page" && len(fields) == 4:
		return p.parsePage(fields[1:])
	case p.core < 0:
		return "a line \"core N\" must come before the records"
	case fields[0] == "edge" && len(fields) == 3:
		producer, e1 := strconv.ParseUint(fields[1], 0, 16)
		position, e2 := strconv.ParseUint(fields[2], 0, 64)
		if e1 != nil || e2 != nil {
			return "an edge is \"edge CORE RECORD\""
		}
		p.edges[p.core] = append(p.edges[p.core], Edge{At: uint64(len(p.records[p.core])), Position: position, Producer: uint16(producer)})
		return ""
	case fields[0][0] == '+' && len(fields) >= 2:
		var r Record
		problem := parseRecord(fields, &r)
		if s := p.records[p.core]; problem == "" && len(s) > 0 && s[len(s)-1].Kind == End {
			problem = "a record follows the end"
		}
		p.records[p.core] = append(p.records[p.core], r)
		return problem
	}
	return fmt.Sprintf("%q is not a line of a trace; a line starts with core, page, edge, metadata or +", text)
}

func (p *textParser) parsePage(fields []string) string {
	core, e1 := strconv.ParseUint(fields[0], 0, 16)
	virtual, e2 := strconv.ParseUint(fields[1], 0, 64)
	frame, e3 := strconv.ParseUint(fields[2], 0, 64)
	if e1 != nil || e2 != nil || e3 != nil {
		return "a page is \"page CORE VIRTUAL FRAME\""
	}
	p.grow(int(core))
	p.pages[core] = append(p.pages[core], Page{Virtual: virtual, Frame: frame})
	return ""
}

// parseRecord reads "+N kind ...".
func parseRecord(fields []string, r *Record) string {
	n, err := strconv.ParseUint(fields[0][1:], 0, 32)
	if err != nil {
		return "a record starts with +N, the number of instructions since the previous record"
	}
	r.Instructions = uint32(n)
	r.Kind, _ = KindOf(fields[1])
	args := fields[2:]
	switch {
	case (r.Kind == Lock || r.Kind == Unlock) && len(args) == 2 && args[1] == "sleeps":
		args, r.Size = args[:1:1], Sleeps
	case r.Kind.IsAccess() && len(args) == 4 && args[2] == "after":
		args = append(args[:2:2], args[3])
	case r.Kind == Barrier && len(args) == 3 && args[1] == "of":
		args = append(args[:1:1], args[2])
	case r.Kind.IsAccess() && len(args) != 2, r.Kind == Barrier:
		return "an access has an address, a size and perhaps \"after N\"; a barrier has a number and \"of N\""
	}
	if len(args) > 3 {
		return "too many words"
	}
	var numbers [3]uint64
	for i, word := range args {
		if numbers[i], err = strconv.ParseUint(word, 0, 64); err != nil {
			return fmt.Sprintf("%q is no number", word)
		}
	}
	return fillRecord(r, len(args), numbers)
}

// fillRecord puts the numbers of a line into the record that they fit.
func fillRecord(r *Record, args int, numbers [3]uint64) string {
	r.Address = numbers[0]
	switch {
	case r.Kind.IsAccess():
		size := numbers[1]
		if bits.OnesCount64(size) != 1 || size > LineBytes {
			return "sizes are 1, 2, 4 to 64 bytes"
		}
		if numbers[2] > 1<<16-1 {
			return "dependences reach back at most 65535 accesses"
		}
		r.Size, r.Dependence = uint8(bits.TrailingZeros64(size)), uint16(numbers[2])
		return ""
	case r.Kind == Barrier:
		if numbers[1] > 1<<16-1 {
			return "barriers are of at most 65535 cores"
		}
		r.Count = uint16(numbers[1])
		return ""
	case (r.Kind == Lock || r.Kind == Unlock || r.Kind == Create || r.Kind == Join) && args == 1:
		return ""
	case (r.Kind == Fence || r.Kind == End) && args == 0:
		return ""
	}
	return "the kind does not exist, or has other words after it"
}
