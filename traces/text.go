package traces

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
)

// The text form of a trace, for people; package csv has one for programs, and for traces written by
// hand.
//
//	carousel trace text 1           the first line
//	metadata {"workload":"x"}       JSON of Metadata
//	page 0 0x40f 0x1                core, virtual page, frame
//	core 0                          the records below are of core 0
//	+2 load 0x1000 8                two instructions since the previous record; 8 bytes
//	+1 store 0x2008 4 after 3       the address came from the load 3 accesses back
//	+3 atomic 0x2100 4 ticket 7     it takes ticket 7; a replay may give what follows to another core
//	+1 load 0x3000 4 polls          it is repeated until it finds what another core writes
//	edge 1 25                       the next record waits for record 25 of core 1
//	+0 lock 5                       also unlock, create, join
//	+0 lock 5 sleeps                a core that finds it held sleeps; unlock too
//	+1 fence
//	+1 barrier 3 of 16
//	+9 end
const textHead = "carousel trace text 1"

// CatConfig chooses what Cat prints.
type CatConfig struct {
	Core int // -1: all
	Range
}

// DefaultCatConfig prints everything.
func DefaultCatConfig() CatConfig { return CatConfig{Core: -1} }

func (c CatConfig) all() bool { return c == DefaultCatConfig() }

// Cat writes a source as text. It reads on from where the source stands.
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
		if r.Kind == Load && r.Count != 0 {
			b = append(b, " polls"...)
		} else if r.Count != 0 {
			b = append(b, " ticket "...)
			b = strconv.AppendUint(b, uint64(r.Count-1), 10)
		}
	case r.Kind != Fence && r.Kind != End:
		b = append(b, ' ')
		b = strconv.AppendUint(b, r.Address, 10)
		if r.Kind == Barrier {
			b = append(b, " of "...)
			b = strconv.AppendUint(b, uint64(r.Count), 10)
		}
		if n := r.Size & Waits; n > 0 {
			b = append(append(b, ' '), WaitNames[n]...)
		}
	}
	return b
}
