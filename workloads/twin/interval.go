package twin

import (
	"math"

	"github.com/carousel-sim/carousel/noc/random"
)

// moments are how many distances there were, their sum, and the sum of their squares.
type moments struct{ count, sum, squares float64 }

func (m *moments) add(d int) {
	n := float64(max(d, 0))
	m.count, m.sum, m.squares = m.count+1, m.sum+n, m.squares+n*n
}

func (m *moments) plus(o moments) {
	m.count, m.sum, m.squares = m.count+o.count, m.sum+o.sum, m.squares+o.squares
}

// intervals give, for each class, the part of it in which an even distribution has the mean and the deviation of the
// distances. So loops over many lines, which find each at the same distance, do that in twins, too. First is where
// crowded classes begin.
func intervals(all []moments, first int) [][2]int {
	list := make([][2]int, len(all))
	for class, m := range all {
		low, high, ok := distancesOf(class, first)
		if m.count == 0 || !ok {
			continue
		}
		mean := m.sum / m.count
		half := math.Sqrt(3 * max(0, m.squares/m.count-mean*mean))
		list[class] = [2]int{max(low, int(math.Round(mean-half))), min(high, int(math.Round(mean+half)))}
	}
	for len(list) > 0 && list[len(list)-1] == [2]int{} {
		list = list[:len(list)-1]
	}
	return list
}

// interval is where the distances of a class lie, evenly.
type interval struct{ low, n int }

// newIntervals makes the intervals of all classes; of one without distances it is the class.
func newIntervals(to []interval, from [][2]int, first int) {
	for class := range to {
		if low, high, ok := distancesOf(class, first); ok {
			to[class] = interval{low, high - low + 1}
		}
		if class < len(from) && from[class][1] > 0 {
			to[class] = interval{from[class][0], from[class][1] - from[class][0] + 1}
		}
	}
}

func (i interval) draw(r *random.Stream) int {
	if i.n <= 1 {
		return i.low
	}
	return i.low + random.Scale(r.Uint64(), i.n)
}

// high is the largest distance.
func (i interval) high() int { return i.low + i.n - 1 }
