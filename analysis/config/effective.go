package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/noc/topology"
)

// Effective is a configuration in which every value is decided, and where each comes from.
type Effective struct {
	Config
	origins map[string]Origin
}

// New lays layers over the defaults, the later ones stronger, and fills in what follows from other
// keys. Whether the values are allowed is for Check to say.
func New(layers ...Layer) (*Effective, error) { return Extra{}.New(layers...) }

// New does the same for a configuration that can name what another module adds.
func (x Extra) New(layers ...Layer) (*Effective, error) {
	e := &Effective{Config: x.Default(), origins: map[string]Origin{}}
	if err := e.Overlay(slices.Concat(layers...)); err != nil {
		return nil, err
	}
	return e, nil
}

// Overlay lays another layer over the configuration.
func (e *Effective) Overlay(layer Layer) error {
	for _, s := range layer {
		s.Key.Set(&e.Config, s.Value)
		e.origins[s.Key.Name] = s.Origin
	}
	return e.derive()
}

// Origin returns where the value of a key comes from.
func (e *Effective) Origin(key string) Origin { return e.origins[key] }

// Given reports whether the user gave a key.
func (e *Effective) Given(key string) bool { return e.origins[key].Given() }

// Settings returns all keys with their values and origins.
func (e *Effective) Settings() Layer {
	layer := make(Layer, 0, len(allKeys()))
	for _, k := range allKeys() {
		layer = append(layer, Setting{k, k.Value(e.Config), e.origins[k.Name]})
	}
	return layer
}

// Nested returns the effective value of every key in nested sections, as configuration files have
// them, and the origins of the keys that the user gave.
func (e *Effective) Nested() (values map[string]any, given map[string]string) {
	values, given = map[string]any{}, map[string]string{}
	for _, s := range e.Settings() {
		at := values
		parts := strings.Split(s.Key.Name, ".")
		for _, part := range parts[:len(parts)-1] {
			if at[part] == nil {
				at[part] = map[string]any{}
			}
			at = at[part].(map[string]any)
		}
		v := reflect.ValueOf(s.Value)
		if v.Kind() == reflect.Slice && v.IsNil() {
			v = reflect.MakeSlice(v.Type(), 0, 0) // a list without elements, not null
		}
		at[parts[len(parts)-1]] = v.Interface()
		if s.Origin.Given() {
			given[s.Key.Name] = s.Origin.String()
		}
	}
	return values, given
}

// Check validates the configuration. The error is a *[KeyError] and says where the wrong value was
// given.
func (e *Effective) Check() error {
	return e.Blame(e.check(), Config.check)
}

// Blame turns a complaint about this configuration into a *[KeyError]. The keys to blame are those
// that were given and without which check would not complain, or complain about something else.
func (e *Effective) Blame(complaint error, check func(Config) error) error {
	if complaint == nil {
		return nil
	}
	suspects := slices.DeleteFunc(changed(e.Config), func(k Key) bool { return !e.Given(k.Name) })
	return e.accuse(e.culprits(complaint, suspects, check), complaint)
}

// accuse says where the keys behind a complaint were given.
func (e *Effective) accuse(keys []string, complaint error) error {
	wrong := &KeyError{Keys: keys, Err: complaint}
	if len(keys) > 0 {
		wrong.Origin = e.origins[keys[0]]
		wrong.Err = fmt.Errorf("%w%s", complaint, givenBy(keys, e.origins))
	}
	return wrong
}

// derive fills in what follows from other keys.
func (e *Effective) derive() error {
	if err := e.openTopology(); err != nil {
		return err
	}
	if e.Trace != "" && !e.Given("workload") {
		e.Workload, e.origins["workload"] = "", Origin{Kind: FromKey, Name: "trace"}
	}
	if e.Program.Path != "" && !e.Given("workload") {
		e.Workload, e.origins["workload"] = "", Origin{Kind: FromKey, Name: "program.path"}
	}
	if !e.Given("chip.place.columns") {
		e.Chip.Place.Columns = e.Network.Places().Radix[0]
		e.origins["chip.place.columns"] = Origin{Kind: FromKey, Name: "topology"}
	}
	if !e.Given("power.clock_ghz") {
		e.Power.ClockGHz = e.Chip.ClockGHz
		e.origins["power.clock_ghz"] = Origin{Kind: FromKey, Name: "chip.clock_ghz"}
	} else if e.Power.ClockGHz != e.Chip.ClockGHz {
		return e.accuse([]string{"power.clock_ghz"},
			fmt.Errorf("power.clock_ghz is %g, but the simulated chip runs at %g GHz; set chip.clock_ghz alone", e.Power.ClockGHz, e.Chip.ClockGHz))
	}
	e.applyRules()
	if e.Power.Validate() == nil {
		whole := e.Power.Effective()
		if whole.VoltageV != e.Power.VoltageV {
			e.origins["power.voltage_v"] = Origin{Kind: FromKey, Name: "power.tech_nm"}
		}
		if whole.FIFO != e.Power.FIFO {
			e.origins["power.fifo"] = Origin{Kind: FromKey, Name: "power.profile"}
		}
		e.Power = whole
	}
	return nil
}

// applyRules gives the rotary routers the rule set that was asked for. Keys that were given
// themselves keep their values.
func (e *Effective) applyRules() {
	whole, ok := e.Config, false
	if whole.Network, ok = whole.Network.WithRules(); !ok {
		return // for the network to say when it is built
	}
	for _, k := range allKeys() {
		if value := k.Value(whole); strings.HasPrefix(k.Name, "network.rotary.") && !e.Given(k.Name) && value != k.Value(e.Config) {
			k.Set(&e.Config, value)
			e.origins[k.Name] = Origin{Kind: FromKey, Name: "network.rotary.rules"}
		}
	}
}

// openTopology makes the network's wiring from its name. A network that is no grid has other
// routers than the usual ones, unless some were asked for.
func (e *Effective) openTopology() error {
	layout, err := topology.Open(e.Topology)
	if err != nil {
		err = e.accuse([]string{"topology"}, err)
		if strings.HasPrefix(e.Topology, "graph:") {
			return &InputError{err}
		}
		return err
	}
	if layout.Grid != nil {
		e.Network.Grid, e.Network.Other = *layout.Grid, nil
		return nil
	}
	e.Network.Other = &layout
	if e.Given("routers") {
		return nil
	}
	e.Routers, e.origins["routers"] = nil, Origin{Kind: FromKey, Name: "topology"}
	for _, m := range e.Models() {
		if m.Fits(e.Network) {
			e.Routers = append(e.Routers, m.Name)
		}
	}
	return nil
}
