package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/analysis/result"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// HotBlock is a block for which caches of other cores answered many misses, in all runs of a
// comparison.
type HotBlock struct {
	Workload string `json:"workload" title:"workload"`
	Block    string `json:"block"`
	Symbols  string `json:"symbols,omitempty"` // variables in the block, if they are known
	Named    string `json:"-" title:"block"`   // the block with them
	Misses   uint64 `json:"misses" title:"misses"`
	Users    int    `json:"-" title:"cores"`
	Readers  int    `json:"-" title:"readers"`
	Writers  int    `json:"-" title:"writers"`
	// FalseSharing: in every run in which the block is hot, some core writes it, and no core uses
	// bytes that another one writes.
	FalseSharing bool      `json:"false_sharing" title:"false sharing"`
	Bytes        string    `json:"-" title:"bytes"` // that the first cores use
	Cores        []HotCore `json:"cores"`
}

// HotCore is what one core had to do with the block, in the first run in which it is hot.
type HotCore struct {
	Core    uint64 `json:"core"`
	Read    string `json:"bytes_read"`
	Written string `json:"bytes_written"`
}

// mostHot is how many blocks of a workload are listed, and mostUsers of how many cores a short text
// says which bytes they use.
const (
	mostHot   = 10
	mostUsers = 4
)

// HotBlocks adds up the misses of each block over the runs of a workload, and lists the ten with
// most for each.
func HotBlocks(runs result.Runs) []HotBlock {
	type row struct {
		workload string
		tables.HotBlock
	}
	var rows []row
	for i := range runs {
		for _, b := range runs[i].HotBlocks {
			rows = append(rows, row{runs[i].Run.Workload, b})
		}
	}
	list := []HotBlock{}
	for _, g := range tables.GroupBy(rows, func(r *row) [2]string { return [2]string{r.workload, r.Block} }) {
		first, runs := &g.Records[0], tables.GroupBy(g.Records, func(r *row) string { return r.RunKey })
		b := HotBlock{Workload: g.Key[0], Block: g.Key[1], Symbols: first.Symbols.Value, Named: g.Key[1], Users: len(runs[0].Records),
			FalseSharing: !slices.ContainsFunc(g.Records, func(r row) bool { return r.Sharing != tables.FalseSharing })}
		if b.Symbols != "" {
			b.Named += " (" + b.Symbols + ")"
		}
		for _, run := range runs {
			b.Misses += run.Records[0].BlockMisses
		}
		for _, r := range runs[0].Records {
			b.Cores = append(b.Cores, HotCore{r.Core, r.Read, r.Written})
			if r.Read != "" {
				b.Readers++
			}
			if r.Written != "" {
				b.Writers++
			}
		}
		b.Bytes = b.bytes(len(b.Cores))
		list = append(list, b)
	}
	slices.SortStableFunc(list, func(a, b HotBlock) int { return cmp.Compare(b.Misses, a.Misses) })
	kept := map[string]int{}
	return slices.DeleteFunc(list, func(b HotBlock) bool {
		kept[b.Workload]++
		return kept[b.Workload] > mostHot
	})
}

// noticeable is the percentage of all misses from which on blocks that are shared falsely are told.
const noticeable = 5

// falseSharing names, for each workload and setting, the worst block that is shared falsely, if such
// blocks cause a noticeable part of all misses on a router.
func (f *findings) falseSharing(*result.Ranking) (list []words) {
	type found struct{ block, bytes, place string }
	var all []found
	for i := range f.places {
		p := &f.places[i]
		hot := slices.DeleteFunc(HotBlocks(p.runs), func(b HotBlock) bool { return !b.FalseSharing })
		if text, _ := p.onRouters(noticeable, "%.0f %%", func(runs result.Runs) (falsely float64) {
			for _, b := range HotBlocks(runs) {
				if slices.ContainsFunc(hot, func(h HotBlock) bool { return h.Block == b.Block }) {
					falsely += float64(b.Misses)
				}
			}
			return 100 * falsely / max(runs.Sum(col.L1Misses), 1)
		}); text != "" {
			all = append(all, found{hot[0].Named, hot[0].bytes(mostUsers), fmt.Sprintf("%s (%s)", p.name, text)})
		}
	}
	for _, g := range tables.GroupBy(all, func(f *found) string { return f.block }) {
		places := tables.Keys(tables.GroupBy(g.Records, func(f *found) string { return f.place }))
		list = append(list, words{"places": firstOf(places), "block": g.Key, "bytes": g.Records[0].bytes})
	}
	return list
}

// bytes says which bytes cores use, of the first cores that use the same bytes together: at most this number of
// kinds of use.
func (b *HotBlock) bytes(most int) string {
	var list []string
	uses := tables.GroupBy(b.Cores, func(c *HotCore) [2]string { return [2]string{c.Read, c.Written} })
	for _, g := range uses[:min(most, len(uses))] {
		read, written := g.Key[0], g.Key[1]
		who, s := fmt.Sprintf("core %d", g.Records[0].Core), "s"
		if n := len(g.Records); n > 1 {
			who, s = fmt.Sprintf("%d cores", n), ""
			if n == len(b.Cores) {
				who = "all " + who
			}
		}
		switch {
		case read == "" && written == "":
		case written == "":
			list = append(list, fmt.Sprintf("%s read%s bytes %s", who, s, read))
		case read == "":
			list = append(list, fmt.Sprintf("%s write%s bytes %s", who, s, written))
		case read == written:
			list = append(list, fmt.Sprintf("%s read%s and write%s bytes %s", who, s, s, written))
		default:
			list = append(list, fmt.Sprintf("%s read%s bytes %s and write%s bytes %s", who, s, read, s, written))
		}
	}
	if more := len(uses) - most; more > 0 {
		list = append(list, fmt.Sprintf("%d more", more))
	}
	return strings.Join(list, ", ")
}
