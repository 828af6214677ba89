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
	group    []int // transfers that are answered together, or nil
}

// share is a group of reads of the same data.
type share struct {
	members int
	come    []int // transfers whose requests have
}

// sharesOf counts the members of each group.
func sharesOf(p Program) map[int]*share {
	all := map[int]*share{}
	for i := range p.Processes {
		for _, s := range p.Processes[i].Steps {
			if s.Share == 0 {
				continue
			}
			if all[s.Share] == nil {
				all[s.Share] = &share{}
			}
			all[s.Share].members++
		}
	}
	return all
}

// answers is the number of packets that answer a read of some bytes.
func (r *replay) answers(bytes uint32) int {
	return int(max(1, (bytes+r.AnswerBytes-1)/r.AnswerBytes))
}

// deliver takes a packet at its destination.
func (r *replay) deliver(network int, d *noc.Delivery) {
	p := &r.packets[d.Tag]
	r.result.Digest = mix(r.result.Digest ^ (uint64(d.Arrived)<<24 + uint64(network)<<20 + uint64(d.At)))
	id, bytes, back := p.transfer, p.bytes, p.back
	for _, member := range p.group {
		if r.processes[r.transfers[member].process].Node == d.At {
			id = member
		}
	}
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
	s, j := &r.servers[which], job{transfer: id, bytes: bytes, at: d.At}
	if t.share != 0 {
		group := r.shares[t.share]
		if group.come = append(group.come, id); len(group.come) < group.members {
			r.release(which) // it waits for the others
			return
		}
		j.group = group.come
	}
	s.queue = append(s.queue, r.job(j))
	r.serve(which, d.Arrived)
}

// release lets a server take one more request from the network.
func (r *replay) release(which int) {
	if r.servers[which].Places > 0 {
		r.networks[which/r.nodes].FreeSink(noc.NodeID(which%r.nodes), r.Request)
	}
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
	r.release(which)
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
	to := noc.One(r.processes[t.process].Node)
	if j.group != nil {
		to = noc.NewNodeSet(r.nodes)
		for _, member := range j.group {
			to.Add(r.processes[r.transfers[member].process].Node)
		}
	}
	p := packet{transfer: j.transfer, left: to.Count(), back: true, group: j.group}
	if t.kind != Read {
		r.send(p, t.network, j.at, to, 1, r.Answer)
		return
	}
	for left, first := j.bytes, true; left > 0 || first; first = false {
		p.bytes = min(left, r.AnswerBytes)
		left -= p.bytes
		r.send(p, t.network, j.at, to, r.flits(p.bytes), r.Answer)
	}
}
