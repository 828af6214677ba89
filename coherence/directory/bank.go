package directory

import (
	"slices"

	"github.com/carousel-sim/carousel/cache"
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/coherence/controller"
	"github.com/carousel-sim/carousel/noc"
)

// bank is the controller of one bank of the L2, which holds every block that any L1 holds, with its
// part of the directory.
type bank struct {
	controller.Agent
	p            *Protocol
	array        cache.Array
	lines        []home
	more         []uint64 // per line: the sharers among the other cores, 64 to a word
	words        int      // of them per line
	transactions []transaction
	open         int // transactions in use
	unsent       int // transactions whose write to memory waits for room
	stalled      []stalled
	starved      int  // stalled requests that lack a transaction or a frame
	recheck      bool // a stalled request may be able to go on
}

// home is a bank's copy of a block and what it knows of the L1s' copies. It has no pointers: homes are most of the
// memory of a chip.
type home struct {
	version coherence.Version
	low     uint64 // the sharers among the first 64 cores; see bank.sharers
	owner   uint16 // in X, and from the request that makes it owner
	busy    int16  // transaction, or none
	state   uint8
	dirty   bool // the data differs from memory
}

// transaction is what a bank keeps of a busy block.
type transaction struct {
	block     coherence.Block
	frame     int32 // none when free
	core      uint16
	kind      uint8 // of the request
	acks      int16 // acknowledgements to come, in a recall
	unblocked bool
	returned  bool // the owner's answer to FwdS has come
	unsent    bool // the write to memory waits for room
	// informed are the receivers of an invalidation. The message refers to this set; the
	// transaction outlives it, because every one of them acknowledges.
	informed noc.NodeSet
}

// stalled is a request that waits.
type stalled struct {
	coherence.Message
	starved bool
}

// NewBank returns the controller of a bank of the L2 and its part of the directory.
func (p *Protocol) NewBank(index int) coherence.Controller {
	k := &bank{Agent: controller.NewAgent(&p.Chip, coherence.Bank, index), p: p, array: p.NewBankArray()}
	k.lines = make([]home, k.array.Frames())
	k.transactions = make([]transaction, p.config.Transactions)
	k.words = noc.SetWords(p.Cores) - 1
	k.more = make([]uint64, k.words*len(k.lines))
	for f := range k.lines {
		k.lines[f].busy = none
	}
	for i := range k.transactions {
		k.transactions[i] = transaction{frame: none, informed: noc.NewNodeSet(p.Cores)}
	}
	k.stalled = make([]stalled, 0, p.config.StallQueue)
	return k
}

// sharers returns the sharers of the block in a frame: some in S and while a reader joins the owner, none in V and X.
// Who changes the set calls setSharers with it.
func (k *bank) sharers(f int32) noc.NodeSet {
	return noc.NodeSet{Low: k.lines[f].low, More: k.more[int(f)*k.words : (int(f)+1)*k.words]}
}

func (k *bank) setSharers(f int32, s noc.NodeSet) { k.lines[f].low = s.Low } // the other words are the bank's

func (k *bank) addSharer(f int32, core uint16) {
	s := k.sharers(f)
	s.Add(noc.NodeID(core))
	k.setSharers(f, s)
}

func (k *bank) clearSharers(f int32) {
	k.lines[f].low = 0
	clear(k.sharers(f).More)
}

func (k *bank) state(f int32) uint8 {
	if f < 0 {
		return homeNP
	}
	return k.lines[f].state
}

// Accept processes a message. A request may have to wait here; everything else finds its
// transaction.
func (k *bank) Accept(m coherence.Message, now noc.Cycle, out *coherence.Effects) bool {
	k.Now = now
	if m.Class == Request {
		return k.request(m, out)
	}
	f := k.array.Find(uint32(m.Block))
	s := k.state(f)
	event := [kinds]uint8{Unblock: homeUnblock, WBData: homeWBData, CleanAck: homeCleanAck, HomeInvAck: homeInvAck, MemData: homeMemData,
		MemAck: homeMemAck}[m.Kind]
	switch {
	case event == 0:
		k.Fail(m.Block, "kind %d is not for a bank", m.Kind)
	case m.Kind == MemAck && k.p.Seeded == skipAck:
		return true
	case m.Kind == MemData && out.Room[Response] < 1:
		return false
	}
	k.Took(m.Block, s, event)
	k.advance(m, f, out)
	return true
}

// roomy reports whether there is room for whatever a request may make the bank send.
func roomy(out *coherence.Effects) bool {
	return out.Room[Forward] > 0 && out.Room[ToMemory] > 0 && out.Room[Response] > 0
}

// request serves a request now, or queues it. It returns false when the queue is full.
func (k *bank) request(m coherence.Message, out *coherence.Effects) bool {
	if !roomy(out) {
		return false
	}
	f := k.array.Find(uint32(m.Block))
	if f >= 0 && k.lines[f].busy != none && k.p.Seeded == ackWhileBusy && isPut(m.Kind) {
		k.Send(out, message(PutAck, m.Block, 0, m.Requestor), m.From)
		return true
	}
	blocked := f >= 0 && k.lines[f].busy != none || k.waits(m.Block, len(k.stalled))
	needs := k.needs(m, f)
	if !blocked && !needs {
		return k.serve(m, out)
	}
	if k.Full() {
		return false
	}
	// A message that lacks a resource waits behind those that lacked one before it.
	starved := !blocked && k.starved > 0
	if !blocked && !starved {
		if k.serve(m, out) {
			return true
		}
		starved = true
	}
	k.Took(m.Block, k.state(f), homeStall)
	k.stalled = append(k.stalled, stalled{m, starved})
	if starved {
		k.starved++
	}
	return true
}

// waits reports whether one of the first n stalled requests is for a block.
func (k *bank) waits(b coherence.Block, n int) bool {
	return slices.ContainsFunc(k.stalled[:n], func(s stalled) bool { return s.Block == b })
}

// Full reports whether no more requests can wait.
func (k *bank) Full() bool { return len(k.stalled) == cap(k.stalled) }

// HasDeferred reports whether requests can go on, or a write to memory waits for room.
func (k *bank) HasDeferred() bool { return k.recheck || k.unsent > 0 }

// Continue sends writes that waited for room, and serves the oldest stalled request that can go on.
func (k *bank) Continue(now noc.Cycle, out *coherence.Effects) {
	k.Now = now
	for i := 0; k.unsent > 0 && i < len(k.transactions); i++ {
		if t := &k.transactions[i]; t.unsent && out.Room[ToMemory] > 0 {
			t.unsent = false
			k.unsent--
			k.writeMemory(t, out)
		}
	}
	for i := 0; k.recheck && i < len(k.stalled); i++ {
		if !roomy(out) {
			return
		}
		s := &k.stalled[i]
		if f := k.array.Find(uint32(s.Block)); f >= 0 && k.lines[f].busy != none || k.waits(s.Block, i) {
			continue
		}
		if k.serve(s.Message, out) {
			if s.starved {
				k.starved--
			}
			k.stalled = k.stalled[:i+copy(k.stalled[i:], k.stalled[i+1:])]
			k.recheck = len(k.stalled) > 0
			return
		}
		if !s.starved {
			s.starved = true
			k.starved++
		}
	}
	k.recheck = false
}

// begin opens a transaction for the block in a frame. The caller has made sure that one is free.
func (k *bank) begin(f int32, state uint8, m coherence.Message) *transaction {
	l := &k.lines[f]
	for i := range k.transactions {
		t := &k.transactions[i]
		if t.frame != none {
			continue
		}
		*t = transaction{block: coherence.Block(k.array.Block(f)), frame: f, core: m.Requestor, kind: m.Kind, informed: t.informed}
		k.open++
		if l.busy != none {
			k.Fail(t.block, "a second transaction begins")
		}
		l.busy, l.state = int16(i), state
		return t
	}
	k.Fail(m.Block, "no transaction is free")
	return nil
}

// end closes the transaction of a block and leaves it in an idle state; NP frees the frame.
func (k *bank) end(f int32, state uint8) {
	l := &k.lines[f]
	k.transactions[l.busy].frame = none
	k.open--
	l.busy, l.state = none, state
	if state == homeNP {
		k.array.Release(f)
	}
	k.recheck = len(k.stalled) > 0
}
