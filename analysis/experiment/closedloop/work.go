package closedloop

import "github.com/carousel-sim/carousel/noc"

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

// serve begins the next job of a server that is not busy, once the node's memory is free.
func (r *replay) serve(which int, now noc.Cycle) {
	s := &r.servers[which]
	if s.busy || s.queue.Len() == 0 {
		return
	}
	s.busy = true
	r.claim(which%r.nodes, claim{server: which}, now)
}

// claim uses a node's memory when it is free.
func (r *replay) claim(node int, c claim, now noc.Cycle) {
	m := &r.memories[node]
	if m.busy {
		m.waiting.Push(c)
		return
	}
	m.busy = r.servers[node].MemoryPerKiB > 0
	r.grant(node, c, now)
}

// grant gives a node's memory to the server or transfer that claims it.
func (r *replay) grant(node int, c claim, now noc.Cycle) {
	if c.server != none {
		r.begin(c.server, now)
		return
	}
	t := &r.transfers[c.transfer]
	if t.answers--; t.answers == 0 {
		if t.kind == Read {
			r.result.Reads++
			r.result.Latency += uint64(now - t.began)
		}
		r.progress(c.transfer, true, now)
	}
	if s := &r.servers[node]; s.MemoryPerKiB > 0 {
		r.calendar.add(now+s.remembered(c.bytes), written, node)
	}
}

// nextClaim gives a node's memory to the next claim.
func (r *replay) nextClaim(node int, now noc.Cycle) {
	m := &r.memories[node]
	if m.waiting.Len() == 0 {
		m.busy = false
		return
	}
	r.grant(node, m.waiting.Pop(), now)
}

// begin takes the next job of a server.
func (r *replay) begin(which int, now noc.Cycle) {
	s := &r.servers[which]
	next := s.queue.Pop()
	s.begun++
	bytes := r.jobs[next].bytes
	r.calendar.add(now+s.Latency, answer, next)
	r.calendar.add(now+s.occupied(bytes), finish, which)
	if s.MemoryPerKiB > 0 {
		r.calendar.add(now+s.remembered(bytes), release, which)
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
func (r *replay) left(i int, now noc.Cycle) {
	j := &r.jobs[i]
	r.idle = append(r.idle, i)
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
func (r *replay) answer(i int, now noc.Cycle) {
	j := &r.jobs[i]
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
