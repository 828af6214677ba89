package stress

import "github.com/carousel-sim/carousel/noc"

// Delay is a network that hands every delivery over later than the network below made it, by a random
// number of cycles from 0 to Most, in whatever order that gives. Packets marked Ordered lose their order
// too: whoever needs an order must restore it.
type Delay struct {
	noc.Network
	Most   noc.Cycle
	random random
	held   []late // a binary heap, the next to be handed over first
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

// NewDelay makes a network that delays the deliveries of another one.
func NewDelay(below noc.Network, most noc.Cycle, seed uint64) *Delay {
	return &Delay{Network: below, Most: most, random: random{seed}}
}

// Step advances the network below, at most to the next delivery that is held back.
func (d *Delay) Step(until noc.Cycle) noc.Cycle {
	d.out = d.out[:0]
	if len(d.held) > 0 {
		until = min(until, max(d.held[0].Arrived, d.Now()+1))
	}
	now := d.Network.Step(until)
	for _, x := range d.Network.Deliveries() {
		x.Arrived = now + noc.Cycle(d.random.next()%uint64(d.Most+1))
		d.serial++
		d.push(late{d.serial, x})
	}
	for len(d.held) > 0 && d.held[0].Arrived <= now {
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

func (d *Delay) push(x late) {
	d.held = append(d.held, x)
	i := len(d.held) - 1
	for up := (i - 1) / 2; i > 0 && x.before(&d.held[up]); up = (i - 1) / 2 {
		d.held[i] = d.held[up]
		i = up
	}
	d.held[i] = x
}

func (d *Delay) pop() noc.Delivery {
	top := d.held[0].Delivery
	last := len(d.held) - 1
	x := d.held[last]
	d.held = d.held[:last]
	i := 0
	for {
		down := 2*i + 1
		if down >= last {
			break
		}
		if down+1 < last && d.held[down+1].before(&d.held[down]) {
			down++
		}
		if !d.held[down].before(&x) {
			break
		}
		d.held[i] = d.held[down]
		i = down
	}
	if last > 0 {
		d.held[i] = x
	}
	return top
}
