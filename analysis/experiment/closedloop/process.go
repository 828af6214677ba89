package closedloop

import (
	"github.com/carousel-sim/carousel/noc"
)

// process is a processor under way.
type process struct {
	*Process
	next        int   // step
	outstanding []int // transfers that may not be complete
	open        int   // waits that have begun and not ended
	waits       []Wait
}

// openWait is a wait that has begun.
type openWait struct {
	process, index int // in waits
	left           int // transfers
}

// start makes a process wait for its first step.
func (r *replay) start(p *Process) {
	i := len(r.processes)
	r.processes = append(r.processes, process{Process: p})
	r.follow(i, p.Start)
}

// follow makes a process take its next step, if there is one, when the one before it has ended.
func (r *replay) follow(i int, ended noc.Cycle) {
	p := &r.processes[i]
	r.result.Cycles = max(r.result.Cycles, ended)
	if p.next == len(p.Steps) {
		return
	}
	s, at := &p.Steps[p.next], noc.Cycle(0)
	if r.Open {
		at = max(s.At, ended)
	} else {
		at = ended + s.After
	}
	r.calendar.Add(at, func(now noc.Cycle) { r.advance(i, now) })
}

// advance takes the next step of a process.
func (r *replay) advance(i int, now noc.Cycle) {
	p := &r.processes[i]
	s := &p.Steps[p.next]
	p.next++
	switch {
	case s.Kind.Waits():
		r.await(i, s, now)
		if !r.Open {
			return // it goes on when the wait is over
		}
	case s.Kind != Pause:
		r.issue(i, s, now)
	}
	r.follow(i, now)
}

// issue sends the packets of a transfer.
func (r *replay) issue(i int, s *Step, now noc.Cycle) {
	p := &r.processes[i]
	id, to, members := len(r.transfers), noc.One(s.Peer), 1
	if s.Kind == Multicast {
		to, members = s.Set, s.Set.Count()
	}
	t := transfer{process: i, kind: s.Kind, network: s.Network, posted: s.Posted, began: now}
	for left, first := s.Bytes, true; left > 0 || first; first = false {
		bytes := min(left, r.PacketBytes)
		left -= bytes
		flits := uint16(1)
		if s.Kind == Write || s.Kind == Multicast {
			flits = r.flits(bytes)
		}
		t.arrivals += members
		switch {
		case s.Kind == Read:
			t.answers++
		case !s.Posted:
			t.answers += members
		}
		r.send(packet{transfer: id, bytes: bytes, left: members}, s.Network, p.Node, to, flits, r.Request)
	}
	r.transfers = append(r.transfers, t)
	p.outstanding = append(p.outstanding, id)
}

// await begins a wait for the outstanding transfers of its kind and network.
func (r *replay) await(i int, s *Step, now noc.Cycle) {
	p := &r.processes[i]
	w := &openWait{process: i, index: len(p.waits)}
	p.waits = append(p.waits, Wait{Process: i, Step: p.next - 1, Start: now})
	p.open++
	kept := p.outstanding[:0]
	for _, id := range p.outstanding {
		t := &r.transfers[id]
		if t.arrivals+t.answers == 0 {
			continue
		}
		kept = append(kept, id)
		switch {
		case !s.awaits(t.kind, t.network):
		case s.Kind == AwaitSent && t.arrivals > 0:
			t.untilSent = append(t.untilSent, w)
			w.left++
		case s.Kind != AwaitSent && t.answers > 0:
			t.untilAnswered = append(t.untilAnswered, w)
			w.left++
		}
	}
	p.outstanding = kept
	if w.left == 0 {
		r.pass(w, now+r.LeastWait)
	}
}

// pass ends a wait.
func (r *replay) pass(w *openWait, end noc.Cycle) {
	p := &r.processes[w.process]
	p.open--
	p.waits[w.index].End = end
	r.result.Cycles = max(r.result.Cycles, end)
	if !r.Open {
		r.follow(w.process, end)
	}
}

// proceed ends waits that were for one more transfer, which has arrived or been answered.
func (r *replay) proceed(waits []*openWait, now noc.Cycle) {
	for _, w := range waits {
		if w.left--; w.left == 0 {
			r.pass(w, max(now+r.Poll, r.processes[w.process].waits[w.index].Start+r.LeastWait))
		}
	}
}
