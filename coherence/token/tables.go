package token

import (
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/noc"
)

// The kinds of messages.
const (
	GetRead      uint8 = iota // transient request for data to read
	GetFetch                  // the same for an instruction fetch
	GetWrite                  // transient request for all tokens
	ActivateRead              // start of a persistent request
	ActivateWrite
	Deactivate // end of a persistent request
	Tokens     // tokens, with or without data and the owner token
	kinds
)

// The message classes. A class is the position in the dependency chain.
const (
	Transient  noc.Class = iota // requests of an L1 to the other L1s and the home bank
	ToMemory                    // requests that the home bank passes on
	Persistent                  // activations and deactivations, ordered per pair of agents
	WriteBack                   // evicted tokens on their way to the home bank
	Response                    // tokens for an L1
	Home                        // tokens for the memory controller
	classes
)

var kindNames = [kinds]string{"GETS", "GETI", "GETX", "ACT_S", "ACT_X", "DEACT", "TOKENS"}

var classNames = [classes]string{"TREQ", "MREQ", "PERS", "WB", "RESP", "HOME"}

// generates lists what accepting a message may send. Two more edges exist and are not listed,
// because they are backed by reserved state and never block a message: a response that satisfies a
// persistent request makes the L1 owe a deactivation, kept in its single persistent slot, and may
// turn a read miss into a write miss, kept in its MSHR; tokens that arrive for a locked block make
// a memory controller owe them to the starver, kept in its record. The same holds for what
// persistent messages make an agent owe, but those are listed, as their class order allows it.
var generates = [coherence.Roles][noc.MaxClasses][]noc.Class{
	coherence.Cache: {
		Transient:  {Response},
		Persistent: {Response},
		Response:   {Home},
	},
	coherence.Bank: {
		Transient:  {ToMemory, Response},
		Persistent: {Response},
		WriteBack:  {Response, Home},
	},
	coherence.Memory: {
		ToMemory:   {Response},
		Persistent: {Response},
	},
}

// The protocol's own flags of messages.
const (
	isOwner = coherence.FirstOwnFlag << iota // carries the owner token
	isDirty                                  // property of the owner token: the data differs from memory
	isRetry                                  // a request that was issued before
)

// The protocol's own counters.
const (
	reissues = iota
	persistentRequests
	orphans    // tokens that arrived at a controller that did not wait for them, and were sent on
	migrations // reads answered with everything
)

var counters = []string{reissues: "reissues", persistentRequests: "persistent_requests", orphans: "orphans", migrations: "migrations"}

// Description is the protocol without its actions.
var Description = coherence.Description{
	Flags: []string{"owner", "dirty", "retry"}, Counters: counters,
	DataClasses: []noc.Class{WriteBack, Response, Home},
	Name:        "token", Kinds: kindNames[:], Classes: classNames[:], States: states, Events: events, Legal: legal, Generates: generates,
	Defects: defectList[:],
}

// States of an L1's line: the columns of its table. A line under a miss has n tokens of T.
const (
	stateNP uint8 = iota // no frame
	stateR               // read miss, n >= 0, no data yet
	stateW               // write miss, without the owner token
	stateOW              // write miss, with the owner token
	stateS               // 1 <= n < T, data
	stateO               // 1 <= n < T, owner
	stateE               // n = T, clean
	stateM               // n = T, written by another core, or by this core before it last shared the block
	stateMw              // n = T, written here
)

// States of a bank's line.
const (
	bankNP uint8 = iota
	bankTK       // tokens without data
	bankS
	bankO
	bankEM // n = T
)

// States of a memory controller's record.
const (
	memoryOwner   uint8 = iota
	memoryReading       // the owner token waits here for the data to come from DRAM
	memoryTokens        // plain tokens only
	memoryNone
)

// Events of an L1.
const (
	onLoad  uint8 = iota // load or instruction fetch
	onStore              // store, read-modify-write or prefetch
	onEvict
	onGetRead // transient requests of others, when the block is not locked by another core
	onGetWrite
	onGetHeld   // transient request within the hold time of a completed miss
	onGetLocked // transient request for a block that is locked by another core
	onTokensFew // tokens arrive; for a line without a miss: and some are still elsewhere
	onTokensEnough
	onTimer
	onActivateTop   // the sender comes first now
	onActivateBelow // another core comes first
	onDeactivate
	cacheEvents
)

// Events of a bank.
const (
	bankRead uint8 = iota
	bankFetch
	bankWrite
	bankLockedRequest
	bankWriteBack
	bankLockedWriteBack
	bankVictim
	bankActivate
	bankDeactivate
	bankEvents
)

// Events of a memory controller.
const (
	memoryRead uint8 = iota
	memoryWrite
	memoryLockedRequest
	memoryDone
	memoryTokensHome
	memoryDirtyHome // owner token and data
	memoryCleanHome // owner token alone
	memoryLockedHome
	memoryActivate
	memoryDeactivate
	memoryEvents
)

var states = [coherence.Roles][]string{
	coherence.Cache:  {"NP", "R", "W", "OW", "S", "O", "E", "M", "Mw"},
	coherence.Bank:   {"NP", "TK", "S", "O", "EM"},
	coherence.Memory: {"owner", "reading", "tokens", "none"},
}

var events = [coherence.Roles][]string{
	coherence.Cache: {"load", "store", "evict", "GETS", "GETX", "GET while held", "GET while locked", "tokens, too few",
		"tokens, enough", "timer", "ACT top", "ACT below", "DEACT"},
	coherence.Bank: {"GETS", "GETI", "GETX", "GET while locked", "WB", "WB while locked", "victim", "ACT", "DEACT"},
	coherence.Memory: {"GETS", "GETX", "GET while locked", "DRAM read done", "tokens", "dirty owner", "clean owner",
		"tokens while locked", "ACT", "DEACT"},
}

// legal are the transition tables: one string per event, one column per state, x where the pair can
// happen. The actions are in the code of the controllers.
var legal = [coherence.Roles][]string{
	coherence.Cache: {
		//               NP R W OW S O E M Mw
		onLoad:          "xxxxxxxxx",
		onStore:         "xxxxxxxxx",
		onEvict:         "....xxxxx",
		onGetRead:       "xxxxxxxxx",
		onGetWrite:      "xxxxxxxxx",
		onGetHeld:       "..xxxxxxx",
		onGetLocked:     "xxxxxxxxx",
		onTokensFew:     "xxxxxx...",
		onTokensEnough:  "xxxxxx...",
		onTimer:         ".xxx.....",
		onActivateTop:   "xxxxxxxxx",
		onActivateBelow: "xxxxxxxxx",
		onDeactivate:    "xxxxxxxxx",
	},
	coherence.Bank: {
		//                   NP TK S O EM
		bankRead:            "xxxxx",
		bankFetch:           "xxxxx",
		bankWrite:           "xxxxx",
		bankLockedRequest:   "xxxxx",
		bankWriteBack:       "xxxx.",
		bankLockedWriteBack: "xxxx.",
		bankVictim:          ".xxxx",
		bankActivate:        "xxxxx",
		bankDeactivate:      "xxxxx",
	},
	coherence.Memory: {
		//                  owner reading tokens none
		memoryRead:          "xxxx",
		memoryWrite:         "xxxx",
		memoryLockedRequest: "xxxx",
		memoryDone:          ".x..",
		memoryTokensHome:    "xxxx",
		memoryDirtyHome:     "..xx",
		memoryCleanHome:     "..xx",
		memoryLockedHome:    "xxxx",
		memoryActivate:      "xxxx",
		memoryDeactivate:    "xxxx",
	},
}

// state names an L1 line's column.
func (l *line) state() uint8 { return stateOf[l.State] }

// stateOf is the column of each combination of flags.
var stateOf = func() (table [256]uint8) {
	for i := range table {
		table[i] = stateOfFlags(flags(i))
	}
	return table
}()

func stateOfFlags(f flags) uint8 {
	switch {
	case f&readMiss != 0:
		return stateR
	case f&writeMiss != 0:
		if f&owner != 0 {
			return stateOW
		}
		return stateW
	case f&all == 0:
		if f&owner != 0 {
			return stateO
		}
		return stateS
	case f&wrote != 0:
		return stateMw
	case f&dirty != 0:
		return stateM
	}
	return stateE
}
