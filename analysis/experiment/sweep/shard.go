package sweep

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/carousel-sim/carousel/analysis/experiment"
)

// Shard is a part of a plan: every Of-th point, beginning with the Number-th, from 1.
type Shard struct{ Number, Of int }

// Points are the shard's points. Neighbours in a plan take similar time, so shards take every n-th.
func (s Shard) Points(plan []experiment.Point) []experiment.Point {
	var list []experiment.Point
	for i := s.Number - 1; i < len(plan); i += s.Of {
		list = append(list, plan[i])
	}
	return list
}

// Count returns how many of so many points are the shard's.
func (s Shard) Count(points int) int { return (points - s.Number + s.Of) / s.Of }

// ParseShard reads a part of so many points as NUMBER/OF, such as 1/4.
func ParseShard(text string, points int) (Shard, error) {
	number, of, ok := strings.Cut(text, "/")
	n, err1 := strconv.Atoi(number)
	m, err2 := strconv.Atoi(of)
	if !ok || err1 != nil || err2 != nil {
		return Shard{}, errors.New("write NUMBER/OF, such as 1/4")
	}
	s := Shard{Number: n, Of: m}
	switch {
	case m < 1 || n < 1 || n > m:
		return s, fmt.Errorf("shard %d/%d does not exist; use 1/%d to %d/%d", n, m, max(1, m), max(1, m), max(1, m))
	case m > points:
		return s, fmt.Errorf("the plan has %d points; use at most that many shards, not %d", points, m)
	}
	return s, nil
}
