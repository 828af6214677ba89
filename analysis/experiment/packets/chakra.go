package packets

import (
	"context"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/printable"
	"github.com/carousel-sim/carousel/noc/leaf/wholefile"
	"github.com/carousel-sim/carousel/traces/chakra"
	"github.com/carousel-sim/carousel/traces/packed"
	"github.com/carousel-sim/carousel/traces/packetlist"
)

// openChakra makes a program of a trace of Chakra. Rank r is node r. A node of the graph begins when all that it
// depends on have ended: a computation takes its time, one at a time on each rank; a message ends, for its sender
// too, when it has arrived; a collective operation of a group begins on each rank by itself, and ends there when
// the rank has sent and got everything.
func (s *Study) openChakra(passed packed.Passed) (*program, error) {
	files, err := chakra.Files(s.Path)
	if err != nil {
		return nil, err
	}
	list, callers, err := chakra.Read(files, passed)
	if err != nil {
		return nil, err
	}
	w := &weaver{study: s, program: program{name: s.name(), phits: s.PacketPhits}, ranks: map[int]*woven{}}
	for _, t := range list {
		w.ranks[t.Rank] = &woven{Trace: t, ended: make([]uint64, len(t.Nodes)), waits: make([]int, len(t.Nodes)), next: make([][]int, len(t.Nodes))}
	}
	if err := w.weave(); err != nil {
		return nil, err
	}
	if callers {
		w.program.notes = append(w.program.notes, "the files lack nodes of ctrl_deps, which are then the callers of operations: no node waits for its ctrl_deps")
	}
	return &w.program, nil
}

// weaver joins the graphs of all ranks, in an order in which every step comes after those that it depends on.
type weaver struct {
	study   *Study
	program program
	ranks   map[int]*woven
	ready   []member
	// sent are the steps of messages that no node has received, and expected the nodes that wait for a message.
	sent     map[channel][]uint64
	expected map[channel][]member
	meetings map[meeting]*[]member
}

// woven is the graph of a rank under way.
type woven struct {
	*chakra.Trace
	ended []uint64 // steps of nodes
	waits []int    // nodes that a node waits for
	next  [][]int  // nodes that wait for it
	group map[string][]int
}

// member is a node of a rank.
type member struct{ rank, node int }

// channel is what messages and those who receive them have in common.
type channel struct{ from, to, tag uint64 }

// meeting is one collective operation of a group.
type meeting struct {
	group  string
	number int
}

func (w *weaver) node(m member) *chakra.Node { return &w.ranks[m.rank].Nodes[m.node] }

func (w *weaver) fault(m member, format string, values ...any) error {
	return w.ranks[m.rank].Fault(w.node(m), format, values...)
}

// weave makes the steps.
func (w *weaver) weave() error {
	w.sent, w.expected, w.meetings = map[channel][]uint64{}, map[channel][]member{}, map[meeting]*[]member{}
	sizes := map[string]int{} // members of each group
	order := slices.Sorted(maps.Keys(w.ranks))
	for _, rank := range order {
		r := w.ranks[rank]
		r.group = map[string][]int{}
		for i := range r.Nodes {
			n := &r.Nodes[i]
			if r.waits[i] = len(n.After); r.waits[i] == 0 {
				w.ready = append(w.ready, member{rank, i})
			}
			for _, d := range n.After {
				r.next[d] = append(r.next[d], i)
			}
			if n.Type == chakra.Collective {
				r.group[n.Group] = append(r.group[n.Group], i)
			}
		}
		for group := range r.group {
			sizes[group]++
		}
	}
	for ; len(w.ready) > 0; w.ready = w.ready[1:] {
		if err := w.take(w.ready[0], sizes); err != nil {
			return err
		}
	}
	return w.left(order, sizes)
}

// begin returns a step that ends when all that a node depends on have ended.
func (w *weaver) begin(m member, more ...uint64) (after []uint64) {
	r := w.ranks[m.rank]
	for _, d := range r.Nodes[m.node].After {
		after = append(after, r.ended[d])
	}
	return append(after, more...)
}

// end notes the step with which a node ends, and finds the nodes that may go on.
func (w *weaver) end(m member, step uint64) {
	r := w.ranks[m.rank]
	r.ended[m.node] = step
	for _, i := range r.next[m.node] {
		if r.waits[i]--; r.waits[i] == 0 {
			w.ready = append(w.ready, member{m.rank, i})
		}
	}
}

// pause adds a step without a message.
func (w *weaver) pause(m member, work noc.Cycle, more ...uint64) uint64 {
	return w.program.add(packet{Packet: packetlist.Packet{Source: uint32(m.rank), DependsOn: w.begin(m, more...)}, work: work})
}

// mostMicros bounds the time of a node: about 12 days.
const mostMicros = 1e12

// take makes the steps of a node that has nothing left to wait for on its own rank.
func (w *weaver) take(m member, sizes map[string]int) error {
	n := w.node(m)
	if n.Micros > mostMicros {
		return w.fault(m, "it takes %d us; at most %g are possible", n.Micros, float64(mostMicros))
	}
	if n.Type >= chakra.Send && n.Type <= chakra.Collective && n.Bytes > math.MaxUint32 {
		return w.fault(m, "comm_size is %d; at most %d bytes are possible", n.Bytes, uint64(math.MaxUint32))
	}
	switch n.Type {
	case chakra.Send:
		return w.send(m, n)
	case chakra.Receive:
		key := channel{n.From, uint64(m.rank), n.Tag}
		if list := w.sent[key]; len(list) > 0 {
			w.sent[key] = list[1:]
			w.end(m, w.pause(m, 0, list[0]))
		} else {
			w.expected[key] = append(w.expected[key], m)
		}
	case chakra.Collective:
		return w.meet(m, n, sizes[n.Group])
	default:
		w.end(m, w.pause(m, noc.Cycle(math.Round(float64(n.Micros)*1000*w.study.ClockGHz))))
	}
	return nil
}

// send adds a message.
func (w *weaver) send(m member, n *chakra.Node) error {
	if w.ranks[int(n.To)] == nil || n.To > math.MaxInt32 {
		return w.fault(m, "it sends to rank %d, of which there is no file", n.To)
	}
	step := packet{Packet: packetlist.Packet{Source: uint32(m.rank), Destinations: []uint64{n.To}, Bytes: uint32(n.Bytes), DependsOn: w.begin(m)}}
	number := w.program.add(step)
	w.end(m, number)
	key := channel{uint64(m.rank), n.To, n.Tag}
	if list := w.expected[key]; len(list) > 0 {
		w.expected[key] = list[1:]
		w.end(list[0], w.pause(list[0], 0, number))
	} else {
		w.sent[key] = append(w.sent[key], number)
	}
	return nil
}

// meeting is the operation that a node takes part in: the k-th of its group on one rank is the k-th on all others.
func (w *weaver) meeting(m member, n *chakra.Node) meeting {
	at, _ := slices.BinarySearch(w.ranks[m.rank].group[n.Group], m.node)
	return meeting{n.Group, at}
}

// meet lets a rank come to a collective operation. The last one that comes adds its steps.
func (w *weaver) meet(m member, n *chakra.Node, size int) error {
	key := w.meeting(m, n)
	if n.CommType >= uint64(len(chakra.Operations)) || chakra.Operations[n.CommType] == "" {
		name := fmt.Sprint(n.CommType)
		if n.CommType < uint64(len(chakra.OperationNames)) {
			name = chakra.OperationNames[n.CommType]
		}
		return w.fault(m, "collective operations of type %s cannot be replayed; all-reduce, reduce-scatter, all-gather, all-to-all, broadcast and barrier can", name)
	}
	if w.meetings[key] == nil {
		w.meetings[key] = &[]member{}
	}
	came := w.meetings[key]
	if *came = append(*came, m); len(*came) < size {
		return nil
	}
	slices.SortFunc(*came, func(a, b member) int { return a.rank - b.rank })
	var nodes, begun []uint64
	for _, other := range *came {
		if o := w.node(other); o.CommType != n.CommType || o.Bytes != n.Bytes {
			return w.fault(m, "it is %s of %d bytes, and node %d of rank %d in the same place of group %q is %s of %d bytes", chakra.Operations[n.CommType], n.Bytes,
				o.ID, other.rank, n.Group, chakra.Operations[min(o.CommType, uint64(len(chakra.Operations)-1))], o.Bytes)
		}
		nodes, begun = append(nodes, uint64(other.rank)), append(begun, w.pause(other, 0))
	}
	ended, err := w.program.collective(w.study.form(chakra.Operations[n.CommType]), nodes, n.Bytes, begun)
	if err != nil {
		return w.fault(m, "%v", err)
	}
	for i, other := range *came {
		w.end(other, ended[i])
	}
	return nil
}

// left returns an error about the first node that has not ended, or a note about messages that nobody received.
func (w *weaver) left(order []int, sizes map[string]int) error {
	for _, waiting := range []bool{false, true} { // those that wait for their own rank are the last reason
		for _, rank := range order {
			r := w.ranks[rank]
			i := slices.IndexFunc(r.ended, func(step uint64) bool { return step == 0 })
			for ; i >= 0 && i < len(r.ended) && (r.ended[i] != 0 || r.waits[i] > 0 != waiting); i++ {
			}
			if i < 0 || i == len(r.ended) {
				continue
			}
			m, n := member{rank, i}, &r.Nodes[i]
			switch {
			case waiting:
				return w.fault(w.circle(m), "it depends on itself, over others")
			case n.Type == chakra.Receive:
				return w.fault(m, "no message for it comes from rank %d with tag %d", n.From, n.Tag)
			}
			came := len(*w.meetings[w.meeting(m, n)])
			return w.fault(m, "only %d of the %d ranks of group %q come to this collective operation of theirs", came, sizes[n.Group], n.Group)
		}
	}
	var lost int
	for _, list := range w.sent {
		lost += len(list)
	}
	if lost > 0 {
		w.program.notes = append(w.program.notes, fmt.Sprintf("%d messages have no node that receives them", lost))
	}
	w.program.nodes = max(w.program.nodes, order[len(order)-1]+1)
	return nil
}

// circle goes back along nodes that wait, up to one that comes again.
func (w *weaver) circle(m member) member {
	r := w.ranks[m.rank]
	for seen := map[int]bool{}; !seen[m.node]; {
		seen[m.node] = true
		after := w.node(m).After
		m.node = after[slices.IndexFunc(after, func(d int) bool { return r.ended[d] == 0 })]
	}
	return m
}

// form is the form in which a collective operation of a file is done: as Forms says, or the usual one.
func (s *Study) form(operation string) string {
	for _, f := range s.Forms {
		if name, _, _ := strings.Cut(f, ":"); name == operation {
			return f
		}
	}
	return operation
}

// name is what the file is called.
func (s *Study) name() string {
	name, _, _ := strings.Cut(filepath.Base(s.Path), ".")
	return printable.Name(name)
}

// DigestFiles returns the digest of the file, or of the files of all ranks.
func (s *Study) DigestFiles(ctx context.Context) (string, error) {
	if !chakra.Is(s.Path) {
		return wholefile.Digest(ctx, s.Path)
	}
	files, err := chakra.Files(s.Path)
	if err != nil {
		return "", err
	}
	sums := map[int]string{}
	for rank, path := range files {
		if sums[rank], err = wholefile.Digest(ctx, path); err != nil {
			return "", err
		}
	}
	return experiment.Digest(sums), nil
}
