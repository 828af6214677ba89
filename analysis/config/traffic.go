package config

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/carousel-sim/carousel/analysis/metrics"
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

// ChooseScheme makes the routers serve multicasts by a scheme, which origin asks for; "" changes
// nothing. Those given must have it, by themselves or by choice. When none were given, those that
// always have it are taken, or else those that can.
func (e *Effective) ChooseScheme(scheme string, origin Origin) error {
	if scheme == "" {
		return nil
	}
	var fixed, choosing, schemes []string
	for _, m := range e.Models() {
		if m.Schemes == nil && m.Scheme == scheme {
			fixed = append(fixed, m.Name)
		}
		if slices.Contains(m.Schemes, scheme) {
			choosing = append(choosing, m.Name)
		}
		for _, s := range append([]string{m.Scheme}, m.Schemes...) {
			if !slices.Contains(schemes, s) {
				schemes = append(schemes, s)
			}
		}
	}
	if len(fixed)+len(choosing) == 0 {
		return fmt.Errorf("%s %s: no router has it; there are %s%s", origin.Place(), scheme, strings.Join(schemes, ", "), Suggestion(scheme, schemes))
	}
	if !e.Given("routers") {
		if e.Routers = fixed; len(fixed) == 0 {
			e.Routers = choosing
		}
		e.origins["routers"] = origin
	}
	for _, router := range e.Routers {
		if m, err := e.Models().Lookup(router); err == nil && !slices.Contains(fixed, router) && !slices.Contains(choosing, router) {
			return fmt.Errorf("%s %s: router %s serves multicasts by %s; the routers with %s are %s", origin.Place(),
				scheme, router, m.Scheme, scheme, strings.Join(append(fixed, choosing...), ", "))
		}
	}
	if slices.ContainsFunc(e.Routers, func(router string) bool { return slices.Contains(choosing, router) }) {
		e.Network.Scheme, e.origins["network.scheme"] = scheme, origin
	}
	return nil
}
