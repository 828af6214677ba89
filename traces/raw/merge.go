package raw

import (
	"math/bits"

	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/frames"
	"github.com/carousel-sim/carousel/traces/order"
)

// merge turns the records of all threads, in order of stamps, into streams and edges.
type merge struct {
	inputs   []*input
	config   traces.ImportConfig
	physical bool
	out      *traces.Writer
	threads  []thread
	finder   *order.Finder
	counter  frames.Counter
	pages    *frames.Map
	counts   counts
}

// thread is what is known of a thread between two of its records.
type thread struct {
	position     uint64 // records written
	instructions uint64 // since the last record written
	windowed     bool   // a record has been kept
	// locked lists the addresses that the current LOCK instruction has loaded and not yet stored.
	locked [4]uint64
	locks  int
	pc     uint64
	buffer []traces.Record
	edges  []traces.Edge
}

const bufferRecords = 4096

func newMerge(inputs []*input, c traces.ImportConfig, m traces.Metadata, w *traces.Writer) *merge {
	g := &merge{inputs: inputs, config: c, physical: m.Addresses == "physical", out: w,
		threads: make([]thread, len(inputs)), finder: order.NewFinder(len(inputs))}
	g.pages = frames.NewMap(&g.counter)
	for i := range g.threads {
		g.threads[i].buffer = make([]traces.Record, 0, bufferRecords)
	}
	return g
}

// run is the loop: the thread with the lowest stamp goes on until another thread's turn.
func (g *merge) run() error {
	for {
		first, until := -1, ^uint64(0)
		for i, in := range g.inputs {
			if in.ended {
				continue
			}
			switch {
			case first < 0 || in.current.stamp < g.inputs[first].current.stamp:
				if first >= 0 {
					until = g.inputs[first].current.stamp
				}
				first = i
			case in.current.stamp < until:
				until = in.current.stamp
			}
		}
		if first < 0 {
			break
		}
		in := g.inputs[first]
		for {
			if err := g.record(in); err != nil {
				return err
			}
			if err := in.next(); err != nil {
				return err
			}
			if in.ended || in.current.stamp >= until {
				break
			}
		}
	}
	return g.finish()
}

func (g *merge) finish() error {
	for core := range g.threads {
		t := &g.threads[core]
		t.buffer = append(t.buffer, traces.Record{Kind: traces.End, Instructions: saturate(t.instructions)})
		if err := g.flush(core); err != nil {
			return err
		}
	}
	return g.out.WritePages(0, g.pages.Pages())
}

func (g *merge) flush(core int) error {
	t := &g.threads[core]
	if err := g.out.WriteRecords(core, t.buffer); err != nil {
		return err
	}
	err := g.out.WriteEdges(core, t.edges)
	t.buffer, t.edges = t.buffer[:0], t.edges[:0]
	return err
}

func saturate(n uint64) uint32 { return uint32(min(n, saturatedGap)) }

// record takes one raw record of a thread.
func (g *merge) record(in *input) error {
	r := &in.current
	if r.stamp < g.config.FromStamp || g.config.ToStamp != 0 && r.stamp >= g.config.ToStamp {
		return nil
	}
	t := &g.threads[in.core]
	g.counts.see(r)
	if !t.windowed {
		// The first record belongs to an instruction of its own; what came before is not in the
		// trace.
		t.windowed, t.instructions = true, 1
		if in.read == 1 && r.gap != saturatedGap {
			t.instructions += uint64(r.gap)
		}
	} else if r.gap == saturatedGap {
		g.counts.saturated++
	} else {
		t.instructions += uint64(r.gap)
	}
	if r.gap != 0 || r.pc != t.pc {
		t.locks, t.pc = 0, r.pc
	}
	switch {
	case r.kind == kindEvent:
	case r.kind&kindDevice != 0:
		g.counts.devices++
	case g.merged(t, r):
		g.counts.merged++
	default:
		g.access(in.core, r)
	}
	if len(t.buffer) >= bufferRecords-2 {
		return g.flush(in.core)
	}
	return nil
}

// merged reports whether the record is the store of a LOCK instruction whose load has become an
// Atomic.
func (g *merge) merged(t *thread, r *record) bool {
	if r.kind&kindLock == 0 || r.kind&kindAtomic != 0 {
		return false
	}
	if r.kind&kindStore == 0 {
		if t.locks < len(t.locked) {
			t.locked[t.locks] = r.virtual
			t.locks++
		}
		return false
	}
	for i, a := range t.locked[:t.locks] {
		if a == r.virtual {
			t.locks--
			t.locked[i] = t.locked[t.locks]
			return true
		}
	}
	return false
}

// access writes an access, one record per line, and its edges.
func (g *merge) access(core int, r *record) {
	t := &g.threads[core]
	kind := traces.Load
	switch {
	case r.kind&kindFetch != 0:
		kind = traces.Fetch
	case r.kind&(kindAtomic|kindLock) != 0:
		kind = traces.Atomic
	case r.kind&kindStore != 0:
		kind = traces.Store
	}
	// A damaged recording may give an access a physical address of another place in its line, so
	// the line that counts is that of the address that is kept.
	at, left := r.virtual, uint64(1)<<r.size
	if g.physical {
		at = r.physical
	}
	for left > 0 {
		piece := min(left, traces.LineBytes-at%traces.LineBytes)
		address := at
		if !g.physical {
			address = g.pages.Physical(at)
		}
		size := uint8(bits.Len64(piece) - 1)
		if piece < left || left < 1<<r.size {
			g.counts.pieces++
		}
		g.order(core, kind, address, piece)
		t.buffer = append(t.buffer, traces.Record{Address: address, Instructions: saturate(t.instructions), Size: size, Kind: kind})
		t.position++
		t.instructions = 0
		at, left = at+piece, left-piece
	}
}

// order shows the access to the finder.
func (g *merge) order(core int, kind traces.Kind, address, bytes uint64) {
	t := &g.threads[core]
	if kind == traces.Load || kind == traces.Atomic {
		for _, w := range g.finder.Read(core, t.position, address, bytes) {
			t.edges = append(t.edges, traces.Edge{At: t.position, Position: w.Position, Producer: w.Thread})
		}
	}
	if kind == traces.Store || kind == traces.Atomic {
		g.finder.Write(core, t.position, address, bytes)
	}
}

// counts are what the recordings held.
type counts struct {
	records, loads, stores, atomics, fetches, strings, events, futexes uint64
	saturated, devices, merged, pieces                                 uint64
}

const systemCall, futexCall = 2, 202

func (n *counts) see(r *record) {
	n.records++
	switch {
	case r.kind == kindEvent:
		n.events++
		// The recorder packs the low byte of the number into the top of the argument.
		if r.virtual == systemCall && (r.physical == futexCall || r.physical>>48&0xff == futexCall) {
			n.futexes++
		}
		return
	case r.kind&kindFetch != 0:
		n.fetches++
		return
	case r.kind&(kindLock|kindAtomic) != 0:
		n.atomics++
	case r.kind&kindStore != 0:
		n.stores++
	default:
		n.loads++
	}
	if r.kind&kindString != 0 {
		n.strings++
	}
}

func (n *counts) list(f *order.Finder) []traces.Count {
	return []traces.Count{
		{Name: "raw records", N: n.records},
		{Name: "data accesses", N: n.loads + n.stores + n.atomics},
		{Name: "loads", N: n.loads},
		{Name: "stores", N: n.stores},
		{Name: "accesses of LOCK instructions", N: n.atomics},
		{Name: "stores merged into atomics", N: n.merged},
		{Name: "pieces of string instructions", N: n.strings},
		{Name: "fetched lines", N: n.fetches},
		{Name: "events, left out", N: n.events},
		{Name: "futex calls among them", N: n.futexes},
		{Name: "device accesses, left out", N: n.devices},
		{Name: "saturated instruction gaps, taken as 0", N: n.saturated},
		{Name: "pieces of accesses that crossed a line", N: n.pieces},
		{Name: "reads of what another thread wrote last", N: f.Shared()},
		{Name: "edges", N: f.Edges()},
	}
}
