package stress

import (
	"fmt"
	"slices"
	"sort"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/random"
)

// Faults says how a network is kept from its work. The zero value injects nothing.
type Faults struct {
	// Eject is the most cycles for which a node takes nothing of some classes from the network;
	// what the network delivers there meanwhile is handed over, and gives its slots back, when
	// they are over.
	Eject noc.Cycle
	// Refuse is the number of cycles for which a source queue now and then takes nothing more,
	// whatever room it has.
	Refuse noc.Cycle
	// Drills now and then block all classes below a random one at every node, until all packets of
	// the other classes that were in the network have been delivered.
	Drills bool
}

// none reports whether no fault is injected.
func (h Faults) none() bool { return h == Faults{} }

const (
	blockedOf  = 64     // one delivery in so many starts to block its node
	refusedOf  = 16     // one period of a source queue in so many is a refusal
	drillPause = 3_000  // mean cycles between drills
	drillLimit = 50_000 // cycles that a drill may last
)

// A FaultInjector is a network whose nodes and source queues do not work all the time.
type FaultInjector struct {
	noc.Network
	rules  Faults
	seed   uint64
	random random.Stream
	top    noc.Class // the highest class offered so far

	blocked     []window            // by node
	turned      noc.Cycle           // when the first refusal that the client has met ends
	held        []noc.Delivery      // in order of arrival
	out         []noc.Delivery      // handed over next
	undelivered [noc.MaxClasses]int // by class: copies that the network has accepted and not delivered
	drill       drill
}

// window is a time in which a node takes no classes below a limit.
type window struct {
	until noc.Cycle
	below noc.Class
}

// drill blocks all classes below its own, from below > 0 on, until nothing is undelivered.
type drill struct {
	below       noc.Class
	start       noc.Cycle
	undelivered int
	next        noc.Cycle // when the next one begins
}

// NewFaultInjector returns a network that does not work all the time.
func NewFaultInjector(below noc.Network, rules Faults, seed uint64) *FaultInjector {
	h := &FaultInjector{Network: below, rules: rules, seed: seed, random: random.Stream(seed ^ 0x5851f42d4c957f2d), blocked: make([]window, below.Nodes()),
		turned: noc.Never}
	h.drill.next = noc.Never
	if rules.Drills {
		h.drill.next = h.pause()
	}
	return h
}

func (h *FaultInjector) pause() noc.Cycle {
	return h.Now() + 1 + noc.Cycle(h.random.Uint64()%(2*drillPause))
}

// Offer refuses now and then: for whole periods, chosen by the queue and the time alone, so that it
// does not matter how often it is asked.
func (h *FaultInjector) Offer(p noc.Packet) bool {
	if most := h.rules.Refuse; most > 0 {
		queue, period := uint64(p.Src)*noc.MaxClasses+uint64(p.Class), uint64(h.Now()/most)
		choice := random.Stream(h.seed ^ queue<<40 ^ period)
		if choice.Remainder(refusedOf) == 0 {
			h.turned = min(h.turned, noc.Cycle(period+1)*most)
			return false
		}
	}
	if !h.Network.Offer(p) {
		return false
	}
	h.top = max(h.top, p.Class)
	h.undelivered[p.Class] += p.Dst.Count()
	return true
}

// InFlight counts what is held back too.
func (h *FaultInjector) InFlight() int { return h.Network.InFlight() + len(h.held) + len(h.out) }

// Deliveries lists what has been handed over since the last call.
func (h *FaultInjector) Deliveries() []noc.Delivery {
	out := h.out
	h.out = h.out[:0]
	return out
}

// Step advances the network below, at most to the cycle in which something is let go.
func (h *FaultInjector) Step(until noc.Cycle) noc.Cycle {
	h.out = h.out[:0]
	if until <= h.Now() {
		return h.Now()
	}
	now := h.Network.Step(min(until, max(h.nextEvent(), h.Now()+1)))
	if h.turned <= now {
		h.turned = noc.Never
	}
	for _, d := range h.Network.Deliveries() {
		h.arrived(d, now)
	}
	h.drive(now)
	h.release(now)
	return now
}

// nextEvent returns when something may be let go: a delivery, a source queue, a drill.
func (h *FaultInjector) nextEvent() noc.Cycle {
	at := min(h.drill.next, h.turned)
	if h.drill.below > 0 {
		return min(at, h.drill.start+drillLimit)
	}
	for i := range h.held {
		at = min(at, h.blocked[h.held[i].At].until)
	}
	return at
}

// arrived takes what the network delivers.
func (h *FaultInjector) arrived(d noc.Delivery, now noc.Cycle) {
	h.undelivered[d.Class]--
	if h.drill.below > 0 && d.Class >= h.drill.below && d.Offered < h.drill.start {
		h.drill.undelivered--
	}
	if w := &h.blocked[d.At]; h.rules.Eject > 0 && w.until <= now && h.random.Remainder(blockedOf) == 0 {
		*w = window{now + 1 + noc.Cycle(h.random.Uint64()%uint64(h.rules.Eject)), noc.Class(1 + h.random.Remainder(int(h.top)+1))}
	}
	h.held = append(h.held, d)
}

// drive begins and ends drills.
func (h *FaultInjector) drive(now noc.Cycle) {
	r := &h.drill
	switch {
	case r.below == 0 && (now < r.next || h.top == 0):
		return
	case r.below == 0:
		r.below, r.start, r.next, r.undelivered = noc.Class(1+h.random.Remainder(int(h.top))), now, noc.Never, 0
		for _, undelivered := range h.undelivered[r.below:] {
			r.undelivered += undelivered
		}
	case r.undelivered > 0 && now >= r.start+drillLimit:
		panic(fmt.Sprintf("%d deliveries of class %d and above do not come within %d cycles while the lower classes are blocked", r.undelivered, r.below, drillLimit))
	}
	if r.undelivered == 0 {
		r.below, r.next = 0, h.pause()
	}
}

// release hands over what is not blocked, in order of node.
func (h *FaultInjector) release(now noc.Cycle) {
	kept := h.held[:0]
	for _, d := range h.held {
		if w := h.blocked[d.At]; d.Class < h.drill.below || h.drill.below == 0 && w.until > now && d.Class < w.below {
			kept = append(kept, d)
			continue
		}
		d.Arrived = now
		h.out = append(h.out, d)
	}
	h.held = kept
	slices.SortStableFunc(h.out, func(a, b noc.Delivery) int { return int(a.At) - int(b.At) })
}

// Delay is a network that hands every delivery over later than the network below made it, by a
// random number of cycles from 0 to Most, in whatever order that gives. Packets marked Ordered lose
// their order too, so the receiver must restore it.
type Delay struct {
	noc.Network
	Most   noc.Cycle
	random random.Stream
	held   []late // the next to be handed over last
	serial uint64
	out    []noc.Delivery
}

// late is a delivery that is held back.
type late struct {
	serial uint64
	noc.Delivery
}

func (a *late) before(b *late) bool {
	return a.Arrived < b.Arrived || a.Arrived == b.Arrived && a.serial < b.serial
}

// NewDelay returns a network that delays the deliveries of another one.
func NewDelay(below noc.Network, most noc.Cycle, seed uint64) *Delay {
	return &Delay{Network: below, Most: most, random: random.Stream(seed)}
}

// Step advances the network below, at most to the next delivery that is held back.
func (d *Delay) Step(until noc.Cycle) noc.Cycle {
	d.out = d.out[:0]
	if len(d.held) > 0 {
		until = min(until, max(d.next(), d.Now()+1))
	}
	now := d.Network.Step(until)
	for _, x := range d.Network.Deliveries() {
		x.Arrived = now + noc.Cycle(d.random.Uint64()%uint64(d.Most+1))
		d.serial++
		d.push(late{d.serial, x})
	}
	for d.due(now) {
		d.out = append(d.out, d.pop())
	}
	return now
}

// Deliveries lists what has been handed over since the last call.
func (d *Delay) Deliveries() []noc.Delivery {
	out := d.out
	d.out = d.out[:0]
	return out
}

// InFlight counts what is held back too.
func (d *Delay) InFlight() int { return d.Network.InFlight() + len(d.held) }

// push keeps what is held in order, the next to be handed over last.
func (d *Delay) push(x late) {
	at := sort.Search(len(d.held), func(i int) bool { return d.held[i].before(&x) })
	d.held = slices.Insert(d.held, at, x)
}

// due reports whether something is to be handed over by a cycle.
func (d *Delay) due(now noc.Cycle) bool { return len(d.held) > 0 && d.next() <= now }

// next returns when the next delivery is handed over.
func (d *Delay) next() noc.Cycle { return d.held[len(d.held)-1].Arrived }

func (d *Delay) pop() noc.Delivery {
	last := len(d.held) - 1
	x := d.held[last].Delivery
	d.held = d.held[:last]
	return x
}
