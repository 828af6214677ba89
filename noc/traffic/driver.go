package traffic

import (
	"context"
	"fmt"
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Interface is what a driver has to know of a network's interfaces. The zero value is never
// wrong, except for the accepted load of multicasts.
type Interface struct {
	// QueuePackets is the number of packets that each source queue holds, or less: a queue that
	// was full is left alone for as long as its packets need to leave.
	QueuePackets int
	// SeparateCopies tells that a multicast leaves its source as one copy per destination.
	SeparateCopies bool
	// Rules are those that routers follow where options choose them, for [Standstill].
	Rules string
}

// Driver sends traffic through a network and measures what arrives.
type Driver struct {
	network    noc.Network
	attach     Interface
	generator  generator
	phits      uint16
	classes    int
	retryAfter noc.Cycle

	wheel   fabric.Wheel[[]uint64] // nodes that are served in a cycle, as bits
	newest  []reader               // per node: its next message
	late    []reader               // per node and class: the oldest message of the class that waits
	waiting []uint8                // per node: bit c set when messages of class c wait
	retry   []noc.Cycle            // per node: when to offer waiting messages again

	sent Tags[sent] // messages in the network

	window window
}

// sent is a message that the network has taken and not delivered to all its destinations.
type sent struct {
	born noc.Cycle
	owed uint32
	cast Cast
}

// New prepares traffic for a network on a grid. The network must be at cycle 0 and take packets
// of the configured length and classes.
func New(network noc.Network, g topology.Grid, c Config, attach Interface) (*Driver, error) {
	if err := c.Validate(g); err != nil {
		return nil, err
	}
	n := g.Nodes()
	if network.Nodes() != n || network.Now() != 0 {
		return nil, fmt.Errorf("the network has %d nodes and is at cycle %d; traffic for %s needs %d nodes and a fresh network",
			network.Nodes(), network.Now(), g, n)
	}
	targets, err := c.Targets(g)
	if err != nil {
		return nil, err
	}
	d := &Driver{network: network, attach: attach, generator: newGenerator(g, &c, targets), phits: uint16(c.PacketPhits),
		classes: c.Classes, wheel: fabric.NewWheel[[]uint64](fabric.Horizon - 1), newest: make([]reader, n), late: make([]reader, n*c.Classes),
		waiting: make([]uint8, n), retry: make([]noc.Cycle, n)}
	// A full queue of p packets holds at least one packet until p-1 packets have left whole.
	d.retryAfter = noc.Cycle(max(1, (attach.QueuePackets-1)*c.PacketPhits))
	d.window.counts.Latencies = make(Latencies, c.Classes)
	for c := range noc.Cycle(fabric.Horizon) {
		*d.wheel.At(c) = make([]uint64, noc.SetWords(n))
	}
	for i := range n {
		d.newest[i] = d.generator.first(c.Seed, noc.NodeID(i))
		d.wake(noc.NodeID(i), nap(0, d.newest[i].born))
	}
	d.Clear()
	return d, nil
}

// Network returns the network under traffic.
func (d *Driver) Network() noc.Network { return d.network }

// Run simulates up to the given cycle, see [Drive].
func (d *Driver) Run(end noc.Cycle) error {
	return Drive(context.Background(), Networks{d.network}, d, end, func() {})
}

// Serve implements [Source].
func (d *Driver) Serve(now noc.Cycle) (next noc.Cycle, done bool, err error) {
	if due := d.wheel.Take(now); due != nil {
		for i, word := range *due {
			for (*due)[i] = 0; word != 0; word &= word - 1 {
				n := noc.NodeID(64*i + bits.TrailingZeros64(word))
				d.wake(n, nap(now, d.serve(n, now)))
			}
		}
	}
	return d.wheel.Next(now + 1), false, nil
}

// Stalled implements [Source].
func (d *Driver) Stalled() error { return Standstill(d.network, d.attach.Rules) }

// wake lets a node be served in a cycle.
func (d *Driver) wake(n noc.NodeID, at noc.Cycle) { (*d.wheel.On(at))[n/64] |= 1 << (n % 64) }

// nap shortens a sleep to what the wheel can hold. All nodes that sleep longer wake in the same
// cycles, so that an idle network is seldom disturbed.
func nap(now, until noc.Cycle) noc.Cycle {
	if until < now+fabric.Horizon {
		return until
	}
	if common := now | (fabric.Horizon - 1); common > now {
		return common
	}
	return now + fabric.Horizon - 1
}

// serve offers what a node has for the network in this cycle and returns when it next has anything.
func (d *Driver) serve(n noc.NodeID, now noc.Cycle) noc.Cycle {
	newest := &d.newest[n]
	for newest.born <= now {
		d.window.counts.GeneratedPackets++
		bit := uint8(1) << newest.class
		if d.waiting[n]&bit == 0 && !d.offer(n, &newest.message) {
			d.late[int(n)*d.classes+int(newest.class)] = *newest
			if d.waiting[n] == 0 {
				d.retry[n] = now + d.retryAfter
			}
			d.waiting[n] |= bit
		}
		d.generator.advance(n, newest)
	}
	if d.waiting[n] == 0 {
		return newest.born
	}
	if d.retry[n] <= now {
		d.catchUp(n)
		d.retry[n] = now + d.retryAfter
	}
	if d.waiting[n] == 0 {
		return newest.born
	}
	return min(newest.born, d.retry[n])
}

// catchUp offers messages that wait, class by class, until each is refused or none are left.
func (d *Driver) catchUp(n noc.NodeID) {
	for class := range d.classes {
		if d.waiting[n]>>class&1 == 0 {
			continue
		}
		late := &d.late[int(n)*d.classes+class]
		for d.offer(n, &late.message) {
			for ok := true; ok; ok = int(late.class) != class && late.born < d.newest[n].born {
				d.generator.advance(n, late)
			}
			if late.born >= d.newest[n].born {
				d.waiting[n] &^= 1 << class
				break
			}
		}
	}
}

// offer hands a message to the network and reports whether there was room.
func (d *Driver) offer(n noc.NodeID, m *message) bool {
	tag, sent := d.sent.New()
	to, cast := d.generator.address(n, m)
	ok := d.network.Offer(noc.Packet{Src: n, Dst: to, Tag: tag, Phits: d.phits, Class: m.class})
	d.generator.release()
	if !ok {
		d.sent.Free(tag)
		return false
	}
	sent.born, sent.owed, sent.cast = m.born, 1, cast
	if cast != Unicast {
		sent.owed = uint32(d.generator.destinations)
	}
	return true
}

// Take implements [Source].
func (d *Driver) Take(_ int, v *noc.Delivery) {
	m := d.sent.At(v.Tag)
	m.owed--
	d.window.counts.Arrive(v, m.cast, uint64(v.Arrived-m.born), m.owed == 0, uint64(v.Src)<<12+uint64(v.Hops)<<3+uint64(v.Class))
	if m.owed == 0 {
		d.sent.Free(v.Tag)
	}
}
