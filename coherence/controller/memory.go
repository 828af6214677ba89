package controller

import (
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/blocktable"
)

// The states and events of a [Memory], by which its table in a Description is ordered.
const (
	MemoryIdle uint8 = iota
	MemoryReading
)

// The events of a Memory.
const (
	MemoryRead uint8 = iota
	MemoryWrite
	MemoryDone
)

// MemoryTable is the table of a Memory in a Description: its states, its events and the legal
// pairs.
var (
	MemoryStates = []string{"idle", "reading"}
	MemoryEvents = []string{"MemRd", "MemWr", "DRAM read done"}
	MemoryLegal  = []string{MemoryRead: "x.", MemoryWrite: "x.", MemoryDone: ".x"}
)

// MemoryKinds are the kinds of messages that homes and a Memory exchange, and the class of its
// replies.
type MemoryKinds struct {
	Read, Write, Data, Ack uint8
	Reply                  noc.Class
}

// Memory is a memory controller that keeps no coherence state: homes read and write whole blocks,
// and it acknowledges each write. It is for protocols whose homes are the banks.
type Memory struct {
	Agent
	kinds  MemoryKinds
	blocks blocktable.Table[coherence.Block, memoryBlock]
	ready  []coherence.Block // reads whose data waits for room
}

// memoryBlock is what a Memory knows of a block that was read or written at some time.
type memoryBlock struct {
	version coherence.Version
	reading bool
}

func (m *memoryBlock) state() uint8 {
	if m.reading {
		return MemoryReading
	}
	return MemoryIdle
}

func (m *memoryBlock) line() coherence.Line {
	return coherence.Line{State: m.state(), Version: m.version, Busy: m.reading}
}

// NewMemory returns a memory controller of a chip.
func NewMemory(c *Chip, index int, kinds MemoryKinds) *Memory {
	return &Memory{Agent: NewAgent(c, coherence.Memory, index), kinds: kinds, blocks: blocktable.New[coherence.Block](memoryBlock{})}
}

// Preload does nothing: a controller without coherence state need not know what caches hold.
func (d *Memory) Preload(*coherence.Resident, int) {}

// CopyFrom does nothing, like Preload.
func (d *Memory) CopyFrom(coherence.Controller) {}

// Accept processes a read or a write.
func (d *Memory) Accept(m coherence.Message, now noc.Cycle, out *coherence.Effects) bool {
	d.Now = now
	x := d.blocks.Get(m.Block)
	switch m.Kind {
	case d.kinds.Read:
		if out.ReadRoom < 1 {
			return false
		}
		d.Took(m.Block, x.state(), MemoryRead)
		x.reading = true
		d.Count.MemoryReads++
		out.ReadRoom--
		out.Reads = append(out.Reads, m.Block)
	case d.kinds.Write:
		if out.Room[d.kinds.Reply] < 1 {
			return false
		}
		d.Took(m.Block, x.state(), MemoryWrite)
		x.version = m.Version
		d.Count.MemoryWrites++
		out.Writes = append(out.Writes, m.Block)
		d.Send(out, coherence.Message{Block: m.Block, Kind: d.kinds.Ack, Class: d.kinds.Reply}, d.BankOf(m.Block))
	default:
		d.Fail(m.Block, "kind %d is not for a memory controller", m.Kind)
	}
	return true
}

// MemoryDone sends a block that DRAM has read to its home.
func (d *Memory) MemoryDone(b coherence.Block, now noc.Cycle, out *coherence.Effects) {
	d.Now = now
	d.Took(b, d.blocks.Get(b).state(), MemoryDone)
	if out.Room[d.kinds.Reply] < 1 {
		d.ready = append(d.ready, b)
		return
	}
	d.deliver(b, out)
}

func (d *Memory) deliver(b coherence.Block, out *coherence.Effects) {
	x := d.blocks.Get(b)
	x.reading = false
	d.Send(out, coherence.Message{Block: b, Version: x.version, Kind: d.kinds.Data, Class: d.kinds.Reply, Flags: coherence.HasData}, d.BankOf(b))
}

// HasDeferred reports whether data waits for room.
func (d *Memory) HasDeferred() bool { return len(d.ready) != 0 }

// Continue sends data that waited for room, in the order in which DRAM delivered it.
func (d *Memory) Continue(now noc.Cycle, out *coherence.Effects) {
	d.Now = now
	sent := 0
	for sent < len(d.ready) && out.Room[d.kinds.Reply] > 0 {
		d.deliver(d.ready[sent], out)
		sent++
	}
	d.ready = d.ready[:copy(d.ready, d.ready[sent:])]
}

// Line returns what memory holds of a block.
func (d *Memory) Line(b coherence.Block) coherence.Line {
	if x := d.blocks.Find(b); x != nil {
		return x.line()
	}
	return (&memoryBlock{}).line()
}

// VisitLines calls f for every block that was read or written at some time.
func (d *Memory) VisitLines(f func(b coherence.Block, l coherence.Line)) {
	d.blocks.Visit(func(b coherence.Block, x *memoryBlock) { f(b, x.line()) })
}

// Explain says what the memory controller waits for.
func (d *Memory) Explain() string {
	var why Reasons
	d.blocks.Visit(func(b coherence.Block, x *memoryBlock) {
		if x.reading {
			why.Add("block %#x is read from DRAM", uint32(b))
		}
	})
	for _, b := range d.ready {
		why.Add("data of block %#x waits for room", uint32(b))
	}
	return why.String()
}

// Snapshot passes the memory controller's state.
func (d *Memory) Snapshot(s *coherence.Snapshot) {
	for b := range coherence.Block(s.Blocks) {
		if d.MemoryOf(b) != d.Self {
			continue
		}
		x := d.blocks.Get(b)
		s.Version(b, &x.version)
		s.Bool(&x.reading)
	}
	SnapshotBlocks(&d.ready, s)
}

// Evict returns false: memory keeps everything.
func (d *Memory) Evict(coherence.Block, noc.Cycle, *coherence.Effects) bool { return false }

var (
	_ coherence.MemoryController     = (*Memory)(nil)
	_ coherence.ExplorableController = (*Memory)(nil)
)
