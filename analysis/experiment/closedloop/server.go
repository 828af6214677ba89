package closedloop

import "github.com/carousel-sim/carousel/noc"

// server is a node's side of one network that answers requests.
type server struct {
	Server
	queue []int // jobs
	busy  bool
}

// job is one request at a server.
type job struct {
	transfer int
	bytes    uint32
	at       noc.NodeID
}

// deliver takes a packet at its destination.
func (r *replay) deliver(network int, d *noc.Delivery) {
	p := &r.packets[d.Tag]
	r.result.Digest = mix(r.result.Digest ^ (uint64(d.Arrived)<<24 + uint64(network)<<20 + uint64(d.At)))
	id, bytes, back := p.transfer, p.bytes, p.back
	if p.left--; p.left == 0 {
		r.free = append(r.free, d.Tag)
	}
	t := &r.transfers[id]
	if back {
		if t.answers--; t.answers == 0 {
			if t.kind == Read {
				r.result.Reads++
				r.result.Latency += uint64(d.Arrived - t.began)
			}
			r.progress(id, true, d.Arrived)
		}
		return
	}
	if t.arrivals--; t.arrivals == 0 {
		r.progress(id, false, d.Arrived)
	}
	which := network*r.nodes + int(d.At)
	s := &r.servers[which]
	s.queue = append(s.queue, r.job(job{id, bytes, d.At}))
	r.serve(which, d.Arrived)
}

// job is the number of a new job.
func (r *replay) job(j job) int {
	if last := len(r.idle) - 1; last >= 0 {
		i := r.idle[last]
		r.idle = r.idle[:last]
		r.jobs[i] = j
		return i
	}
	r.jobs = append(r.jobs, j)
	return len(r.jobs) - 1
}

// serve begins the next job of a server that is not busy.
func (r *replay) serve(which int, now noc.Cycle) {
	s := &r.servers[which]
	if !s.busy && len(s.queue) > 0 {
		s.busy = true
		r.begin(which, now)
	}
}

// begin takes the next job of a server, once the node's memory is free.
func (r *replay) begin(which int, now noc.Cycle) {
	s := &r.servers[which]
	memory := &r.memories[which%r.nodes]
	if *memory > now {
		r.calendar.add(*memory, begin, which)
		return
	}
	next := s.queue[0]
	s.queue = append(s.queue[:0], s.queue[1:]...)
	*memory = now + s.remembered(r.jobs[next].bytes)
	r.calendar.add(now+s.Latency, answer, next)
	r.calendar.add(now+s.occupied(r.jobs[next].bytes), finish, which)
}

// finish ends a server's work at a request.
func (r *replay) finish(which int, now noc.Cycle) {
	s := &r.servers[which]
	s.busy = false
	if s.Places > 0 {
		r.networks[which/r.nodes].FreeSink(noc.NodeID(which%r.nodes), r.Request)
	}
	r.serve(which, now)
}

// answer sends the answer of a job, if anybody waits for one.
func (r *replay) answer(i int) {
	j := r.jobs[i]
	r.idle = append(r.idle, i)
	t := &r.transfers[j.transfer]
	if t.posted && t.kind != Read {
		return
	}
	flits := uint16(1)
	if t.kind == Read {
		flits = r.flits(j.bytes)
	}
	to := r.processes[t.process].Node
	r.send(packet{transfer: j.transfer, bytes: j.bytes, left: 1, back: true}, t.network, j.at, noc.One(to), flits, r.Answer)
}
