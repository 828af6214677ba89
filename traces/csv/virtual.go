package csv

import "github.com/carousel-sim/carousel/traces"

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
