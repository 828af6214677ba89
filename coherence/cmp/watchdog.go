package cmp

import (
	"fmt"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/traces"
)

// DeadlockReport is the error of a chip that makes no progress: it says what every part waits for.
type DeadlockReport struct {
	Cycle noc.Cycle
	// Cores, Controllers and Network explain each stuck part in a sentence; Messages are those made
	// and not yet accepted everywhere, wherever they are.
	Cores, Controllers, Messages []string
	Network                      []noc.Stuck
	// Circle is a closed chain of routers in which each waits for the next, or empty when the
	// network is not the reason.
	Circle []noc.NodeID
}

// listed is how many sentences of each kind Error prints.
const listed = 12

// Error returns the whole report in a few lines.
func (e *DeadlockReport) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "deadlock at cycle %d: no core has retired anything for chip.watchdog_cycles", e.Cycle)
	section := func(title string, lines []string) {
		if len(lines) == 0 {
			return
		}
		fmt.Fprintf(&b, "\n%s:", title)
		for i, l := range lines {
			if i == listed {
				fmt.Fprintf(&b, "\n  and %d more", len(lines)-listed)
				break
			}
			fmt.Fprintf(&b, "\n  %s", l)
		}
	}
	section("cores", e.Cores)
	section("controllers", e.Controllers)
	section("messages", e.Messages)
	lines := make([]string, len(e.Network))
	for i, p := range e.Network {
		lines[i] = fmt.Sprintf("packet %d of class %d from node %d: at node %d since cycle %d, holds %s, waits for %s (node %d)",
			p.Tag, p.Class, p.Src, p.At, p.Since, p.Holds, p.Waits, p.For)
	}
	section("network", lines)
	if len(e.Circle) > 0 {
		fmt.Fprintf(&b, "\nrouters that wait for each other in a circle: %v", e.Circle)
	}
	return b.String()
}

// newDeadlockReport asks every part of a chip what it waits for.
func newDeadlockReport(s *System) *DeadlockReport {
	e := &DeadlockReport{Cycle: s.now, Network: s.network.Explain()}
	for i := range s.cores {
		if line := s.cores[i].explain(); line != "" {
			e.Cores = append(e.Cores, line)
		}
	}
	for i, c := range s.agents.all {
		if line := c.Explain(); line != "" {
			a := s.agents.names[i]
			e.Controllers = append(e.Controllers, fmt.Sprintf("%s %d: %s", a.Role, a.Index, line))
		}
	}
	for i := range s.nic.flights.all {
		if f := &s.nic.flights.all[i]; f.live {
			e.Messages = append(e.Messages, fmt.Sprintf("%s %s of block %#x from %s %d, made in cycle %d: %d copies have not been accepted",
				s.about.Classes[f.send.Class], s.about.Kinds[f.send.Kind], uint32(f.send.Block), f.send.From.Role,
				f.send.From.Index, f.created, f.copies))
		}
	}
	e.Circle = circle(e.Network)
	return e
}

// explain says what a core waits for; "" when it has finished.
func (c *core) explain() string {
	switch {
	case c.finished:
		return ""
	case c.uncreated:
		return fmt.Sprintf("core %d has not been created by any other core", c.id)
	case !c.empty():
		o := c.oldest()
		text := fmt.Sprintf("core %d: record %d (%s %#x) is the oldest in the window", c.id, c.input.whole(o.index), o.kind, o.address)
		switch {
		case c.stores.buffered() > 0 && o.kind != traces.Load:
			return text + fmt.Sprintf(" and waits for %d stores, the first to block %#x", c.stores.buffered(), c.stores.front().block)
		case o.kind == traces.Join:
			return text + fmt.Sprintf(" and waits for the end of core %d", o.address)
		case c.sync.asleep:
			return text + " and sleeps until its holder releases it"
		case c.sync.spinning:
			return text + fmt.Sprintf(" and spins on block %#x", c.sync.block)
		}
		return text + fmt.Sprintf(" and waits for block %#x", c.system.config.blockOf(o))
	case c.waitsFor >= 0:
		return fmt.Sprintf("core %d: record %d must see record %d of core %d, which has committed %d records",
			c.id, c.input.index(), c.input.edge.Position, c.waitsFor, c.system.cores[c.waitsFor].committed())
	case c.stores.buffered() > 0:
		return fmt.Sprintf("core %d: the window is empty; %d stores wait, the first to block %#x", c.id, c.stores.buffered(), c.stores.front().block)
	}
	if c.live.hold == sleeping {
		return fmt.Sprintf("core %d: it has no thread, or its thread sleeps", c.id)
	}
	return fmt.Sprintf("core %d: waits for the instructions at record %d", c.id, c.input.index())
}

// circle finds a closed chain in the routers' wait-for relation.
func circle(stuck []noc.Stuck) []noc.NodeID {
	next := map[noc.NodeID][]noc.NodeID{}
	for _, p := range stuck {
		if p.For != p.At {
			next[p.At] = append(next[p.At], p.For)
		}
	}
	finished := map[noc.NodeID]bool{}
	var visit func(path []noc.NodeID, n noc.NodeID) []noc.NodeID
	visit = func(path []noc.NodeID, n noc.NodeID) []noc.NodeID {
		if i := slices.Index(path, n); i >= 0 {
			return path[i:]
		}
		if finished[n] {
			return nil
		}
		for _, m := range next[n] {
			if c := visit(append(path, n), m); c != nil {
				return c
			}
		}
		finished[n] = true
		return nil
	}
	for _, p := range stuck {
		if c := visit(nil, p.At); c != nil {
			return c
		}
	}
	return nil
}
