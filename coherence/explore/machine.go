package explore

import (
	"fmt"
	"slices"

	"github.com/carousel-sim/carousel/cache"
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/noc"
)

// machine is one chip that can be put into any state and let one thing happen. A worker has one.
type machine struct {
	*Model
	audit  coherence.Audit
	proto  coherence.Explorable
	caches []coherence.ExplorableCache
	agents []coherence.ExplorableController // caches, banks, memory controllers
	names  []coherence.Agent                // of agents
	hints  []hint

	starts []int // where the snapshots of the agents, and the bag, begin in the state that was loaded
	acted  int   // the agent of the last step

	bag    []event
	open   []open // Outstanding per core; the place among them is the access's handle
	latest []coherence.Version
	cores  []reader

	effects coherence.Effects
	writer  coherence.Snapshot
	reader  coherence.Snapshot
	marks   [][]coherence.Version
	best    []byte
	perms   renaming
	timers  []coherence.Timer
	lines   []coherence.AgentLine
	flying  []coherence.Message
	events  []event // scratch
}

// open is the access that a core waits for.
type open struct {
	waits bool
	kind  coherence.AccessKind
	block coherence.Block
	since coherence.Version // the latest when the access began
}

// reader is a core with speculative loads: those blocks, as bits, whose values it still uses.
type reader struct{ blocks uint8 }

// Speculative reports whether a speculative load has read a block.
func (r *reader) Speculative(b coherence.Block) bool { return r.blocks>>b&1 != 0 }

func (r *reader) forget(b coherence.Block) { r.blocks &^= 1 << b }

// hint is a message that may reach an agent at any time.
type hint struct {
	to      int
	message coherence.Message
}

func newMachine(model *Model) *machine {
	m := &machine{Model: model, open: make([]open, model.Cores*model.Outstanding), latest: make([]coherence.Version, model.Blocks), cores: make([]reader, model.Cores)}
	homes := &coherence.Homes{Banks: 1, MemoryOfBank: []uint16{0}}
	m.proto = model.New(coherence.System{Cores: model.Cores, Homes: homes, Seed: 1, Victims: model.Victims})
	m.audit = coherence.NewAudit(m.proto, homes, model.Cores, 1)
	for _, c := range m.audit.Caches {
		m.caches = append(m.caches, c.(coherence.ExplorableCache))
	}
	m.names = m.audit.Agents()
	for i, a := range m.names {
		m.agents = append(m.agents, m.audit.Controller(a).(coherence.ExplorableController))
		if model.PassingBank && a.Role == coherence.Bank {
			continue
		}
		for b := range coherence.Block(model.Blocks) {
			for _, message := range m.proto.Hints(a, b) {
				m.hints = append(m.hints, hint{i, message})
			}
		}
	}
	m.marks = make([][]coherence.Version, model.Blocks)
	m.writer = coherence.Snapshot{Blocks: model.Blocks, Marks: m.marks}
	m.reader = coherence.Snapshot{Reading: true, Blocks: model.Blocks}
	m.perms = newRenaming(model.Cores, model.Named || !m.proto.Symmetric())
	return m
}

// index returns an agent's place in agents.
func (m *machine) index(a coherence.Agent) int {
	if a.Role == coherence.Cache {
		return int(a.Index)
	}
	return m.Cores + int(a.Role) - 1
}

// load puts the machine into a state.
func (m *machine) load(state []byte) {
	s := &m.reader
	m.loadOpen(state)
	m.starts = m.starts[:0]
	for _, a := range m.agents {
		m.starts = append(m.starts, len(state)-len(s.Data))
		a.Snapshot(s)
	}
	m.starts = append(m.starts, len(state)-len(s.Data))
	m.loadBag()
}

// reload takes the last step back: it puts the machine into the state that was loaded. A step
// changes one agent, so only that one is read again.
func (m *machine) reload(state []byte) {
	m.loadOpen(state)
	m.reader.Data = state[m.starts[m.acted]:]
	m.agents[m.acted].Snapshot(&m.reader)
	m.reader.Data = state[m.starts[len(m.agents)]:]
	m.loadBag()
}

// loadOpen reads the latest versions and the open accesses of cores.
func (m *machine) loadOpen(state []byte) {
	s := &m.reader
	s.Data = state
	for b := range m.latest {
		coherence.Byte(s, &m.latest[b])
	}
	for core := range m.caches {
		m.passOpen(core, s)
	}
}

// loadBag reads the events, which are last.
func (m *machine) loadBag() {
	s := &m.reader
	m.bag = m.bag[:0]
	for len(s.Data) > 0 {
		e := event(0)
		for i := range 8 {
			e |= event(s.Data[i]) << (8 * i)
		}
		s.Data = s.Data[8:]
		m.bag = append(m.bag, e)
	}
}

// passOpen writes or reads the open accesses and the speculative loads of a core.
func (m *machine) passOpen(core int, s *coherence.Snapshot) {
	if m.Victims > 0 {
		coherence.Byte(s, &m.cores[core].blocks)
	}
	for i := core * m.Outstanding; i < (core+1)*m.Outstanding; i++ {
		m.open[i].pass(m, s)
	}
}

// free returns the handle for a new access of a core, or Outstanding when there is none.
func (m *machine) free(core int) int {
	handle := 0
	for handle < m.Outstanding && m.open[core*m.Outstanding+handle].waits {
		handle++
	}
	return handle
}

// pass writes or reads an open access.
func (o *open) pass(m *machine, s *coherence.Snapshot) {
	s.Bool(&o.waits)
	if !o.waits {
		*o = open{}
		return
	}
	coherence.Byte(s, &o.kind)
	coherence.Byte(s, &o.block)
	if m.History && !o.kind.IsWrite() {
		s.Version(o.block, &o.since)
	}
}

// mark lists the versions that matter: the latest of each block, and with History those that were
// the latest when an open load began.
func (m *machine) mark() {
	for b := range m.marks {
		m.marks[b] = m.marks[b][:0]
	}
	if m.History {
		for _, o := range m.open {
			if o.waits && !o.kind.IsWrite() && o.since < m.latest[o.block] {
				m.marks[o.block] = append(m.marks[o.block], o.since)
			}
		}
	}
	for b := range m.marks {
		slices.Sort(m.marks[b])
		m.marks[b] = append(slices.Compact(m.marks[b]), m.latest[b])
	}
}

// save returns the machine's state. Of states that differ only in the names of cores it is the
// same. The bytes are valid until the next call.
func (m *machine) save() []byte {
	m.mark()
	m.perms.sort(m)
	m.best = m.best[:0]
	for first := true; ; first = false {
		data := m.encode(m.perms.names, m.perms.order)
		if first || slices.Compare(data, m.best) < 0 {
			m.best, m.writer.Data = data, m.best
		}
		if !m.perms.next() {
			return m.best
		}
	}
}

// keep is save without new names.
func (m *machine) keep() []byte {
	m.mark()
	m.perms.at = -1
	for i := range m.perms.rank {
		m.perms.rank[i] = 0
	}
	m.perms.next()
	return m.encode(m.perms.names, m.perms.order)
}

// encode writes the state with other names for the cores; order lists the cores by new name.
func (m *machine) encode(names, order []uint8) []byte {
	s := &m.writer
	s.Data, s.Names = s.Data[:0], names
	for b := range m.latest {
		s.Version(coherence.Block(b), &m.latest[b])
	}
	for _, core := range order {
		m.passOpen(int(core), s)
	}
	for _, core := range order {
		m.agents[core].Snapshot(s)
	}
	for _, a := range m.agents[m.Cores:] {
		a.Snapshot(s)
	}
	m.events = m.events[:0]
	for _, e := range m.bag {
		if e.sort() != dram {
			e = e.aged(s.Place(e.block(), coherence.Version(e.field(versionAt, 4))))
		}
		m.events = append(m.events, e.renamed(names))
	}
	slices.Sort(m.events)
	for _, e := range m.events {
		for i := range 8 {
			s.Data = append(s.Data, byte(e>>(8*i)))
		}
	}
	return s.Data
}

// check verifies the protocol's laws for the state.
func (m *machine) check() (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	for b := range coherence.Block(m.Blocks) {
		m.flying = m.flying[:0]
		for _, e := range m.bag {
			if e.sort() == arrival && e.block() == b {
				m.flying = append(m.flying, e.message())
			}
		}
		if err := m.audit.CheckOne(b, m.lines[:0], m.flying); err != nil {
			return err
		}
	}
	return nil
}

// quiescent reports whether nothing is in flight and no agent waits.
func (m *machine) quiescent() bool {
	if len(m.bag) > 0 {
		return false
	}
	for _, o := range m.open {
		if o.waits {
			return false
		}
	}
	for _, a := range m.agents {
		if a.HasDeferred() || a.Explain() != "" {
			return false
		}
	}
	return true
}

// room says how much the next step of an agent may send.
func (m *machine) room(agent int) {
	m.effects.Reset()
	if agent < m.Cores {
		m.effects.Reader = &m.cores[agent]
	}
	if !m.Cramped {
		return
	}
	for c := range m.effects.Room {
		m.effects.Room[c] = 1
	}
	m.effects.ReadRoom = 1
	for _, e := range m.bag {
		switch {
		case e.sort() == arrival && e.from() == m.names[agent]:
			m.effects.Room[e.class()] = 0
		case e.sort() == dram && e.to() == m.names[agent]:
			m.effects.ReadRoom = 0
		}
	}
}

func classOf(e event) noc.Class { return noc.Class(e.class()) }

// Model is a small chip and what may happen on it.
type Model struct {
	Name string
	// New makes the protocol. It is called once per worker.
	New func(coherence.System) coherence.Explorable
	// Cores is the number of L1s; there is one memory controller, and one bank.
	Cores int
	// Blocks is the number of blocks in play.
	Blocks int
	// Accesses are what cores may do at any time, and Outstanding how many of them a core may wait
	// for at once.
	Accesses    []coherence.AccessKind
	Outstanding int
	// Evictions lets L1s give blocks up at any time, Replacements the bank.
	Evictions, Replacements bool
	// PassingBank delivers messages to the bank in the step that sends them. With a bank that keeps
	// nothing this is a chip without L2.
	PassingBank bool
	// InstantMemory ends DRAM reads in the step that starts them; otherwise they take any time.
	InstantMemory bool
	// Cramped gives every agent one place per class for messages on their way out: nothing that may
	// need to send in a class happens while the agent's last message of it is in flight, and a
	// memory controller reads one block at a time. Otherwise queues are endless.
	Cramped bool
	// OrderedInFlight bounds the ordered messages between two agents, at least 2: a core learns
	// that its last ordered message has left when no more than this number less two of them are on
	// their way anywhere.
	OrderedInFlight int
	// History verifies what loads return whose block was invalidated before the data came: a
	// version that was current since the load began. It tells more states apart, by when open loads
	// began.
	History bool
	// Victims is the size of each L1's victim buffer. If there is one, loads stay speculative for
	// any time after they have read a block: no other core may write it before the core has been
	// told.
	Victims int
	// Named keeps states apart that differ only in the names of cores.
	Named bool
}

func (m *Model) validate() error {
	for _, r := range []struct {
		key               string
		value, low, limit int
	}{
		{"Cores", m.Cores, 1, maxCores},
		{"Blocks", m.Blocks, 1, maxBlocks},
		{"Outstanding", m.Outstanding, 1, cache.MaxTargets},
		{"OrderedInFlight", m.OrderedInFlight, 2, maxPosition},
		{"Victims", m.Victims, 0, maxBlocks},
	} {
		if r.value < r.low || r.value > r.limit {
			return fmt.Errorf("model %s: %s is %d; %d to %d are allowed", m.Name, r.key, r.value, r.low, r.limit)
		}
	}
	return nil
}
