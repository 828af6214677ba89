package profile

import (
	"cmp"
	"errors"
	"io"
	"slices"

	"github.com/carousel-sim/carousel/traces"
)

// HotBlock is a block that several cores use and some write.
type HotBlock struct {
	Block    uint64 // address / 64
	Accesses uint64
	Cores    []HotCore
}

// HotCore is what a core does with a hot block: bits for the bytes that it reads and writes.
type HotCore struct {
	Core          int
	Read, Written uint64
}

// FalseSharing reports whether no core uses bytes that another one writes.
func (h *HotBlock) FalseSharing() bool {
	for i, c := range h.Cores {
		for j, o := range h.Cores {
			if i != j && o.Written&(c.Read|c.Written) != 0 {
				return false
			}
		}
	}
	return true
}

// mostHot is how many hot blocks are kept: those with most accesses.
const mostHot = 10

// keepHottest orders the candidates and drops all but the first.
func (p *Profile) keepHottest() {
	slices.SortFunc(p.Hot, func(a, b HotBlock) int {
		return cmp.Or(cmp.Compare(b.Accesses, a.Accesses), cmp.Compare(a.Block, b.Block))
	})
	p.Hot = slices.Clone(p.Hot[:min(len(p.Hot), mostHot)])
}

// bytesOfHot reads a core's records again, for the bytes of hot blocks that it uses.
func (p *Profile) bytesOfHot(f *traces.File, core int) (use [mostHot]HotCore, err error) {
	f.Rewind()
	at := map[uint64]int{}
	for i := range p.Hot {
		at[p.Hot[i].Block] = i
	}
	records := make([]traces.Record, 1024)
	for {
		n, err := f.ReadRecords(core, records)
		if n == 0 && (err == nil || errors.Is(err, io.EOF)) {
			return use, nil
		} else if n == 0 {
			return use, err
		}
		for i := range records[:n] {
			r := &records[i]
			if r.Kind > traces.Atomic {
				continue
			}
			k, hot := at[r.Address/traces.LineBytes]
			if !hot {
				continue
			}
			mask := uint64(1<<(1<<min(r.Size, 6))-1) << (r.Address % traces.LineBytes)
			if r.Kind != traces.Store {
				use[k].Read |= mask
			}
			if r.Kind != traces.Load {
				use[k].Written |= mask
			}
		}
	}
}

// addHot adds what a core does with hot blocks.
func (p *Profile) addHot(core int, use *[mostHot]HotCore) {
	for i := range p.Hot {
		if u := use[i]; u.Read|u.Written != 0 {
			u.Core = core
			p.Hot[i].Cores = append(p.Hot[i].Cores, u)
		}
	}
}
