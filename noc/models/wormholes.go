package models

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/dispatch"
	"github.com/carousel-sim/carousel/noc/leaf/suggest"
	"github.com/carousel-sim/carousel/noc/multicast"
	"github.com/carousel-sim/carousel/noc/papers/wormholeideal"
	"github.com/carousel-sim/carousel/noc/routing"
	"github.com/carousel-sim/carousel/noc/wormhole"
	wormholeengine "github.com/carousel-sim/carousel/noc/wormhole/engine"
)

// ByScheme is the routing that goes together with the scheme, for the wormhole networks: labels
// with label-ordered worms, dimension order with others where it is free of deadlock.
const ByScheme = "by-scheme"

// FixedRouting is the routing of a network that is no grid without its choices: headers wait for
// the channel that they prefer.
const FixedRouting = "fixed"

// wormSchemes are the schemes of the wormhole networks. Those of label-ordered worms need
// unicasts that follow the labels; mixed with dimension order they deadlock (package routing).
var wormSchemes = []string{"unicast", "dual-path", "multi-path", "column-path", "qg", "qg-unicast", "ocms", "otms",
	"umin", "cmin", "postorder-doubling", "random-doubling", "atbm", "atbm-multiple"}

// pathSchemes are those whose worms are not replicated in routers, which all but the last two are.
var pathSchemes = wormSchemes[:len(wormSchemes)-2]

// planner returns the planner of the scheme on the network, and nil for separate copies.
func (o Options) planner() (p multicast.Planner, d dispatch.Planner, err error) {
	scheme, all := cmp.Or(o.Scheme, "unicast"), wormSchemes
	for _, s := range o.More {
		all = append(slices.Clone(all), s.Name)
	}
	if !slices.Contains(all, scheme) {
		return p, nil, fmt.Errorf("scheme is %q; wormhole networks have %q", scheme, all)
	}
	s, err := multicast.LookupScheme(scheme, o.More...)
	if err == nil {
		p, err = multicast.NewPlanner(s, o.Layout(), multicast.DefaultOptions())
	}
	if err != nil || scheme == "unicast" {
		return p, nil, err
	}
	return p, p, nil
}

// switchRouting is the routing function of a network that is no grid: its own for unicasts, with
// the choices that it has or fixed; labels for label-ordered worms.
func switchRouting(p multicast.Planner, named string) (routing.Function, error) {
	if named != ByScheme && named != FixedRouting {
		return nil, fmt.Errorf("routing is %q; on %s use %q or %q", named, p.Network, ByScheme, FixedRouting)
	}
	return routing.OfScheme(p, named == FixedRouting)
}

// named returns the routing by name that the options choose, or nil.
func (o Options) named() (*routing.Named, error) {
	name := string(o.Wormhole.Routing)
	if (name == "table") != (o.Wormhole.Table != "") {
		return nil, fmt.Errorf("wormhole.routing is %q and wormhole.table is %q; a table needs both", name, o.Wormhole.Table)
	}
	if name == "table" {
		return routing.ReadTable(o.Wormhole.Table, strings.NewReader(o.Routes), o.Layout().Wiring)
	}
	if name == ByScheme && o.Other != nil && o.Other.FatTree {
		name = "nca"
	}
	if others := []string{ByScheme, string(wormhole.DimensionOrder), string(wormhole.Labels), FixedRouting}; slices.Contains(others, name) {
		return nil, nil
	} else if !slices.Contains(routing.Names, name) {
		return nil, fmt.Errorf("routing is %q; choose from %s%s", name, strings.Join(append(others, routing.Names...), ", "), suggest.Text(name, routing.Names))
	}
	return routing.By(name, o.Layout())
}

// wormhole returns what a network of virtual-channel routers is built of.
func (o Options) wormhole() (setup wormhole.Setup, c wormhole.Config, plans dispatch.Planner, err error) {
	c = o.Wormhole
	c.Classes, c.EveryCycle = o.Classes, o.EveryCycle
	p, plans, err := o.planner()
	if err == nil && p.Scheme.Way == multicast.ByTree {
		err = fmt.Errorf("scheme %s: its routers do not replicate worms; use wormhole-ideal", p.Scheme.Name)
	}
	if err != nil {
		return setup, c, nil, err
	}
	if !dispatch.OneStop(plans) {
		c.EjectionPerInput = true
	}
	named, err := o.named()
	switch {
	case err != nil:
	case named != nil:
		setup, err = c.OnWiring(o.Layout().Wiring, named, plans)
		setup.Grid = o.Layout().Grid
	case o.Other != nil && o.Other.Grid == nil:
		var r routing.Function
		if r, err = switchRouting(p, string(c.Routing)); err == nil {
			setup, err = c.OnWiring(o.Other.Wiring, r, plans)
		}
	default:
		if c.Routing == ByScheme {
			c.Routing = wormhole.DimensionOrder
			if p.Scheme.Way == multicast.ByLabels {
				c.Routing = wormhole.Labels
			}
		}
		setup, err = c.OnLayout(o.Layout(), plans)
	}
	return setup, c, plans, err
}

// newWormhole builds a network of virtual-channel routers: in its plain form if that is asked for, or
// if the engine cannot take routers of this size.
func newWormhole(o Options) (noc.Network, error) {
	setup, c, plans, err := o.wormhole()
	if err != nil {
		return nil, err
	}
	if !o.Plain {
		n, err := wormholeengine.New(setup, c, plans)
		if !errors.Is(err, wormholeengine.ErrTooLarge) {
			return n, err
		}
	}
	return wormhole.New(setup, c, plans), nil
}

// newWormholeIdeal builds a wormhole network without router pipelines. Switches of a multistage network
// replicate the worms of trees.
func newWormholeIdeal(o Options) (noc.Network, error) {
	c := o.WormholeIdeal
	c.Classes, c.EveryCycle = o.Classes, o.EveryCycle
	p, plans, err := o.planner()
	if err != nil {
		return nil, err
	}
	var r routing.Function
	switch {
	case o.Other != nil:
		if r, err = switchRouting(p, string(c.Routing)); err != nil {
			return nil, err
		}
		if p.Scheme.Way == multicast.ByTree { // the rest is as in the paper
			c.EjectionChannels, c.Tree, plans = 1, wormholeideal.DefaultTree().Tree, wormholeideal.TreePlanner{}
			c.Tree.Adaptive, c.Tree.Multiple = c.Routing == ByScheme, p.Scheme.Name == "atbm-multiple"
		} else if dispatch.OneStop(plans) {
			c.InjectionChannels = true
			c.InjectionPorts, c.EjectionChannels = max(1, c.InjectionPorts), max(1, c.EjectionChannels)
		}
	case c.Routing == ByScheme:
		c.Routing = wormholeideal.Labels
		if p.Scheme.Way != multicast.ByLabels && !o.Grid.Wrap {
			c.Routing = wormholeideal.DimensionOrder
		}
	}
	return wormholeideal.New(o.Layout(), c, r, plans)
}

// wormholeIdealInjection is the largest load of a node, whose injection ports pass a phit per cycle
// each.
func wormholeIdealInjection(o Options) int {
	c := o.WormholeIdeal
	if o.Other != nil {
		p, plans, err := o.planner()
		if err == nil && (p.Scheme.Way == multicast.ByTree || c.InjectionPorts == 0 && dispatch.OneStop(plans)) {
			return 1
		}
	}
	return c.Ports(o.Layout().Wiring)
}
