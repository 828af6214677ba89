package config

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/coherence/cmp"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/wholefile"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Effective is a configuration in which every value is decided, and where each comes from.
type Effective struct {
	Config
	origins map[string]Origin // of the keys that are not at their defaults
}

// New applies layers to the defaults, of which later ones override earlier ones, and fills in the
// values that follow from other keys. Check says whether the values are allowed.
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

// Settings returns the keys that the user gave.
func (e *Effective) Settings() (layer Layer) {
	for _, k := range allKeys() {
		if e.Given(k.Name) {
			layer = append(layer, Setting{k, k.Value(e.Config), e.origins[k.Name]})
		}
	}
	return layer
}

// Nested returns the effective value of every key in nested sections, as configuration files have
// them, and the origins of the keys that the user gave.
func (e *Effective) Nested() (values map[string]any, given map[string]string) {
	given = map[string]string{}
	for _, s := range e.Settings() {
		given[s.Key.Name] = s.Origin.String()
	}
	values = nest(func(k Key) any {
		v := reflect.ValueOf(k.Value(e.Config))
		if k.IsList() && v.IsNil() {
			v = reflect.MakeSlice(v.Type(), 0, 0) // a list without elements, not null
		}
		return v.Interface()
	})
	return values, given
}

// Blame says in the error of check about this configuration where its cause was given: the keys
// whose value alone is wrong, or else those whose default makes the error go away.
func (e *Effective) Blame(problem error, check func(Config) error) error {
	if problem == nil {
		return nil
	}
	if broken := (*noc.Failure)(nil); errors.As(problem, &broken) && e.Given("routers") {
		return e.accuse(problem, "routers") // of a program, which each further check would start again
	}
	var causes, together []string
	usual := e.Extra.Default()
	for _, s := range e.Settings() {
		alone, without := usual, e.Config
		s.Key.Set(&alone, s.Value)
		s.Key.Set(&without, s.Key.Value(usual))
		if err := check(alone); err != nil && err.Error() == problem.Error() {
			causes = append(causes, s.Key.Name)
		} else if check(without) == nil {
			together = append(together, s.Key.Name)
		}
	}
	if causes == nil {
		causes = together
	}
	return e.accuse(problem, causes...)
}

// accuse adds to an error where the keys behind it were given.
func (e *Effective) accuse(problem error, keys ...string) error {
	var places []string
	for _, name := range keys {
		place := "given by " + e.origins[name].String()
		if len(keys) > 1 {
			place = name + " " + place
		}
		places = append(places, place)
	}
	if places == nil {
		return problem
	}
	return fmt.Errorf("%w (%s)", problem, strings.Join(places, ", "))
}

// derive fills in what follows from other keys.
func (e *Effective) derive() error {
	if err := e.openTopology(); err != nil {
		return err
	}
	for _, input := range []struct{ key, value string }{{"trace", e.Trace}, {"program.path", e.Program.Path}} {
		if input.value != "" {
			e.follow("workload", "", input.key)
		}
	}
	e.follow("chip.place.columns", e.Network.Places().Radix[0], "topology")
	e.deriveSets()
	e.follow("power.clock_ghz", e.Chip.ClockGHz, "chip.clock_ghz")
	if e.Power.ClockGHz != e.Chip.ClockGHz {
		return e.accuse(fmt.Errorf("power.clock_ghz is %g, but the simulated chip runs at %g GHz; it follows chip.clock_ghz, so set only that", e.Power.ClockGHz, e.Chip.ClockGHz), "power.clock_ghz")
	}
	if err := e.deriveLatency(); err != nil {
		return err
	}
	if network, ok := e.Network.WithRules(); ok { // if not, the network says so when it is built
		ruled := e.Config
		ruled.Network = network
		for _, k := range allKeys() {
			if k.in("network.rotary") && k.Value(ruled) != k.Value(e.Config) { // a value copies the configuration
				e.follow(k.Name, k.Value(ruled), "network.rotary.rules")
			}
		}
	}
	followed := e.Power.Follow(func(key string) bool { return e.Given("power." + key) })
	if followed.Profile != e.Power.Profile {
		e.follow("power.profile", followed.Profile, "power.tech_nm")
	}
	if followed.ClockGating != e.Power.ClockGating {
		e.follow("power.clock_gating", followed.ClockGating, "power.profile")
	}
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

// FitMessages lets networks follow from the width of their links as far as the messages of chips ask for
// it. Where a width is not the default, slots take a block with its header, and buffers have as many slots
// as by default. The network without contention has links as wide as the widest of the routers'.
func (e *Effective) FitMessages() {
	usual, bits, from := e.Extra.Default(), 0, ""
	for _, router := range e.Routers {
		if m, err := e.Models().Lookup(router); err == nil && m.Width != nil && m.Name != "ideal" {
			if b, key := m.Width(e.Network); b > bits {
				bits, from = b, "network."+key
			}
		}
	}
	if bits > 0 && bits != e.Network.Ideal.PhitBits {
		e.follow("network.ideal.phit_bits", bits, from)
	}
	number := func(c Config, key string) int {
		k, _ := find(allKeys(), key)
		return k.Value(c).(int)
	}
	for _, section := range []string{"network.rotary", "network.buffered", "network.ideal"} {
		width := number(e.Config, section+".phit_bits")
		if width == number(usual, section+".phit_bits") || width < 1 {
			continue
		}
		slot := number(e.Config, section+".slot_phits")
		if !e.Given(section + ".slot_phits") {
			_, slot = cmp.MessagePhits(width)
		}
		for _, k := range allKeys() {
			if k.in(section) && strings.HasSuffix(k.Name, "_phits") {
				e.follow(k.Name, number(usual, k.Name)/number(usual, section+".slot_phits")*slot, section+".phit_bits")
			}
		}
	}
}

// deriveSets keeps the L2 of a network with more nodes than the default one from growing with them: it stays
// one that the windows of recordings can fill.
func (e *Effective) deriveSets() {
	usual := e.Extra.Default()
	sets, nodes := usual.Chip.L2.Sets, e.Network.Places().Nodes()
	for sets > 1 && sets*nodes > usual.Chip.L2.Sets*usual.Network.Grid.Nodes() {
		sets /= 2
	}
	if sets != e.Chip.L2.Sets {
		e.follow("chip.l2.sets", sets, "topology")
	}
}

// deriveLatency lets the latency of memory in cycles follow from that in nanoseconds. If both are given,
// the stronger place counts.
func (e *Effective) deriveLatency() error {
	const cycles, nanoseconds = "chip.memory.latency", "chip.memory.latency_ns"
	memory := &e.Chip.Memory
	if !(memory.LatencyNS > 0) || e.Chip.Validate() != nil { // Check says what is wrong
		return nil
	}
	given, follows := e.origins[cycles], e.Chip.ReadLatency()
	switch from := e.origins[nanoseconds]; {
	case given.Kind > from.Kind:
		memory.LatencyNS = 0
		delete(e.origins, nanoseconds)
	case given.Kind == from.Kind && memory.Latency != follows:
		return e.accuse(fmt.Errorf("%s is %d, but %s=%g is %d cycles at %g GHz; set one of them", cycles, memory.Latency, nanoseconds, memory.LatencyNS, follows, e.Chip.ClockGHz), cycles, nanoseconds)
	default:
		memory.Latency = follows
		e.origins[cycles] = Origin{Kind: FromKey, Name: nanoseconds}
	}
	return nil
}

// follow gives a key that the user has not given the value that follows from another.
func (e *Effective) follow(key string, value any, from string) {
	if k, err := find(allKeys(), key); err == nil && !e.Given(key) {
		k.Set(&e.Config, value)
		e.origins[key] = Origin{Kind: FromKey, Name: from}
	}
}

// openTopology makes the network's wiring from its name. A network that is no grid has other
// routers than the usual ones, unless some were asked for.
func (e *Effective) openTopology() error {
	layout, err := topology.Open(e.Topology)
	if err != nil {
		err = e.accuse(err, "topology")
		if topology.OfFile(e.Topology) {
			return &InputError{err}
		}
		return err
	}
	if e.Network, err = e.Network.WithLinks(layout); err != nil {
		return err
	}
	if path := e.Network.Wormhole.Table; path != "" && e.Network.Wormhole.Routing == "table" {
		content, err := wholefile.Read(path, wholefile.TextBytes)
		if err != nil {
			return &InputError{e.accuse(fmt.Errorf("network.wormhole.table: %w", err), "network.wormhole.table")}
		}
		e.Network.Routes = string(content)
	}
	if e.Network.Other == nil {
		return nil
	}
	var routers []string
	for _, m := range e.Models() {
		if m.Anywhere && m.Fits(e.Network) {
			routers = append(routers, m.Name)
		}
	}
	e.follow("routers", routers, "topology")
	return nil
}

// InputError is a bad input file, as opposed to a bad configuration.
type InputError struct{ Err error }

// Error returns the text, which names the file.
func (e *InputError) Error() string { return e.Err.Error() }

// Unwrap returns what is wrong.
func (e *InputError) Unwrap() error { return e.Err }
