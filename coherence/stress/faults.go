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
	// Delay is the most cycles by which a delivery comes later than the network made it, so that
	// messages overtake each other in every way.
	Delay noc.Cycle
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

const (
	blockedOf  = 64     // one in this number of deliveries starts to block its node
	refusedOf  = 16     // one in this number of periods of a source queue is a refusal
	drillPause = 3_000  // mean cycles between drills
	drillLimit = 50_000 // cycles that a drill may last
)

// A FaultInjector is a network whose nodes and source queues do not work all the time, and whose
// deliveries come late.
type FaultInjector struct {
	noc.Network
	rules  Faults
	seed   uint64
	random random.Stream
	top    noc.Class // the highest class offered so far

	blocked     []window            // by node
	turned      noc.Cycle           // when the first refusal that the client has met ends
	held        []late              // the next to be handed over last
	drilled     []late              // blocked by the drill under way
	serial      uint64              // of the latest delivery
	out         []noc.Delivery      // handed over next
	undelivered [noc.MaxClasses]int // by class: copies that the network has accepted and not delivered
	drill       drill
}

// late is a delivery that is held back until a cycle, unless its node is blocked then.
type late struct {
	until  noc.Cycle
	serial uint64
	noc.Delivery
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
func (h *FaultInjector) InFlight() int {
	return h.Network.InFlight() + len(h.held) + len(h.drilled) + len(h.out)
}

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
		at = min(at, h.drill.start+drillLimit)
	}
	if n := len(h.held); n > 0 {
		at = min(at, h.held[n-1].until)
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
	h.serial++
	h.hold(late{now + noc.Cycle(h.random.Uint64()%uint64(h.rules.Delay+1)), h.serial, d})
}

// hold keeps what is held in order: of what is due in one cycle, the earlier delivery comes first.
func (h *FaultInjector) hold(x late) {
	at := sort.Search(len(h.held), func(i int) bool {
		return h.held[i].until < x.until || h.held[i].until == x.until && h.held[i].serial < x.serial
	})
	h.held = slices.Insert(h.held, at, x)
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
		for _, x := range h.drilled {
			h.hold(x)
		}
		h.drilled = h.drilled[:0]
	}
}

// release hands over what is due and not blocked, in order of node.
func (h *FaultInjector) release(now noc.Cycle) {
	for n := len(h.held); n > 0 && h.held[n-1].until <= now; n = len(h.held) {
		x := h.held[n-1]
		h.held = h.held[:n-1]
		switch w := h.blocked[x.At]; {
		case x.Class < h.drill.below:
			h.drilled = append(h.drilled, x)
		case h.drill.below == 0 && w.until > now && x.Class < w.below:
			x.until = w.until
			h.hold(x)
		default:
			x.Arrived = now
			h.out = append(h.out, x.Delivery)
		}
	}
	slices.SortStableFunc(h.out, func(a, b noc.Delivery) int { return int(a.At) - int(b.At) })
}
