package compare

import (
	"cmp"
	"maps"
	"slices"

	"github.com/carousel-sim/carousel/analysis/chart"
)

// Place is a router in a ranking.
type Place struct {
	Router string
	Ratio  chart.Estimate // to the first router, by matched pairs
}

// Equal reports whether the runs cannot tell the router from the first one.
func (p *Place) Equal() bool { return p.Ratio.Side(1) <= 0 }

// Ratios holds what routers measured over each other, by the router that is divided by and then by
// the other one.
type Ratios map[string]map[string]chart.Estimate

// Rank sorts routers by their ratios, of which less is better.
//
// Intervals over one common baseline would not do: the baseline's own spread is in all of them, so
// they overlap even where matched pairs tell two routers apart, and another baseline can change the
// order. So the first router is the one whose largest ratio to any other is least, the others
// follow by their ratios to it, and names decide ties.
func Rank(over Ratios) (places []Place) {
	routers := slices.Sorted(maps.Keys(over))
	if len(routers) == 0 {
		return nil
	}
	largest := func(router string) (ratio float64) {
		for _, other := range routers {
			if other != router {
				ratio = max(ratio, over[other][router].Mean)
			}
		}
		return ratio
	}
	first := slices.MinFunc(routers, func(a, b string) int { return cmp.Compare(largest(a), largest(b)) })
	for _, r := range routers {
		places = append(places, Place{r, over[first][r]})
	}
	slices.SortStableFunc(places, func(a, b Place) int { return cmp.Compare(a.Ratio.Mean, b.Ratio.Mean) })
	at := slices.IndexFunc(places, func(p Place) bool { return p.Router == first })
	return slices.Insert(slices.Delete(places, at, at+1), 0, Place{first, over[first][first]})
}
