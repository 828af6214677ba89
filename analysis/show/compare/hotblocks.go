package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/analysis/show/sheet"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// HotBlock is a block for which caches of other cores answered many misses, in all runs of a
// comparison.
type HotBlock struct {
	Workload string `json:"workload"`
	Block    string `json:"block"`
	Misses   uint64 `json:"misses"`
	// FalseSharing: in every run in which the block is hot, some core writes it, and no core uses
	// bytes that another one writes.
	FalseSharing bool      `json:"false_sharing"`
	Cores        []HotCore `json:"cores"`
}

// HotCore is what one core had to do with the block, in the first run in which it is hot.
type HotCore struct {
	Core    uint64 `json:"core"`
	Read    string `json:"bytes_read"`
	Written string `json:"bytes_written"`
}

// mostHot is how many blocks of a workload are listed.
const mostHot = 10

// hotBlocks adds up the misses of each block over the runs of a workload, and lists the ten with
// most for each. chosen says which runs count; nil counts all.
func hotBlocks(rows *tables.Rows, chosen func(key string) bool) []HotBlock {
	type place struct{ workload, block string }
	workloads, at, list := map[string]string{}, map[place]int{}, []HotBlock{}
	for i := range rows.Runs {
		workloads[rows.Runs[i].RunKey] = rows.Runs[i].Workload
	}
	first := map[place]string{} // the run that tells a block's cores
	counted := map[[2]string]bool{}
	for i := range rows.HotBlocks {
		r := &rows.HotBlocks[i]
		if chosen != nil && !chosen(r.RunKey) {
			continue
		}
		p := place{workloads[r.RunKey], r.Block}
		k, known := at[p]
		if !known {
			k = len(list)
			at[p], first[p] = k, r.RunKey
			list = append(list, HotBlock{Workload: p.workload, Block: r.Block, FalseSharing: true})
		}
		b := &list[k]
		b.FalseSharing = b.FalseSharing && r.Sharing == tables.FalseSharing
		if run := [2]string{r.Block, r.RunKey}; !counted[run] {
			counted[run] = true
			b.Misses += r.BlockMisses
		}
		if first[p] == r.RunKey {
			b.Cores = append(b.Cores, HotCore{r.Core, r.Read, r.Written})
		}
	}
	slices.SortStableFunc(list, func(a, b HotBlock) int { return cmp.Compare(b.Misses, a.Misses) })
	kept := map[string]int{}
	return slices.DeleteFunc(list, func(b HotBlock) bool {
		kept[b.Workload]++
		return kept[b.Workload] > mostHot
	})
}

// noticeable is the share of all misses from which on blocks that are shared falsely are told.
const noticeable = 0.05

// falseSharing names, for each workload, the worst block that is shared falsely, if such blocks
// cause a noticeable part of all misses.
func falseSharing(rows *tables.Rows) (warnings []string) {
	all, falsely, worst := map[string]uint64{}, map[string]uint64{}, map[string]*HotBlock{}
	var workloads []string
	for i := range rows.Runs {
		r := &rows.Runs[i]
		if !slices.Contains(workloads, r.Workload) {
			workloads = append(workloads, r.Workload)
		}
		all[r.Workload] += r.L1Misses.Value
	}
	hot := hotBlocks(rows, nil)
	for i := range hot {
		if b := &hot[i]; b.FalseSharing {
			if falsely[b.Workload] += b.Misses; worst[b.Workload] == nil {
				worst[b.Workload] = b
			}
		}
	}
	for _, w := range workloads {
		if worst[w] == nil || float64(falsely[w]) < noticeable*float64(all[w]) {
			continue
		}
		warnings = append(warnings, fmt.Sprintf("%s: false sharing causes %.0f %% of all misses: cores use different bytes of block %s (%s). carousel run --hot-blocks lists such blocks.",
			w, 100*float64(falsely[w])/float64(all[w]), worst[w].Block, worst[w].users(4)))
	}
	return warnings
}

// users says which core uses which bytes, for so many cores at most.
func (b *HotBlock) users(most int) string {
	var list []string
	for i := range b.Cores[:min(most, len(b.Cores))] {
		c := &b.Cores[i]
		verb, bytes := "reads and writes", c.Written
		switch {
		case c.Written == "":
			verb, bytes = "reads", c.Read
		case c.Read == "":
			verb = "writes"
		case c.Read != c.Written:
			verb, bytes = "reads", c.Read+" and writes bytes "+c.Written
		}
		if bytes == "" {
			continue
		}
		list = append(list, fmt.Sprintf("core %d %s bytes %s", c.Core, verb, bytes))
	}
	if more := len(b.Cores) - most; more > 0 {
		list = append(list, fmt.Sprintf("%d more", more))
	}
	return strings.Join(list, ", ")
}

// HotBlockNotes lists the blocks that move most often between caches, a line for each.
func (r *Study) HotBlockNotes() (notes []string) {
	for i := range r.HotBlocks {
		b := &r.HotBlocks[i]
		readers, writers := b.count()
		text := fmt.Sprintf("%s: hot block %s: %d misses answered by other caches, %d cores, %d readers, %d writers", b.Workload, b.Block, b.Misses, len(b.Cores), readers, writers)
		if b.FalseSharing {
			text += "; false sharing"
		}
		if users := b.users(len(b.Cores)); users != "" {
			text += ": " + users
		}
		notes = append(notes, text+".")
	}
	return notes
}

// HotBlockSheet lists the hot blocks of some runs.
func HotBlockSheet(rows *tables.Rows, chosen func(key string) bool) sheet.Sheet {
	s := sheet.Sheet{Header: []string{"block", "misses", "cores", "readers", "writers", "false sharing", "bytes"}}
	for _, b := range hotBlocks(rows, chosen) {
		readers, writers := b.count()
		s.Add(b.Block, b.Misses, len(b.Cores), readers, writers, map[bool]string{true: "yes", false: "no"}[b.FalseSharing], b.users(4))
	}
	return s
}

// count returns how many cores read the block and how many write it.
func (b *HotBlock) count() (readers, writers int) {
	for _, c := range b.Cores {
		if c.Read != "" {
			readers++
		}
		if c.Written != "" {
			writers++
		}
	}
	return readers, writers
}
