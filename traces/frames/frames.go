// Package frames gives physical frames to the virtual pages of traces that were recorded without
// them.
//
// There is one type, [Map]: one address space's pages, and a counter of frames that several maps
// may share.
//
// Frames are handed out from 0 upwards in order of first touch. That is what an operating system
// with perfect page colouring would do: consecutive pages fall into consecutive sets, banks and
// memory controllers, no two pages of a small program collide where there is room, and the result
// depends on nothing but the program. Where a recording knows the frames, the map learns them
// instead. A pseudo-random scatter would add conflict misses that belong to neither program nor
// chip, and would need a seed. Banks and memories interleave by line or page, so the spread over
// banks is even in both cases. A program's own clashing strides survive within pages, as in
// reality.
package frames

import "github.com/carousel-sim/carousel/traces"

// Counter hands out frames.
type Counter struct{ next uint64 }

// Map is the page table of one address space.
type Map struct {
	counter *Counter
	frames  map[uint64]uint64
	pages   []traces.Page
	last    traces.Page // the most recent translation
	valid   bool
}

// NewMap makes an empty page table.
func NewMap(c *Counter) *Map { return &Map{counter: c, frames: map[uint64]uint64{}} }

// Physical returns the physical address of a virtual one; a page's first touch gives it the next
// frame.
func (m *Map) Physical(address uint64) uint64 {
	v := address / traces.PageBytes
	if !m.valid || m.last.Virtual != v {
		frame, known := m.frames[v]
		if !known {
			frame = m.counter.next
			m.counter.next++
			m.frames[v] = frame
			m.pages = append(m.pages, traces.Page{Virtual: v, Frame: frame})
		}
		m.last, m.valid = traces.Page{Virtual: v, Frame: frame}, true
	}
	return m.last.Frame*traces.PageBytes + address%traces.PageBytes
}

// Learn takes a translation that a recording knows. It returns the frame that the page had before,
// and whether that is another one.
func (m *Map) Learn(p traces.Page) (frame uint64, differs bool) {
	if m.valid && m.last == p {
		return p.Frame, false
	}
	frame, known := m.frames[p.Virtual]
	if !known {
		m.frames[p.Virtual] = p.Frame
		m.pages = append(m.pages, p)
		frame = p.Frame
	}
	m.last, m.valid = traces.Page{Virtual: p.Virtual, Frame: frame}, true
	return frame, frame != p.Frame
}

// Pages lists the pages in order of first touch.
func (m *Map) Pages() []traces.Page { return m.pages }
