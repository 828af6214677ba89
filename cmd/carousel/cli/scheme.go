package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/noc/leaf/suggest"
	"github.com/carousel-sim/carousel/noc/models"
)

// chooseScheme makes the routers serve multicasts by the scheme of --scheme, or compares several,
// separated by commas: each router that lets its scheme be chosen then stands once for each, as
// [models.Model.Serving] names it. Of given routers one at least must have each scheme, and those of
// a fixed scheme keep theirs. When none were given, those that always have a scheme are taken, or
// else those that can.
func chooseScheme(c *config.Effective, flags *pflag.FlagSet) error {
	list, err := flags.GetString("scheme")
	if list == "" || err != nil {
		return err
	}
	schemes := strings.Split(list, ",")
	origin := config.Origin{Kind: config.FromFlag, Name: "scheme"}
	from, given := c.Origin("routers"), c.Routers
	if !from.Given() {
		from, given = origin, nil
	}
	var chosen []string
	for _, scheme := range schemes {
		all, err := serving(c.Models(), given, scheme)
		if err != nil {
			return usagef("--scheme %s: %w", scheme, err)
		}
		chosen = append(chosen, all...)
	}
	slices.SortStableFunc(chosen, func(a, b string) int { // given routers stay in order
		return cmp.Compare(slices.Index(given, models.Base(a)), slices.Index(given, models.Base(b)))
	})
	chosen = slices.Compact(chosen)
	var layer config.Layer
	if len(schemes) == 1 && slices.ContainsFunc(chosen, func(router string) bool { return models.Base(router) != router }) {
		for i := range chosen {
			chosen[i] = models.Base(chosen[i])
		}
		if layer, err = also(layer, "network.scheme", list, origin); err != nil {
			return err
		}
	}
	if layer, err = also(layer, "routers", config.Text(chosen), from); err != nil {
		return err
	}
	return c.Overlay(layer)
}

// also adds a setting to a layer.
func also(layer config.Layer, key, text string, origin config.Origin) (config.Layer, error) {
	s, err := config.ParseText(key, text, origin)
	return append(layer, s), err
}

// serving returns the given routers, or all, that serve multicasts by a scheme, and the given ones
// of a fixed scheme.
func serving(all models.List, given []string, scheme string) (list []string, err error) {
	var fixed, choosing []string
	for _, m := range all {
		if m.Schemes == nil && m.Scheme == scheme {
			fixed = append(fixed, m.Name)
		}
		if slices.Contains(m.Schemes, scheme) {
			choosing = append(choosing, m.Name)
		}
	}
	if len(fixed)+len(choosing) == 0 {
		return nil, fmt.Errorf("no router supports this scheme; choose from %s%s", strings.Join(all.Schemes(), ", "), suggest.Text(scheme, all.Schemes()))
	}
	if given == nil {
		if given = fixed; len(fixed) == 0 {
			given = choosing
		}
	}
	refused := func(m models.Model) error {
		own := m.Schemes
		if len(own) == 0 {
			own = []string{m.Scheme}
		}
		return fmt.Errorf("router %s has no scheme %s, but %s; the routers with %s are %s", m.Name, scheme, strings.Join(own, ", "), scheme, strings.Join(append(fixed, choosing...), ", "))
	}
	served, other := false, models.Model{}
	for _, router := range given {
		m, err := all.Lookup(router)
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
