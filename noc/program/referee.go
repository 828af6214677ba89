package program

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/carousel-sim/carousel/noc"
)

// failure is the error of the program, with the call and the cycle, and the end of what it has printed.
func (n *Network) failure(err error) *noc.Failure {
	c := n.far
	n.Close()
	printed := ""
	if lines := c.printed.lines(); len(lines) > 0 {
		printed = "; its last lines on standard error:\n\t" + strings.Join(lines, "\n\t")
	}
	return &noc.Failure{Err: fmt.Errorf("program %s, call %d (%s), cycle %d: %w%s", c.name, c.calls, c.call, n.Clock, err, printed)}
}

// fail ends the run. Nothing that the program says can be trusted any more.
func (n *Network) fail(err error) { panic(n.failure(err)) }

func (n *Network) failf(format string, parts ...any) { n.fail(fmt.Errorf(format, parts...)) }

// twinRuns is the number of calls of run that two copies of the program answer.
const twinRuns = 500

// askTwin lets a second copy of the program work on the message to the first at the same time.
func (n *Network) askTwin() {
	if n.twin == nil {
		var err error
		if n.twin, err = start(n.setup.Path, n.setup.Arguments, n.setup.Config.limit()); err == nil {
			n.twin.setup(n.setup)
			_, err = n.twin.ask("create", shapeTag)
		}
		if err != nil {
			n.failf("a second copy of it does not start: %w", err)
		}
		n.twin.beside = together{} // on another processor
	}
	n.twin.out = append(n.twin.out[:0], n.far.out...)
	n.twin.send("run")
}

// compare fails if the second copy answers otherwise.
func (n *Network) compare(body []byte) {
	again, err := n.twin.answer(doneTag)
	if err != nil {
		n.failf("a second copy of it, asked the same, fails: %w", err)
	}
	if !bytes.Equal(body, again) {
		n.failf("a second copy of it, asked the same, answers otherwise%s: equal runs differ", cmp.Or(n.only(body, again), n.only(again, body)))
	}
	if n.runs == twinRuns {
		n.twin.stop()
	}
}

// only names the first packet that an answer DONE has taken or delivered otherwise than another answer.
func (n *Network) only(body, other []byte) string {
	if len(body) < doneBytes {
		return ""
	}
	taken := doneBytes + 4*int(binary.LittleEndian.Uint32(body[12:]))
	for at, size := doneBytes, 4; at+4 <= len(body); at += size {
		if at >= taken {
			size = arrivedBytes
		}
		if end := min(at+size, len(body)); end <= len(other) && bytes.Equal(body[at:end], other[at:end]) {
			continue
		}
		if id := binary.LittleEndian.Uint32(body[at:]); int(id) < len(n.known) {
			return fmt.Sprintf(" about %s", &n.known[id])
		}
	}
	return ""
}

// take judges what happened in a call, and takes it over.
func (n *Network) take(body []byte, until noc.Cycle) {
	if len(body) < doneBytes {
		n.failf("its answer %s has %d bytes; at least %d are needed", doneTag, len(body), doneBytes)
	}
	b := numbers(body)
	now, inside, taken, arrived := noc.Cycle(b.next64()), b.next32(), b.next32(), b.next32()
	b.next32()
	if got := uint64(len(b)); got != 4*uint64(taken)+arrivedBytes*uint64(arrived) {
		n.failf("its answer %s has %d bytes of lists; %d taken packets and %d arrivals have %d", doneTag, got, taken, arrived, 4*uint64(taken)+arrivedBytes*uint64(arrived))
	}
	if now <= n.Clock || now > until {
		n.failf("it simulated from cycle %d up to %d, and should stop after %d and at %d at the latest", n.Clock, now, n.Clock, until)
	}
	if now < until && taken == 0 && arrived == 0 {
		n.failf("it stopped at cycle %d and nothing was taken or has arrived; it should go on up to %d", now, until)
	}
	if n.inside == 0 {
		n.idle += now - n.Clock
		if taken > 0 {
			n.idle--
		}
	}
	n.Clock = now - 1 // in which it all happened
	for range taken {
		n.leave(b.next32())
	}
	for range arrived {
		n.arrive(b.next32(), noc.NodeID(b.next32()), b.next32())
	}
	switch {
	case int(inside) < n.inside:
		n.lose("%d copies are inside, and it says %d", n.inside, inside)
	case int(inside) > 0 && n.inside == 0:
		n.failf("it says that it has %d copies inside, and all have arrived: doubled or invented", inside)
	}
	n.Clock = now
	if now-n.looked >= lookEvery {
		n.lookForLost()
	}
}

// entry returns the packet of a number that the program uses.
func (n *Network) entry(id uint32, what string) *entry {
	if int(id) >= len(n.known) {
		n.failf("it %s packet number %d, which does not exist: invented", what, id)
	}
	return &n.known[id]
}

// String names a packet for people: its own number is the client's tag.
func (e *entry) String() string {
	return fmt.Sprintf("packet %d of node %d and class %d", e.tag, e.src, e.class)
}

// leave takes the packet that the program has taken from its queue.
func (n *Network) leave(id uint32) {
	e := n.entry(id, "takes")
	if e.state == never {
		n.failf("it takes packet number %d, which was never offered: invented", id)
	} else if e.state != offered {
		n.failf("it takes number %d (%s), which it is not offered", id, e)
	}
	n.offered--
	n.shown[e.src] &^= 1 << e.class
	if n.shape.has(takesSets) {
		e.packet = n.Sources.Pop(e.src, e.class)
	} else {
		e.packet = n.Sources.PopCopy(e.src, e.class, e.src)
	}
	e.state = inside
	w := n.Packets.At(e.packet)
	w.Inject(n.Clock)
	n.Injected++
	copies := n.Packets.Count(e.packet)
	n.inside += copies
	n.inject[e.src] += uint64(w.Phits)
	n.taken += uint64(w.Phits) * uint64(copies)
	if n.Sources.Ready(e.src)>>e.class&1 != 0 {
		n.show(e.src, e.class)
	}
}

// arrive hands a copy to a node.
func (n *Network) arrive(id uint32, at noc.NodeID, hops uint32) {
	e := n.entry(id, "delivers")
	switch {
	case e.state == offered:
		n.failf("%s arrives at node %d before it was taken", e, at)
	case e.state == never:
		n.failf("it delivers packet number %d to node %d, which was never offered: invented", id, at)
	case e.state == gone:
		n.failf("%s arrives at node %d, and all its copies had arrived before: doubled", e, at)
	}
	if hops > 1<<16-1 {
		n.failf("%s arrives at node %d over %d links; at most %d are possible", e, at, hops, 1<<16-1)
	}
	w := n.Packets.At(e.packet)
	d := noc.Delivery{Tag: w.Tag, Src: w.Src, At: at, Offered: w.Offered, Injected: w.Injected(), Hops: uint16(hops), Class: w.Class}
	phits := w.Phits
	if least := d.Injected + noc.Cycle(phits) - 1; n.Clock < least {
		n.failf("%s arrives at node %d in the past: it was taken in cycle %d and has %d phits, so its tail arrives in cycle %d at the earliest",
			e, at, d.Injected, phits, least)
	}
	n.strike(id, at)
	n.inside--
	n.longest = max(n.longest, n.Clock-d.Injected)
	n.hops += uint64(hops) * uint64(phits)
	if n.Sinks.Room(at, d.Class) {
		n.accept(d, phits)
		return
	}
	if n.shape.has(heedsRoom) {
		n.failf("%s arrives at node %d, whose sink of class %d is full", e, at, d.Class)
	}
	n.waits[int(at)*n.setup.Classes+int(d.Class)].Push(outside{d, phits})
	n.waiting++
}

// strike removes a destination of a packet, and with the last one the packet.
func (n *Network) strike(id uint32, at noc.NodeID) {
	e := &n.known[id]
	if only := n.Packets.Only(e.packet); only >= 0 {
		if noc.NodeID(only) != at {
			n.failf("%s arrives at node %d; it is owed to node %d: misdelivered", e, at, only)
		}
		n.Packets.Free(e.packet)
		e.state = gone
		n.unused.Push(id)
		return
	}
	set := n.Packets.Set(e.packet)
	if int(at) >= n.Nodes() || set[at/64]>>(at%64)&1 == 0 {
		n.failf("%s arrives at node %d, to which it is not owed: doubled or misdelivered", e, at)
	}
	set[at/64] &^= 1 << (at % 64)
	n.Packets.Settle(e.packet)
}

// A packet counts as lost when it has been inside for loseAfter cycles and 16 times longer than any
// that has arrived, and no sink was full meanwhile. Packets are looked at every lookEvery cycles.
const (
	loseAfter = 10_000
	loseTimes = 16
	lookEvery = 1024
)

// lookForLost fails if a packet is lost.
func (n *Network) lookForLost() {
	n.looked = n.Clock
	oldest := n.oldest()
	if oldest == nil || n.sinkFull() {
		return
	}
	since := max(n.Packets.At(oldest.packet).Injected(), n.blocked)
	if age := n.Clock - since; age > max(loseAfter, loseTimes*n.longest) {
		n.lose("nothing of it has arrived for %d cycles, and no other packet needed more than %d", age, n.longest)
	}
}

// Finish lets the program deliver the packets that it has taken and fails if one is lost, after the last cycle
// that is measured. It ends at a full sink, because deliveries are no longer taken.
func (n *Network) Finish() {
	end := n.Clock
	for rest := n.oldest(); rest != nil && n.Packets.At(rest.packet).Injected() < end && !n.sinkFull(); rest = n.oldest() {
		n.Step(n.Clock + lookEvery)
		n.Deliveries()
	}
}

// sinkFull reports whether a sink is full, and notes when.
func (n *Network) sinkFull() bool {
	if n.Sinks.Bounded() {
		for i := range n.noted {
			if node, class := n.sink(int32(i)); !n.Sinks.Room(node, class) {
				n.blocked = n.Clock
				return true
			}
		}
	}
	return false
}

// oldest returns the packet that has been inside for longest, or nil.
func (n *Network) oldest() (oldest *entry) {
	for i := range n.known {
		e := &n.known[i]
		if e.state == inside && (oldest == nil || n.Packets.At(e.packet).Injected() < n.Packets.At(oldest.packet).Injected()) {
			oldest = e
		}
	}
	return oldest
}

// lose fails and names the oldest packet inside.
func (n *Network) lose(format string, parts ...any) {
	what, which := fmt.Sprintf(format, parts...), "a packet"
	if e := n.oldest(); e != nil {
		to, _ := n.Packets.Members(e.packet).Next(0)
		which = fmt.Sprintf("%s to node %d, taken in cycle %d,", e, to, n.Packets.At(e.packet).Injected())
	}
	n.failf("%s is lost: %s", which, what)
}
