package buffered

import (
	"slices"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

// reference is the same router moved phit by phit, every router in every cycle, written to be compared by
// eye with routers.md sections 4 and 5. It shares nothing with the engine but its configuration.
type reference struct {
	g       topology.Grid
	c       Config
	now     noc.Cycle
	routers []*refRouter
	places  map[[2]int]int // node, class -> free places of bounded sinks
	arrived []noc.Delivery
	wires   map[refWires]noc.Word
	content func(noc.Packet) []noc.Word // nil where nobody counts flipped bits
}

type refPacket struct {
	tag               noc.Tag
	src               noc.NodeID
	to                []noc.NodeID // ascending
	phits, hops       int
	class             int
	offered, injected noc.Cycle
}

type refPhit struct {
	packet *refPacket
	index  int
}

// refEntry is a packet in a channel: which of its phits are here, and where it still has to go.
type refEntry struct {
	packet      *refPacket
	written     int       // phits that have been written
	headWritten noc.Cycle // when phit 0 was
	routed      bool
	routedAt    noc.Cycle
	branches    []int // outputs still to visit
	leaving     bool  // its last branch has been granted
}

type refChannel struct {
	entries  []*refEntry
	tailLeft noc.Cycle // when the last packet's tail crossed the crossbar; noc.Never for none so far
	lastTurn int
}

// refStream is a connection through the crossbar: phits of an entry go out as phits of a packet.
type refStream struct {
	entry   *refEntry
	as      *refPacket
	channel *refChannel
	next    int
	last    bool // takes the phits away instead of copying them
	output  int
}

type refRouter struct {
	id       noc.NodeID
	channels [][]*refChannel // per input port and class
	streams  []*refStream    // per input port: what crosses the crossbar
	crossed  []*refPhit      // per output: what left the crossbar in the last cycle
	wire     []*refPhit      // per input: what is on the link in this cycle
	credits  [][]int         // per output and class; at the local port the interface's
	seen     [][]int         // credits at the start of the cycle
	returned [][]int         // credits that arrive in the next cycle

	lastChannel, lastInput []int
	queues                 [][]*refPacket // per class
	sending                *refPacket
	sent, lastClass        int
	activity               noc.Activity
	links                  []uint64
}

func newReference(g topology.Grid, c Config) *reference {
	m := &reference{g: g, c: c, places: map[[2]int]int{}, wires: map[refWires]noc.Word{}}
	for id := range g.Nodes() {
		r := &refRouter{id: noc.NodeID(id), lastClass: -1, queues: make([][]*refPacket, c.Classes)}
		for range g.Ports() {
			row := make([]*refChannel, c.Classes)
			for i := range row {
				row[i] = &refChannel{tailLeft: noc.Never, lastTurn: -1}
			}
			r.channels = append(r.channels, row)
			full := make([]int, c.Classes)
			for i := range full {
				full[i] = c.slots()
			}
			r.credits = append(r.credits, full)
			r.seen = append(r.seen, slices.Clone(full))
			r.returned = append(r.returned, make([]int, c.Classes))
			r.streams, r.crossed, r.wire = append(r.streams, nil), append(r.crossed, nil), append(r.wire, nil)
			r.lastChannel, r.lastInput = append(r.lastChannel, -1), append(r.lastInput, -1)
			r.links = append(r.links, 0)
		}
		m.routers = append(m.routers, r)
	}
	return m
}

func (m *reference) offer(p noc.Packet) bool {
	r := m.routers[p.Src]
	if len(r.queues[p.Class]) == m.c.SourceQueue {
		return false
	}
	q := &refPacket{tag: p.Tag, src: p.Src, phits: int(p.Phits), class: int(p.Class), offered: m.now}
	for n, ok := p.Dst.Next(0); ok; n, ok = p.Dst.Next(n + 1) {
		q.to = append(q.to, n)
	}
	r.queues[p.Class] = append(r.queues[p.Class], q)
	return true
}

// cycle moves every phit by one stage.
func (m *reference) cycle() {
	for _, r := range m.routers {
		for port := range r.credits {
			for class := range r.credits[port] {
				r.credits[port][class] += r.returned[port][class]
				r.returned[port][class] = 0
			}
			copy(r.seen[port], r.credits[port])
		}
	}
	for _, r := range m.routers {
		m.writeBuffers(r)
	}
	for _, r := range m.routers {
		m.driveLinks(r)
	}
	for _, r := range m.routers {
		m.send(r)
		busy := m.traverse(r)
		m.allocate(r)
		m.routeHeaders(r)
		if !busy {
			r.activity.IdleCycles++
		}
		r.activity.Cycles++
		r.activity.Toggles.Counted = m.content != nil
	}
	m.now++
}

// writeBuffers is BW: what was on the links in the last cycle is in the channels now.
func (m *reference) writeBuffers(r *refRouter) {
	for port, phit := range r.wire {
		if phit == nil {
			continue
		}
		ch := r.channels[port][phit.packet.class]
		if phit.index == 0 {
			ch.entries = append(ch.entries, &refEntry{packet: phit.packet, headWritten: m.now})
			if len(ch.entries) > m.c.slots()+1 { // one may be draining while its slot is refilled
				panic("reference: channel overflow")
			}
		}
		ch.entries[len(ch.entries)-1].written++
		r.activity.BufferWrites[noc.VirtualChannel]++
		r.activity.Toggles.Arrived += m.pass(refWires{r, "port", port}, phit)
		r.activity.Toggles.BufferWrites[noc.VirtualChannel] += m.pass(refWires{ch, "write", 0}, phit)
		r.wire[port] = nil
	}
}

// driveLinks is LT: what left the crossbar in the last cycle is on the links, or consumed.
func (m *reference) driveLinks(r *refRouter) {
	for port, phit := range r.crossed {
		if phit == nil {
			continue
		}
		r.crossed[port] = nil
		p := phit.packet
		if port != topology.Local {
			peer, entry, _ := m.g.Neighbour(r.id, port)
			m.routers[peer].wire[entry] = phit
			r.activity.LinkPhits++
			r.activity.Toggles.Link += m.pass(refWires{r, "link", port}, phit)
			r.links[port]++
			continue
		}
		r.activity.EjectPhits++
		r.activity.Toggles.Eject += m.pass(refWires{r, "link", port}, phit)
		if phit.index == p.phits-1 {
			m.arrived = append(m.arrived, noc.Delivery{Tag: p.tag, Src: p.src, At: r.id, Offered: p.offered,
				Injected: p.injected, Arrived: m.now + 1, Hops: uint16(p.hops), Class: noc.Class(p.class)})
		}
	}
}

// traverse is ST: granted packets move one phit each. It reports whether a phit was in the router at all.
func (m *reference) traverse(r *refRouter) (busy bool) {
	for port := range r.channels {
		for _, ch := range r.channels[port] {
			busy = busy || len(ch.entries) > 0
		}
	}
	for port, s := range r.streams {
		if s == nil {
			continue
		}
		if s.next >= s.entry.written {
			panic("reference: a phit is missing in a stream")
		}
		r.crossed[s.output] = &refPhit{packet: s.as, index: s.next}
		r.activity.Crossbar++
		r.activity.BufferReads[noc.VirtualChannel]++
		r.activity.Toggles.BufferReads[noc.VirtualChannel] += m.pass(refWires{s.channel, "read", 0}, r.crossed[s.output])
		r.activity.Toggles.CrossbarIn += m.pass(refWires{r, "in", port}, r.crossed[s.output])
		r.activity.Toggles.CrossbarOut += m.pass(refWires{r, "out", s.output}, r.crossed[s.output])
		if s.last && s.next == 0 { // the header leaves: its slot's credit goes back
			up, out := r, topology.Local
			if port != topology.Local {
				peer, exit, _ := m.g.Neighbour(r.id, port)
				up, out = m.routers[peer], exit
			}
			up.returned[out][s.as.class]++
		}
		if s.next++; s.next == s.as.phits {
			r.streams[port] = nil
			if s.last {
				s.channel.entries = s.channel.entries[1:]
				s.channel.tailLeft = m.now
			}
		}
	}
	return busy
}

// routeHeaders is RC.
func (m *reference) routeHeaders(r *refRouter) {
	for _, row := range r.channels {
		for _, ch := range row {
			for i, e := range ch.entries {
				if e.routed || e.headWritten >= m.now {
					continue
				}
				if m.c.RouteAfterTail && (i > 0 || ch.tailLeft == m.now) {
					continue
				}
				e.routed, e.routedAt = true, m.now
				for _, to := range e.packet.to {
					if port := m.nextPort(e.packet.src, r.id, to); !slices.Contains(e.branches, port) {
						e.branches = append(e.branches, port)
					}
				}
				r.activity.RouteLookups++
			}
		}
	}
}

// nextPort is dimension order; half way round a ring the parity of the source's coordinate sum decides.
func (m *reference) nextPort(src, at, to noc.NodeID) int {
	sum := 0
	for dim := range m.g.Radix {
		sum += m.g.Coordinate(src, dim)
	}
	for dim := range m.g.Radix {
		hops, tie := m.g.Offset(at, to, dim)
		if tie && sum%2 == 1 {
			hops = -hops
		}
		if hops > 0 {
			return m.g.Port(dim, +1)
		} else if hops < 0 {
			return m.g.Port(dim, -1)
		}
	}
	return topology.Local
}
