package token

import (
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/coherence/controller"
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
	answers    // misses by the messages with tokens that came while they were open, from none up to maxAnswers or more
	maxAnswers = 4
)

var counters = func() []coherence.Counter {
	list := []coherence.Counter{reissues: {Name: "reissues"}, persistentRequests: {Name: "persistent_requests"},
		orphans: {Name: "orphans"}, migrations: {Name: "migrations"}}
	for n := range uint64(maxAnswers + 1) {
		list = append(list, coherence.Counter{Measure: "answers", Part: coherence.Cache.String(), Value: n})
	}
	return list
}()

// ClassPhits returns the length of the longest message of each class.
func ClassPhits() [noc.MaxClasses]int { return description.ClassPhits() }

// description is the protocol without its actions.
var description = controller.Description{
	Flags: []string{"owner", "dirty", "retry"}, Counters: counters,
	DataClasses: []noc.Class{WriteBack, Response, Home},
	Name:        "token", Kinds: kindNames[:], Classes: classNames[:], States: states, Events: events, Legal: legal, Generates: generates,
	Latencies: [coherence.Roles]noc.Cycle{coherence.Cache: 1, coherence.Bank: 3, coherence.Memory: 4}, Defects: defectList[:],
}
