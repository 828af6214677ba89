// Package profile counts what decides how a trace behaves in caches: who shares which blocks, and
// what the instructions do.
//
// There is one type, [Profile], and one function, [Of]. All counts are exact, and do not depend on
// the order between cores, which a trace leaves open as far as its edges do:
//
//   - A block is a line of 64 bytes. Only loads, stores and atomics share; fetches do not.
//   - A block is private when one core touches it; read-shared when several do and none writes it;
//     migratory when several do and each of them reads it first and writes it, too; write-shared
//     otherwise.
//
// Memory grows with the blocks touched by each core. The loop is (*coreProfile).read.
package profile

import (
	"errors"
	"io"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/carousel-sim/carousel/traces"
)

// Class says who shares a block.
type Class int

// The classes.
const (
	Private Class = iota
	ReadShared
	Migratory
	WriteShared
	Classes
)

var classNames = [Classes]string{"private", "read-shared", "migratory", "write-shared"}

// String returns the class's name.
func (c Class) String() string { return classNames[c] }

// Profile is what is found.
type Profile struct {
	// Blocks and Accesses are, per class, the blocks and the data accesses to them.
	Blocks, Accesses [Classes]uint64
	// Degree is the number of blocks by the number of cores that touch them, from 0.
	Degree []uint64
	// Sizes counts accesses by kind, load to fetch, and log2 of the bytes.
	Sizes [traces.Fetch + 1][7]uint64
	// Dependent counts accesses whose address comes from an earlier load.
	Dependent uint64
	// Hot are the ten blocks with most accesses of those that several cores use and some write.
	Hot []HotBlock
}

// Of reads all of a file, its cores side by side by a number of goroutines, which changes nothing
// but the time.
func Of(f *traces.File, workers int) (*Profile, error) {
	cores := f.Cores()
	found, failed := make([]*coreProfile, cores), make([]error, cores)
	readers := make([]*traces.File, max(1, min(workers, cores)))
	for i := range readers {
		var err error
		if readers[i], err = f.Again(); err != nil {
			return nil, err
		}
		defer readers[i].Close()
	}
	each := func(do func(own *traces.File, core int) error) error {
		var next atomic.Int64
		var all sync.WaitGroup
		for _, own := range readers {
			all.Go(func() {
				for core := int(next.Add(1)) - 1; core < cores; core = int(next.Add(1)) - 1 {
					failed[core] = do(own, core)
				}
			})
		}
		all.Wait()
		return errors.Join(failed...)
	}
	err := each(func(own *traces.File, core int) error {
		found[core] = &coreProfile{pages: map[uint64]*pageUse{}}
		return found[core].read(own, core)
	})
	if err != nil {
		return nil, err
	}
	p := join(found)
	hot := make([][mostHot]HotCore, cores)
	err = each(func(own *traces.File, core int) (err error) {
		hot[core], err = p.bytesOfHot(own, core)
		return err
	})
	for core := range hot {
		p.addHot(core, &hot[core])
	}
	return p, err
}

// coreProfile is what one core does.
type coreProfile struct {
	counts Profile // all but the sharing
	pages  map[uint64]*pageUse
}

const pageBlocks = traces.PageBytes / traces.LineBytes

// pageUse is what a core does with a page: a bit and a count per block.
type pageUse struct {
	read, written, readFirst uint64
	accesses                 [pageBlocks]uint32
}

// read is the loop over a core's records.
func (p *coreProfile) read(f *traces.File, core int) error {
	records := make([]traces.Record, 1024)
	number, page := uint64(0), (*pageUse)(nil)
	for {
		n, err := f.ReadRecords(core, records)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if n == 0 {
			return nil
		}
		for i := range records[:n] {
			r := &records[i]
			if !r.Kind.IsAccess() {
				continue
			}
			p.counts.Sizes[r.Kind][min(r.Size, 6)]++
			if r.Dependence != 0 {
				p.counts.Dependent++
			}
			block := r.Address / traces.LineBytes
			if r.Kind == traces.Fetch {
				continue
			}
			if page == nil || number != block/pageBlocks {
				number = block / pageBlocks
				if page = p.pages[number]; page == nil {
					page = new(pageUse)
					p.pages[number] = page
				}
			}
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

// join adds the cores up, and finds who shares.
func join(cores []*coreProfile) *Profile {
	all := &Profile{Degree: make([]uint64, len(cores)+1)}
	pages := map[uint64][]*pageUse{}
	for _, c := range cores {
		all.Dependent += c.counts.Dependent
		for kind := range all.Sizes {
			for size := range all.Sizes[kind] {
				all.Sizes[kind][size] += c.counts.Sizes[kind][size]
			}
		}
		for n, use := range c.pages {
			pages[n] = append(pages[n], use)
		}
	}
	for number, uses := range pages {
		for block := range uint64(pageBlocks) {
			all.share(uses, number, block)
		}
	}
	all.keepHottest()
	for len(all.Degree) > 2 && all.Degree[len(all.Degree)-1] == 0 {
		all.Degree = slices.Delete(all.Degree, len(all.Degree)-1, len(all.Degree))
	}
	return all
}

// share counts one block of a page with a number; uses are those of the cores that touch the page.
func (p *Profile) share(uses []*pageUse, page, block uint64) {
	bit := uint64(1) << block
	n, accesses, written, migrates := 0, uint64(0), false, true
	for _, u := range uses {
		if (u.read|u.written)&bit == 0 {
			continue
		}
		n++
		accesses += uint64(u.accesses[block])
		written = written || u.written&bit != 0
		migrates = migrates && u.readFirst&u.written&bit != 0
	}
	class := WriteShared
	switch {
	case n == 0:
		return
	case n == 1:
		class = Private
	case !written:
		class = ReadShared
	case migrates:
		class = Migratory
	}
	if written && n > 1 {
		p.Hot = append(p.Hot, HotBlock{Block: page*pageBlocks + block, Accesses: accesses})
	}
	p.Blocks[class]++
	p.Accesses[class] += accesses
	p.Degree[n]++
}
