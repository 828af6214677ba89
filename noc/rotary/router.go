package rotary

import "github.com/carousel-sim/carousel/noc"

// router is one rotary router (rule 6).
type router struct {
	id        int
	inputs    []input          // by port; the local one is only a latch
	segments  [Rings][]segment // by ring and port
	outputs   []output         // by port
	source    source
	holder    [Rings]int // port whose segment refuses ring traffic, or none (rule 15)
	held      Quota      // packets in and towards the router (rule 18)
	seen      Quota      // the same at the start of the cycle, as all other routers see it
	hasAged   bool       // an aged packet was on the rings at the start of the cycle; only with CalmCopies
	slotsUsed int        // of all buffers
	streams   int        // packets that stream out of a buffer of the router
	busy      uint64     // cycles with a packet in the router
	activity  noc.Activity
}

// none is no port and no class.
const none = -1

// readPort streams one packet at a time.
type readPort struct{ until noc.Cycle }

func (p *readPort) idle(now noc.Cycle) bool { return p.until <= now }

// input is an input stage: a FIFO.
type input struct {
	fifo
	read    readPort
	free    int // slots at the start of the cycle, as the neighbour sees it
	refused int // cycles in which the present head has been refused
}

// segment is a buffering segment: two FIFO lanes that share its slots, written from the ring and
// the input stage, read to the ring and to the output stage.
type segment struct {
	ring, port   int
	lanes        [2]lane
	toRing, toOS readPort
	first        int  // lane that is looked at first: it did not send last
	start        int  // free slots at the start of the cycle
	turnedInto   bool // a turning header has taken a slot in this cycle
}

// lane is one FIFO of a segment.
type lane struct {
	fifo
	read, write readPort
}

func (s *segment) used() int { return s.lanes[0].Len() + s.lanes[1].Len() }

// output is an output stage: a lane for each ring and the link or node behind them.
type output struct {
	lanes  [Rings]fifo
	read   readPort
	last   int       // lane that was served last
	peer   int       // the neighbour, or none
	entry  int       // its input port
	cycles noc.Cycle // of the link
	taken  bool      // quota of the neighbour has been taken in this cycle
	phits  uint64    // that have left
	toNode bool
}

// source is the network interface.
type source struct {
	read      readPort
	last      int       // class that was served last
	wantsHold bool      // rule 15
	served    noc.Cycle // of the latest injection
}

// used returns the ring slots in use.
func (r *router) used() (slots int) {
	for ring := range r.segments {
		for p := range r.segments[ring] {
			slots += r.segments[ring][p].used()
		}
	}
	return slots
}
