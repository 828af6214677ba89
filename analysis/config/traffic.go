package config

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/noc/models"
)

// Loads returns the points of a sweep over the load; none stands for a search for saturation. Of
// the three keys that say which points to do, the one from the strongest place counts, and the
// others are cleared.
func (e *Effective) Loads() ([]float64, error) {
	t := &e.Traffic
	way, err := e.wayOfLoading()
	if err != nil {
		return nil, err
	}
	if way != "traffic.loads" {
		t.Loads = ""
	}
	if t.Saturation = way == "traffic.saturation"; t.Saturation {
		return nil, nil
	}
	if t.Loads == "" {
		return []float64{t.Load}, nil
	}
	list, err := ParseLoads(t.Loads)
	if err != nil {
		return nil, e.accuse([]string{"traffic.loads"}, fmt.Errorf("traffic.loads is %q: %w", t.Loads, err))
	}
	return list, nil
}

// wayOfLoading is the key that says which points to do. A file, such as that of a manifest, may
// hold a single load beside one of the others.
func (e *Effective) wayOfLoading() (string, error) {
	way, strength, also := "traffic.load", FromDefault, ""
	for _, k := range []struct {
		name string
		used bool
	}{{"traffic.load", true}, {"traffic.loads", e.Traffic.Loads != ""}, {"traffic.saturation", e.Traffic.Saturation}} {
		at := e.origins[k.name].Kind
		switch {
		case !k.used || at < FromFile || at < strength:
		case at == strength && (at != FromFile || way != "traffic.load"):
			also = k.name
		default:
			way, strength, also = k.name, at, ""
		}
	}
	if also != "" {
		return "", &KeyError{Keys: []string{way, also}, Origin: e.origins[way],
			Err: fmt.Errorf("%s and %s are given; choose one of --load, --loads and --saturation", way, also)}
	}
	return way, nil
}

// maxLoads bounds the points of a sweep, leastStep their distance.
const (
	maxLoads  = 10_000
	leastStep = 1e-6
)

// ParseLoads reads FIRST:LAST:STEP. The last load is part of the sweep when a step meets it.
func ParseLoads(text string) ([]float64, error) {
	parts := strings.Split(text, ":")
	var v [3]float64
	if len(parts) != 3 {
		return nil, fmt.Errorf("write FIRST:LAST:STEP, such as 0.1:0.9:0.1")
	}
	for i, part := range parts {
		var err error
		if v[i], err = strconv.ParseFloat(strings.TrimSpace(part), 64); err != nil {
			return nil, fmt.Errorf("%q is not a number; write FIRST:LAST:STEP, such as 0.1:0.9:0.1", part)
		}
	}
	first, last, step := v[0], v[1], v[2]
	if !(step >= leastStep) || !(first >= leastStep) || !(last >= first) {
		return nil, fmt.Errorf("the first load and the step must be %g or more and the last not below the first, such as 0.1:0.9:0.1", leastStep)
	}
	if (last-first)/step >= maxLoads {
		return nil, fmt.Errorf("these are more than %d loads; use a larger step", maxLoads)
	}
	var list []float64
	for i := 0; ; i++ {
		load := metrics.Tidy(first + float64(i)*step)
		if load > metrics.Tidy(last) {
			return list, nil
		}
		list = append(list, load)
	}
}

// ChooseScheme makes the routers serve multicasts by a scheme, or compares several, separated by
// commas: each router that lets its scheme be chosen then stands once for each, as
// [models.Model.Serving] names it. origin asks for them; "" changes nothing. Of given routers one
// at least must have each scheme, and those of a fixed scheme keep theirs. When none were given,
// those that always have a scheme are taken, or else those that can.
func (e *Effective) ChooseScheme(list string, origin Origin) error {
	if list == "" {
		return nil
	}
	schemes := strings.Split(list, ",")
	given := e.Routers
	if !e.Given("routers") {
		given = nil
	}
	var chosen []string
	for _, scheme := range schemes {
		all, err := e.serving(given, scheme)
		if err != nil {
			return fmt.Errorf("%s %w", origin.Place(), err)
		}
		chosen = append(chosen, all...)
	}
	slices.SortStableFunc(chosen, func(a, b string) int { // given routers stay in order
		return cmp.Compare(slices.Index(given, e.Base(a)), slices.Index(given, e.Base(b)))
	})
	chosen = slices.Compact(chosen)
	if len(schemes) == 1 {
		for i, router := range chosen {
			if base := e.Base(router); base != router {
				chosen[i], e.Network.Scheme, e.origins["network.scheme"] = base, list, origin
			}
		}
	}
	e.Routers = chosen
	if given == nil {
		e.origins["routers"] = origin
	}
	return nil
}

// Base returns the name of a router without a scheme chosen in it: wormhole for wormhole/qg.
func (c Config) Base(router string) string {
	if m, err := c.Models().Lookup(router); err == nil {
		return m.Base()
	}
	return router
}

// serving returns the given routers, or all, that serve multicasts by a scheme, and the given ones
// of a fixed scheme.
func (e *Effective) serving(given []string, scheme string) (list []string, err error) {
	var fixed, choosing []string
	for _, m := range e.Models() {
		if m.Schemes == nil && m.Scheme == scheme {
			fixed = append(fixed, m.Name)
		}
		if slices.Contains(m.Schemes, scheme) {
			choosing = append(choosing, m.Name)
		}
	}
	if len(fixed)+len(choosing) == 0 {
		schemes := e.Models().Schemes()
		return nil, fmt.Errorf("%s: no router has it; there are %s%s", scheme, strings.Join(schemes, ", "), Suggestion(scheme, schemes))
	}
	if given == nil {
		if given = fixed; len(fixed) == 0 {
			given = choosing
		}
	}
	refused := func(m models.Model) error {
		return fmt.Errorf("%s: router %s serves multicasts by %s; the routers with %s are %s", scheme, m.Name, strings.Join(append([]string{m.Scheme}, m.Schemes...), ", "), scheme, strings.Join(append(fixed, choosing...), ", "))
	}
	served, other := false, models.Model{}
	for _, router := range given {
		m, err := e.Models().Lookup(router)
		switch {
		case err != nil: // which another check refuses
		case slices.Contains(choosing, router):
			router, served = m.Serving(scheme).Name, true
		case m.Scheme == scheme:
			served = true
		case m.Schemes != nil:
			return nil, refused(m)
		default:
			other = m
		}
		list = append(list, router)
	}
	if !served && other.Name != "" {
		return nil, refused(other)
	}
	return list, nil
}
