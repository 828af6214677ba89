package main

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/experiment/messages"
	"github.com/carousel-sim/carousel/analysis/experiment/sweep"
)

// messageKeys are the keys of a plan of kind messages: those of messages.Config.
var messageKeys = keysOf(reflect.TypeFor[messages.Config]())

// messageConfig lays the settings of a plan over the defaults of a message passing study.
func messageConfig(p *plan) (messages.Config, map[string]string, error) {
	c := messages.Default()
	given := map[string]string{}
	var names []string
	for _, k := range messageKeys {
		names = append(names, k.name)
	}
	for _, s := range p.set {
		place := fmt.Sprintf("%s:%d", p.place, s.line)
		i := slices.Index(names, s.name)
		if i < 0 {
			return c, nil, usagef("%s: unknown key %q%s; a plan of kind messages has %s", place, s.name, didYouMean(s.name, names), strings.Join(names, ", "))
		}
		value, err := convert(messageKeys[i].kind, s.raw)
		if err != nil {
			return c, nil, usagef("%s: %s %w", place, s.name, err)
		}
		reflect.ValueOf(&c).Elem().FieldByIndex(messageKeys[i].field).Set(reflect.ValueOf(value))
		given[s.name] = "plan " + place
	}
	if err := c.Validate(); err != nil {
		return c, nil, usagef("%s: %w", p.place, err)
	}
	return c, given, nil
}

// addMessages adds the points of a message passing study, one for each seed.
func (x *expansion) addMessages(p *plan) error {
	for _, entry := range x.a.set {
		name, _, _ := strings.Cut(entry, "=")
		if slices.ContainsFunc(messageKeys, func(k key) bool { return k.name == strings.TrimSpace(name) }) {
			return usagef("--set %s: %s is of kind messages, whose keys are set in the plan; change it there", entry, p.place)
		}
	}
	c, given, err := messageConfig(p)
	if err != nil {
		return err
	}
	if x.values == nil {
		x.values, x.given, x.routers = messageValues(&c), given, []string{"wormhole-ideal"}
	}
	for _, seed := range x.seeds {
		point, err := sweep.OfMessages(c, seed)
		if err != nil {
			return usagef("%s: %w", p.place, err)
		}
		m := experiment.Program()
		m.Configuration, m.Given = messageValues(&c), given
		m.Study, m.Routers, m.Seeds = point.Key, x.routers, []uint64{seed}
		if point.Manifest, err = m.Text(); err != nil {
			return err
		}
		x.points = append(x.points, point)
	}
	return nil
}

// messageValues are the values of all keys, for a manifest.
func messageValues(c *messages.Config) map[string]any {
	values := map[string]any{}
	for _, k := range messageKeys {
		values[k.name] = reflect.ValueOf(c).Elem().FieldByIndex(k.field).Interface()
	}
	return values
}
