package inspect

import (
	"cmp"
	"errors"
	"io"
	"slices"

	"github.com/carousel-sim/carousel/traces"
)

// HotBlock is a block of 64 bytes that several cores use and some write.
type HotBlock struct {
	Address      uint64 `json:"address"` // physical
	Accesses     uint64 `json:"accesses"`
	Cores        int    `json:"cores"`
	Readers      int    `json:"readers"`
	Writers      int    `json:"writers"`
	FalseSharing bool   `json:"false_sharing"` // no core uses bytes that another one writes
	// BytesRead and BytesWritten have a bit for each byte that a core of CoreList reads and writes.
	CoreList     []int    `json:"core_list"`
	BytesRead    []uint64 `json:"bytes_read"`
	BytesWritten []uint64 `json:"bytes_written"`
}

// mostHot is how many hot blocks are kept: those with most accesses.
const mostHot = 10

// keepHottest orders the candidates and drops all but the first.
func (b *Behaviour) keepHottest() {
	slices.SortFunc(b.HotBlocks, func(x, y HotBlock) int {
		return cmp.Or(cmp.Compare(y.Accesses, x.Accesses), cmp.Compare(x.Address, y.Address))
	})
	b.HotBlocks = slices.Clone(b.HotBlocks[:min(len(b.HotBlocks), mostHot)])
}

// bytesUsed are a bit for each byte that a core reads and writes of a block.
type bytesUsed struct{ read, written uint64 }

// bytesOfHot reads a core's records again, for the bytes of hot blocks that it uses.
func (b *Behaviour) bytesOfHot(f *traces.File, core int) (use [mostHot]bytesUsed, err error) {
	f.Rewind()
	at := map[uint64]int{}
	for i := range b.HotBlocks {
		at[b.HotBlocks[i].Address/traces.LineBytes] = i
	}
	records := make([]traces.Record, 1024)
	for {
		n, err := f.ReadRecords(core, records)
		if err != nil && !errors.Is(err, io.EOF) {
			return use, err
		}
		if n == 0 {
			return use, nil
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
				use[k].read |= mask
			}
			if r.Kind != traces.Load {
				use[k].written |= mask
			}
		}
	}
}

// addCore adds what a core does with a hot block.
func (h *HotBlock) addCore(core int, use bytesUsed) {
	if use.read|use.written == 0 {
		return
	}
	h.FalseSharing = h.Cores == 0 || h.FalseSharing
	for i := range h.CoreList {
		if h.BytesWritten[i]&(use.read|use.written)|use.written&h.BytesRead[i] != 0 {
			h.FalseSharing = false
		}
	}
	h.Cores++
	if use.read != 0 {
		h.Readers++
	}
	if use.written != 0 {
		h.Writers++
	}
	h.CoreList, h.BytesRead, h.BytesWritten = append(h.CoreList, core), append(h.BytesRead, use.read), append(h.BytesWritten, use.written)
}
