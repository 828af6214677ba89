package twin

import "math"

// features of a cell: square roots of how often things happened per record, so that distances are those of
// Hellinger and rare things, such as misses, count.
func (c *cell) features() []float64 {
	if c.records == 0 {
		return nil
	}
	n := float64(c.records)
	var f []float64
	add := func(count, weight float64) { f = append(f, weight*math.Sqrt(count/n)) }
	for _, count := range c.states {
		add(float64(count), 1)
	}
	var zeros, gaps float64
	add(float64(c.fetches), 1)
	for i := range c.gaps {
		zeros += float64(c.gaps[i].counts[0])
		for v, k := range c.gaps[i].counts[:exactBuckets] {
			gaps += float64(v) * float64(k)
		}
		for _, sum := range c.gaps[i].sums {
			gaps += float64(sum)
		}
	}
	add(zeros, 1)
	add(gaps, 0.5)
	for class := range codeClasses {
		count := uint64(0)
		for from := range c.code {
			count += c.code[from][class]
		}
		add(float64(count), 1)
	}
	return f
}

// clustered is a cell as a point among others.
type clustered struct {
	core, slice int
	weight      float64
	at          []float64
	group       int
	far         float64 // squared distance to the nearest centre
}

// cluster groups similar cells: k-means from centres that are far apart, without chance. It returns the group
// of each cell and the sum of each group's cells.
func cluster(cells [][]*cell, most int) (groups [][]int, sums []*cell) {
	var points []*clustered
	for core := range cells {
		for s, c := range cells[core] {
			if f := c.features(); f != nil {
				points = append(points, &clustered{core: core, slice: s, weight: float64(c.records), at: f, far: math.Inf(1)})
			}
		}
	}
	centres := farCentres(points, most)
	for range clusterRounds {
		moveCentres(points, centres)
	}
	groups = make([][]int, len(cells))
	for core := range cells {
		groups[core] = make([]int, len(cells[core]))
	}
	sums = make([]*cell, len(centres))
	for g := range sums {
		sums[g] = new(cell)
	}
	for _, p := range points {
		groups[p.core][p.slice] = p.group
		sums[p.group].plus(cells[p.core][p.slice])
	}
	return groups, sums
}

// farCentres begins with the largest cell and goes on with whatever is farthest from the centres so far, by its weight.
func farCentres(points []*clustered, most int) (centres [][]float64) {
	for len(centres) < most {
		var next *clustered
		for _, p := range points {
			if len(centres) > 0 {
				p.far = min(p.far, squared(p.at, centres[len(centres)-1]))
			}
			if next == nil || len(centres) == 0 && p.weight > next.weight || len(centres) > 0 && p.far*p.weight > next.far*next.weight {
				next = p
			}
		}
		if next == nil || next.far < sameBehaviour {
			break
		}
		centres = append(centres, append([]float64(nil), next.at...))
	}
	return centres
}

// moveCentres gives every point to its nearest centre, and moves every centre to the mean of its points.
func moveCentres(points []*clustered, centres [][]float64) {
	totals := make([]float64, len(centres))
	means := make([][]float64, len(centres))
	for _, p := range points {
		p.group, p.far = 0, math.Inf(1)
		for g := range centres {
			if d := squared(p.at, centres[g]); d < p.far {
				p.group, p.far = g, d
			}
		}
		if means[p.group] == nil {
			means[p.group] = make([]float64, len(p.at))
		}
		totals[p.group] += p.weight
		for i, v := range p.at {
			means[p.group][i] += p.weight * v
		}
	}
	for g := range centres {
		for i := range means[g] {
			centres[g][i] = means[g][i] / totals[g]
		}
	}
}

const (
	clusterRounds = 12
	// sameBehaviour is the squared distance below which two cells are not told apart.
	sameBehaviour = 1e-4
)

func squared(a, b []float64) (sum float64) {
	for i := range a {
		sum += (a[i] - b[i]) * (a[i] - b[i])
	}
	return sum
}
