package cmp

import (
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/noc"
)

// The account divides the cycles of a core. A cycle in which a core retires nothing is charged to
// what its oldest instruction waits for. The time of a miss is divided along its chain of messages,
// from the request to the answer that ended the miss. When the miss ends, the stall that it has caused
// is divided in the same proportions. Time that no message of the chain accounts for is charged to the
// protocol. Cycles of a stall in which no miss is under way are charged to the L1. The stages of a miss
// are therefore estimates, accurate to a cycle or two per stall. Their sum and all other components are
// exact. A stall is charged by what happens in it, not by the cycles in which the core is visited, so
// both cores have equal accounts.

// Component is where time of a core goes.
type Component uint8

// The components. Those up to ComponentMemory are stages of a miss.
const (
	ComponentL1         Component = iota // the core's L1, and that of another core which answers
	ComponentInterface                   // queued in a network interface
	ComponentFlight                      // as long as the same message takes in the idle network
	ComponentContention                  // what a flight took beyond that; none without KnowIdle
	ComponentL2                          // at a bank of the L2, queueing included
	ComponentMemory                      // at a memory controller and its DRAM
	ComponentTimeout                     // until a time-out repeated the request that was answered
	ComponentProtocol                    // behind other requests of the block
	ComponentSync                        // locks, barriers, creations and joins
	ComponentOrder                       // for another core to reach an edge of the trace
	ComponentDependence                  // for an earlier load that the access depends on
	ComponentIdle                        // halted, until another core has work for it
	Components
)

var componentOf = [coherence.Roles]Component{coherence.Cache: ComponentL1, coherence.Bank: ComponentL2, coherence.Memory: ComponentMemory}

// path is how a chain of messages has spent its time until a certain cycle.
type path struct {
	since noc.Cycle
	parts [ComponentMemory + 1]uint32
}

// charge adds the cycles since the last one charged to a component.
func (p *path) charge(c Component, now noc.Cycle) {
	p.parts[c] += uint32(now - p.since)
	p.since = now
}

// arrivedCopy is the last copy of a message to many that came to a router.
type arrivedCopy struct {
	flight           int32
	flown, contended uint32
}

// paths follow the messages of a chip.
type paths struct {
	// current is the path of what is being processed. It is valid only if its since is now.
	current  path
	flights  []path        // by flight
	idle     *IdleTimes    // nil where it was not measured
	arrivals []arrivedCopy // by router
	reads    [][]readPath  // that DRAM has been asked for, by memory controller
}

// readPath is the path of a block that DRAM reads.
type readPath struct {
	block coherence.Block
	path  path
}

func newPaths(routers, memories int) paths {
	p := paths{arrivals: make([]arrivedCopy, routers), reads: make([][]readPath, memories)}
	for i := range p.arrivals {
		p.arrivals[i].flight = none
	}
	return p
}

// forget ends the current path: what follows has no message as its cause.
func (p *paths) forget() { p.current.since = noc.Never }

// send gives a message the path of what made it.
func (p *paths) send(i int32, now noc.Cycle) {
	for int(i) >= len(p.flights) {
		p.flights = append(p.flights, path{})
	}
	if p.flights[i] = p.current; p.current.since != now {
		p.flights[i] = path{since: now}
	}
}

// copy gives a message the path of another one, of which it is a part.
func (p *paths) copy(i, from int32) {
	p.send(i, p.flights[from].since)
	p.flights[i] = p.flights[from]
}

// arrive notes that the network has delivered a copy of a message.
func (p *paths) arrive(i int32, f *flight, d *noc.Delivery) {
	flight := &p.flights[i]
	took := uint32(d.Arrived - flight.since)
	idle := took
	if p.idle != nil {
		idle = min(took, p.idle.of(f, d))
	}
	if f.send.Many {
		p.arrivals[d.At] = arrivedCopy{i, idle, took - idle}
		return
	}
	flight.parts[ComponentFlight] += idle
	flight.parts[ComponentContention] += took - idle
	flight.since = d.Arrived
}

// accept makes the path of a message current: an agent at a router processes a copy.
func (p *paths) accept(i int32, f *flight, router noc.NodeID, role coherence.Role, now noc.Cycle) {
	p.current = p.flights[i]
	c := &p.current
	switch a := &p.arrivals[router]; {
	case router == f.router:
		c.charge(ComponentFlight, now)
	case f.send.Many && a.flight == i:
		c.parts[ComponentFlight] += a.flown
		c.parts[ComponentContention] += a.contended
		c.since += noc.Cycle(a.flown + a.contended)
	case f.send.Many: // another message has come to the router since
		c.charge(ComponentFlight, now)
	}
	c.charge(componentOf[role], now)
}

// read keeps the current path while DRAM reads blocks.
func (p *paths) read(controller int, blocks []coherence.Block, now noc.Cycle) {
	for _, b := range blocks {
		if p.current.since != now {
			p.current = path{since: now}
		}
		p.reads[controller] = append(p.reads[controller], readPath{b, p.current})
	}
}

// readDone continues the path of a block that DRAM has read.
func (p *paths) readDone(controller int, b coherence.Block, now noc.Cycle) {
	list := p.reads[controller]
	for i := range list {
		if list[i].block == b {
			p.current = list[i].path
			p.current.charge(ComponentMemory, now)
			list[i] = list[len(list)-1]
			p.reads[controller] = list[:len(list)-1]
			return
		}
	}
	p.forget()
}

// account is where the cycles of one core have gone.
type account struct {
	cycles    [Components]uint64
	slots     []slotAccount  // by slot of the window
	uncharged [Stalls]uint64 // stall cycles whose cause has yet to end
}

// slotAccount is what is known of a load in the window that needs a producer.
type slotAccount struct {
	waits  uint32 // this record waits for a producer
	asked  noc.Cycle
	waited uint64 // cycles until it was ready
}

// divided returns the parts of a miss that ends now. Parts nearest to the answer count first. Time that no
// message accounts for is charged to timeouts first, and the rest to the protocol.
func (p *paths) divided(d *coherence.Completion, now noc.Cycle) (parts [ComponentProtocol + 1]uint32) {
	left := uint32(now - d.Since)
	for i := ComponentMemory; p.current.since == now; i-- {
		parts[i] = min(p.current.parts[i], left)
		left -= parts[i]
		if i == 0 {
			break
		}
	}
	parts[ComponentTimeout] = min(uint32(d.Waited), left)
	parts[ComponentProtocol] = left - parts[ComponentTimeout]
	return parts
}

// chargeStall charges the cycles since the last one that retired something to the cause that was
// noted then.
func (c *core) chargeStall(now noc.Cycle) {
	if now > c.idleFrom {
		c.account.charge(c, uint64(now-c.idleFrom))
	}
}

// charge charges cycles to the core's stall and, as soon as it is known, to where they went.
func (a *account) charge(c *core, n uint64) {
	c.result.StallCycles[c.stall] += n
	a.uncharged[c.stall] += n
	at := ComponentL1
	switch c.stall {
	case StallDependence:
		at = c.edgeComponent()
	case StallSync:
		at = ComponentSync
	case StallStoreBuffer:
		if c.stores.pending {
			return
		}
	case StallFetch:
		if c.fetching == fetchPending {
			return
		}
	case StallLoad:
		if c.empty() { // the core has yet to be created
			at = ComponentSync
			break
		}
		if o := c.oldest(); o.state != done || o.ready > c.system.now {
			return
		}
		a.depend(c)
	}
	a.cycles[at] += a.uncharged[c.stall]
	a.uncharged[c.stall] = 0
}

// depend charges cycles that the oldest operation has waited for its producer.
func (a *account) depend(c *core) {
	if s := &a.slots[c.slot(c.first)]; s.waits == c.oldest().index && a.uncharged[StallLoad] > 0 {
		waited := min(s.waited, a.uncharged[StallLoad])
		a.cycles[ComponentDependence] += waited
		a.uncharged[StallLoad] -= waited
		s.waited = 0
	}
}

// missed charges the cycles that a core has been stalled by a miss that ends now, in the proportions of
// the miss. The largest part gets the remainder.
func (a *account) missed(stall Stall, p *paths, d *coherence.Completion, now noc.Cycle) {
	n := a.uncharged[stall]
	if n == 0 {
		return
	}
	a.uncharged[stall] = 0
	largest, left, parts := ComponentL1, n, p.divided(d, now)
	for i, part := range parts {
		if part == 0 {
			continue
		}
		share := n * uint64(part) / uint64(now-d.Since)
		a.cycles[i] += share
		left -= share
		if part > parts[largest] {
			largest = Component(i)
		}
	}
	a.cycles[largest] += left
}

// conclude charges the cycles of stalls that have not ended to the L1.
func (a *account) conclude() {
	for i := range a.uncharged {
		a.cycles[ComponentL1] += a.uncharged[i]
		a.uncharged[i] = 0
	}
}
