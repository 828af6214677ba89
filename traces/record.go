package traces

import (
	"errors"
	"slices"
)

// Kind says what a record is.
type Kind uint8

// The kinds of records. Load to Fetch are memory accesses; the others order threads.
const (
	Load    Kind = iota
	Store        // becomes visible in program order
	Atomic       // read-modify-write
	Fetch        // instruction fetch of a line that differs from the previous one
	Fence        // all earlier accesses are visible before any later one
	Lock         // acquire lock Object
	Unlock       // release lock Object
	Barrier      // wait at barrier Object until Count cores have arrived
	Create       // core Object may start
	Join         // wait until core Object has ended
	End          // the last record of a stream; carries the instructions after the last access
	Kinds
)

var kindNames = [Kinds]string{"load", "store", "atomic", "fetch", "fence", "lock", "unlock", "barrier", "create", "join", "end"}

// String returns the kind's name.
func (k Kind) String() string {
	if k < Kinds {
		return kindNames[k]
	}
	return "unknown"
}

// KindNames lists the names of all kinds.
func KindNames() []string { return kindNames[:] }

// KindOf returns the kind of a name.
func KindOf(name string) (Kind, bool) {
	if k := slices.Index(kindNames[:], name); k >= 0 {
		return Kind(k), true
	}
	return Kinds, false
}

// IsAccess reports whether the record touches memory.
func (k Kind) IsAccess() bool { return k <= Fetch }

// LockWord is set in the number of a lock whose word is in the memory that the program sees, in
// one line with the data beside it, and of a barrier whose counter and flag are in one line
// there. Other locks and barriers have lines of their own.
const LockWord = 1 << 63

// How a core waits for a lock that is held, or at a barrier, by their implementation: the Size of a
// Lock, its Unlock, and a Barrier. Traces that do not say how have Spins.
const (
	// Spins: it swaps, and reads the lock until it is free before it swaps again.
	Spins = 0
	// Sleeps: the operating system puts it to sleep, and the release of the lock wakes it. Locks of
	// POSIX threads and of C++ do so.
	Sleeps = 1
	// Shared is added to either where several cores may hold the lock together: the lock of readers
	// of a reader-writer lock.
	Shared = 2
	// Exchanges is added where every attempt is an exchange. A core that wants the lock alone
	// does not read it while it spins; one that shares it reads it first, and again if it has
	// changed until the exchange. A core that shares it releases it likewise, if the Unlock has
	// it. At a barrier, a core that goes on changes the barrier's word once more, to count itself
	// out.
	Exchanges = 4
	// Waits has the bits of all ways.
	Waits = Sleeps | Shared | Exchanges
)

// WaitNames are the ways in which cores wait for a lock, in texts; Spins alone has none.
var WaitNames = [...]string{Spins: "", Sleeps: "sleeps", Shared: "shared", Shared | Sleeps: "shared-sleeps", Exchanges: "exchanges",
	Exchanges | Sleeps: "exchanges-sleeps", Exchanges | Shared: "shared-exchanges", Waits: "shared-exchanges-sleeps"}

// FutexInstructions is about how many instructions Linux takes to put a thread to sleep, to wake
// one, or to let one go on that was woken.
const FutexInstructions = 800

// Record is one step of a core's program.
type Record struct {
	// Address is the physical byte address of an access; for Lock, Unlock, Barrier, Create and Join
	// it is the number of the object or core. The number of a lock or barrier whose words are in
	// memory is LockWord and a word's physical address.
	Address uint64
	// Instructions executed since the previous record, the one this record belongs to included. 0
	// means the same instruction as the previous record (a wide vector access or a string
	// instruction in pieces).
	Instructions uint32
	// Dependence is the distance, in memory accesses of this core, back to the latest load that
	// this access needs the result of: for its address, for the data that it stores, or for data
	// that it reads from the core's own recent store. It is 0 when there is none or it is not
	// known.
	Dependence uint16
	// Size is log2 of the bytes accessed. Of a Lock and its Unlock it is how cores wait for the
	// lock: Spins or Sleeps, with Shared and Exchanges. Of a Barrier it is Spins or Sleeps, with
	// Exchanges.
	Size uint8
	Kind Kind
	// Count is the number of cores that meet at a Barrier. Of an Atomic that takes a ticket it is
	// the ticket's number (TicketCount). It is Polls for a Load that its thread repeats until it
	// finds what another one writes, and Tries for one that begins an attempt to change the word. It is Halts
	// for a Fence at which a processor sleeps until it is interrupted, ByEdge for a Join of that kind, and what
	// a core waits for behind its window for an End. Else it is 0.
	Count uint16
}

// Polls is the Count of a Load that polls. A core that waits for an edge of such a load holds its
// block and, when it has lost the block, asks for it again.
const Polls = 1

// Tries is the Count of a Load of a word that its thread then changes by a compare-and-swap, an
// Atomic, or two for a pair of instructions. An atomic that finds that another core has changed the
// word by an atomic since the load fails, and a core tries it again until it succeeds.
const Tries = 2

// Halts is the Count of a Fence that stands for a processor without work. The processor is idle until
// something of another one interrupts it: in a replay, at the next edge, if this is due within HaltRecords.
// So long is what the kernel does for an interrupt before it looks for work.
const (
	Halts       = 1
	HaltRecords = 512
)

// ByEdge is the Count of a Join of a thread that need not be the last one of its core. The Join has an edge to the
// record with which the thread has ended, and waits for that record alone.
const ByEdge = 1

// The Count of an End tells what the core waited for, in the execution that a window is from, when the
// others had come to the end of the window. The Address is the number of the core that it waited for; its
// own number stands for any other core.
const (
	AwaitsThreads = 1 + iota // it is at a lock, barrier or join, or not yet created
	AwaitsWork               // it has halted
	AwaitsOrder              // it comes after a record of the other core
)

// A ticket is what a fetch-and-add returns if it decides what a thread does next, as the number
// of a task. What a core does from there up to its next ticket, or to a barrier at which all such
// cores meet, is a body. A replay may give a body to another core than the one that was recorded
// ([Ticketed]).
//
// All tickets of a recording are numbered from 0 in the order in which they were taken. A record
// has the number modulo MostTickets. The order is known nevertheless, since a core whose latest
// ticket is older than MostTickets others takes no more, and the first ticket of a core is one of
// the first MostTickets.
const MostTickets = 1<<16 - 1

// TicketCount returns the Count of an atomic that takes a ticket.
func TicketCount(number uint64) uint16 { return uint16(number%MostTickets) + 1 }

// Ticketed is implemented by sources that may have tickets.
type Ticketed interface {
	// Tickets reports whether a replay is to decide who does which body. own has, for each core,
	// lines of its stack and other memory in which only its thread does its work: those at one
	// place of the list stand for each other. 0 stands for none.
	Tickets() (own [][]uint64, ok bool)
}

// Memory returns the physical address in memory that the record uses, and whether it uses one: that
// of an access, or of a lock's or barrier's word.
func (r *Record) Memory() (address uint64, uses bool) {
	if r.Kind.IsAccess() {
		return r.Address, true
	}
	return r.Address &^ LockWord, (r.Kind == Lock || r.Kind == Unlock || r.Kind == Barrier) && r.Address&LockWord != 0
}

// Edge says that the access at position Position of core Producer must be visible before the access
// at position At of the core that owns the edge may be issued. Positions count all records of a
// stream from 0.
type Edge struct {
	At       uint64
	Position uint64
	Producer uint16
}

// Source returns the records and edges of each core in order. Each core's stream is read
// independently. Reads fill the caller's slice and return how many records they put there; at the
// end of a stream they return 0 and io.EOF. Every stream ends with one End record. A core that the source
// does not have is an error of the caller.
type Source interface {
	Cores() int
	ReadRecords(core int, into []Record) (int, error)
	ReadEdges(core int, into []Edge) (int, error)
}

// Live is implemented by sources that execute a program while its records are consumed, so that the
// consumer, a chip or a recorder, decides by its time what the program reads.
//
// ReadRecords of a live source returns at most one record. It returns none and no error when the
// core's latest record must be performed first: the consumer asks again when it has been, and no
// earlier. It returns [ErrAsleep] when the core has nothing to do until the source calls Host.Wake.
type Live interface {
	Source
	// Bind gives the source its host. It is called once, before the first read.
	Bind(h Host)
	// Visible reports to the source that the oldest store of a core that was not yet reported is
	// now visible to all cores.
	Visible(core int)
}

// Host is the part of the consumer that a live source can use.
type Host struct {
	// Now returns the cycle.
	Now func() uint64
	// Wake makes a core that sleeps read again, in the given cycle or later.
	Wake func(core int, cycle uint64)
	// Measure tells that the part of the execution starts now that is measured. Without a call,
	// all of it is.
	Measure func()
	// Stopped returns why the consumer is to end early, or nil.
	Stopped    func() error
	Gigahertz  float64 // cycles per nanosecond
	Sequential bool    // loads are performed in order with stores: sequential consistency
	Futex      int     // instructions that a system call of futex takes; 0 means FutexInstructions
}

// ErrAsleep is returned by live sources for a core that sleeps.
var ErrAsleep = errors.New("the core sleeps")
