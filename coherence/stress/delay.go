package stress

import (
	"slices"
	"sort"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/random"
)

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
