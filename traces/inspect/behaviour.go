package inspect

import (
	"cmp"
	"errors"
	"math/bits"
	"slices"

	"github.com/carousel-sim/carousel/traces"
)

// HotBlock is a block of 64 bytes that several cores use and some write.
type HotBlock struct {
	Address      uint64   `json:"address"`           // physical
	Symbols      []string `json:"symbols,omitempty"` // variables in the block, if they are known
	Accesses     uint64   `json:"accesses"`
	Cores        int      `json:"cores"`
	Readers      int      `json:"readers"`
	Writers      int      `json:"writers"`
	FalseSharing bool     `json:"false_sharing"` // no core uses bytes that another one writes
	// BytesRead and BytesWritten have a bit for each byte that a core of CoreList reads and writes.
	CoreList     []int    `json:"core_list"`
	BytesRead    []uint64 `json:"bytes_read"`
	BytesWritten []uint64 `json:"bytes_written"`
}

// mostHot is how many hot blocks are kept: those with most accesses.
const mostHot = 10

// keepHottest orders the candidates and drops all but the first.
func (b *Behaviour) keepHottest() {
	slices.SortStableFunc(b.HotBlocks, func(x, y HotBlock) int {
		return cmp.Or(cmp.Compare(y.Accesses, x.Accesses), cmp.Compare(x.Address, y.Address))
	})
	b.HotBlocks = slices.Clone(b.HotBlocks[:min(len(b.HotBlocks), mostHot)])
}

// bytesUsed are a bit for each byte that a core reads and writes of a block.
type bytesUsed struct{ read, written uint64 }

// bytesOfHot reads a core's records again, for the bytes of hot blocks that it uses.
func (b *Behaviour) bytesOfHot(f *traces.File, core int) (use [mostHot]bytesUsed, err error) {
	at := map[uint64]int{}
	for i := range b.HotBlocks {
		at[b.HotBlocks[i].Address/traces.LineBytes] = i
	}
	err = traces.Batches(f, core, func(batch []traces.Record) error {
		for i := range batch {
			r := &batch[i]
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
		return nil
	})
	return use, err
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

// Behaviour is what a trace does in caches. All counts are exact, and do not depend on the order
// between cores, which a trace leaves open as far as its edges do. A block is a line of 64 bytes.
// Only loads, stores and atomics share; fetches do not.
type Behaviour struct {
	Window int `json:"window"` // of the trace, whose blocks these are
	// Sharing counts blocks by how cores share them. A block is private when one core touches it;
	// read-shared when several do and none writes it; migratory when several do and each of them
	// reads it first and writes it, too; write-shared otherwise.
	Sharing []Sharing `json:"sharing"`
	// BlocksByCores is the number of blocks that 1, 2, ... cores touch; MeanDegree the mean over
	// shared ones.
	BlocksByCores []uint64 `json:"blocks_by_cores"`
	MeanDegree    *float64 `json:"mean_degree" title:"cores per shared block"`
	Sizes         []Size   `json:"sizes"`
	// AccessesPerInstruction are data accesses.
	AccessesPerInstruction *float64 `json:"accesses_per_instruction" title:"data accesses per instruction"`
	// StoreShare is the share of stores and atomics in the data accesses, atomics included.
	StoreShare *float64 `json:"store_share" title:"share of stores and atomics in data accesses"`
	// HotBlocks are the ten blocks with most accesses of those that several cores use and some
	// write.
	HotBlocks []HotBlock `json:"hot_blocks"`
}

// Sharing counts the blocks of a class of sharing.
type Sharing struct {
	Class    string `json:"class"`
	Blocks   uint64 `json:"blocks"`
	Accesses uint64 `json:"accesses"` // data accesses to them
}

// The classes of sharing.
const (
	private = iota
	readShared
	migratory
	writeShared
)

// Size counts accesses by their bytes.
type Size struct {
	Bytes   uint64 `json:"bytes"`
	Loads   uint64 `json:"loads"`
	Stores  uint64 `json:"stores"`
	Atomics uint64 `json:"atomics"`
}

// usage is what the cores of a trace do with memory.
type usage struct {
	window int // whose behaviour is asked for, or noWindow
	cores  []coreUse
}

const noWindow = -1

// coreUse is what one core does.
type coreUse struct {
	sizes [traces.Fetch + 1][7]uint64 // accesses by kind and log2 of the bytes
	pages map[uint64]*pageUse
}

const pageBlocks = traces.PageBytes / traces.LineBytes

// pageUse is what a core does with a page: a bit and a count per block.
type pageUse struct {
	touched, data, stored    uint64 // in all windows; data and stored are by loads, stores and atomics
	read, written, readFirst uint64
	accesses                 [pageBlocks]uint32
}

func newUsage(cores, window int) *usage {
	u := &usage{window: window, cores: make([]coreUse, cores)}
	for i := range u.cores {
		u.cores[i].pages = map[uint64]*pageUse{}
	}
	return u
}

// see is the loop over a core's records.
func (u *usage) see(window, core int, batch []traces.Record) {
	c := &u.cores[core]
	number, page := uint64(0), (*pageUse)(nil)
	for i := range batch {
		r := &batch[i]
		if !r.Kind.IsAccess() {
			continue
		}
		block := r.Address / traces.LineBytes
		if page == nil || number != block/pageBlocks {
			number = block / pageBlocks
			if page = c.pages[number]; page == nil {
				page = new(pageUse)
				c.pages[number] = page
			}
		}
		bit := uint64(1) << (block % pageBlocks)
		page.touched |= bit
		if r.Kind == traces.Fetch {
			continue
		}
		page.data |= bit
		if r.Kind != traces.Load {
			page.stored |= bit
		}
		if window == u.window {
			c.sizes[r.Kind][min(r.Size, 6)]++
			page.access(block%pageBlocks, r.Kind)
		}
	}
}

func (p *pageUse) access(block uint64, kind traces.Kind) {
	bit := uint64(1) << block
	p.accesses[block]++
	if kind != traces.Store {
		if (p.read|p.written)&bit == 0 {
			p.readFirst |= bit
		}
		p.read |= bit
	}
	if kind != traces.Load {
		p.written |= bit
	}
}

// pages lists, for each page, what the cores do that touch it.
func (u *usage) pages() map[uint64][]*pageUse {
	pages := map[uint64][]*pageUse{}
	for i := range u.cores {
		for n, p := range u.cores[i].pages {
			pages[n] = append(pages[n], p)
		}
	}
	return pages
}

// footprint counts the lines and pages touched, and of the lines those that several cores use for data.
func (d *Description) footprint(pages map[uint64][]*pageUse) {
	lines := uint64(0)
	for _, uses := range pages {
		var touched, data, stored, shared uint64
		for _, u := range uses {
			shared |= data & u.data
			touched, data, stored = touched|u.touched, data|u.data, stored|u.stored
		}
		lines += uint64(bits.OnesCount64(touched))
		d.SharedLines += uint64(bits.OnesCount64(shared))
		d.WrittenSharedLines += uint64(bits.OnesCount64(shared & stored))
	}
	d.FootprintBytes, d.FootprintPages = lines*traces.LineBytes, uint64(len(pages))
}

// behave says what the cores do in caches, and reads the trace again for hot blocks, by a number of
// goroutines.
func (u *usage) behave(file *traces.File, pages map[uint64][]*pageUse, sum traces.CoreTotals, jobs int) (*Behaviour, error) {
	b, hot := u.join(pages), make([][mostHot]bytesUsed, len(u.cores))
	err := errors.Join(file.EachCore(jobs, func(own *traces.File, core int) (err error) {
		hot[core], err = b.bytesOfHot(own, core)
		return err
	})...)
	if err != nil {
		return nil, err
	}
	for core := range hot {
		for i := range b.HotBlocks {
			b.HotBlocks[i].addCore(core, hot[core][i])
		}
	}
	for i := range b.HotBlocks {
		h, used := &b.HotBlocks[i], uint64(0)
		for k := range h.CoreList {
			used |= h.BytesRead[k] | h.BytesWritten[k]
		}
		if h.Symbols, err = file.SymbolsAt(h.Address, used); err != nil {
			return nil, err
		}
	}
	b.Window = file.WindowNumber()
	b.AccessesPerInstruction, b.StoreShare = share(sum.Accesses(), sum.Instructions), share(sum.Stores+sum.Atomics, sum.Accesses())
	return b, nil
}

// join adds the cores up, and finds how they share blocks.
func (u *usage) join(pages map[uint64][]*pageUse) *Behaviour {
	b := &Behaviour{Sharing: []Sharing{{Class: "private"}, {Class: "read-shared"}, {Class: "migratory"}, {Class: "write-shared"}}}
	degree := make([]uint64, len(u.cores)+1) // blocks by the number of cores
	for number, uses := range pages {
		for block := range uint64(pageBlocks) {
			degree[b.block(uses, number, block)]++
		}
	}
	b.keepHottest()
	last := 1
	blocks, touches := uint64(0), uint64(0)
	for n := 2; n < len(degree); n++ {
		if degree[n] > 0 {
			last = n
		}
		blocks, touches = blocks+degree[n], touches+uint64(n)*degree[n]
	}
	b.BlocksByCores, b.MeanDegree = degree[1:last+1], share(touches, blocks)
	for size := range u.cores[0].sizes[traces.Load] {
		e := Size{Bytes: 1 << size}
		for i := range u.cores {
			sizes := &u.cores[i].sizes
			e.Loads += sizes[traces.Load][size]
			e.Stores += sizes[traces.Store][size]
			e.Atomics += sizes[traces.Atomic][size]
		}
		if e.Loads+e.Stores+e.Atomics > 0 {
			b.Sizes = append(b.Sizes, e)
		}
	}
	return b
}

// block counts one block of a page with a number and returns how many cores touch it; uses are those
// of the cores that touch the page.
func (b *Behaviour) block(uses []*pageUse, page, block uint64) (cores int) {
	bit := uint64(1) << block
	accesses, written, migrates := uint64(0), false, true
	for _, u := range uses {
		if (u.read|u.written)&bit == 0 {
			continue
		}
		cores++
		accesses += uint64(u.accesses[block])
		written = written || u.written&bit != 0
		migrates = migrates && u.readFirst&u.written&bit != 0
	}
	class := writeShared
	switch {
	case cores == 0:
		return 0
	case cores == 1:
		class = private
	case !written:
		class = readShared
	case migrates:
		class = migratory
	}
	if written && cores > 1 {
		b.HotBlocks = append(b.HotBlocks, HotBlock{Address: (page*pageBlocks + block) * traces.LineBytes, Accesses: accesses})
	}
	b.Sharing[class].Blocks++
	b.Sharing[class].Accesses += accesses
	return cores
}

// share returns a ratio, absent where there is nothing to take it of.
func share(part, whole uint64) *float64 {
	if whole == 0 {
		return nil
	}
	v := float64(part) / float64(whole)
	return &v
}
