package msi

import (
	"github.com/carousel-sim/carousel/cache"
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/coherence/controller"
	"github.com/carousel-sim/carousel/noc"
)

// The kinds of messages.
const (
	GetS    uint8 = iota // L1 to home: wants to read
	GetM                 // L1 to home: wants to write
	PutM                 // L1 to home: has given up a modified block; carries it
	Inv                  // home to L1s: forget the block and answer
	Ack                  // L1 to home: forgotten
	AckData              // L1 to home: forgotten; carries the modified block
	MemRd                // home to memory
	MemWr                // home to memory; carries the block
	MemData              // memory to home; carries the block
	MemAck               // memory to home: written
	DataS                // home to L1: may read; carries the block
	DataM                // home to L1: may write; carries the block
	Done                 // L1 to home: the data has come
	kinds
)

// The message classes. A class is the position in the dependency chain: accepting a message makes
// an agent send messages of higher classes only.
const (
	Request  noc.Class = iota // the only class that may wait for something else than room
	Forward                   // of homes to L1s
	ToMemory                  // of homes
	Answer                    // of L1s and memories to homes
	Response                  // of homes to L1s
	Finish                    // of L1s to homes
	classes
)

// States of a block at an L1.
const (
	stateI  uint8 = iota
	stateS        // may read
	stateM        // may read and write, and no other L1 has a copy
	stateIS       // GetS sent
	stateIM       // GetM sent
)

// States of a block at its home. From homeFill on the home serves a request and the block is busy.
const (
	homeNP      uint8 = iota // not present
	homeV                    // no L1 has a copy
	homeS                    // the sharers may have copies
	homeM                    // the only sharer has the block in M, or its PutM is on the way
	homeFill                 // waits for MemData
	homeCollect              // waits for answers to Inv, and for the data if the block is lent
	homeGrant                // waits for Done
	homeWrite                // waits for MemAck
)

// Events at an L1.
const (
	onLoad  uint8 = iota // or instruction fetch
	onStore              // or read-modify-write, or prefetch for one
	onEvict
	onInv
	onDataS
	onDataM
)

// Events at a home. Those at a memory controller are the controller package's.
const (
	homeGetS uint8 = iota
	homeGetM
	homeWait // a request has to wait
	homePutM
	homeAck // or AckData
	homeMemData
	homeMemAck
	homeDone
	homeVictim
)

// Description is the protocol without its actions.
var Description = coherence.Description{
	Name:    "msi",
	Kinds:   []string{"GetS", "GetM", "PutM", "Inv", "Ack", "AckData", "MemRd", "MemWr", "MemData", "MemAck", "DataS", "DataM", "Done"},
	Classes: []string{"REQ", "FWD", "MREQ", "ANS", "RESP", "DONE"},
	ClassOf: []noc.Class{GetS: Request, GetM: Request, PutM: Answer, Inv: Forward, Ack: Answer, AckData: Answer, MemRd: ToMemory,
		MemWr: ToMemory, MemData: Answer, MemAck: Answer, DataS: Response, DataM: Response, Done: Finish},
	CarriesData: []bool{PutM: true, AckData: true, MemWr: true, MemData: true, DataS: true, DataM: true, Done: false},
	States: [coherence.Roles][]string{
		coherence.Cache:  {"I", "S", "M", "IS", "IM"},
		coherence.Bank:   {"NP", "V", "S", "M", "FILL", "COLLECT", "GRANT", "WRITE"},
		coherence.Memory: controller.MemoryStates,
	},
	Events: [coherence.Roles][]string{
		coherence.Cache:  {"load", "store", "evict", "Inv", "DataS", "DataM"},
		coherence.Bank:   {"GetS", "GetM", "wait", "PutM", "Ack", "MemData", "MemAck", "Done", "victim"},
		coherence.Memory: controller.MemoryEvents,
	},
	Legal: [coherence.Roles][]string{
		coherence.Cache: {
			//        I S M IS IM
			onLoad:  "xxxxx",
			onStore: "xxx.x", // a store waits until a read miss has ended
			onEvict: ".xx..",
			onInv:   "xxxxx", // copies in S are given up silently
			onDataS: "...x.",
			onDataM: "....x",
		},
		coherence.Bank: {
			//           NP V S M FILL COLLECT GRANT WRITE
			homeGetS:    "xxxx....",
			homeGetM:    "xxxx....",
			homeWait:    "x...xxxx",
			homePutM:    "...x.xx.", // it may overtake the Ack or Done that was sent before
			homeAck:     ".....x..",
			homeMemData: "....x...",
			homeMemAck:  ".......x",
			homeDone:    "......x.",
			homeVictim:  ".xxx....",
		},
		coherence.Memory: controller.MemoryLegal,
	},
	Generates: [coherence.Roles][noc.MaxClasses][]noc.Class{
		coherence.Cache:  {Forward: {Answer}, Response: {Finish}},
		coherence.Bank:   {Request: {Forward, ToMemory, Response}, Answer: {Response}},
		coherence.Memory: {ToMemory: {Answer}},
	},
	Defects: defectList[:],
}

// message returns a message of a kind, with the data if the kind carries any.
func message(kind uint8, b coherence.Block, v coherence.Version, core uint16) coherence.Message {
	return Description.Message(kind, b, v, core)
}

// Protocol makes the controllers of one chip. It belongs to one goroutine.
type Protocol struct{ controller.Chip }

// New prepares the protocol for a chip with the given arrays (l1 is each of a core's two) and MSHRs
// per core. It panics on arrays that Validate refuses.
func New(s coherence.System, l1, l2 cache.Config, mshrs int) *Protocol {
	var hits coherence.HitTable
	for _, k := range []coherence.AccessKind{coherence.Load, coherence.Fetch} {
		hits[stateS].Next[k], hits[stateM].Next[k] = stateS, stateM
	}
	for _, k := range []coherence.AccessKind{coherence.Store, coherence.Atomic, coherence.Prefetch} {
		hits[stateM].Next[k] = stateM
	}
	return &Protocol{controller.NewChip(&Description, s, l1, l2, mshrs, hits, nil, func(mark byte) bool { return mark == 'x' })}
}

// NewMemory returns a memory controller.
func (p *Protocol) NewMemory(index int) coherence.MemoryController {
	return controller.NewMemory(&p.Chip, index, controller.MemoryKinds{Read: MemRd, Write: MemWr, Data: MemData, Ack: MemAck, Reply: Answer})
}

// Mistakes that can be seeded, to see that the checks find them. In a run there is none.
const (
	noDefect uint8 = iota
	keepCopy
	grantEarly
	forgetReader
	answerEarly
	forgetDirty
	forgetSharers
	skipAck
	forgetEvicted
	defects
)

var defectList = [defects]coherence.Defect{
	keepCopy:      {Name: "keep-copy", Breaks: "an L1 answers an invalidation and keeps its copy"},
	grantEarly:    {Name: "grant-early", Breaks: "a home grants a block after the first answer instead of the last"},
	forgetReader:  {Name: "forget-reader", Breaks: "a reader is not listed as a sharer"},
	answerEarly:   {Name: "answer-early", Breaks: "a home serves a reader with the data it has instead of asking the owner"},
	forgetDirty:   {Name: "forget-dirty", Breaks: "data that comes home is taken for clean"},
	forgetSharers: {Name: "forget-sharers", Breaks: "a shared block leaves the bank without a word to the sharers"},
	skipAck: {Name: "skip-ack", Breaks: "a block is read again before memory has acknowledged its data",
		Trap: "messages are taken to arrive in the order sent"},
	forgetEvicted: controller.ForgetEvicted,
}

// lone reports whether a block is in M at its only holder.
func lone(r *coherence.Resident) bool {
	return r.Holders.Count() == 1 && r.Modified && r.OwnerWrote
}

// Preload puts a block into the L1.
func (c *l1) Preload(r *coherence.Resident, array int) {
	f := c.Enter(array, r.Block)
	if c.Lines[f].State = stateS; lone(r) {
		c.Lines[f].State = stateM
	}
}

// Preload puts a block into the bank.
func (k *bank) Preload(r *coherence.Resident, _ int) {
	f := k.array.Victim(uint32(r.Block), 0)
	k.array.Fill(f, uint32(r.Block))
	h := &k.homes[f]
	h.dirty = r.Modified
	switch {
	case r.Holders.Empty():
		h.state = homeV
		return
	case lone(r):
		h.state, h.lent = homeM, true
	default:
		h.state = homeS
	}
	h.sharers.Assign(r.Holders)
}

// CopyFrom fills the bank like another one.
func (k *bank) CopyFrom(filled coherence.Controller) {
	from := filled.(*bank)
	k.array.CopyFrom(&from.array)
	for f := range k.homes {
		h, own := &k.homes[f], k.homes[f].sharers
		*h = from.homes[f]
		h.sharers = own
		h.sharers.Assign(from.homes[f].sharers)
	}
}
