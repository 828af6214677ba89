package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/analysis/tables"
)

// longTimeouts is the share of core time above which a run warns that it measures its timer.
const longTimeouts = 0.05

// timeouts says which share of core time went into waiting for timeouts on each router, with a
// protocol that has any, and whether that is long on one.
func timeouts(rows *tables.Rows) (text []string, long bool) {
	type sum struct{ waited, all uint64 }
	of, routers, routerOf := map[string]*sum{}, []string{}, map[string]string{}
	for i := range rows.Runs {
		r := &rows.Runs[i]
		if !r.Reissues.Known || !r.TimeoutCycles.Known {
			continue
		}
		routerOf[r.RunKey] = r.Router
		if of[r.Router] == nil {
			of[r.Router] = &sum{}
			routers = append(routers, r.Router)
		}
		of[r.Router].waited += r.TimeoutCycles.Value
	}
	for i := range rows.Cores {
		if s := of[routerOf[rows.Cores[i].RunKey]]; s != nil {
			s.all += rows.Cores[i].FinishCycle
		}
	}
	var shares []string
	any := false
	for _, name := range routers {
		share := float64(of[name].waited) / float64(max(of[name].all, 1))
		long, any = long || share > longTimeouts, any || of[name].waited > 0
		shares = append(shares, fmt.Sprintf("%s %.1f %%", name, 100*share))
	}
	if !any {
		return nil, false
	}
	line := fmt.Sprintf("Share of core time spent waiting for timeouts: %s.", strings.Join(shares, ", "))
	if long {
		line += " The times therefore depend on the timeout; see carousel help concepts."
	}
	return []string{line}, long
}

// agreeWithin is how far the work of routers that replay the same recording may be apart.
const agreeWithin = 0.05

// works are what every router does for a recording, whatever its speed.
var works = []struct {
	name string
	of   func(r *tables.Run) uint64
}{
	{"instructions", func(r *tables.Run) uint64 { return r.Instructions.Value }},
	{"instruction fetches", func(r *tables.Run) uint64 { return r.Fetches.Value }},
	{"L1 misses", func(r *tables.Run) uint64 { return r.L1Misses.Value }},
}

// work is what a router did for a workload.
type work struct {
	router  string
	runs    int
	done    [3]uint64
	replays uint64
}

// worksOf sums the work of each router over the finished runs of each workload, in their order.
func worksOf(rows *tables.Rows) (workloads []string, of map[string][]work) {
	of = map[string][]work{}
	for i := range rows.Runs {
		r := &rows.Runs[i]
		if r.ExitState != tables.Finished {
			continue
		}
		list := of[r.Workload]
		if list == nil {
			workloads = append(workloads, r.Workload)
		}
		at := slices.IndexFunc(list, func(w work) bool { return w.router == r.Router })
		if at < 0 {
			at, list = len(list), append(list, work{router: r.Router})
		}
		w := &list[at]
		w.runs++
		w.replays += r.Replays.Value
		for k := range works {
			w.done[k] += works[k].of(r)
		}
		of[r.Workload] = list
	}
	return workloads, of
}

// agreement names the workloads for which the routers did not do the same work, and says why.
func agreement(rows *tables.Rows) (notes []string) {
	workloads, of := worksOf(rows)
	for _, name := range workloads {
		list := of[name]
		for k := range works {
			by := func(a, b work) int { return cmp.Compare(a.done[k], b.done[k]) }
			least, most := slices.MinFunc(list, by), slices.MaxFunc(list, by)
			apart := most.done[k] - least.done[k]
			if least.runs != most.runs || float64(apart) <= agreeWithin*float64(least.done[k]) {
				continue
			}
			why := "cores get locks, barriers and shared blocks in a different order"
			if most.replays > least.replays && 2*(most.replays-least.replays) >= apart {
				why = "loads are repeated more often"
			}
			notes = append(notes, fmt.Sprintf("%s: %s differ: %d on %s, %d on %s. The reason is that %s.", name, works[k].name, most.done[k], most.router, least.done[k], least.router, why))
		}
	}
	return notes
}
