package csv

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/packed"
)

// Export writes all that is left in a source.
func Export(to io.Writer, s traces.Source, m traces.Metadata) error {
	v, err := newVirtual(s, m)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(to, 1<<16)
	fmt.Fprintf(out, "%s%d", coresHead, s.Cores())
	own, gives := [][]uint64(nil), false
	if t, ok := s.(traces.Ticketed); ok {
		own, gives = t.Tickets()
	}
	head := [headCount]bool{m.AddressSpaces > 1, m.Addresses == "synthetic", m.Addresses == "mapped", m.Tickets, m.Tries, gives, true}
	for i, has := range head {
		if has {
			fmt.Fprint(out, " ", headWords[i])
		}
	}
	for core, lines := range own {
		for _, line := range lines {
			fmt.Fprintf(out, "\n%s%d %#x", ownHead, core, line)
		}
	}
	separator := '\n'
	for _, c := range table {
		fmt.Fprintf(out, "%c%s", separator, c.Name)
		separator = ','
	}
	fmt.Fprintln(out)
	line, rows := make([]byte, 0, 128), uint64(0)
	for core := range s.Cores() {
		err := traces.Each(s, core, 0, func(_ uint64, r *traces.Record, edges []traces.Edge) error {
			rows++
			line = appendRow(line[:0], core, r, edges, v)
			_, err := out.Write(append(line, '\n'))
			return err
		})
		if err != nil {
			return err
		}
	}
	fmt.Fprint(out, packed.EndLine(rows))
	return out.Flush()
}

// Lost says what of a trace with this metadata has no place in the file.
func Lost(m traces.Metadata) (list []string) {
	measured := slices.ContainsFunc(m.Windows, func(w traces.Window) bool { return w.Measured > 0 })
	for what, has := range map[string]bool{"contents of caches at the start": m.Timestamps != nil, "limits of the measured part": measured,
		"names of variables": len(m.Symbols) > 0, "names of cores": len(m.CoreNames) > 0, "notes": len(m.Notes) > 0} {
		if has {
			list = append(list, what)
		}
	}
	slices.Sort(list)
	return list
}

func appendRow(b []byte, core int, r *traces.Record, edges []traces.Edge, v *virtual) []byte {
	b = strconv.AppendInt(b, int64(core), 10)
	b = strconv.AppendUint(append(b, ','), uint64(r.Instructions), 10)
	b = append(append(append(b, ','), r.Kind.String()...), ',')
	if !r.Kind.IsAccess() {
		if r.Kind != traces.Fence && (r.Kind != traces.End || r.Count > 0) {
			b = strconv.AppendUint(b, r.Address, 10)
		}
		b = append(b, ',')
		if r.Kind == traces.Lock || r.Kind == traces.Unlock || r.Kind == traces.Barrier {
			b = append(b, traces.WaitNames[r.Size&traces.Waits]...)
		}
		b = append(b, ",,,"...)
	} else {
		if address, ok := v.address(core, r.Address); ok {
			b = strconv.AppendUint(append(b, "0x"...), address, 16)
		}
		b = strconv.AppendUint(append(b, ','), 1<<(r.Size&63), 10)
		b = strconv.AppendUint(append(b, ",0x"...), r.Address, 16)
		b = append(b, ',')
		if r.Dependence != 0 {
			b = strconv.AppendUint(b, uint64(r.Dependence), 10)
		}
		b = append(b, ',')
	}
	if r.Count > 0 {
		b = strconv.AppendUint(b, uint64(r.Count), 10)
	}
	b = append(b, ',')
	for i, e := range edges {
		if i > 0 {
			b = append(b, ' ')
		}
		b = strconv.AppendUint(b, uint64(e.Producer), 10)
		b = strconv.AppendUint(append(b, ':'), e.Position, 10)
	}
	return b
}

// virtual finds the virtual addresses of a trace's records in its page maps, for exports.
type virtual struct {
	spaces []map[uint64]uint64 // virtual page by frame
}

// newVirtual reads the page maps of a source, if it has any.
func newVirtual(s traces.Source, m traces.Metadata) (*virtual, error) {
	v := &virtual{spaces: make([]map[uint64]uint64, max(1, m.AddressSpaces))}
	paged, ok := s.(traces.Paged)
	if !ok {
		return v, nil
	}
	for i := range min(len(v.spaces), s.Cores()) {
		pages, err := paged.ReadPages(i)
		if err != nil {
			return nil, err
		}
		v.spaces[i] = make(map[uint64]uint64, len(pages))
		for _, p := range pages {
			if _, taken := v.spaces[i][p.Frame]; !taken {
				v.spaces[i][p.Frame] = p.Virtual
			}
		}
	}
	return v, nil
}

// address returns the virtual address of a core's physical one; of two pages in one frame the first
// counts.
func (v *virtual) address(core int, physical uint64) (uint64, bool) {
	page, ok := v.spaces[min(core, len(v.spaces)-1)][physical/traces.PageBytes]
	return page*traces.PageBytes + physical%traces.PageBytes, ok
}
