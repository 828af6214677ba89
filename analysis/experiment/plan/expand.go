package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/noc/models"
)

// Expansion is a plan with the settings around it, checked, and its points.
type Expansion struct {
	Plan   *Plan
	First  *config.Effective // configuration of the first combination
	Points []experiment.Point

	// Unread are settings around the plan that no combination reads.
	Unread []*Unread

	below, above config.Layer
	dimensions   []Axis
	combinations int // of the values of all dimensions
	routers      []string
	traces       []experiment.TraceIdentity
	first        *combination
	models       models.List                      // one for all points
	open         map[string][]experiment.Workload // by what opens them
}

// MaxPoints bounds the points of a plan, and the combinations of the values of its axes.
const MaxPoints = 100_000

// mostBuilt is how many combinations a plan may have of which each is built before anything runs.
// Of larger plans about mostSampled values of each axis are built.
const mostBuilt, mostSampled = 1000, 100

// Expand makes the points of a plan: for each variant every combination of the axes' values, the
// last axis fastest, then its routers and loads if it has several, then seeds. Equal points are joined. It
// checks the values of all combinations and, where there are at most a thousand, builds the networks and chips
// of each. Of more combinations it builds those of about a hundred values of each axis, or variants,
// beside the first values of all others; another one that cannot be built is a point that fails. The
// plan's settings override those below, such as a file's, and are overridden by those above.
func (p *Plan) Expand(below, above config.Layer) (*Expansion, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	for _, s := range above {
		if p.Varies(s.Key.Name) {
			return nil, fmt.Errorf("%s varies %s; change the plan, or leave out what %s gives", p.Name, s.Key.Name, s.Origin)
		}
		if s.Key.Name == "runs" {
			return nil, &Unread{s, "on a plan, which has seeds; leave it out"}
		}
	}
	x := &Expansion{Plan: p, below: below, above: above, dimensions: p.Dimensions(), models: p.Extra.Models(), open: map[string][]experiment.Workload{}}
	n := p.Combinations()
	if n > MaxPoints {
		return nil, x.tooMany(n, "combinations of the values of its axes")
	}
	x.combinations = int(n)
	var left config.Layer
	for index := range x.combinations {
		k, err := x.checked(index)
		if err == nil {
			err = x.add(k)
		}
		if err != nil {
			return nil, err
		}
		if index == 0 {
			x.First, x.first = k.asked, k
			left = slices.DeleteFunc(k.asked.Settings(), func(s config.Setting) bool { return s.Origin.Kind == config.FromPlan })
		}
		x.Unread = unread(p.Kind, left, &k.c.Config)
		left = nil
		for _, u := range x.Unread {
			left = append(left, u.Setting)
		}
	}
	x.Points = experiment.Unique(x.Points)
	return x, nil
}

// Changed lists the settings around the plan that change its points, as "key=value (origin)".
func (x *Expansion) Changed() (list []string, err error) {
	given := slices.DeleteFunc(x.First.Settings(), func(s config.Setting) bool {
		return settled[s.Key.Name] != "" || slices.Contains(sameResults, s.Key.Name) || s.Origin.Kind == config.FromPlan ||
			slices.ContainsFunc(x.Unread, func(u *Unread) bool { return u.Key.Name == s.Key.Name })
	})
	if len(given) == 0 {
		return nil, nil
	}
	plain, err := x.Plan.Expand(nil, nil)
	if err != nil || experiment.KeyOf(plain.Points) == experiment.KeyOf(x.Points) {
		return nil, err
	}
	for _, s := range given {
		if value := config.Text(s.Value); value != config.Text(s.Key.Value(plain.First.Config)) {
			list = append(list, fmt.Sprintf("%s=%s (%s)", s.Key.Name, value, s.Origin))
		}
	}
	return list, nil
}

func (x *Expansion) tooMany(n float64, what string) error {
	return fmt.Errorf("%s: there are %.0f %s, and a plan may have %d points; give some axes fewer values, or write several plans", x.Plan.Name, n, what, MaxPoints)
}

// checked decodes and checks a combination, unless the expansion has been stopped.
func (x *Expansion) checked(index int) (*combination, error) {
	if x.Plan.Stopped != nil {
		if err := x.Plan.Stopped(); err != nil {
			return nil, err
		}
	}
	k, err := x.decode(index)
	if err == nil {
		err = x.check(k, x.builds(index))
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

// builds reports whether networks and chips of a combination are built before anything runs.
func (x *Expansion) builds(index int) bool {
	varied, sampled := 0, true
	for d, v := range x.digits(index) {
		if v > 0 {
			varied, sampled = varied+1, v%(1+len(x.dimensions[d].Values)/mostSampled) == 0
		}
	}
	return x.combinations <= mostBuilt || varied == 0 || varied == 1 && sampled
}

// Manifest describes the whole sweep: the plan, and the configuration without the keys that it
// varies. quick says whether the plan was read with its section quick.
func (x *Expansion) Manifest(quick bool) *experiment.Manifest {
	m := experiment.Program()
	values, given := x.First.Nested()
	if x.Plan.Kind == Messages {
		values, given = messageValues(&x.first.messages), x.first.given
	}
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
	for i, v := range x.Plan.Variants {
		listed := experiment.PlanVariant{Name: v.Name, Set: map[string]string{}}
		// Variants vary slowest.
		if k, err := x.decode(i * x.combinations / len(x.Plan.Variants)); err == nil && x.Plan.Kind != Messages {
			for _, key := range config.Keys() {
				if x.Plan.Varies(key.Name) && !slices.ContainsFunc(x.Plan.Axes, func(a Axis) bool { return a.Key == key.Name }) {
					listed.Set[key.Name] = config.Text(key.Value(k.asked.Config))
				}
			}
		}
		for _, s := range v.Set {
			listed.Set[s.Key] = config.Text(s.Value)
			remove(values, strings.Split(s.Key, "."))
			delete(given, s.Key)
		}
		m.Plan.Variants = append(m.Plan.Variants, listed)
	}
	m.Configuration, m.Given = values, given
	m.DescribeRouters(x.models, x.routers, x.first.c.Network)
	m.Traces, m.Seeds = x.traces, x.first.seeds
	m.Study = experiment.KeyOf(x.Points)
	return &m
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
