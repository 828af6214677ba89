package rotary

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
)

// queue is a FIFO over a row of packets.
type queue struct{ head, size uint8 }

// rowsOf is where the packets of some queues are: from there on, with 1<<bits places for each queue.
type rowsOf struct {
	rows *[maxRows]packet
	from uint
	mask uint8
}

func (w rowsOf) at(place uint8) *packet { return &w.rows[(w.from+uint(place&w.mask))&(maxRows-1)] }

func (q *queue) push(w rowsOf, k packet) {
	*w.at(q.head + q.size) = k
	q.size++
}

func (q *queue) pop(w rowsOf) packet {
	k := *w.at(q.head)
	q.head++
	q.size--
	return k
}

// front is the packet at the head of a queue that is not empty.
func (q *queue) front(w rowsOf) packet { return *w.at(q.head) }

// newPacket puts a header into an unused row; a packet has a slot, so there is one.
func (r *router) newPacket(h *header) packet {
	k := r.unused
	to := &r.headers[k]
	r.unused = packet(to.only)
	*to = *h
	return k
}

// drop takes the header of a packet that leaves the router out; it can be read until the next newPacket.
func (r *router) drop(k packet, h *header) {
	h.worm, h.only = fabric.NoWorm, int32(r.unused)
	r.unused = k
}

// The FIFO rows of one lane of a segment, of an input stage, and of one lane of an output stage.

func (n *Network) segmentLane(r *router, s, lane int) rowsOf {
	return rowsOf{r.rows, uint(s*2+lane) << (n.segmentRow & 7), n.segmentMask}
}

func (n *Network) inputLane(r *router, p int) rowsOf {
	return rowsOf{r.rows, n.inputRows + uint(p)<<(n.inputRow&7), n.inputMask}
}

func (n *Network) outputLane(r *router, p, ring int) rowsOf {
	return rowsOf{r.rows, n.outputRows + uint(p*rings+ring)<<(n.outputRow&7), n.outputMask}
}

// furnish gives every router its windows of the arrays.
func (n *Network) furnish() {
	nodes, agendas := len(n.routers), int(n.agendaMask)+1
	places := n.segments*n.segmentSlots + n.ports*(n.inputSlots+rings*n.laneSlots)
	if n.unlimited {
		n.overflow = newOverflow(nodes * n.ports * rings)
		places++ // for a replica between its making and its spill
	}
	rowsEach := int(n.outputRows + uint(n.ports*rings)<<n.outputRow)
	segments, headers := make([]segment, nodes*n.segments+maxSegments), make([]header, nodes*places)
	inputs, outputs := make([]input, nodes*n.ports+maxPorts), make([]output, nodes*n.ports+maxPorts)
	coming, rows := make([]agenda, nodes*agendas+maxAgendas), make([]packet, nodes*rowsEach+maxRows)
	for i := range n.routers {
		r := &n.routers[i]
		r.segment = (*[maxSegments]segment)(segments[i*n.segments:])
		r.input, r.output = (*[maxPorts]input)(inputs[i*n.ports:]), (*[maxPorts]output)(outputs[i*n.ports:])
		r.agenda = (*[maxAgendas]agenda)(coming[i*agendas:])
		r.alarm = n.wheel.Alarm(noc.NodeID(i))
		r.rows = (*[maxRows]packet)(rows[i*rowsEach:])
		r.headers = headers[i*places:][:places:places]
		for k := range r.headers {
			r.headers[k] = header{worm: fabric.NoWorm, only: int32(k + 1)}
		}
	}
}
