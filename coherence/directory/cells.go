package directory

import (
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/coherence/controller"
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
