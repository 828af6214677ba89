package directory

import (
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/coherence/controller"
	"github.com/carousel-sim/carousel/noc"
)

// States of a block at an L1: the columns of its table. In the names of waiting states D stands for
// data (or the count of acknowledgements) and A for acknowledgements.
const (
	stateI uint8 = iota
	stateS
	stateE
	stateM
	stateISD  // GetS sent
	stateISDI // GetS sent, and invalidated since
	stateIMAD // GetM sent
	stateIMA  // data here
	stateSMAD // Upg sent, still readable
	stateSMA  // count here, still readable
	stateMIA  // PutM sent: from here on the block is in a write-back entry
	stateEIA  // PutE sent
	stateSIA  // PutS sent, or a reader has got the evicted block
	stateIIA  // the evicted block has been taken away
	cacheStates
)

// States of a block at its home bank.
const (
	homeNP     uint8 = iota
	homeV            // valid, no L1 has a copy
	homeS            // the sharers may have copies; the data here is current
	homeX            // one owner has it in E or M; the data here may be stale
	homeFill         // waits for MemData; from here on the block is busy
	homeUnb          // waits for Unblock
	homeFwdS         // waits for Unblock and for the owner's data or word that it is clean
	homeRecall       // waits for acknowledgements
	homeWB           // waits for MemAck
)

// Events of an L1.
const (
	onLoad  uint8 = iota // load or instruction fetch
	onStore              // store, read-modify-write or prefetch
	onEvict
	onInv
	onFwdS
	onFwdM
	onRecall
	onDataS
	onDataE
	onDataM
	onAckCnt
	onInvAck
	onPutAck
)

// Events of a bank.
const (
	homeGetS uint8 = iota // or GetI
	homeGetM
	homeUpg
	homePutS
	homePutE
	homePutM
	homeStall // a request has to wait
	homeUnblock
	homeWBData
	homeCleanAck
	homeInvAck
	homeMemData
	homeMemAck
	homeVictim
)

var states = [coherence.Roles][]string{
	coherence.Cache: {"I", "S", "E", "M", "IS_D", "IS_D_I", "IM_AD", "IM_A", "SM_AD", "SM_A", "MI_A", "EI_A", "SI_A", "II_A"},
	coherence.Bank:  {"NP", "V", "S", "X", "B_FILL", "B_UNB", "B_FWDS", "B_RECALL", "B_WB"},

	coherence.Memory: controller.MemoryStates,
}

var events = [coherence.Roles][]string{
	coherence.Cache: {"load", "store", "evict", "Inv", "FwdS", "FwdM", "Recall", "DataS", "DataE", "DataM", "AckCnt", "InvAck", "PutAck"},
	coherence.Bank: {"GetS", "GetM", "Upg", "PutS", "PutE", "PutM", "stall", "Unblock", "WBData", "CleanAck", "HomeInvAck",
		"MemData", "MemAck", "victim"},
	coherence.Memory: controller.MemoryEvents,
}

// legal are the transition tables: one string per event, one column per state, x where the pair can
// happen, * where only a core that has dropped a read-only block silently can bring it about, +
// where only one that has not. The actions are in the code of the controllers.
var legal = [coherence.Roles][]string{
	coherence.Cache: {
		//         I S E M ISD ISDI IMAD IMA SMAD SMA MIA EIA SIA IIA
		onLoad:   "xxxxxxxxxxxxxx",
		onStore:  "xxxxxxxxxxxxxx",
		onEvict:  ".xxx..........",
		onInv:    "*x..x**.x...x.",
		onFwdS:   "..xx......xx..",
		onFwdM:   "..xx......xx..",
		onRecall: "..xx......xx..",
		onDataS:  "....xx........",
		onDataE:  "....x*........",
		onDataM:  "......x.......",
		onAckCnt: "........x.....",
		onInvAck: "......xxxx....",
		onPutAck: "..........xxxx",
	},
	coherence.Bank: {
		//             NP V S X FILL UNB FWDS RECALL WB
		homeGetS:     "xxxx.....",
		homeGetM:     "xxxx.....",
		homeUpg:      "xxxx.....",
		homePutS:     "++++.....",
		homePutE:     "xxxx.....",
		homePutM:     "xxxx.....",
		homeStall:    "xxxxxxxxx",
		homeUnblock:  ".....xx..",
		homeWBData:   "......xx.",
		homeCleanAck: "......xx.",
		homeInvAck:   ".......x.",
		homeMemData:  "....x....",
		homeMemAck:   "........x",
		homeVictim:   ".xxx.....",
	},
	coherence.Memory: controller.MemoryLegal,
}

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

// Description is the protocol without its actions.
var Description = coherence.Description{
	Name: "directory", Kinds: kindNames[:], Classes: classNames[:], ClassOf: classOf[:], CarriesData: carriesData[:], States: states, Events: events, Legal: legal, Generates: generates,
	Defects: defectList[:],
}

// message returns a message of a kind, with the data if the kind carries any.
func message(kind uint8, b coherence.Block, v coherence.Version, core uint16) coherence.Message {
	return Description.Message(kind, b, v, core)
}
