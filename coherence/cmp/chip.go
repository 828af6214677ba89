package cmp

import (
	"context"
	"fmt"
	"math/bits"

	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/parallel"
	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/tickets"
)

// System is a chip with its network and the trace it replays.
type System struct {
	config   Config
	network  noc.Network
	protocol coherence.Protocol
	about    *coherence.Description // of the protocol
	plan     *floorplan

	// phits are the lengths of commands and of messages with data on the network's links, and spread those of
	// messages to several routers.
	phits, spread [2]uint16

	now     noc.Cycle
	cores   []core
	active  []uint64    // cores that have something to do at some time, as bits
	wakes   []noc.Cycle // per core, when that is; Never unless it is active
	agents  agents
	memory  memory
	objects objects
	tried   objects // words that are changed by attempts

	divisible noc.Divisible // the network, if two threads may simulate the chip
	team      parallel.Holder
	always    bool // the second thread need not have a processor
	halves    func(part int)

	nic   nic
	paths paths

	coreDue noc.Cycle
	running int // cores not finished
	// prefetches are blocks on their way that no core waits for. The request for one may have to be repeated
	// after the last core has finished.
	prefetches int
	failure    error
	finish     noc.Cycle
	warmed     bool            // caches were filled before the first cycle
	observer   func(Performed) // nil without one
	stopped    func() error    // why the run is to end early
	mayReach   noc.Cycle       // in no cycle before is a limit of the run reached

	observation
	part  part
	audit auditor
}

// Places returns the routers at which the cores and the memory controllers sit, in their order.
func (s *System) Places() (cores, controllers []noc.NodeID) { return s.plan.cores, s.plan.memories }

// New assembles a chip that replays src on the network. The number of cores is the configuration's,
// or the trace's when that is 0; the two must agree.
func New(c Config, network noc.Network, src traces.Source, seed uint64) (*System, error) {
	return NewFilled(c, network, src, seed, new(Filling))
}

// NewFilled is New for chips that share what their caches hold at the start. They have the same
// configuration and replay the same window of the same trace.
func NewFilled(c Config, network noc.Network, src traces.Source, seed uint64, f *Filling) (*System, error) {
	if c.Cores == 0 {
		c.Cores = src.Cores()
	}
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if c.Cores < 1 || c.Cores > MaxCores {
		return nil, fmt.Errorf("the trace has %d cores; 1 to %d are allowed", c.Cores, MaxCores)
	}
	if c.Cores != src.Cores() {
		hint := ""
		if c.Cores < src.Cores() {
			hint = fmt.Sprintf(", or keep fewer cores: carousel trace slice --cores 0-%d", c.Cores-1)
		}
		return nil, fmt.Errorf("chip.cores is %d, but the trace has streams for %d cores; set chip.cores to 0 to take the trace's number%s", c.Cores, src.Cores(), hint)
	}
	network = slow(network, c.NetworkClock)
	plan, err := newFloorplan(c, network.Nodes())
	if err != nil {
		return nil, err
	}
	width := network.Hardware().PhitBits
	if width < 1 {
		return nil, fmt.Errorf("the network says that its links have %d bits; Hardware must return their width", width)
	}
	command, data := MessagePhits(width)
	s := &System{config: c, network: network, plan: plan, running: c.Cores, memory: memory{due: noc.Never},
		phits: [2]uint16{uint16(command), uint16(data)}}
	further := FurtherBytes(&c, network)
	s.spread = [2]uint16{uint16(noc.PhitsOf(coherence.CommandBytes+further, width)), uint16(noc.PhitsOf(coherence.DataBytes+further, width))}
	if err := s.buildAgents(seed); err != nil {
		return nil, err
	}
	if c.Threads > 1 && c.InterfaceSlots == 0 { // with slots, nodes call FreeSink
		s.divisible, _ = network.(noc.Divisible)
		s.halves = s.half
	}
	s.nic = newNIC(s)
	s.paths = newPaths(network.Nodes(), len(s.agents.memories))
	s.observation = newObservation(s.about, s.network, c.Cores)
	s.nextAudit = c.AuditEvery
	if c.CheckEvery > 0 {
		s.audit.startChecking()
	}
	if err := s.warm(src, f); err != nil {
		return nil, err
	}
	s.cores = make([]core, c.Cores)
	s.active, s.wakes = make([]uint64, (c.Cores+63)/64), make([]noc.Cycle, c.Cores)
	created, ok := src.(traces.Creations)
	if src, err = tickets.Source(src); err != nil {
		return nil, err
	}
	for i := range s.cores {
		s.cores[i] = newCore(s, i, src)
		s.wakes[i] = noc.Never
		if s.cores[i].uncreated = ok && created.Created(i); !s.cores[i].uncreated {
			s.cores[i].wakeAt(0)
		}
	}
	s.bind(src)
	s.choosePart(src)
	return s, nil
}

// MessagePhits returns the lengths of commands and of messages with data on links of some width.
func MessagePhits(bits int) (command, data int) {
	return noc.PhitsOf(coherence.CommandBytes, bits), noc.PhitsOf(coherence.DataBytes, bits)
}

// headerNodes is how many nodes a destination set may have that fits into the header of every message.
const headerNodes = 64

// FurtherBytes returns by how much a destination set lengthens messages to several routers of a network: by the
// bits beyond those for 64 nodes, if the network replicates messages and headers carry sets.
func FurtherBytes(c *Config, n noc.Network) int {
	if c.FreeDestinationSets {
		return 0
	}
	return (max(n.Hardware().DestinationBits, headerNodes) - headerNodes + 7) / 8
}

// phitsOf returns the length of a message on the network's links.
func (s *System) phitsOf(f *flight) uint16 {
	data := f.send.Flags & coherence.HasData
	if f.send.Many && f.dst.Count() > 1 {
		return s.spread[data]
	}
	return s.phits[data]
}

// newControllers makes the protocol of a chip and its controllers.
func (s *System) newControllers(seed uint64) (coherence.Audit, error) {
	entry, err := LookupProtocol(s.config.Protocol, s.config.More...)
	if err != nil {
		return coherence.Audit{}, err
	}
	p, err := entry.New(s.config, coherence.System{Cores: s.config.Cores, Homes: &s.plan.homes, Seed: stream(seed, "protocol", 0),
		Victims: s.config.Core.VictimBuffer})
	if err != nil {
		return coherence.Audit{}, err
	}
	return coherence.NewAudit(p, &s.plan.homes, s.config.Cores, len(s.plan.memories)), nil
}

// buildAgents makes the controllers and the memories behind them.
func (s *System) buildAgents(seed uint64) error {
	controllers, err := s.newControllers(seed)
	if err != nil {
		return err
	}
	s.protocol, s.about = controllers.Protocol, controllers.Protocol.Describe()
	s.audit = auditor{chip: s, parts: controllers}
	s.audit.parts.Only = &s.audit.used
	s.agents = newAgents(s, &s.audit.parts)
	for i := range s.agents.memories {
		s.memory.drams = append(s.memory.drams, newDRAM(s.config, stream(seed, "dram", i)))
	}
	return nil
}

// blockAt returns the block of a byte address.
func blockAt(address uint64) coherence.Block {
	return coherence.Block(address / coherence.BlockBytes)
}

// Progress is how far a run has come.
type Progress struct {
	Cycle     noc.Cycle
	Records   uint64 // executed so far, by all cores
	CoresDone int
}

// reportEvery is the number of visited cycles between reports of progress.
const reportEvery = 1 << 15

// Run replays the trace to its end, up to the limits of the configuration, or to the end of the part that is
// measured. At the trace's end it lets the chip become quiet. report, which may be nil, is
// called now and then. It returns early when ctx ends, when the trace cannot be read, or with a
// *DeadlockReport when nothing can move any more.
func (s *System) Run(ctx context.Context, report func(Progress)) (Result, error) {
	s.stopped = ctx.Err
	noc.Hold(s.network, true)
	defer noc.Hold(s.network, false)
	s.team.Hold(true)
	defer s.team.Hold(false)
	for visits := 0; (s.running > 0 || !s.quiet()) && !s.reached(); visits++ {
		if visits%reportEvery == 0 {
			if err := ctx.Err(); err != nil {
				return Result{}, err
			}
			if report != nil {
				report(s.progress())
			}
		}
		s.cycle()
		if s.failure != nil {
			return Result{}, s.failure
		}
	}
	if err := s.conclude(); err != nil {
		return Result{}, err
	}
	if report != nil {
		report(s.progress())
	}
	return s.result(), nil
}

// cycle simulates one cycle of the chip and advances to the next cycle in which something is due. If there is a second
// thread, it begins the cycle of the network while the first one simulates the nodes.
func (s *System) cycle() {
	if s.divisible != nil && s.divisible.Begins() && s.team.TeamReady(2, s.always) {
		s.team.Team.Run(s.halves)
	} else {
		s.stepNodes()
	}
	if s.nic.lines.Len() > 0 {
		s.nic.offer()
	}
	s.stepNetwork()
	if s.now >= s.nextLook {
		s.observe()
	}
}

// half is what one of two threads does before the packets of a cycle are offered.
func (s *System) half(part int) {
	if part == 0 {
		s.stepNodes()
	} else {
		s.divisible.Begin()
	}
}

// stepNodes simulates one cycle of controllers, memories, cores and interfaces, up to the packets that they offer. It
// may call no method of the network but Deliveries and Sent, see noc.Divisible.
func (s *System) stepNodes() {
	if s.agents.timers.next() <= s.now {
		s.agents.fireTimers()
	}
	if s.memory.due <= s.now {
		s.memory.step(s)
	}
	if s.nic.asked > 0 {
		s.nic.takeReceipts()
	}
	s.nic.arrive()
	if s.nic.inbox.messages > 0 || s.agents.deferred.Len() > 0 {
		s.agents.accept()
	}
	s.runCores()
	if s.nic.due <= s.now {
		s.nic.packetize()
	}
}

// runCores lets every core that has something to do run one cycle, in order of their numbers. A
// core that another one wakes meanwhile does not run before the next cycle.
func (s *System) runCores() {
	now, due := s.now, noc.Never
	s.coreDue = noc.Never
	for w, word := range s.active {
		for ; word != 0; word &= word - 1 {
			i := 64*w + bits.TrailingZeros64(word)
			wake := &s.wakes[i]
			if *wake <= now {
				*wake = noc.Never
				var next noc.Cycle
				if s.config.Core.Plain {
					next = plainCore{&s.cores[i]}.cycle(now)
				} else {
					next = s.cores[i].cycle(now)
				}
				if s.cores[i].kept {
					s.cores[i].settle(now)
				}
				if next == now+1 { // the common case
					*wake, due = next, next
					continue
				}
				if next = min(*wake, next); next == noc.Never {
					s.active[w] &^= word & -word
					continue
				}
				*wake = max(next, now+1)
			}
			due = min(due, *wake)
		}
	}
	s.coreDue = min(s.coreDue, due) // it is lower when a core has woken one before it
}

// stepNetwork advances the network to the next cycle in which the chip has something to do or
// something arrives.
func (s *System) stepNetwork() {
	until := s.due()
	if limit := min(s.nextLook, s.mayReach); until > limit {
		until = max(limit, s.now+1)
	}
	s.now = s.network.Step(until)
}

// due returns the next cycle in which the chip has something to do if nothing arrives from the
// network.
func (s *System) due() noc.Cycle {
	next := s.now + 1
	if s.config.EveryCycle || s.agents.deferred.Len() > 0 || s.nic.inbox.messages > 0 || s.running == 0 && s.quiet() {
		return next
	}
	at := min(s.coreDue, s.memory.due, s.agents.timers.next(), s.nic.due)
	if s.nic.local.Len() > 0 {
		at = min(at, s.nic.local.Front().at)
	}
	return max(at, next)
}

// quiet reports whether all cores have finished and nothing moves any more.
func (s *System) quiet() bool {
	return s.running == 0 && len(s.nic.flights.all) == len(s.nic.flights.free) && s.network.InFlight() == 0 &&
		s.memory.due == noc.Never && s.agents.deferred.Len() == 0 && s.prefetches == 0
}

// coreFinished records the end of a core's stream. If the core slept until then, its last cycles do
// not count.
func (s *System) coreFinished(c *core) {
	s.running--
	if !c.live.slept {
		s.finish = s.now
	}
	s.lastProgress = s.now
}

// fail ends the run after this cycle.
func (s *System) fail(err error) {
	if s.failure == nil {
		s.failure = err
	}
}
