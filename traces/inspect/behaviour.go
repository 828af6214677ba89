package inspect

import (
	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/profile"
)

// Sharing counts the blocks of 64 bytes of a class of sharing.
type Sharing struct {
	Class    string `json:"class"`
	Blocks   uint64 `json:"blocks"`
	Accesses uint64 `json:"accesses"` // data accesses to them
}

// Size counts accesses by their bytes.
type Size struct {
	Bytes   uint64 `json:"bytes"`
	Loads   uint64 `json:"loads"`
	Stores  uint64 `json:"stores"`
	Atomics uint64 `json:"atomics"`
}

// Behaviour is what a trace does in caches.
type Behaviour struct {
	Sharing []Sharing `json:"sharing"`
	// BlocksByCores is the number of blocks that 1, 2, ... cores touch; MeanDegree the mean over
	// shared ones.
	BlocksByCores []uint64 `json:"blocks_by_cores"`
	MeanDegree    *float64 `json:"mean_degree" title:"cores per shared block"`
	Sizes         []Size   `json:"sizes"`
	// AccessesPerInstruction are data accesses; Dependent those whose address comes from an earlier
	// load.
	AccessesPerInstruction *float64 `json:"accesses_per_instruction" title:"data accesses per instruction"`
	// StoreShare is the share of stores and atomics in the data accesses, atomics included.
	StoreShare *float64 `json:"store_share" title:"stores and atomics among them"`
	Dependent  uint64   `json:"dependent_accesses" title:"addresses from a load"`
	// HotBlocks are the ten blocks with most accesses of those that several cores use and some
	// write.
	HotBlocks []HotBlock `json:"hot_blocks"`
}

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

// hotBlock describes a hot block.
func hotBlock(h *profile.HotBlock) HotBlock {
	b := HotBlock{Address: h.Block * traces.LineBytes, Accesses: h.Accesses, Cores: len(h.Cores), FalseSharing: h.FalseSharing()}
	for _, c := range h.Cores {
		if c.Read != 0 {
			b.Readers++
		}
		if c.Written != 0 {
			b.Writers++
		}
		b.CoreList, b.BytesRead, b.BytesWritten = append(b.CoreList, c.Core), append(b.BytesRead, c.Read), append(b.BytesWritten, c.Written)
	}
	return b
}

// Behave reads a trace for what it does in caches, several cores at a time. The sums are those of
// its cores.
func Behave(file *traces.File, sum traces.CoreTotals, jobs int) (*Behaviour, error) {
	p, err := profile.Of(file, jobs)
	if err != nil {
		return nil, err
	}
	b := &Behaviour{BlocksByCores: p.Degree[1:], Dependent: p.Dependent,
		AccessesPerInstruction: share(sum.Accesses(), sum.Instructions), StoreShare: share(sum.Stores+sum.Atomics, sum.Accesses())}
	for c := range profile.Classes {
		b.Sharing = append(b.Sharing, Sharing{c.String(), p.Blocks[c], p.Accesses[c]})
	}
	for i := range p.Hot {
		b.HotBlocks = append(b.HotBlocks, hotBlock(&p.Hot[i]))
	}
	blocks, touches := uint64(0), uint64(0)
	for cores, n := range p.Degree {
		if cores > 1 {
			blocks, touches = blocks+n, touches+uint64(cores)*n
		}
	}
	b.MeanDegree = share(touches, blocks)
	for size := range p.Sizes[traces.Load] {
		e := Size{1 << size, p.Sizes[traces.Load][size], p.Sizes[traces.Store][size], p.Sizes[traces.Atomic][size]}
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
