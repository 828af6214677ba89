package plan

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/analysis/experiment"
)

// Expansion is a plan with the settings around it, checked, and after [Plan.Expand] its points.
type Expansion struct {
	Plan         *Plan
	First        *config.Effective  // configuration of the first combination
	Combinations int                // of the values of all axes
	Count        int                // of points, before equal ones are joined
	Points       []experiment.Point // of Expand, none of Survey

	below, above config.Layer
	dimensions   []Axis
	texts        [][]string // of their values
	routers      []string
	traces       []experiment.TraceIdentity
	first        *combination

	mutex  sync.Mutex                       // of what follows
	open   map[string][]experiment.Workload // by what opens them
	recent map[group][]experiment.Point
}

// MaxPoints bounds the points of a plan, and the combinations of the values of its axes.
const MaxPoints = 1_000_000

// mostBuilt is how many combinations a plan may have of which each is built before anything runs.
// Of larger plans about mostSampled values of each axis are built.
const mostBuilt, mostSampled = 1000, 100

// Survey checks a plan and counts its points without making them. It checks each value of an axis,
// and each variant, beside the first values of all others, and builds the networks and chips; of a
// plan with more than a thousand combinations only those of about a hundred values of each axis. The
// plan's settings override those below, such as a file's, and are overridden by those above.
func (p *Plan) Survey(below, above config.Layer) (*Expansion, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	for _, s := range above {
		if p.Varies(s.Key.Name) {
			return nil, fmt.Errorf("%s varies %s; change the plan, or leave out what %s gives", p.Name, s.Key.Name, s.Origin)
		}
	}
	x := &Expansion{Plan: p, below: below, above: above, dimensions: p.Dimensions(), open: map[string][]experiment.Workload{}, recent: map[group][]experiment.Point{}}
	n := 1.0 // a float does not overflow
	for _, axis := range x.dimensions {
		n *= float64(len(axis.Values))
		texts := make([]string, len(axis.Values))
		for i, v := range axis.Values {
			texts[i] = config.Text(v)
		}
		x.texts = append(x.texts, texts)
	}
	if n > MaxPoints {
		return nil, x.tooMany(n, "combinations of the values of its axes")
	}
	x.Combinations = int(n)
	first, err := x.survey(0, true)
	if err != nil {
		return nil, err
	}
	extents := make([][]extent, len(x.dimensions))
	stride := x.Combinations
	for d, axis := range x.dimensions {
		stride /= len(axis.Values)
		extents[d] = []extent{first}
		for v := 1; v < len(axis.Values); v++ {
			build := x.Combinations <= mostBuilt || v%(1+len(axis.Values)/mostSampled) == 0
			e, err := x.survey(v*stride, build)
			if err != nil {
				return nil, err
			}
			extents[d] = append(extents[d], e)
		}
	}
	x.count(first, extents)
	if x.Count > MaxPoints {
		return nil, x.tooMany(float64(x.Count), "points")
	}
	return x, nil
}

func (x *Expansion) tooMany(n float64, what string) error {
	return fmt.Errorf("%s: there are %.0f %s, and a plan may have %d points; give some axes fewer values, or write several plans", x.Plan.Name, n, what, MaxPoints)
}

// survey checks a combination and returns its extent.
func (x *Expansion) survey(index int, build bool) (extent, error) {
	k, err := x.checked(index, build)
	if err != nil {
		return extent{}, err
	}
	if index == 0 {
		x.First, x.first = k.asked, k
	}
	return x.extentOf(k)
}

// Expand makes the points of a plan: for each variant every combination of the axes' values, the
// last axis fastest, then its routers and loads if it has several, then seeds. It checks the values
// of all combinations and, where there are at most a thousand, that each can be built. Of more
// combinations those are built that [Plan.Survey] builds; another one that cannot be built is a
// point that fails.
func (p *Plan) Expand(below, above config.Layer) (*Expansion, error) {
	x, err := p.Survey(below, above)
	if err != nil {
		return nil, err
	}
	listed := map[string]bool{}
	for index := range x.Combinations {
		k, err := x.checked(index, x.Combinations <= mostBuilt && x.varied(index) > 1)
		if err == nil {
			err = x.add(k, listed)
		}
		if err != nil {
			return nil, err
		}
	}
	x.Points = experiment.Unique(x.Points)
	return x, nil
}

// checked decodes and checks a combination, unless the expansion has been stopped.
func (x *Expansion) checked(index int, build bool) (*combination, error) {
	if x.Plan.Stopped != nil {
		if err := x.Plan.Stopped(); err != nil {
			return nil, err
		}
	}
	k, err := x.decode(index)
	if err == nil {
		err = x.check(k, build)
	}
	return k, err
}

// digits returns the number of each dimension's value in a combination.
func (x *Expansion) digits(index int) []int {
	at := make([]int, len(x.dimensions))
	for d := len(at) - 1; d >= 0; d-- {
		n := len(x.dimensions[d].Values)
		at[d], index = index%n, index/n
	}
	return at
}

// varied counts the dimensions that are not at their first value.
func (x *Expansion) varied(index int) (n int) {
	for _, v := range x.digits(index) {
		n += min(v, 1)
	}
	return n
}

// extent is what decides how many points a combination has beside its seeds.
type extent struct {
	routers, loads int
	windows        []int // of each workload
	most           int   // windows that are replayed of each; 0 is all
}

// points counts them.
func (e *extent) points() (n int) {
	for _, windows := range e.windows {
		if n += max(1, windows); e.most > 0 && windows > e.most {
			n -= windows - e.most
		}
	}
	return n * e.routers * e.loads
}

// extentOf returns the extent of a combination.
func (x *Expansion) extentOf(k *combination) (e extent, err error) {
	switch x.Plan.Kind {
	case Run:
		list, err := x.workloads(k.c)
		e.routers, e.loads, e.most = len(k.c.Routers), 1, k.c.Windows
		for i := range list {
			e.windows = append(e.windows, list[i].Windows)
		}
		return e, err
	case Traffic:
		return extent{routers: len(k.c.Routers), loads: max(1, len(k.loads)), windows: []int{1}}, nil
	}
	return extent{routers: 1, loads: 1, windows: []int{1}}, nil
}

// count adds up the points of all combinations without decoding them. Each part of an extent
// follows from one dimension at most, so the extents with one value other than the first determine
// all.
func (x *Expansion) count(first extent, extents [][]extent) {
	for index := range x.Combinations {
		e := first
		for d, v := range x.digits(index) {
			other := &extents[d][v]
			if other.routers != first.routers {
				e.routers = other.routers
			}
			if other.loads != first.loads {
				e.loads = other.loads
			}
			if other.most != first.most {
				e.most = other.most
			}
			if !slices.Equal(other.windows, first.windows) {
				e.windows = other.windows
			}
		}
		x.Count += e.points() * len(x.first.seeds)
	}
}

// Manifest describes the whole sweep: the plan, and the configuration without the keys that it
// varies. quick says whether the plan was read with its section quick.
func (x *Expansion) Manifest(quick bool) (*experiment.Manifest, error) {
	m := experiment.Program()
	values, given := x.first.nested()
	m.Plan = &experiment.PlanIdentity{File: x.Plan.Name, Title: x.Plan.Title, Kind: x.Plan.Kind, Quick: quick, Points: len(x.Points)}
	for _, axis := range x.Plan.Dimensions() {
		listed := experiment.PlanAxis{Key: axis.Key}
		for _, v := range axis.Values {
			listed.Values = append(listed.Values, config.Text(v))
		}
		m.Plan.Axes = append(m.Plan.Axes, listed)
		remove(values, strings.Split(axis.Key, "."))
		delete(given, axis.Key)
	}
	for _, v := range x.Plan.Variants {
		listed := experiment.PlanVariant{Name: v.Name, Set: map[string]string{}}
		for _, s := range v.Set {
			listed.Set[s.Key] = config.Text(s.Value)
			remove(values, strings.Split(s.Key, "."))
			delete(given, s.Key)
		}
		m.Plan.Variants = append(m.Plan.Variants, listed)
	}
	m.Configuration, m.Given = values, given
	m.Routers, m.Traces, m.Seeds = x.routers, x.traces, x.first.seeds
	var err error
	m.Study, err = experiment.KeyOf(x.Points)
	return &m, err
}

// remove takes a key out of nested sections.
func remove(values map[string]any, path []string) {
	for _, part := range path[:len(path)-1] {
		inner, ok := values[part].(map[string]any)
		if !ok {
			return
		}
		values = inner
	}
	delete(values, path[len(path)-1])
}
