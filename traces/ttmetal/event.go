package ttmetal

import "fmt"

// Tail is what the vendor's estimator takes between a kernel's last event and its end, in cycles.
const Tail = 20

// Trace is one recorded kernel.
type Trace struct {
	Name      string // of the file, without folder and extension
	Processes []Process
	Cycles    uint64 // what the kernel took on the chip
	Ignored   int    // events of the recorder itself
}

// Process is what one processor of one node did.
type Process struct {
	Node      Node
	Processor string // BRISC, NCRISC, ERISC, TRISC_0 ...
	Start     uint64 // time of its first event
	Events    []Event
}

// Node is a place of the chip: column and row.
type Node struct{ X, Y int }

func (n Node) String() string { return fmt.Sprintf("(%d,%d)", n.X, n.Y) }

// Event is one thing that a processor did.
type Event struct {
	Kind    Kind
	Network uint8 // 0 or 1
	// Peer is the other end: the source of a read, else the destination; a multicast goes to all
	// workers of the rectangle from Peer to Corner.
	Peer, Corner Node
	Bytes        uint32 // payload
	Posted       bool   // without an acknowledgement
	Time         uint64 // cycles from the trace's earliest event
	Offset       int64  // of the event in the file, in bytes
}

// Kind is what an event is, whatever variant of a call made it.
type Kind uint8

// The kinds.
const (
	// Local takes time and uses no network: zones, semaphores of the own node.
	Local Kind = iota
	// Read asks for bytes of another node, Write sends some, Multicast sends the same to several
	// nodes, and Atomic changes a word there. All but reads are acknowledged, unless they are
	// posted.
	Read
	Write
	Multicast
	Atomic
	// The barriers: the processor waits until its reads have come, its writes are acknowledged, its
	// writes have left the node, its atomics are acknowledged, or all of these. A start says that
	// it began to wait, and an end that it passed; where a file has one event for both, it is an
	// end.
	ReadBarrierStart
	ReadBarrierEnd
	WriteBarrierStart
	WriteBarrierEnd
	WriteFlush
	AtomicBarrier
	FullBarrier

	setState // of later events; not in a Trace
)

var kindNames = [...]string{"local", "read", "write", "multicast", "atomic", "read barrier start", "read barrier end", "write barrier start",
	"write barrier end", "write flush", "atomic barrier", "full barrier", "set state"}

func (k Kind) String() string { return kindNames[k] }

// Transfer reports whether an event of this kind sends packets.
func (k Kind) Transfer() bool { return k >= Read && k <= Atomic }

// kind is what a type of the file stands for.
type kind struct {
	is    Kind
	state state // which it sets or is completed by
	// bytes is the payload of a type whose files may not say it.
	bytes uint32
}

// state is one of those that a processor keeps for each network.
type state uint8

const (
	stateless state = iota
	ofReads
	ofWrites
	ofShards // reads of banks of DRAM
	states
)

// kinds lists the types of the network's events by their names in files.
var kinds = map[string]kind{
	"READ":                         {is: Read},
	"READ_WITH_TRID":               {is: Read},
	"READ_SET_STATE":               {is: setState, state: ofReads},
	"READ_SET_TRID":                {is: setState, state: ofReads},
	"READ_WITH_TRID_SET_STATE":     {is: setState, state: ofReads},
	"READ_WITH_STATE":              {is: Read, state: ofReads},
	"READ_WITH_STATE_AND_TRID":     {is: Read, state: ofReads},
	"READ_DRAM_SHARDED_SET_STATE":  {is: setState, state: ofShards},
	"READ_DRAM_SHARDED_WITH_STATE": {is: Read, state: ofShards},
	"WRITE":                        {is: Write},
	"WRITE_":                       {is: Write},
	"WRITE_WITH_TRID":              {is: Write},
	"WRITE_INLINE":                 {is: Write, bytes: 4},
	"WRITE_SET_STATE":              {is: setState, state: ofWrites},
	"WRITE_WITH_TRID_SET_STATE":    {is: setState, state: ofWrites},
	"WRITE_WITH_STATE":             {is: Write, state: ofWrites},
	"WRITE_WITH_TRID_WITH_STATE":   {is: Write, state: ofWrites},
	"WRITE_MULTICAST":              {is: Multicast},
	"SEMAPHORE_INC":                {is: Atomic, bytes: 4},
	"SEMAPHORE_WAIT":               {is: Local},
	"SEMAPHORE_SET":                {is: Local},
	"READ_BARRIER_START":           {is: ReadBarrierStart},
	"READ_BARRIER_END":             {is: ReadBarrierEnd},
	"READ_BARRIER_WITH_TRID":       {is: ReadBarrierEnd},
	"WRITE_BARRIER_START":          {is: WriteBarrierStart},
	"WRITE_BARRIER_END":            {is: WriteBarrierEnd},
	"WRITE_BARRIER_WITH_TRID":      {is: WriteBarrierEnd},
	"WRITE_FLUSH":                  {is: WriteFlush},
	"ATOMIC_BARRIER":               {is: AtomicBarrier},
	"FULL_BARRIER":                 {is: FullBarrier},
}
