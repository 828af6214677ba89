// Package models assembles networks by name. It is the only importer of all engines.
//
// There are only two types: [Options] holds the parameters of every engine and what they share, and a
// [Model] is one line of [Table], from which a program builds a noc.Network without knowing its router.
//
// The table is explicit, in the order in which results are shown. To add a network, write its package
// (see package noc) and add one line here; the test of this package then holds it to the conformance
// suite.
package models

import (
	"fmt"
	"strings"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/buffered"
	"github.com/carousel-sim/carousel/noc/ideal"
	"github.com/carousel-sim/carousel/noc/rotary"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Options holds what all models share and the parameters of each engine. Classes, Seed and EveryCycle
// replace the fields of the same name in the engines' own configurations, and a model replaces the
// multicast scheme: it is what tells rr from mrr and base from base-mc. rr-tree and rr-path always have
// unlimited output stages.
type Options struct {
	Grid       topology.Grid
	Classes    int    // message classes
	Seed       uint64 // of random choices inside routers
	EveryCycle bool   // step every router in every cycle: slower, with the same results
	Rotary     rotary.Config
	Buffered   buffered.Config
	Ideal      ideal.Config
}

// DefaultOptions is the paper's network: an 8x8 torus, six classes, 300 phits of storage per router.
func DefaultOptions() Options {
	return Options{Grid: topology.Torus(8, 8), Classes: 6, Seed: 1,
		Rotary: rotary.DefaultRR(), Buffered: buffered.DefaultBase(), Ideal: ideal.Default()}
}

// Model is one kind of network.
type Model struct {
	Name string
	Doc  string // one line
	// Scheme is how the model serves a packet with several destinations.
	Scheme string
	// New builds the network, or tells which option does not fit.
	New func(Options) (noc.Network, error)
}

// Table lists the models.
var Table = []Model{
	{"base", "input-buffered router, dimension order, bubble flow control; multicasts as separate copies", "unicast",
		func(o Options) (noc.Network, error) { return newBuffered(o, buffered.Replicate) }},
	{"base-mc", "base with multicast trees replicated in the routers", "tree",
		func(o Options) (noc.Network, error) { return newBuffered(o, buffered.Tree) }},
	{"rr", "rotary router, adaptive; multicasts as separate copies", "unicast",
		func(o Options) (noc.Network, error) { return newRotary(o, rotary.Replicate) }},
	{"mrr", "multicast rotary router: rr with adaptive replication in its rings", "adaptive",
		func(o Options) (noc.Network, error) { return newRotary(o, rotary.Adaptive) }},
	{"rr-tree", "reference for mrr: replicated at every profitable output, unlimited output stages", "tree",
		func(o Options) (noc.Network, error) { return newRotary(o, rotary.Tree) }},
	{"rr-path", "reference for mrr: two paths from destination to destination, unlimited output stages", "path",
		func(o Options) (noc.Network, error) { return newRotary(o, rotary.Path) }},
	{"ideal", "no contention: a lower bound on latency", "unicast", newIdeal},
}

func newBuffered(o Options, scheme buffered.Multicast) (noc.Network, error) {
	c := o.Buffered
	c.Classes, c.EveryCycle, c.Multicast = o.Classes, o.EveryCycle, scheme
	n, err := buffered.New(o.Grid, c)
	if err != nil {
		return nil, err
	}
	return n, nil
}

func newRotary(o Options, scheme rotary.Scheme) (noc.Network, error) {
	c := o.Rotary
	c.Classes, c.Seed, c.EveryCycle, c.Multicast = o.Classes, o.Seed, o.EveryCycle, scheme
	if scheme == rotary.Tree || scheme == rotary.Path {
		c.UnlimitedOutput = true // what the paper makes them correct by
	}
	n, err := rotary.New(o.Grid, c)
	if err != nil {
		return nil, err
	}
	return n, nil
}

func newIdeal(o Options) (noc.Network, error) {
	c := o.Ideal
	c.Classes = o.Classes
	n, err := ideal.New(o.Grid, c)
	if err != nil {
		return nil, err
	}
	return n, nil
}

// Names lists the models' names in the order of the table.
func Names() []string {
	names := make([]string, len(Table))
	for i, m := range Table {
		names[i] = m.Name
	}
	return names
}

// Lookup finds a model by name.
func Lookup(name string) (Model, error) {
	nearest, least := "", len(name)/2+2
	for _, m := range Table {
		if m.Name == name {
			return m, nil
		}
		if d := edits(strings.ToLower(name), m.Name); d < least {
			nearest, least = m.Name, d
		}
	}
	hint := ""
	if nearest != "" {
		hint = fmt.Sprintf("; did you mean %q?", nearest)
	}
	return Model{}, fmt.Errorf("no network is called %q: use %s%s", name, strings.Join(Names(), ", "), hint)
}

// edits is the number of letters to insert, delete or replace that turn a into b.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replace := diagonal
			if a[i] != b[j] {
				replace++
			}
			diagonal = row[j+1]
			row[j+1] = min(replace, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
