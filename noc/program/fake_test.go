package program

import (
	"encoding/binary"
	"flag"
	"fmt"
	"io"
	"math/bits"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/topology"
)

// TestMain lets the test binary be a network that is a program: one without contention, with the fault
// that its only argument names behind "fake:".
func TestMain(m *testing.M) {
	flag.Parse()
	if flag.NArg() == 1 && strings.HasPrefix(flag.Arg(0), "fake:") {
		f := fake{fault: strings.TrimPrefix(flag.Arg(0), "fake:")}
		f.serve()
		return
	}
	os.Exit(m.Run())
}

// fake is the network: a copy arrives some cycles after it was taken.
type fake struct {
	fault          string
	nodes, classes int
	grid           topology.Grid
	words          int
	flags          uint32
	queues         map[int]waiting // by node*classes + class
	flying         []flying
	room           map[int]uint32
	taken          int // packets so far
	copies         uint32
	body           []byte
}

type waiting struct {
	id, from, to uint32
	phits        uint16
	set          []uint64
}

type flying struct {
	id, to uint32
	hops   int
	class  int
	at     uint64
}

func (f *fake) send(tag string, body []byte) {
	message := append(append(binary.LittleEndian.AppendUint32(nil, uint32(len(body))), tag...), body...)
	size := len(message)
	switch f.fault {
	case "slow pipe":
		size = 5
	case "talkative":
		fmt.Fprintln(os.Stderr, strings.Repeat("no line ends here ", 10_000))
	case "half an answer":
		if tag == doneTag {
			must.Get(os.Stdout.Write(message[:11]))
			os.Exit(0)
		}
	case "two answers":
		message, size = append(message, message...), 2*size
	}
	for part := range slices.Chunk(message, max(size, 1)) {
		must.Get(os.Stdout.Write(part))
	}
}

// serve answers messages until the end of standard input.
func (f *fake) serve() {
	switch f.fault {
	case "garbage":
		fmt.Println("Loading configuration file ...")
	case "early end":
		return
	}
	for {
		var head [header]byte
		if _, err := io.ReadFull(os.Stdin, head[:]); err != nil {
			return
		}
		f.body = make([]byte, binary.LittleEndian.Uint32(head[:]))
		must.Get(io.ReadFull(os.Stdin, f.body))
		switch tag := string(head[4:]); tag {
		case newTag:
			f.create()
		case runTag:
			f.run()
		case countTag:
			sums := make([]byte, 8*events*f.nodes)
			for i := range sums[:8*events] { // of router 0: 1, 2, 3 and so on
				if i%8 == 0 {
					sums[i] = byte(1 + i/8)
				}
			}
			switch f.fault {
			case "falling counters":
				sums[8] = byte(255 - f.taken>>8)
			case "huge counters":
				sums[15] = 1
			}
			f.send(sumsTag, sums)
		case explainTag, checkTag:
			f.send(textTag, nil)
		default:
			f.send(failTag, []byte("what is "+tag+"?"))
		}
	}
}

func (f *fake) create() {
	b := numbers(f.body[4:])
	f.nodes, f.classes = int(b.next32()), int(b.next32())
	name := f.body[104:][:binary.LittleEndian.Uint32(f.body[96:])]
	f.grid = must.Get(topology.Parse(string(name)))
	f.words, f.queues, f.room = (f.nodes+63)/64, map[int]waiting{}, map[int]uint32{}
	shape := make([]byte, shapeBytes)
	version := uint32(Version)
	switch f.fault {
	case "version":
		version = 7
	case "short answer":
		shape = shape[:20]
	case "refusal":
		f.send(failTag, []byte("only meshes are known"))
		return
	case "refusal without words":
		f.send(failTag, nil)
		return
	case "long refusal":
		f.send(failTag, []byte(strings.Repeat("long ", 1<<16)))
		return
	case "sets":
		f.flags = takesSets
	case "finite":
		f.flags = heedsRoom | keepsClassesApart
	case "full sink":
		f.flags = heedsRoom
	case "counts", "falling counters", "huge counters":
		f.flags = countsEvents
		binary.LittleEndian.PutUint32(shape[28:], 5) // ports
	}
	binary.LittleEndian.PutUint32(shape, version)
	binary.LittleEndian.PutUint32(shape[4:], f.flags)
	f.send(shapeTag, shape)
}

// run simulates cycles.
func (f *fake) run() {
	b := numbers(f.body)
	now, until, offers, rooms := b.next64(), b.next64(), b.next32(), b.next32()
	for range offers {
		id, node, to, phits, class := b.next32(), b.next32(), b.next32(), b.next16(), int(b.next16())
		w := waiting{id: id, from: node, to: to, phits: phits}
		if f.flags&takesSets != 0 {
			for range f.words {
				w.set = append(w.set, b.next64())
			}
		}
		f.queues[int(node)*f.classes+class] = w
	}
	for range rooms {
		i := int(b.next32())
		f.room[i] = b.next32()
	}
	var taken, arrived []byte
	from := now
	for ; now < until && len(taken)+len(arrived) == 0; now++ {
		for i := range f.nodes * f.classes {
			if w, some := f.queues[i]; some {
				delete(f.queues, i)
				taken = binary.LittleEndian.AppendUint32(taken, f.take(w, i%f.classes, now))
			}
		}
		arrived = f.land(now)
	}
	if f.fault == "past" && f.taken > 20 {
		now = from
	}
	switch {
	case f.fault == "other order":
		list := slices.Collect(slices.Chunk(arrived, arrivedBytes))
		slices.SortStableFunc(list, func(a, b []byte) int { return int(b[4]) - int(a[4]) }) // highest node first
		arrived = slices.Concat(list...)
	case f.fault == "far node" && len(arrived) > 0:
		copy(arrived[4:], "\xff\xff\xff\xff")
	case f.fault == "future" && f.taken > 20:
		now = until + 1
	}
	done := binary.LittleEndian.AppendUint64(nil, now)
	for _, v := range []uint32{f.copies, uint32(len(taken) / 4), uint32(len(arrived) / arrivedBytes), 0} {
		done = binary.LittleEndian.AppendUint32(done, v)
	}
	f.send(doneTag, append(append(done, taken...), arrived...))
}

// take lets the copies of a packet fly, and returns the number that it says that it has taken.
func (f *fake) take(w waiting, class int, now uint64) uint32 {
	f.taken++
	then := now + uint64(w.phits) + 2
	if w.set == nil {
		w.set = make([]uint64, f.words)
		w.set[w.to/64] = 1 << (w.to % 64)
	}
	for i, word := range w.set {
		for ; word != 0; word &= word - 1 {
			to := uint32(64*i + bits.TrailingZeros64(word))
			f.flying = append(f.flying, flying{w.id, to, f.grid.Distance(noc.NodeID(w.from), noc.NodeID(to)), class, then})
			f.copies++
		}
	}
	last := &f.flying[len(f.flying)-1]
	if f.taken != 20 {
		return w.id
	}
	switch f.fault {
	case "crash":
		fmt.Fprintln(os.Stderr, "buffer 17 overflows\nassertion failed: credits >= 0")
		os.Exit(3)
	case "later end":
		os.Exit(0)
	case "hang":
		time.Sleep(time.Hour)
	case "silent":
		must.Do(os.Stdout.Close())
		time.Sleep(time.Hour)
	case "lost":
		f.flying = f.flying[:len(f.flying)-1]
	case "lost openly":
		f.flying = f.flying[:len(f.flying)-1]
		f.copies--
	case "doubled":
		f.flying = append(f.flying, *last)
		f.copies++
	case "invented":
		f.flying = append(f.flying, flying{999, 1, 1, 0, then})
		f.copies++
	case "misdelivered":
		last.to ^= 1
	case "early":
		last.at = now
	case "far":
		last.hops = 1 << 16
	case "takes anything":
		return 1000
	case "long lists":
		f.copies += 1 << 20
	case "signal":
		must.Do(must.Get(os.FindProcess(os.Getpid())).Kill())
		time.Sleep(time.Hour)
	case "taken twice":
		return f.flying[0].id
	case "differs":
		last.at += uint64(os.Getpid() % 97)
	case "print":
		fmt.Println("a note of the network")
	}
	return w.id
}

// land lists the copies that arrive in a cycle.
func (f *fake) land(now uint64) (arrived []byte) {
	kept := f.flying[:0]
	for _, c := range f.flying {
		i := int(c.to)*f.classes + c.class
		room, bounded := f.room[i]
		if c.at > now || f.fault == "finite" && bounded && room == 0 {
			kept = append(kept, c)
			continue
		}
		if bounded {
			f.room[i] = room - 1
		}
		f.copies--
		arrived = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(arrived, c.id), c.to), uint32(c.hops))
	}
	f.flying = kept
	return arrived
}
