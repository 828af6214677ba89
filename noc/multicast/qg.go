package multicast

import (
	"fmt"
	"slices"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Paths says how a step of Qualified Groups divides its destinations among worms.
type Paths int

const (
	Dual  Paths = iota // two disjoint paths, as the paper's text has it
	Multi              // multi-path
)

// PathNames names the values of Paths.
var PathNames = []string{"dual", "multi"}

// GroupOptions are the choices that Qualified Groups leaves open.
type GroupOptions struct {
	// Threshold is the qualification threshold TD in thousandths: a group whose weight exceeds the
	// average of the primary groups by a larger share is split. The paper recommends 500.
	Threshold int
	// ToRepresentatives and InGroups divide the worms of the two steps. The paper demands
	// dimension-ordered routing, which deadlocks when worms visit destinations in any order; all
	// worms here are label-routed.
	ToRepresentatives, InGroups Paths
}

// DefaultGroupOptions are those of the paper's text.
func DefaultGroupOptions() GroupOptions { return GroupOptions{Threshold: 500} }

// Validate tells which option is impossible.
func (o GroupOptions) Validate() error {
	if o.Threshold < 0 || o.Threshold > 1_000_000 {
		return fmt.Errorf("threshold is %d thousandths; 0 to 1000000 are possible", o.Threshold)
	}
	for _, paths := range []Paths{o.ToRepresentatives, o.InGroups} {
		if paths < Dual || paths > Multi {
			return fmt.Errorf("paths of a step are %d; there are %v", paths, PathNames)
		}
	}
	return nil
}

// Grouping is the outcome of the first three phases of Qualified Groups.
type Grouping struct {
	Area    Area
	Primary []Group
	// Final are the qualified groups: each primary group, or what it was split into, in order.
	Final []Group
}

// WeightSum is the sum of the weights of the primary groups. Their average (equation 5) is this
// divided by their number.
func (q Grouping) WeightSum() (sum int) {
	for _, g := range q.Primary {
		sum += g.Weight
	}
	return sum
}

// Qualified reports whether a group may stay whole (definition 7): (W - Wav) / Wav <= TD, in whole
// numbers, because groups that meet the threshold exactly are qualified and binary fractions would
// miss them.
func (q Grouping) Qualified(g Group, threshold int) bool {
	return q.qualifies(threshold)(g)
}

// qualifies is Qualified for many groups: it finds the average once.
func (q Grouping) qualifies(threshold int) func(Group) bool {
	limit := (1000 + threshold) * q.WeightSum()
	return func(g Group) bool { return 1000*g.Weight*len(q.Primary) <= limit }
}

// QualifiedGroups divides the destinations into groups of comparable weight (Al-Dubai, Ould-Khaoua
// and Mackenzie, section 3, phases 1 to 3).
func QualifiedGroups(g topology.Grid, r Request, o GroupOptions) (Grouping, error) {
	if err := o.Validate(); err != nil {
		return Grouping{}, err
	}
	targets := r.Targets()
	q := Grouping{Area: newArea(frame{g, r.Source}, targets, r.Source)}
	for _, part := range q.Area.orthants(targets) {
		q.Primary = append(q.Primary, newGroup(g, r.Source, part))
	}
	qualified := q.qualifies(o.Threshold)
	for _, primary := range q.Primary {
		q.Final = append(q.Final, split(g, r.Source, primary, qualified)...)
	}
	return q, nil
}

// split halves the heaviest unqualified part of a primary group along its own divisor, until all
// parts are qualified or as many as the mesh has orthants. The paper gives two subgroups, "if not
// qualified" up to that many, and not how three come about; halving the worst part gives every
// number. The average stays that of the primary groups.
func split(g topology.Grid, source noc.NodeID, primary Group, qualified func(Group) bool) []Group {
	parts := []Group{primary}
	for len(parts) < 1<<len(g.Radix) {
		worst := -1
		for i, part := range parts {
			if len(part.Nodes) < 2 || qualified(part) {
				continue
			}
			if worst < 0 || part.Weight > parts[worst].Weight || part.Weight == parts[worst].Weight && part.Nearest < parts[worst].Nearest {
				worst = i
			}
		}
		if worst < 0 {
			break
		}
		area := newArea(frame{g, source}, parts[worst].Nodes)
		low, high := area.halves(parts[worst].Nodes, area.Divisor)
		parts = slices.Replace(parts, worst, worst+1, newGroup(g, source, low), newGroup(g, source, high))
	}
	return parts
}

// Plan is phase 4: with one startup the source sends to the representatives of all groups, then
// each representative, once it has the message, sends with one startup to the rest of its group. A
// worm of the first step may pass nodes that the second step serves.
//
// A representative starts when the tail has arrived (equation 9, "two message passing steps") or,
// with [Cut], when the header has; only the latter comes near the paper's table 3.
func (q Grouping) Plan(l *Labelled, g *topology.Grid, r Request, o GroupOptions) Plan {
	by := func(paths Paths) func(Request) Plan {
		return func(r Request) Plan {
			if paths == Multi {
				return MultiPath(l, g, r)
			}
			return DualPath(l, r)
		}
	}
	return q.send(r, by(o.ToRepresentatives), by(o.InGroups))
}

// send makes the worms of both steps.
func (q Grouping) send(r Request, toRepresentatives, inGroups func(Request) Plan) Plan {
	var representatives []noc.NodeID
	for _, group := range q.Final {
		representatives = append(representatives, group.Nearest)
	}
	p := toRepresentatives(Request{Source: r.Source, Destinations: representatives})
	brings := make(map[noc.NodeID]int, len(representatives)) // which worm
	for i, m := range p {
		for _, stop := range m.Stops {
			brings[stop] = i
		}
	}
	for _, group := range q.Final {
		for _, m := range inGroups(Request{Source: group.Nearest, Destinations: group.Nodes}) {
			m.After = brings[group.Nearest]
			p = append(p, m)
		}
	}
	return p
}
