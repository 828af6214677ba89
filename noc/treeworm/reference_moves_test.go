package treeworm

import (
	"cmp"
	"slices"

	"github.com/carousel-sim/carousel/noc"
)

// ask queues a header for a resource.
func (r *reference) ask(b *branch, res resource, t noc.Cycle) {
	b.since = t
	if b.parent != nil {
		b.key = b.parent.router*2*r.m.Arity + b.parent.in
	}
	if res.kind == "token" || res.kind == "local" {
		b.key = b.router*2*r.m.Arity + b.in
	}
	r.queues[res] = append(r.queues[res], b)
	slices.SortFunc(r.queues[res], func(a, b *branch) int { return cmp.Or(cmp.Compare(a.since, b.since), cmp.Compare(a.key, b.key)) })
}

// decide is what a header does that is ready behind b.
func (r *reference) decide(b *branch, t noc.Cycle) {
	b.asked = true
	r.activity[b.router].RouteLookups++
	if len(b.children) > 1 && r.c.Tokens {
		if g := r.groups.Of(noc.NodeID(b.router)); g >= 0 {
			r.ask(b, resource{kind: "token", number: int(g)}, t)
			return
		}
		if r.m.Bidirectional && b.parent == nil && r.c.LocalTokens {
			r.ask(b, resource{kind: "local", number: b.router}, t)
			return
		}
	}
	r.branches(b, t)
}

func (r *reference) branches(b *branch, t noc.Cycle) {
	b.split = true
	if len(b.children) > 1 {
		r.activity[b.router].Replications += uint64(len(b.children) - 1)
	}
	for _, c := range b.children {
		switch {
		case c.leaf >= 0:
			r.ask(c, resource{kind: "eject", number: c.leaf}, t)
		case c.out < 0:
			r.ask(c, resource{kind: "up", number: b.router}, t)
		default:
			r.ask(c, resource{kind: "out", number: b.router, member: c.out}, t)
		}
	}
}

// tokens gives free tokens, and lets headers go on to which one has come.
func (r *reference) tokens(t noc.Cycle) {
	for res, queue := range r.queues {
		if (res.kind != "token" && res.kind != "local") || len(queue) == 0 || r.busy[res] != 0 {
			continue
		}
		b := queue[0]
		r.queues[res] = queue[1:]
		r.busy[res] = noc.Never
		b.token = &res
		size := 1
		if res.kind == "token" {
			size = int(r.groups.Size(int32(res.number)))
		}
		b.comes = t
		if size > 1 {
			b.comes += noc.Cycle((size*r.c.TokenHop + 1) / 2)
		}
	}
	for _, w := range r.worms {
		for _, b := range w.all {
			if b.token != nil && !b.split && b.comes == t {
				r.branches(b, t)
			}
		}
	}
}

// outputs gives free channels to the oldest requests.
func (r *reference) outputs(t noc.Cycle) {
	for res, queue := range r.queues {
		members := 1
		switch res.kind {
		case "token", "local":
			continue
		case "up":
			members = r.m.Arity
		case "eject":
			members = r.c.Consumption
		}
		var left []*branch
		granted, router, asking := 0, 0, len(queue)
		for len(queue) > 0 {
			b := r.first(res, &queue)
			member := 0
			one := func() resource { return resource{res.kind, res.number, res.member + member} }
			for member < members && r.busy[one()] != 0 {
				member++
			}
			ordered := b.of.plan.Ordered
			if member == members || res.kind == "up" && member > 0 && (ordered || !r.c.Adaptive) ||
				res.kind == "eject" && !r.Sinks.Room(noc.NodeID(b.leaf), b.of.plan.Class) {
				left = append(left, b)
				continue
			}
			queue = append(queue, left...) // in turn again
			left = nil
			r.served[res] = b.key
			b.has = one()
			r.busy[b.has] = noc.Never
			router = r.header(b, t)
			granted++
		}
		if granted > 0 {
			r.activity[router].ArbRequests[noc.SwitchOutput] += uint64(asking)
			r.activity[router].ArbGrants[noc.SwitchOutput] += uint64(granted)
		}
		r.queues[res] = left
	}
}

// first takes the header out of a queue that an output serves next.
func (r *reference) first(res resource, queue *[]*branch) *branch {
	chosen := 0
	if last, ok := r.served[res]; ok && r.c.Arbitration == RoundRobin {
		after := slices.Clone(*queue)
		slices.SortFunc(after, func(a, b *branch) int {
			return cmp.Or(cmp.Compare(btoi(a.key <= last), btoi(b.key <= last)), cmp.Compare(a.key, b.key))
		})
		chosen = slices.Index(*queue, after[0])
	} else if r.c.Arbitration == RoundRobin {
		chosen = slices.Index(*queue, slices.MinFunc(*queue, func(a, b *branch) int { return cmp.Compare(a.key, b.key) }))
	} else {
		chosen = slices.Index(*queue, slices.MinFunc(*queue, func(a, b *branch) int {
			return cmp.Or(cmp.Compare(a.since, b.since), cmp.Compare(a.key, b.key))
		}))
	}
	b := (*queue)[chosen]
	*queue = slices.Delete(slices.Clone(*queue), chosen, chosen+1)
	return b
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// header lets a header cross, and returns the switch that arbitrated.
func (r *reference) header(b *branch, t noc.Cycle) int {
	w := b.of
	flits := uint64(w.flits)
	b.x = append(b.x, t)
	b.ready = t + 1 + noc.Cycle(r.c.RouteCycles)
	from := -1
	if b.parent != nil {
		from = b.parent.router
		if b == b.parent.children[0] {
			r.activity[from].BufferReads[noc.VirtualChannel] += flits
		}
	} else {
		r.Dispatch.Leaves(w.id, t)
	}
	switch {
	case b.leaf >= 0:
		if from < 0 {
			from = int(r.m.Wiring().Exit[b.leaf].Router)
		}
		r.activity[from].EjectPhits += flits
		r.activity[from].Crossbar += flits
		if b.parent == nil {
			r.activity[from].InjectPhits += flits
		}
		r.Sinks.Reserve(noc.NodeID(b.leaf), w.plan.Class)
		return from
	case b.parent == nil:
		r.activity[b.router].InjectPhits += flits
		r.activity[b.router].BufferWrites[noc.VirtualChannel] += flits
		return b.router
	}
	port := b.has.member
	if b.out < 0 {
		port += r.m.Arity
	}
	next, in, _ := r.m.Step(noc.NodeID(from), port)
	b.router, b.in = int(next), in
	r.links[[2]int{from, port}] += flits
	r.activity[from].Crossbar += flits
	r.activity[from].LinkPhits += flits
	r.activity[b.router].BufferWrites[noc.VirtualChannel] += flits
	return from
}

// move lets the next flit cross into a position if it can.
func (r *reference) move(b *branch, t noc.Cycle) bool {
	i := len(b.x)
	if i == 0 || i == b.of.flits || b.x[i-1] == t {
		return false
	}
	if p := b.parent; p != nil && (len(p.x) <= i || p.x[i] == t) {
		return false
	}
	if before := i - r.c.BufferPhits; b.leaf < 0 && before >= 0 {
		for _, c := range b.children {
			if len(c.x) <= before {
				return false
			}
		}
	}
	b.x = append(b.x, t)
	return true
}

// leave ends the cycle: what tails and headers leave is free in the next one.
func (r *reference) leave(t noc.Cycle) {
	busy := make([]bool, len(r.activity))
	for _, w := range r.worms {
		if !w.closed && len(w.root.x) == w.flits {
			w.closed = true
			r.busy[resource{"port", int(w.plan.From), int(w.plan.Port)}] = t + 1
		}
		for _, b := range w.all {
			if b.leaf < 0 && !b.left && len(b.x) > 0 && b.x[0] < t {
				busy[b.router] = true
			}
			if b.token != nil && r.gives(b) {
				r.busy[*b.token] = t + 1
				b.token = nil
			}
			if b.left || len(b.x) == 0 {
				continue
			}
			b.left = len(b.x) == w.flits
			for _, c := range b.children {
				b.left = b.left && len(c.x) == w.flits
			}
			if b.left {
				r.busy[b.has] = t + 1
			}
			if b.left && b.leaf >= 0 {
				r.Dispatch.Tail(w.id, noc.NodeID(b.leaf), int32(max(0, b.depth-2)), t, t+1)
			}
		}
	}
	for res, until := range r.busy {
		if res.kind == "port" && until == t+1 {
			r.Dispatch.FreePort(noc.NodeID(res.number), int32(res.member))
			delete(r.busy, res)
		}
	}
	r.worms = slices.DeleteFunc(r.worms, func(w *tree) bool {
		for _, b := range w.all {
			if !b.left {
				return false
			}
		}
		r.Dispatch.End(w.id)
		return true
	})
	for i := range r.activity {
		r.activity[i].Cycles++
		if !busy[i] {
			r.activity[i].IdleCycles++
		}
	}
}

// gives reports whether a token is not needed any more.
func (r *reference) gives(b *branch) bool {
	var arrived func(*branch) bool
	arrived = func(b *branch) bool {
		return len(b.x) > 0 && !slices.ContainsFunc(b.children, func(c *branch) bool { return !arrived(c) })
	}
	enough := r.c.BufferPhits * (r.m.Stages - b.stage)
	if r.m.Bidirectional {
		enough = r.c.BufferPhits * (b.stage + 1)
	}
	if r.c.Release == Headers || b.of.flits <= enough {
		return arrived(b)
	}
	for _, c := range b.children {
		if len(c.x) <= enough {
			return false
		}
	}
	if !arrived(b) {
		panic("enough flits have been forwarded, and a header has not arrived")
	}
	return true
}

// Buffered is the number of flits in buffers.
func (r *reference) Buffered() (sum uint64) {
	for _, w := range r.worms {
		for _, b := range w.all {
			if b.leaf >= 0 {
				continue
			}
			gone := w.flits
			for _, c := range b.children {
				gone = min(gone, len(c.x))
			}
			sum += uint64(len(b.x) - gone)
		}
	}
	return sum
}

// Activity appends the counters of every switch, LinkPhits tells the flits of a link.
func (r *reference) Activity(into []noc.Activity) []noc.Activity { return append(into, r.activity...) }
func (r *reference) LinkPhits(from noc.NodeID, port uint8) uint64 {
	return r.links[[2]int{int(from), int(port)}]
}

// FreeSink gives back a place of a bounded sink.
func (r *reference) FreeSink(node noc.NodeID, class noc.Class) { r.Sinks.Release(node, class) }
