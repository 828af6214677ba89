package directory

import (
	"fmt"
	"strings"

	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/coherence/controller"
	"github.com/carousel-sim/carousel/noc"
)

// memory is a memory controller. It keeps no coherence state: homes read and write blocks.
type memory struct {
	agent
	records controller.Records[record]
	ready   []coherence.Block // reads whose data waits for room
}

func (p *Protocol) newMemory(index int) *memory {
	return &memory{agent: p.newAgent(coherence.Memory, index), records: controller.NewRecords(record{})}
}

// Accept processes a message.
func (d *memory) Accept(m coherence.Message, now noc.Cycle, out *coherence.Effects) bool {
	d.Now = now
	r := d.records.Get(m.Block)
	switch m.Kind {
	case MemRd:
		if out.ReadRoom < 1 {
			return false
		}
		d.Took(m.Block, r.state(), memoryRead)
		r.reading = true
		d.Count.MemoryReads++
		out.ReadRoom--
		out.Reads = append(out.Reads, m.Block)
	case MemWr:
		if out.Room[MemoryReply] < 1 {
			return false
		}
		d.Took(m.Block, r.state(), memoryWrite)
		r.version = m.Version
		d.Count.MemoryWrites++
		out.Writes = append(out.Writes, m.Block)
		d.Send(out, message(MemAck, m.Block, 0, 0), d.BankOf(m.Block))
	default:
		d.Fail(m.Block, "kind %d is not for a memory controller", m.Kind)
	}
	return true
}

// MemoryDone sends a block that DRAM has read to its home.
func (d *memory) MemoryDone(b coherence.Block, now noc.Cycle, out *coherence.Effects) {
	d.Now = now
	d.Took(b, d.records.Get(b).state(), memoryDone)
	if out.Room[MemoryReply] < 1 {
		d.ready = append(d.ready, b)
		return
	}
	d.deliver(b, out)
}

func (d *memory) deliver(b coherence.Block, out *coherence.Effects) {
	r := d.records.Get(b)
	r.reading = false
	d.Send(out, message(MemData, b, r.version, 0), d.BankOf(b))
}

// Owes reports whether data waits for room.
func (d *memory) Owes() bool { return len(d.ready) != 0 }

// Continue sends data that waited for room, in the order in which DRAM delivered it.
func (d *memory) Continue(now noc.Cycle, out *coherence.Effects) {
	d.Now = now
	sent := 0
	for sent < len(d.ready) && out.Room[MemoryReply] > 0 {
		d.deliver(d.ready[sent], out)
		sent++
	}
	d.ready = d.ready[:copy(d.ready, d.ready[sent:])]
}

// Line is what memory holds of a block.
func (d *memory) Line(b coherence.Block) coherence.Line {
	if r := d.records.Find(b); r != nil {
		return r.audit()
	}
	return coherence.Line{}
}

// VisitLines calls f for every block that has been read or written at some time.
func (d *memory) VisitLines(f func(b coherence.Block, l coherence.Line)) {
	d.records.Visit(func(b coherence.Block, r *record) { f(b, r.audit()) })
}

// Explain says what the memory controller waits for.
func (d *memory) Explain() string {
	var s strings.Builder
	d.records.Visit(func(b coherence.Block, r *record) {
		if r.reading {
			fmt.Fprintf(&s, "block %#x is read from DRAM; ", uint32(b))
		}
	})
	for _, b := range d.ready {
		fmt.Fprintf(&s, "data of block %#x waits for room; ", uint32(b))
	}
	return strings.TrimSuffix(s.String(), "; ")
}
