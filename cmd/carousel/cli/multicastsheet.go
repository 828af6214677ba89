package cli

import (
	"fmt"
	"strings"

	"github.com/carousel-sim/carousel/analysis/show/sheet"
	"github.com/carousel-sim/carousel/noc/multicast"
)

// counted writes a number of things.
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// planSheet lists the worms of a multicast plan.
func planSheet(r *multicast.Description) *sheet.Sheet {
	s := sheet.New("worm", "step", "from", "after", "channels", "last arrival", "order of visits", "routers")
	s.Before = []string{r.Title()}
	for _, w := range r.Worms {
		after, last := sheet.None, int64(0)
		if w.After >= 0 {
			after = fmt.Sprint(w.After)
		}
		for _, a := range w.Arrivals {
			last = max(last, a.Tail)
		}
		s.Add(w.Worm, w.Step, w.From, after, w.Channels, last, list(w.Stops), wayOf(w))
	}
	s.After = []string{
		fmt.Sprintf("%s, %s, traffic %s (%d distinct, %d more than destinations)", counted(len(r.Worms), "worm"), counted(r.Steps, "step"),
			counted(r.Traffic, "channel"), r.DistinctChannels, r.AdditionalTraffic),
		fmt.Sprintf("longest path %s, contention-free latency %d %s", counted(r.LongestPath, "channel"), r.Latency, r.TimeUnit),
	}
	return s
}

// list joins values the way flags take them.
func list[T any](values []T) string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(values), "[]"), " ", ",")
}

// wayOf writes the routers of a path, or the channels of a tree as from>to.
func wayOf(w multicast.DescribedWorm) string {
	if w.Tree == nil {
		return list(w.Path)
	}
	var parts []string
	for _, v := range w.Tree {
		from := "*" // the first router
		if v[0] >= 0 {
			from = fmt.Sprint(w.Tree[v[0]][1])
		}
		parts = append(parts, fmt.Sprintf("%s>%d", from, v[1]))
	}
	return strings.Join(parts, " ")
}
