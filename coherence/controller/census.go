package controller

import (
	"fmt"

	"github.com/carousel-sim/carousel/coherence"
)

// Census is which controllers have a block, for protocols whose homes know the readers.
type Census struct {
	Home, Memory     coherence.Line
	Readers, Writers int               // L1s
	Version          coherence.Version // of the readers
}

// Census counts the controllers that have a block, and verifies the laws of all homes: every
// message travels in the class of its kind, and with data if its kind carries any; one writer or
// many readers have the block; readers have equal data; clean data at home equals memory's. With
// final, nothing may be in flight or busy.
func (d *Chip) Census(b coherence.Block, lines []coherence.AgentLine, inFlight []coherence.Message, final bool) (c Census, err error) {
	fail := func(format string, args ...any) (Census, error) {
		return c, fmt.Errorf("block %#x: %s", uint32(b), fmt.Sprintf(format, args...))
	}
	if final && len(inFlight) > 0 {
		return fail("%d messages are in flight at the end", len(inFlight))
	}
	for _, m := range inFlight {
		if m.Class != d.ClassOf[m.Kind] || m.Has(coherence.HasData) != d.CarriesData[m.Kind] || m.Count < 0 {
			return fail("%s travels in class %d with flags %b and count %d", d.Kinds[m.Kind], m.Class, m.Flags, m.Count)
		}
	}
	for i := range lines {
		a, l := lines[i].Agent, &lines[i].Line
		if final && l.Busy {
			return fail("%s %d is busy at the end", a.Role, a.Index)
		}
		switch a.Role {
		case coherence.Bank:
			c.Home = *l
		case coherence.Memory:
			c.Memory = *l
		}
		if a.Role != coherence.Cache || !l.Readable {
			continue
		}
		if c.Readers > 0 && c.Version != l.Version {
			return fail("cache %d reads version %d, another one version %d", a.Index, l.Version, c.Version)
		}
		c.Readers, c.Version = c.Readers+1, l.Version
		if l.Writable {
			c.Writers++
		}
	}
	if c.Writers > 1 || c.Writers == 1 && c.Readers > 1 {
		return fail("%d caches may write while %d may read", c.Writers, c.Readers)
	}
	if h := &c.Home; h.Valid && !h.Dirty && h.Version != c.Memory.Version {
		return fail("the home has clean version %d; memory has version %d", h.Version, c.Memory.Version)
	}
	return c, nil
}
