package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/analysis/show/chart"
	"github.com/carousel-sim/carousel/analysis/show/sheet"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// HotBlock is a block for which caches of other cores answered many misses, in all runs of a
// comparison.
type HotBlock struct {
	Workload string `json:"workload"`
	Block    string `json:"block"`
	Symbols  string `json:"symbols,omitempty"` // variables in the block, if they are known
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
	workloads, list := map[string]string{}, []HotBlock{}
	for i := range rows.Runs {
		workloads[rows.Runs[i].RunKey] = rows.Runs[i].Workload
	}
	counted := slices.DeleteFunc(slices.Clone(rows.HotBlocks), func(r tables.HotBlock) bool { return chosen != nil && !chosen(r.RunKey) })
	for _, g := range chart.GroupBy(counted, func(r *tables.HotBlock) [2]string { return [2]string{workloads[r.RunKey], r.Block} }) {
		b := HotBlock{Workload: g.Key[0], Block: g.Key[1], Symbols: g.Records[0].Symbols.Value, FalseSharing: true}
		for i, run := range chart.GroupBy(g.Records, func(r *tables.HotBlock) string { return r.RunKey }) {
			b.Misses += run.Records[0].BlockMisses
			for _, r := range run.Records {
				if b.FalseSharing = b.FalseSharing && r.Sharing == tables.FalseSharing; i == 0 {
					b.Cores = append(b.Cores, HotCore{r.Core, r.Read, r.Written})
				}
			}
		}
		list = append(list, b)
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
	hot := hotBlocks(rows, nil)
	for _, workload := range chart.GroupBy(rows.Runs, func(r *tables.Run) string { return r.Workload }) {
		own := slices.DeleteFunc(slices.Clone(hot), func(b HotBlock) bool { return b.Workload != workload.Key || !b.FalseSharing })
		all, falsely := uint64(0), uint64(0)
		for i := range workload.Records {
			all += workload.Records[i].L1Misses.Value
		}
		for i := range own {
			falsely += own[i].Misses
		}
		if share := float64(falsely) / float64(all); len(own) > 0 && share >= noticeable {
			warnings = append(warnings, fmt.Sprintf("%s: false sharing causes %.0f %% of all misses: cores use different bytes of block %s (%s). carousel run --hot-blocks lists such blocks.",
				workload.Key, 100*share, own[0].named(), own[0].users(4)))
		}
	}
	return warnings
}

// named is the block with the variables in it.
func (b *HotBlock) named() string {
	if b.Symbols == "" {
		return b.Block
	}
	return b.Block + " (" + b.Symbols + ")"
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
		text := fmt.Sprintf("%s: hot block %s: %d misses answered by other caches, %d cores, %d readers, %d writers", b.Workload, b.named(), b.Misses, len(b.Cores), readers, writers)
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
		s.Add(b.named(), b.Misses, len(b.Cores), readers, writers, map[bool]string{true: "yes", false: "no"}[b.FalseSharing], b.users(4))
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
