package record

import (
	"fmt"
	"slices"
	"sync"

	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/frames"
	"github.com/carousel-sim/carousel/traces/order"
)

// converter turns the messages of all processes into streams and edges.
type converter struct {
	mutex   sync.Mutex // processes deliver messages side by side
	config  Config
	out     *traces.Writer
	cores   []core
	finder  *order.Finder
	counter frames.Counter
	// cleared are the words that the kernel has cleared at the end of threads, and bits a filter of
	// them.
	cleared map[uint64]bool
	bits    uint64
	threads int // that have appeared
	placed  int // those of them that the mapping has given a core
	// spacesOpen are the processes that have not ended.
	spacesOpen []*process
	// ends are the records with which threads have ended, in traces that have joins of them.
	ends    map[order.Writer]bool
	homes   map[uint32]int // per number of a process, the core of its first thread
	created uint64
	// By physical address: the numbers of locks and barriers, and what is known of them.
	objects  map[uint64]uint64
	locks    map[uint64]*lock
	nesting  nesting
	words    words               // of a machine's memory
	values   values              // that writes have left, if executors do not tell them
	meetings map[uint64]*meeting // likewise, by the addresses of counters and flags
	barriers map[uint64]*barrier
	polling  map[uint64]bool // places at which threads poll
	tickets  tickets
	counts   counts
	err      error
}

// core is what is known of a core of the trace between two of its records.
type core struct {
	position     uint64 // records written
	accesses     uint64 // of those, accesses
	instructions uint64 // since the last record
	threads      int
	alive        int     // threads that have not ended
	held         []*lock // that have records
	ticket       uint64  // number of the one that it has taken last, plus 1
	met          uint64  // barriers
}

// process is an address space with threads.
type process struct {
	pages   *frames.Map // nil where addresses are physical
	number  uint32
	home    int // core of its first thread, which gets its page map
	inherit int // core of the first thread of what it was before it executed this program, or -1
	threads map[uint16]*thread
	left    uint64 // by the next message's atomic, if leaves is set
	leaves  bool
	reason  Reason
}

type thread struct {
	core    int      // or LeaveOut
	barrier *barrier // at which it has arrived
	// waits lists what the thread's next record comes after.
	waits     []wait
	spins     *word // that it tries to take
	freed     *word // that it has released last
	polls     polls
	missed    *word // that it has tried to take in vain, without a load since
	elsewhere bool  // since it tried, or read the word, it has accessed something else
	meets     meeter
	learns    learning
	// accesses counts its messages of accesses, and at tells of the last ones which access of its
	// core each became.
	accesses uint64
	at       [mostDistance + 1]uint64
}

type wait struct {
	object uint64 // place in the finder
	// told: a Create record orders the threads, and the finder only needs to know it.
	told bool
}

// space is a part of the finder's addresses that no access reaches: each object in it has a word,
// which stands for the order that the object makes. A join has one besides the word that the kernel
// clears, which the program may write before.
type space uint64

const (
	locks space = iota + 1 // by the address of their word
	joins
	futexes
	creations
	meets
)

// at returns the place of an object in the finder.
func (s space) at(object uint64) uint64 { return uint64(s)<<59 | object*order.Bytes }

func newConverter(c Config, out *traces.Writer) *converter {
	return &converter{config: c, out: out, cores: make([]core, c.Cores), finder: order.NewFinder(c.Cores), cleared: map[uint64]bool{}, ends: map[order.Writer]bool{}, homes: map[uint32]int{},
		objects: map[uint64]uint64{}, locks: map[uint64]*lock{}, barriers: map[uint64]*barrier{}, words: words{}, values: values{}, meetings: map[uint64]*meeting{}, nesting: nesting{},
		polling: map[uint64]bool{}, tickets: tickets{dispensers: map[uint64]*dispenser{}, ways: map[uint64]*ownLine{}}}
}

func (k *converter) newProcess() *process {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	p := &process{home: -1, inherit: -1, threads: map[uint16]*thread{}, reason: CutOff}
	if k.config.System == nil {
		p.pages = frames.NewMap(&k.counter)
	}
	k.spacesOpen = append(k.spacesOpen, p)
	return p
}

// physical returns the physical address of an address that the plugin has sent.
func (p *process) physical(address uint64) uint64 {
	if p.pages == nil {
		return address
	}
	return p.pages.Physical(address)
}

// forget tells that numbers of processes mean new processes from now on.
func (k *converter) forget() {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	clear(k.homes)
}

// takeAll takes messages of one process; it returns the first error of any.
func (k *converter) takeAll(p *process, messages []message) error {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	for i := range messages {
		if k.err == nil {
			k.err = k.take(p, &messages[i])
		}
	}
	return k.err
}

// take is the loop's body: one message. It returns why the trace cannot be written any more.
func (k *converter) take(p *process, m *message) error {
	switch m.kind {
	case kindProcess:
		k.counts.processes++
		p.number = m.instructions
		if home, known := k.homes[p.number]; known {
			p.inherit = home
		}
		return nil
	case kindOver:
		p.reason = Reason(m.value)
		return nil
	case kindUnknown:
		k.counts.unknown += m.value
		return nil
	case kindLeaves:
		p.left, p.leaves = m.value, true
		return nil
	case kindAtomic:
		if p.leaves {
			m.after, m.leaves, p.leaves = p.left, true, false
		}
	case kindStarted:
		k.start(p, m)
		return k.out.Err()
	}
	if k.config.System != nil && int(m.thread) >= k.config.Cores {
		return fmt.Errorf("%w: it names processor %d, and the machine has %d", errStream, m.thread, k.config.Cores)
	}
	t := p.threads[m.thread]
	if t == nil {
		if m.kind == kindEnded {
			return nil // it did nothing in the region
		}
		t = k.appear(p, m.thread)
	}
	switch {
	case m.kind == kindArrives:
		k.arrive(p, t, m) // those count, too, that are left out
	case t.core == LeaveOut:
		k.counts.leftOut++
	default:
		k.takeThread(p, t, m)
	}
	return k.out.Err()
}

// takeThread takes a message about what a thread that has a core did, unless it is part of a poll.
func (k *converter) takeThread(p *process, t *thread, m *message) {
	if !k.takePoll(p, t, m) {
		k.takeNow(p, t, m)
	}
}

func (k *converter) takeNow(p *process, t *thread, m *message) {
	c := &k.cores[t.core]
	k.counts.kinds[m.kind]++
	switch m.kind {
	case kindLocks, kindUnlocks, kindShown:
		k.synchronise(p, t, m)
	case kindEnded:
		c.alive--
		c.instructions += uint64(m.instructions)
		delete(p.threads, m.thread)
	case kindWakes:
		if address := p.physical(m.value); !k.sleepsOn(address) && !t.sleepsAt(address, true) {
			k.happens(t.core, futexes.at(p.physical(m.value)>>2))
		}
	case kindWoken:
		if address := p.physical(m.value); !k.sleepsOn(address) && !t.sleptAt(address) {
			t.waits = append(t.waits, wait{object: futexes.at(p.physical(m.value) >> 2)})
		}
	case kindWork:
		c.instructions += m.value
		k.counts.instructions += m.value
	case kindDevice:
		k.counts.see(m)
		c.instructions += uint64(m.instructions)
	case kindFence:
		if (t.spins != nil && !t.elsewhere || t.waitsAt()) && len(t.waits) == 0 { // of the polls that are left out
			return
		}
		c.instructions += uint64(m.instructions)
		k.waitFor(t)
		k.write(t.core, traces.Record{Kind: traces.Fence})
	case kindHalts:
		k.write(t.core, traces.Record{Kind: traces.Fence, Count: traces.Halts})
	default:
		c.instructions += uint64(m.instructions)
		k.access(p, t, m)
	}
}

// appear gives a thread seen for the first time its core, and returns it.
func (k *converter) appear(p *process, number uint16) *thread {
	at := k.placed % k.config.Cores
	switch n := len(k.config.Mapping); {
	case k.config.System != nil:
		at = int(number) // a processor of the machine
	case p.inherit >= 0:
		at, p.inherit = p.inherit, -1
	case n > 0:
		at = k.config.Mapping[k.placed%n]
		k.placed++
	default:
		k.placed++
	}
	k.threads++
	t := &thread{core: at}
	p.threads[number] = t
	if at != LeaveOut {
		k.cores[at].threads++
		k.cores[at].alive++
		if p.home < 0 {
			p.home, k.homes[p.number] = at, at
		}
	}
	return t
}

// start orders a new thread after the step of the thread that made it.
func (k *converter) start(p *process, m *message) {
	if p.threads[m.thread] != nil {
		return
	}
	parent := p.threads[uint16(m.value)]
	t := k.appear(p, m.thread)
	if m.value == noThread || parent == nil || parent.core == LeaveOut || t.core == LeaveOut || parent.core == t.core {
		return
	}
	k.create(parent.core, t)
}

// create orders a new thread after the latest record of the core whose thread made it.
func (k *converter) create(parent int, t *thread) {
	k.created++
	w := wait{object: creations.at(k.created)}
	if k.cores[t.core].threads == 1 && k.cores[t.core].position == 0 {
		k.write(parent, traces.Record{Kind: traces.Create, Address: uint64(t.core)})
		w.told = true
	}
	k.happens(parent, w.object)
	t.waits = append(t.waits, w)
}

// happens lets others come after the last record of a core.
func (k *converter) happens(core int, object uint64) {
	if position := k.cores[core].position; position > 0 {
		k.finder.Write(core, position-1, object, order.Bytes)
	}
}

// leave writes the page map of a process that has ended.
func (k *converter) leave(p *process) error {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	k.spacesOpen = slices.DeleteFunc(k.spacesOpen, func(other *process) bool { return other == p })
	if k.err == nil && p.home >= 0 && p.pages != nil {
		home := p.home
		if k.spaces() == 1 {
			home = 0
		}
		k.err = k.out.WritePages(home, p.pages.Pages())
	}
	return k.err
}

// spaces returns the number of address spaces that the metadata promises.
func (k *converter) spaces() int {
	if k.config.Instances > 1 || k.config.Children {
		return k.config.Cores
	}
	return 1
}

func (k *converter) progress(instance int) Progress {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	n, records := &k.counts, uint64(0)
	for _, accesses := range n.kinds[:kindDevice] {
		records += accesses
	}
	return Progress{Instance: instance, Threads: k.threads, Records: records, Instructions: n.instructions}
}
