package cli

import (
	"fmt"

	"github.com/carousel-sim/carousel/analysis/sheet"
	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/profile"
)

// sharingEntry is the part of trace info about who shares blocks of 64 bytes.
type sharingEntry struct {
	Class    string `json:"class"`
	Blocks   uint64 `json:"blocks"`
	Accesses uint64 `json:"accesses"` // data accesses to them
}

// reuseEntry is a bucket of reuse distances, in distinct blocks of the core.
type reuseEntry struct {
	Low     uint64 `json:"low"`
	High    uint64 `json:"high"`
	Data    uint64 `json:"data"`
	Fetches uint64 `json:"fetches"`
}

// sizeEntry counts accesses by their bytes.
type sizeEntry struct {
	Bytes   uint64 `json:"bytes"`
	Loads   uint64 `json:"loads"`
	Stores  uint64 `json:"stores"`
	Atomics uint64 `json:"atomics"`
}

// behaviour is what trace info says beyond the counts of records.
type behaviour struct {
	Sharing []sharingEntry `json:"sharing"`
	// BlocksByCores is the number of blocks that 1, 2, ... cores touch; MeanDegree the mean over shared ones.
	BlocksByCores []uint64     `json:"blocks_by_cores"`
	MeanDegree    *float64     `json:"mean_degree"`
	ColdData      uint64       `json:"cold_data"` // first touches of a block by a core
	ColdFetches   uint64       `json:"cold_fetches"`
	Reuse         []reuseEntry `json:"reuse"`
	Sizes         []sizeEntry  `json:"sizes"`
	// AccessesPerInstruction are data accesses; Dependent those whose address comes from an earlier load.
	AccessesPerInstruction *float64 `json:"accesses_per_instruction"`
	StoreShare             *float64 `json:"store_share"` // of data accesses, atomics included
	Dependent              uint64   `json:"dependent_accesses"`
}

// behaves reads a trace for what it does in caches.
func behaves(file *traces.File, sum traces.CoreTotals, jobs int) (*behaviour, error) {
	p, err := profile.Of(file, jobs)
	if err != nil {
		return nil, err
	}
	b := &behaviour{BlocksByCores: p.Degree[1:], ColdData: p.Data.Cold, ColdFetches: p.Fetches.Cold, Dependent: p.Dependent,
		AccessesPerInstruction: share(sum.Accesses(), sum.Instructions), StoreShare: share(sum.Stores+sum.Atomics, sum.Accesses())}
	for c := range profile.Classes {
		b.Sharing = append(b.Sharing, sharingEntry{c.String(), p.Blocks[c], p.Accesses[c]})
	}
	blocks, touches := uint64(0), uint64(0)
	for cores, n := range p.Degree {
		if cores > 1 {
			blocks, touches = blocks+n, touches+uint64(cores)*n
		}
	}
	b.MeanDegree = share(touches, blocks)
	last := 0
	for i := range p.Data.Buckets {
		if p.Data.Buckets[i]+p.Fetches.Buckets[i] > 0 {
			last = i + 1
		}
	}
	for i := range last {
		low, high := profile.Bounds(i)
		b.Reuse = append(b.Reuse, reuseEntry{low, high, p.Data.Buckets[i], p.Fetches.Buckets[i]})
	}
	for size := range p.Sizes[traces.Load] {
		e := sizeEntry{1 << size, p.Sizes[traces.Load][size], p.Sizes[traces.Store][size], p.Sizes[traces.Atomic][size]}
		if e.Loads+e.Stores+e.Atomics > 0 {
			b.Sizes = append(b.Sizes, e)
		}
	}
	return b, nil
}

// share returns a ratio, absent where there is nothing to take it of.
func share(part, whole uint64) *float64 {
	if whole == 0 {
		return nil
	}
	v := float64(part) / float64(whole)
	return &v
}

// add puts it into the sheet of trace info.
func (b *behaviour) add(s *sheet.Sheet) {
	s.Add("data accesses per instruction", b.AccessesPerInstruction)
	s.Add("stores and atomics among them", b.StoreShare)
	s.Add("addresses from a load", fmt.Sprint(b.Dependent))
	for _, e := range b.Sizes {
		s.Add(fmt.Sprintf("of %d bytes: loads, stores, atomics", e.Bytes), fmt.Sprintf("%d, %d, %d", e.Loads, e.Stores, e.Atomics))
	}
	for _, e := range b.Sharing {
		s.Add(e.Class+" blocks; accesses", fmt.Sprintf("%d; %d", e.Blocks, e.Accesses))
	}
	s.Add("cores per shared block", b.MeanDegree)
	s.Add("first touches: data; fetches", fmt.Sprintf("%d; %d", b.ColdData, b.ColdFetches))
	for _, e := range b.Reuse {
		s.Add(fmt.Sprintf("reuse distance %d to %d: data; fetches", e.Low, e.High), fmt.Sprintf("%d; %d", e.Data, e.Fetches))
	}
}
