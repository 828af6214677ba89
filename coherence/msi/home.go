package msi

import (
	"github.com/carousel-sim/carousel/cache"
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/coherence/controller"
	"github.com/carousel-sim/carousel/noc"
)

// bank is the controller of one bank of the L2, the home of its blocks. It holds every block that
// an L1 holds.
type bank struct {
	controller.Agent
	p       *Protocol
	array   cache.Array
	homes   []home // by frame
	request coherence.Message
	waiting bool // the request has been taken, cannot be served yet, and keeps others out
	recheck bool // something has ended since it was tried last
}

// home is what a bank knows of a block in a frame.
type home struct {
	version  coherence.Version
	sharers  noc.NodeSet // L1s that may have a copy, or those whose answers are collected
	core     uint16      // whose request is served
	acks     int16       // answers to come
	state    uint8
	kind     uint8          // of the request that is served
	supplier coherence.Role // who had the data for it; a statistic
	leaving  bool           // no request is served: the frame is needed
	dirty    bool           // the data here differs from memory
	lent     bool           // an L1 has the only current copy, or it is on its way here
}

// NewBank returns the controller of a bank.
func (p *Protocol) NewBank(index int) coherence.Controller {
	k := &bank{Agent: controller.NewAgent(&p.Chip, coherence.Bank, index), p: p, array: p.NewBankArray()}
	k.homes = make([]home, k.array.Frames())
	for f := range k.homes {
		k.homes[f].sharers = noc.NewNodeSet(p.Cores)
	}
	return k
}

// at returns a block's frame, or none, and its state.
func (k *bank) at(b coherence.Block) (f int32, state uint8) {
	if f = k.array.Find(uint32(b)); f == none {
		return none, homeNP
	}
	return f, k.homes[f].state
}

// Accept processes a message. One request may have to wait here, and then no further one is taken;
// everything else belongs to a request that is served.
func (k *bank) Accept(m coherence.Message, now noc.Cycle, out *coherence.Effects) bool {
	k.Now = now
	if m.Class == Request {
		if k.waiting || !roomy(out) {
			return false
		}
		if !k.serve(&m, out) {
			_, s := k.at(m.Block)
			k.Took(m.Block, s, homeWait)
			k.request, k.waiting, k.recheck = m, true, false
		}
		return true
	}
	if m.Class == Answer && out.Room[Response] < 1 {
		return false
	}
	f, s := k.at(m.Block)
	switch m.Kind {
	case PutM, Ack, AckData:
		k.takeAnswer(&m, f, s, out)
	case MemData:
		k.Took(m.Block, s, homeMemData)
		k.homes[f].version, k.homes[f].supplier = m.Version, coherence.Memory
		k.grant(f, out)
	case MemAck:
		if k.p.Seeded == skipAck {
			return true
		}
		k.Took(m.Block, s, homeMemAck)
		k.end(f, homeNP)
	case Done:
		k.Took(m.Block, s, homeDone)
		k.done(f)
	default:
		k.Fail(m.Block, "kind %d is not for a bank", m.Kind)
	}
	return true
}

// roomy reports whether there is room for whatever a request may make the bank send.
func roomy(out *coherence.Effects) bool {
	return out.Room[Forward] > 0 && out.Room[ToMemory] > 0 && out.Room[Response] > 0
}

// serve begins to serve a request. It returns false when the block is busy or no frame is free; it
// may have begun to empty one then.
func (k *bank) serve(m *coherence.Message, out *coherence.Effects) bool {
	f, s := k.at(m.Block)
	if s > homeM {
		return false
	}
	if s == homeNP {
		if f = k.reserve(m.Block, out); f == none {
			return false
		}
	}
	e, as := homeGetS, coherence.Load
	if m.Kind == GetM {
		e, as = homeGetM, coherence.Store
	}
	k.Took(m.Block, s, e)
	k.array.Touch(f)
	h := &k.homes[f]
	h.core, h.kind, h.supplier = m.Requestor, m.Kind, coherence.Bank
	k.Served(as, s != homeNP)
	if s == homeNP {
		h.state = homeFill
		k.Send(out, message(MemRd, m.Block, 0, 0), k.MemoryOf(m.Block))
		return true
	}
	if s == homeS && m.Kind == GetM {
		h.sharers.Remove(noc.NodeID(m.Requestor)) // it has given its copy up
	}
	if h.sharers.Empty() || s == homeS && m.Kind == GetS || k.p.Seeded == answerEarly && m.Kind == GetS {
		k.grant(f, out)
	} else {
		k.collect(f, out)
	}
	return true
}

// collect asks all sharers to forget the block. The message refers to the set, which stays as it is
// until all have answered.
func (k *bank) collect(f int32, out *coherence.Effects) {
	h := &k.homes[f]
	h.state, h.acks = homeCollect, int16(h.sharers.Count())
	k.Emit(out, coherence.Send{Message: message(Inv, coherence.Block(k.array.Block(f)), 0, h.core), Many: true, Caches: h.sharers})
}

// takeAnswer takes an answer to Inv, or a PutM. Either may come first when they cross: an owner that
// has evicted the block answers without data.
func (k *bank) takeAnswer(m *coherence.Message, f int32, s uint8, out *coherence.Effects) {
	e := homeAck
	if m.Kind == PutM {
		e = homePutM
	}
	k.Took(m.Block, s, e)
	h := &k.homes[f]
	if m.Has(coherence.HasData) {
		h.version, h.dirty, h.lent, h.supplier = m.Version, k.p.Seeded != forgetDirty, false, coherence.Cache
	}
	if m.Kind != PutM {
		h.acks--
	}
	switch {
	case s == homeM:
		h.sharers.Clear()
		k.end(f, homeV)
	case s == homeGrant || (h.acks > 0 && k.p.Seeded != grantEarly) || h.lent:
		// The Done, or another answer, is to come.
	case h.leaving:
		h.sharers.Clear()
		k.end(f, homeV)
	default:
		h.sharers.Clear()
		k.grant(f, out)
	}
}

// grant sends the block to the core that is served. The block stays busy until the core has it, so
// that no invalidation can overtake the data.
func (k *bank) grant(f int32, out *coherence.Effects) {
	h := &k.homes[f]
	kind := DataS
	if h.kind == GetM {
		kind, h.lent = DataM, true
	}
	if kind == DataM || k.p.Seeded != forgetReader {
		h.sharers.Add(noc.NodeID(h.core))
	}
	m := message(kind, coherence.Block(k.array.Block(f)), h.version, h.core)
	m.Count = int16(h.supplier)
	h.state = homeGrant
	k.Send(out, m, controller.CacheOf(h.core))
}

// done ends the service of a request. A new owner may have evicted the block by now.
func (k *bank) done(f int32) {
	h := &k.homes[f]
	switch {
	case h.kind == GetS:
		k.end(f, homeS)
	case h.lent:
		k.end(f, homeM)
	default:
		h.sharers.Clear()
		k.end(f, homeV)
	}
}

// end leaves a block in an idle state; NP frees the frame.
func (k *bank) end(f int32, state uint8) {
	h := &k.homes[f]
	*h = home{version: h.version, sharers: h.sharers, dirty: h.dirty, lent: h.lent, state: state}
	if state == homeNP {
		k.array.Release(f)
	}
	k.recheck = true
}

// reserve returns an empty frame for a block, or begins to empty one and returns none.
func (k *bank) reserve(b coherence.Block, out *coherence.Effects) int32 {
	f := controller.ReserveHome(&k.array, b, func(f int32) (busy, leaving bool) {
		h := &k.homes[f]
		return h.state > homeM, h.leaving || h.state == homeWrite
	}, func(f int32) bool { return k.evict(f, out) })
	if f != none {
		k.homes[f].dirty = false
	}
	return f
}

// evict gives a block up. It returns false when L1s or memory must be told first.
func (k *bank) evict(f int32, out *coherence.Effects) bool {
	h := &k.homes[f]
	b := coherence.Block(k.array.Block(f))
	k.Took(b, h.state, homeVictim)
	k.Count.Evictions++
	switch {
	case h.state == homeV && !h.dirty || h.state == homeS && k.p.Seeded == forgetSharers:
		h.sharers.Clear()
		k.end(f, homeNP)
		return true
	case h.state == homeV:
		h.state = homeWrite
		k.Send(out, message(MemWr, b, h.version, 0), k.MemoryOf(b))
		if k.p.Seeded == skipAck {
			k.end(f, homeNP)
		}
	default:
		h.leaving = true
		k.collect(f, out)
	}
	return false
}

// Full reports whether no more requests can wait.
func (k *bank) Full() bool { return k.waiting }

// HasDeferred reports whether the waiting request may be served now.
func (k *bank) HasDeferred() bool { return k.waiting && k.recheck }

// Continue tries to serve the waiting request.
func (k *bank) Continue(now noc.Cycle, out *coherence.Effects) {
	k.Now = now
	if k.HasDeferred() && roomy(out) {
		k.recheck = false
		k.waiting = !k.serve(&k.request, out)
	}
}
