package explore

import (
	"fmt"
	"slices"

	"github.com/carousel-sim/carousel/coherence"
)

// step is one thing that can happen in a state.
type step struct {
	what  stepKind
	agent int // the agent that takes the step, for all but events
	event int // place in the bag
	block coherence.Block
	kind  coherence.AccessKind
	hint  int    // place in hints
	slot  uint16 // of the timer
}

type stepKind uint8

// What can happen. Everything before stepAccess happens by itself.
const (
	stepEvent    stepKind = iota // an event of the bag
	stepDeferred                 // an agent does deferred work
	stepTimer                    // a timer of an L1 fires
	stepSettle                   // the loads of a core that have read a block stop being speculative
	stepAccess                   // a core accesses a block
	stepEviction                 // a cache or bank gives a block up
	stepHint                     // an agent gets a hint
)

// progress reports whether the step happens sooner or later whatever the cores do.
func (k stepKind) progress() bool { return k < stepAccess }

// steps lists what can happen in the state that the machine is in, in a fixed order.
func (m *machine) steps(list []step) []step {
	for i, e := range m.bag {
		if i > 0 && e == m.bag[i-1] || e.ordered() && e.position() > 0 || e.sort() == receipt && !m.mayLeave(e) {
			continue
		}
		list = append(list, step{what: stepEvent, event: i})
	}
	for i, a := range m.agents {
		if a.HasDeferred() {
			list = append(list, step{what: stepDeferred, agent: i})
		}
	}
	for i, c := range m.caches {
		m.timers = c.Running(m.timers[:0])
		for _, t := range m.timers {
			list = append(list, step{what: stepTimer, agent: i, slot: t.Slot})
		}
	}
	for core := range m.caches {
		for b := range coherence.Block(m.Blocks) {
			if m.cores[core].Speculative(b) {
				list = append(list, step{what: stepSettle, agent: core, block: b})
			}
			for _, kind := range m.Accesses {
				if m.free(core) < m.Outstanding {
					list = append(list, step{what: stepAccess, agent: core, block: b, kind: kind})
				}
			}
			if m.Evictions {
				list = append(list, step{what: stepEviction, agent: core, block: b})
			}
		}
	}
	for b := range coherence.Block(m.Blocks) {
		if m.Replacements && !m.PassingBank {
			list = append(list, step{what: stepEviction, agent: m.Cores, block: b})
		}
	}
	for i := range m.hints {
		list = append(list, step{what: stepHint, hint: i, agent: m.hints[i].to, block: m.hints[i].message.Block})
	}
	return list
}

// mayLeave reports whether few enough ordered messages of a core are under way for it to learn that
// the last has left.
func (m *machine) mayLeave(e event) bool {
	for _, x := range m.bag {
		if x.ordered() && x.from() == e.to() && int(x.position()) >= m.OrderedInFlight-2 {
			return false
		}
	}
	return true
}

// do takes a step. It returns false when the step is refused and leaves no trace: the
// machine's state is undefined then. An error is a broken law.
func (m *machine) do(s step) (done bool, err error) {
	defer func() {
		if r := recover(); r != nil {
			done, err = true, fmt.Errorf("%v", r)
		}
	}()
	m.acted = s.agent
	m.room(s.agent)
	out := &m.effects
	switch s.what {
	case stepEvent:
		return m.doEvent(m.bag[s.event], s.event)
	case stepDeferred:
		m.agents[s.agent].Continue(0, out)
	case stepTimer:
		m.fireTimer(m.caches[s.agent], s.slot)
	case stepSettle:
		m.cores[s.agent].forget(s.block)
		m.caches[s.agent].Settle(0, out)
	case stepAccess:
		handle := m.free(s.agent)
		outcome, version := m.caches[s.agent].Access(coherence.Access{Block: s.block, Handle: uint32(handle), Kind: s.kind}, 0, out)
		switch outcome {
		case coherence.Refused:
			return false, m.nothing()
		case coherence.Pending:
			if s.kind != coherence.Prefetch {
				m.open[s.agent*m.Outstanding+handle] = open{true, s.kind, s.block, m.latest[s.block]}
			}
		default:
			if err := m.data(s.agent, s.block, s.kind, version); err != nil {
				return true, err
			}
		}
	case stepEviction:
		if !m.agents[s.agent].Evict(s.block, 0, out) {
			return false, m.nothing()
		}
	case stepHint:
		line := m.agents[s.agent].Line(s.block)
		if !m.agents[s.agent].Accept(m.hints[s.hint].message, 0, out) {
			return false, m.nothing()
		}
		if s.agent < m.Cores && line.Owner && line.Busy && !out.Quiet() {
			return true, fmt.Errorf("core %d owns block %d and waits for the other copies to write it; it answers a hint", s.agent, s.block)
		}
	}
	return true, m.finish(s.agent)
}

// fireTimer fires the timer of a slot, by the number that it has now: loading a state gives timers
// new ones.
func (m *machine) fireTimer(c coherence.ExplorableCache, slot uint16) {
	m.timers = c.Running(m.timers[:0])
	for _, t := range m.timers {
		if t.Slot == slot {
			c.Timeout(t, 0, &m.effects)
		}
	}
}

// doEvent makes an event of the bag happen.
func (m *machine) doEvent(e event, at int) (bool, error) {
	agent := m.index(e.to())
	m.acted = agent
	m.bag = slices.Delete(m.bag, at, at+1)
	if e.ordered() {
		for i, x := range m.bag {
			if x.ordered() && x.pair() == e.pair() {
				m.bag[i] -= 1 << positionAt
			}
		}
	}
	m.room(agent)
	arrived := e.message()
	switch e.sort() {
	case arrival:
		if !m.agents[agent].Accept(arrived, 0, &m.effects) {
			return false, m.nothing()
		}
	case receipt:
		m.caches[agent].Sent(arrived, 0, &m.effects)
	case dram:
		m.audit.Memories[0].MemoryDone(e.block(), 0, &m.effects)
	}
	if err := m.finish(agent); err != nil {
		return true, err
	}
	return true, m.used(agent, &arrived)
}

// used verifies that data is not given away before it has served the reads that wait for it. A core
// that collects all copies to write may part with one.
func (m *machine) used(agent int, arrived *coherence.Message) error {
	out := &m.effects
	if !arrived.Has(coherence.HasData) || len(out.Completions) > 0 || !slices.Contains(out.Lost, arrived.Block) {
		return nil
	}
	for _, o := range m.open[agent*m.Outstanding : (agent+1)*m.Outstanding] {
		if o.waits && !o.kind.IsWrite() && o.block == arrived.Block {
			return fmt.Errorf("data arrives at core %d and leaves without serving the read that waits for it", agent)
		}
	}
	return nil
}

// nothing verifies that a refusal has had no effects.
func (m *machine) nothing() error {
	if m.effects.Retry = false; !m.effects.Quiet() { // the core may try again at any time
		return fmt.Errorf("a refused message had effects: %+v", m.effects)
	}
	return nil
}

// finish carries out the effects of a step of an agent. Timers are known from the controllers'
// states, and cores may repeat refused accesses at any time, so neither is looked at here.
func (m *machine) finish(agent int) error {
	out := &m.effects
	for class, room := range out.Room {
		if room < 0 {
			return fmt.Errorf("%v sends more messages of class %d than fit", m.names[agent], class)
		}
	}
	for i := range out.Completions {
		if err := m.complete(agent, &out.Completions[i]); err != nil {
			return err
		}
	}
	for _, list := range [][]coherence.Block{out.Lost, out.Evicted} {
		for _, b := range list {
			if m.agents[agent].Line(b).Readable {
				return fmt.Errorf("%v reports block %d as lost, but can read it", m.names[agent], b)
			}
			m.cores[agent].forget(b)
		}
	}
	sends, reads := len(out.Sends), len(out.Reads)
	for i := range sends {
		if err := m.send(agent, out.Sends[i]); err != nil {
			return err
		}
	}
	for _, b := range out.Reads[:reads] {
		if err := m.read(agent, b); err != nil {
			return err
		}
	}
	return nil
}

// read starts a DRAM read of a block; with instant memory it also ends it.
func (m *machine) read(agent int, b coherence.Block) error {
	if !m.InstantMemory {
		memory := m.names[agent]
		m.bag = append(m.bag, pack(dram, memory, &coherence.Message{Block: b, From: memory, Requestor: coherence.NoCore}, 0))
		return nil
	}
	before := len(m.effects.Sends)
	m.audit.Memories[0].MemoryDone(b, 0, &m.effects)
	for i := before; i < len(m.effects.Sends); i++ {
		if err := m.send(agent, m.effects.Sends[i]); err != nil {
			return err
		}
	}
	return nil
}

// send puts one copy of a message per destination into the bag.
func (m *machine) send(agent int, s coherence.Send) error {
	if m.proto.Hint(&s.Message) {
		return nil // it may be lost, and may come at any time in any case
	}
	from := s.From
	if s.Receipt {
		m.bag = append(m.bag, pack(receipt, from, &s.Message, 0))
	}
	m.proto.Canonicalize(&s.Message)
	if m.Cramped {
		s.From = from
	}
	var receivers [maxCores + 2]coherence.Agent
	for _, to := range s.AppendReceivers(receivers[:0], m.audit.Homes) {
		if err := m.copy(&s, to); err != nil {
			return err
		}
	}
	return nil
}

// copy puts one copy of a message into the bag.
func (m *machine) copy(s *coherence.Send, to coherence.Agent) error {
	if m.PassingBank && to.Role == coherence.Bank {
		return m.pass(s.Message)
	}
	e := pack(arrival, to, &s.Message, uint8(s.Version))
	if s.Ordered {
		position := uint64(0)
		for _, x := range m.bag {
			if x.ordered() && x.pair() == e.pair() {
				position++
			}
		}
		if position > maxPosition {
			return fmt.Errorf("more than %d ordered messages are on their way from %v to %v", maxPosition, s.From, to)
		}
		e |= event(1<<orderedAt | position<<positionAt)
	}
	m.bag = append(m.bag, e)
	return nil
}

// pass delivers a message to the bank in the same step.
func (m *machine) pass(message coherence.Message) error {
	before := len(m.effects.Sends)
	if !m.agents[m.Cores].Accept(message, 0, &m.effects) {
		return fmt.Errorf("a passing bank refuses a message: %+v", message)
	}
	for i := before; i < len(m.effects.Sends); i++ {
		if err := m.send(m.Cores, m.effects.Sends[i]); err != nil {
			return err
		}
	}
	return nil
}

// complete ends the access that a core waits for.
func (m *machine) complete(core int, done *coherence.Completion) error {
	place := core*m.Outstanding + int(done.Handle)
	if int(done.Handle) >= m.Outstanding || !m.open[place].waits || m.open[place].kind != done.Kind {
		return fmt.Errorf("core %d: an access ends that does not wait: %+v", core, *done)
	}
	o := m.open[place]
	m.open[place] = open{}
	if !done.Overtaken {
		return m.data(core, o.block, done.Kind, done.Version)
	}
	if done.Kind.IsWrite() || done.Version > m.latest[o.block] || m.History && done.Version < o.since {
		return fmt.Errorf("core %d reads a version that was not the latest at any time since its access", core)
	}
	return nil
}

// data holds an access to the single-writer law: permission and access are one step, so a load
// returns exactly the latest version and a store makes the next one.
func (m *machine) data(core int, b coherence.Block, k coherence.AccessKind, v coherence.Version) error {
	switch {
	case k == coherence.Prefetch:
	case k.IsWrite():
		m.latest[b]++
		if v != m.latest[b] {
			return fmt.Errorf("core %d writes block %d over data that is not the latest", core, b)
		}
		for other := range m.cores {
			if other != core && m.cores[other].Speculative(b) {
				return fmt.Errorf("core %d writes block %d, and core %d, which has read it speculatively, is not notified", core, b, other)
			}
		}
	case v != m.latest[b]:
		return fmt.Errorf("core %d reads data of block %d that is not the latest", core, b)
	case k == coherence.Load && m.Victims > 0:
		m.cores[core].blocks |= 1 << b
	}
	return nil
}
