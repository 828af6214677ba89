package closedloop

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/queue"
	"github.com/carousel-sim/carousel/noc/leaf/random"
)

// server is a node's side of one network that answers requests.
type server struct {
	Server
	queue queue.FIFO[noc.Tag] // jobs
	busy  bool
	// Jobs begun, and those whose answers the network has taken.
	begun, sent uint64
	// The server has finished the work or the use of the memory, but is blocked.
	late, holds bool
}

// memory is that of a node, which its servers use one at a time.
type memory struct {
	busy    bool
	waiting queue.FIFO[func(now noc.Cycle)] // uses: by a server for its next job, or for data that have come
}

// job is one request at a server.
type job struct {
	transfer int
	bytes    uint32
	server   int
}

// Take implements [traffic.Source]: it takes a packet at its destination.
func (r *replay) Take(network int, d *noc.Delivery) {
	p := r.packets.At(d.Tag)
	r.result.Digest = random.Mix(r.result.Digest ^ (uint64(d.Arrived)<<24 + uint64(network)<<20 + uint64(d.At)))
	id, bytes, back, node := p.transfer, p.bytes, p.back, int(d.At)
	if p.left--; p.left == 0 {
		r.packets.Free(d.Tag)
	}
	t := &r.transfers[id]
	if back {
		r.claim(node, func(now noc.Cycle) { r.store(node, id, bytes, now) }, d.Arrived)
		return
	}
	if t.arrivals--; t.arrivals == 0 {
		r.proceed(t.untilSent, d.Arrived)
	}
	which := network*r.nodes + node
	s := &r.servers[which]
	number, j := r.jobs.New()
	*j = job{transfer: id, bytes: bytes, server: which}
	s.queue.Push(number)
	r.serve(which, d.Arrived)
}

// serve begins the next job of a server that is not busy, once the node's memory is free.
func (r *replay) serve(which int, now noc.Cycle) {
	s := &r.servers[which]
	if s.busy || s.queue.Len() == 0 {
		return
	}
	s.busy = true
	r.claim(which%r.nodes, func(now noc.Cycle) { r.begin(which, now) }, now)
}

// claim uses a node's memory when it is free.
func (r *replay) claim(node int, use func(now noc.Cycle), now noc.Cycle) {
	m := &r.memories[node]
	if m.busy {
		m.waiting.Push(use)
		return
	}
	m.busy = r.servers[node].MemoryPerKiB > 0
	use(now)
}

// store puts data that answer a transfer into a node's memory.
func (r *replay) store(node, id int, bytes uint32, now noc.Cycle) {
	t := &r.transfers[id]
	if t.answers--; t.answers == 0 {
		if t.kind == Read {
			r.result.Reads++
			r.result.Latency += uint64(now - t.began)
		}
		r.proceed(t.untilAnswered, now)
	}
	if s := &r.servers[node]; s.MemoryPerKiB > 0 {
		r.calendar.Add(now+s.remembered(bytes), func(now noc.Cycle) { r.nextClaim(node, now) })
	}
}

// nextClaim gives a node's memory to the next claim.
func (r *replay) nextClaim(node int, now noc.Cycle) {
	m := &r.memories[node]
	if m.waiting.Len() == 0 {
		m.busy = false
		return
	}
	m.waiting.Pop()(now)
}

// begin takes the next job of a server.
func (r *replay) begin(which int, now noc.Cycle) {
	s := &r.servers[which]
	next := s.queue.Pop()
	s.begun++
	bytes := r.jobs.At(next).bytes
	r.calendar.Add(now+s.Latency, func(now noc.Cycle) { r.answer(next, now) })
	r.calendar.Add(now+s.occupied(bytes), func(now noc.Cycle) { r.finish(which, now) })
	if s.MemoryPerKiB > 0 {
		r.calendar.Add(now+s.remembered(bytes), func(now noc.Cycle) { r.release(which, now) })
	}
}

// blocked reports whether the answer before the one that a server works at has not left it.
func (s *server) blocked() bool { return s.begun-s.sent > 1 }

// finish ends a server's work at a request, unless it is blocked.
func (r *replay) finish(which int, now noc.Cycle) {
	s := &r.servers[which]
	if s.late = s.blocked(); s.late {
		return
	}
	s.busy = false
	r.takeAnother(which)
	r.serve(which, now)
}

// release frees a node's memory, unless the server that holds it is blocked.
func (r *replay) release(which int, now noc.Cycle) {
	s := &r.servers[which]
	if s.holds = s.blocked(); s.holds {
		return
	}
	r.nextClaim(which%r.nodes, now)
}

// left notes that the network has taken the last packet of a job's answer, and lets a server go on
// that was blocked by it.
func (r *replay) left(i noc.Tag, now noc.Cycle) {
	j := r.jobs.At(i)
	r.jobs.Free(i)
	s := &r.servers[j.server]
	s.sent++
	if s.holds {
		r.release(j.server, now)
	}
	if s.late {
		r.finish(j.server, now)
	}
}

// takeAnother lets a server take one more request from the network.
func (r *replay) takeAnother(which int) {
	if r.servers[which].Places > 0 {
		r.networks[which/r.nodes].FreeSink(noc.NodeID(which%r.nodes), r.Request)
	}
}

// answer sends the answer of a job, if a process waits for one.
func (r *replay) answer(i noc.Tag, now noc.Cycle) {
	j := r.jobs.At(i)
	t := &r.transfers[j.transfer]
	if t.posted && t.kind != Read {
		r.left(i, now)
		return
	}
	to := noc.One(r.processes[t.process].Node)
	at := noc.NodeID(j.server % r.nodes)
	p := packet{transfer: j.transfer, left: 1, back: true, job: i}
	if t.kind != Read {
		r.send(p, t.network, at, to, 1, r.Answer)
		return
	}
	p.bytes = j.bytes
	r.send(p, t.network, at, to, r.flits(p.bytes), r.Answer)
}
