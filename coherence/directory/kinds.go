package directory

import (
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/coherence/controller"
	"github.com/carousel-sim/carousel/noc"
)

const none = controller.None

// The kinds of messages.
const (
	GetS      uint8 = iota // L1 wants to read
	GetI                   // L1 wants to fetch instructions
	GetM                   // L1 wants to write
	Upg                    // L1 with a readable copy wants to write
	PutS                   // L1 has evicted a block in S
	PutE                   // in E
	PutM                   // in M, with data
	FwdS                   // home tells the owner to send data to a reader
	FwdM                   // home tells the owner to send data to a writer and forget the block
	Recall                 // home wants the block back from its owner
	Inv                    // home tells sharers to forget the block and acknowledge to the requestor
	InvRecall              // the same, and acknowledge to the home
	MemRd                  // home wants the block from memory
	MemWr                  // home writes the block to memory
	MemData
	MemAck
	DataS      // data to read; from a cache it asks for Unblock
	DataE      // data, and no other L1 has the block
	DataM      // data to write after Count acknowledgements
	AckCnt     // the same without data, for an upgrade
	InvAck     // from a former sharer to the requestor
	PutAck     // from the home: the eviction is known
	Unblock    // the requestor has its block
	WBData     // the owner sends the block home
	CleanAck   // the owner has not changed the block
	HomeInvAck // from a former sharer to the home
	kinds
)

// The message classes. A class is the position in the dependency chain.
const (
	Request     noc.Class = iota // of an L1 to the home; the only class that may wait
	Forward                      // of the home to owners and sharers
	ToMemory                     // of the home
	MemoryReply                  // to the home
	Response                     // to an L1
	Done                         // of an L1 to the home
	classes
)

var kindNames = [kinds]string{"GetS", "GetI", "GetM", "Upg", "PutS", "PutE", "PutM", "FwdS", "FwdM", "Recall", "Inv",
	"InvRecall", "MemRd", "MemWr", "MemData", "MemAck", "DataS", "DataE", "DataM", "AckCnt", "InvAck", "PutAck",
	"Unblock", "WBData", "CleanAck", "HomeInvAck"}

var classNames = [classes]string{"REQ", "FWD", "MREQ", "MRSP", "RESP", "DONE"}

// classOf is the class of each kind.
var classOf = [kinds]noc.Class{
	GetS: Request, GetI: Request, GetM: Request, Upg: Request, PutS: Request, PutE: Request, PutM: Request,
	FwdS: Forward, FwdM: Forward, Recall: Forward, Inv: Forward, InvRecall: Forward,
	MemRd: ToMemory, MemWr: ToMemory, MemData: MemoryReply, MemAck: MemoryReply,
	DataS: Response, DataE: Response, DataM: Response, AckCnt: Response, InvAck: Response, PutAck: Response,
	Unblock: Done, WBData: Done, CleanAck: Done, HomeInvAck: Done,
}

// carriesData marks the kinds that carry the block.
var carriesData = [kinds]bool{PutM: true, MemWr: true, MemData: true, DataS: true, DataE: true, DataM: true, WBData: true}

// generates lists what accepting a message may send. Three more edges exist and are not listed,
// because they are backed by reserved state and never block a message: data for a reader may make
// the L1 ask again for a writer that has joined the miss, kept in its MSHR; data that comes home
// during a recall makes the home write to memory, kept in the transaction; and what ends a
// transaction lets requests go on that wait in the bank's queue.
var generates = [coherence.Roles][noc.MaxClasses][]noc.Class{
	coherence.Cache: {
		Forward:  {Response, Done},
		Response: {Done},
	},
	coherence.Bank: {
		Request:     {Forward, ToMemory, Response},
		MemoryReply: {Response},
	},
	coherence.Memory: {
		ToMemory: {MemoryReply},
	},
}

// fromMemory is the flag of data that the home has read from memory for the request.
const fromMemory = coherence.FirstOwnFlag << 3

// The protocol's own counters: requests that had to wait at their home, by the reason when they
// came.
const (
	stallBusy  = iota // the block was busy with another request
	stallShort        // the bank had no transaction or no frame
	stallFull         // the bank's queue was full; counted in each cycle of the wait
)

var counters = []coherence.Counter{
	stallBusy:  {Measure: "stalls at home", Part: "block busy", Value: 1},
	stallShort: {Measure: "stalls at home", Part: "no transaction or frame", Value: 1},
	stallFull:  {Measure: "stalls at home", Part: "queue full", Value: 1},
}

// ClassPhits returns the length of the longest message of each class.
func ClassPhits() [noc.MaxClasses]int { return description.ClassPhits() }

// description is the protocol without its actions.
var description = controller.Description{
	Counters: counters,
	Name:     "directory", Kinds: kindNames[:], Classes: classNames[:], ClassOf: classOf[:], CarriesData: carriesData[:], States: states, Events: events, Legal: legal, Generates: generates,
	Latencies: [coherence.Roles]noc.Cycle{coherence.Cache: 1, coherence.Bank: 3, coherence.Memory: 4}, Defects: defectList[:],
}

// message returns a message of a kind, with the data if the kind carries any.
func message(kind uint8, b coherence.Block, v coherence.Version, core uint16) coherence.Message {
	return description.Message(kind, b, v, core)
}
