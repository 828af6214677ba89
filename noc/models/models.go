// Package models assembles networks by name. It is the only importer of all engines.
//
// [Options] holds the parameters of every engine and what they share. A [Model] is one kind of
// network, from which a program builds a noc.Network without knowing its router. A [List] is what a
// program may choose from, in the order in which results are shown.
//
// [Table] lists the networks of this module. To add one, write its package (see package noc) and
// add one row to the table; the test of this package then holds it to the conformance suite. A
// router of another module joins without a change here: its Model is appended to the table, and
// the studies of analysis/experiment take the longer list.
package models

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/suggest"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Model is one kind of network.
type Model struct {
	Name string
	Doc  string // one line
	// Scheme is how the model serves a packet with several destinations, unless Options choose
	// another of Schemes.
	Scheme  string
	Schemes []string // that can be chosen; none for models with a fixed one
	// Anywhere reports whether the model works on any topology, not on grids alone.
	Anywhere bool
	// OneChannel reports whether links have one channel, so that rings whose links lead one way
	// would deadlock.
	OneChannel bool
	// Direct reports whether the model also works on networks with a node at each router and links that lead both
	// ways.
	Direct bool
	// Links tells what links may have of their own.
	Links LinkSupport

	// New builds the network, and Plain its plain form: the readable specification, with the same
	// results. Plain is nil for a router without one. Clients call Build.
	New, Plain func(Options) (noc.Network, error)

	// SourceQueue returns the depth of each source queue in packets, where 0 takes any number,
	// and MaxPhits the longest packet. Both name the key that sets it, below that of the options, if
	// there is one.
	SourceQueue func(Options) (packets int, key string)
	MaxPhits    func(Options) (phits int, key string)
	// MostPhits is the largest value of the key of MaxPhits; 0 allows any message of a chip.
	MostPhits int
	// Width returns the width of the links, and its key; nil where it cannot be configured. It is
	// the PhitBits of the network's Hardware.
	Width func(Options) (bits int, key string)

	// Layout returns the routers and links of the network, and the router of each node, if they are
	// not those of the topology; nil if they are. Its wiring comes from topology.NewWiring.
	Layout func(Options) (topology.Layout, error)

	// Injection returns the most phits that a node can send in a cycle, 0 for any number; nil says
	// that it is not known.
	Injection func(Options) int

	// RuleText says which of the rules that options switch on and off the model follows; nil where
	// there are none.
	RuleText func(Options) string
	// ClassesPerChannel returns the most message classes that use one virtual channel; nil where
	// classes are not assigned to channels.
	ClassesPerChannel func(Options) int

	// FiniteSinks reports whether the network delivers a packet whose sink has room although the
	// sinks of lower classes stay full: every class has buffers of its own, or none, or what
	// lower classes may hold of shared buffers is bounded. A chip whose interfaces are of finite
	// size needs that. In other networks packets that wait for a full sink may fill all buffers.
	FiniteSinks bool
	// SharedClasses reports whether classes share buffers without limits, so that protocols need
	// unlimited sinks whatever the scheme.
	SharedClasses bool

	// InOrder promises that packets of one source, destination and class arrive in the order of their
	// offers.
	InOrder bool

	serving string // the scheme that Serving chose
}

// Unfit is the error of a router that cannot be built with the options, as New says. Other errors
// of Build are faults of the model.
type Unfit struct{ error }

// Unwrap returns the error of New.
func (u Unfit) Unwrap() error { return u.error }

// LinkSupport tells what the links of a model may have of their own.
type LinkSupport uint8

// The kinds of support.
const (
	AlikeLinks   LinkSupport = iota // nothing: all are alike
	LatencyLinks                    // latencies
	AnyLinks                        // latencies and widths
)

// Fits reports whether the model works on the topology of the options.
func (m Model) Fits(o Options) bool { return m.misfit(o) == "" }

// misfit returns why the model does not work on the topology of the options, or "".
func (m Model) misfit(o Options) string {
	if o.Other == nil {
		return ""
	}
	w := o.Other.Wiring
	narrow := slices.ContainsFunc(w.Channels, func(c topology.Channel) bool { return c.Link != nil && c.Link.Bits > 0 })
	switch {
	case !m.Anywhere && !m.Direct && (o.Other.Grid == nil || !w.Special()):
		if m.Links == AlikeLinks {
			return "it works on a torus or a mesh, not on " + o.Topology()
		}
		return "it works on a torus, a mesh or chiplets, not on " + o.Topology()
	case m.Direct && !m.Anywhere && !(w.Direct() && w.BothWays()):
		return "it needs a node at each router and links that lead both ways, unlike " + o.Topology()
	case m.OneChannel && (o.Other.UniTorus != nil || o.Other.Dragonfly != nil):
		return "with one channel per link, packets on " + o.Topology() + " could wait for each other in a circle"
	case w.Special() && m.Links == AlikeLinks:
		return "it needs links that are all alike, unlike those of " + o.Topology()
	case narrow && m.Links == LatencyLinks:
		return "its links have one width, unlike those of " + o.Topology()
	}
	return ""
}

// Build builds the network in the form that the options ask for, or tells which option does not
// fit.
func (m Model) Build(o Options) (noc.Network, error) {
	if m.New == nil || m.SourceQueue == nil || m.MaxPhits == nil {
		return nil, errors.New("the model is incomplete; set New, SourceQueue and MaxPhits")
	}
	if misfit := m.misfit(o); misfit != "" {
		var others []string
		for _, other := range Table() {
			if other.Fits(o) {
				others = append(others, other.Name)
			}
		}
		return nil, fmt.Errorf("%s; use %s", misfit, strings.Join(others, ", "))
	}
	build := m.New
	if o.Plain {
		build = m.Plain
	}
	if build == nil {
		return nil, errors.New("it has no plain form; leave out --plain, or set network.plain=false")
	}
	o.Scheme = cmp.Or(m.serving, o.Scheme)
	n, err := build(o)
	if err != nil {
		err = Unfit{err}
	} else if err = m.checkLayout(n, o); err == nil {
		return n, nil
	} else {
		noc.Close(n)
	}
	return nil, err // n may be a network that is nil, and then is no nil of noc.Network
}

// LayoutOf returns the routers and links of the network that the model builds, and the router of each
// node.
func (m Model) LayoutOf(o Options) (topology.Layout, error) {
	if m.Layout == nil {
		return o.Layout(), nil
	}
	l, err := m.Layout(o)
	switch {
	case err != nil:
	case l.Wiring == nil:
		err = errors.New("its layout has no wiring; make it with topology.NewWiring")
	case !l.Wiring.Complete():
		err = fmt.Errorf("the wiring of its layout %s has no index; make it with topology.NewWiring", l)
	}
	return l, err
}

// checkLayout reports whether a network has the routers and links of its layout, and the nodes of the
// topology. Tables say what happened at each.
func (m Model) checkLayout(n noc.Network, o Options) error {
	l, err := m.LayoutOf(o)
	if err != nil {
		return err
	}
	nodes := o.Places().Nodes()
	if n.Nodes() != nodes || l.Nodes() != nodes {
		return fmt.Errorf("the network has %d nodes and its layout %s has %d nodes, but %s has %d; all must have the same", n.Nodes(), l, l.Nodes(), o.Topology(), nodes)
	}
	if routers := len(n.Activity(nil)); routers != l.Wiring.Routers {
		return fmt.Errorf("the network has %d routers, but %s has %d; set Layout of the model", routers, l, l.Wiring.Routers)
	}
	for _, link := range n.Links(nil) {
		if int(link.From) >= l.Wiring.Routers || !slices.ContainsFunc(l.Wiring.Out(link.From), func(c topology.Channel) bool { return c.To == link.To && c.Out == uint16(link.Port) }) {
			return fmt.Errorf("a link leaves router %d by port %d to router %d, which %s has not; set Layout of the model", link.From, link.Port, link.To, l)
		}
	}
	return nil
}

// RulesOf returns which of the rules that options switch on and off the model follows, such as
// "live, entry_hold=false", and its wiring if that is not the topology's; "" where there are none.
func (m Model) RulesOf(o Options) string {
	rules := ""
	if m.RuleText != nil {
		rules = m.RuleText(o)
	}
	if m.Layout == nil || isProgram(m.Name) { // which has the topology's name, and would have to be started
		return rules
	}
	if l, err := m.LayoutOf(o); err == nil && l.String() != o.Topology() {
		return strings.TrimPrefix(rules+", wiring "+l.String(), ", ")
	}
	return rules
}

// KeepsClassesApart reports whether no packet waits for one of a lower class in a network with these options.
// Protocols with sinks of finite size need this. Quotas of rotary routers leave one place free in each class. If a
// single link joins two parts of a network, as is possible in one that is no grid, all of these places can be in one
// part. On lines and rings with segments of three slots, and sometimes on narrow meshes, coupled traffic that saturates
// all classes stops as well. With the default segments it goes on, but on meshes there are silences of up to 44,000
// cycles. Chips were not seen to load them so: their cores wait for answers.
func (m Model) KeepsClassesApart(o Options) bool {
	return !m.SharedClasses && (!m.Direct || o.Other == nil || o.Other.Grid != nil)
}

// Serving returns the model with one of its schemes chosen, whatever the options say, so that
// several schemes of a router can be compared. Its name is that of both, such as wormhole/qg.
func (m Model) Serving(scheme string) Model {
	m.Name, m.Scheme, m.Schemes, m.serving = m.Name+"/"+scheme, scheme, nil, scheme
	return m
}

// Base returns the name of a model without the scheme that [Model.Serving] chose: wormhole for
// wormhole/qg.
func Base(name string) string {
	if isProgram(name) {
		return name
	}
	base, _, _ := strings.Cut(name, "/")
	return base
}

// SchemeOf returns how the model serves a packet with several destinations under the given options.
func (m Model) SchemeOf(o Options) string {
	if m.Schemes == nil || o.Scheme == "" {
		return m.Scheme
	}
	return o.Scheme
}

// List is what a program may choose from; nil is the [Table].
type List []Model

// all returns the models of the list.
func (l List) all() List {
	if l == nil {
		return Table()
	}
	return l
}

// LayoutOf returns the routers and links of a model's network.
func (l List) LayoutOf(name string, o Options) (topology.Layout, error) {
	m, err := l.Lookup(name)
	if err != nil {
		return topology.Layout{}, err
	}
	return m.LayoutOf(o)
}

// Names lists the models' names.
func (l List) Names() (names []string) {
	for _, m := range l.all() {
		names = append(names, m.Name)
	}
	return names
}

// Schemes lists the multicast schemes of all models.
func (l List) Schemes() (names []string) {
	for _, m := range l.all() {
		for _, s := range append([]string{m.Scheme}, m.Schemes...) {
			if !slices.Contains(names, s) {
				names = append(names, s)
			}
		}
	}
	return names
}

// Lookup finds a model by name, or by name and one of its schemes, as [Model.Serving] names it.
// program:FILE is a network that is a program.
func (l List) Lookup(name string) (Model, error) {
	if isProgram(name) {
		return programModel(name)
	}
	if base, scheme, chosen := strings.Cut(name, "/"); chosen {
		m, err := l.Lookup(base)
		if err == nil && !slices.Contains(m.Schemes, scheme) {
			err = fmt.Errorf("router %s does not support scheme %q; carousel list prints routers and schemes", base, scheme)
		}
		return m.Serving(scheme), err
	}
	for _, m := range l.all() {
		if m.Name == name {
			return m, nil
		}
	}
	return Model{}, fmt.Errorf("unknown router %q; choose from %s, or program:FILE%s", name, strings.Join(l.Names(), ", "), suggest.Text(name, l.Names()))
}

// Lookup finds a model of the table by name.
func Lookup(name string) (Model, error) { return List(nil).Lookup(name) }
