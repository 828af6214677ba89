package closedloop

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/queue"
	"github.com/carousel-sim/carousel/noc/leaf/random"
)

// server is a node's side of one network that answers requests.
type server struct {
	Server
	queue queue.FIFO[int] // jobs
	busy  bool
	// Jobs begun, and those whose answers the network has taken.
	begun, sent uint64
	// The server has finished the work or the use of the memory, but is blocked.
	late, holds bool
}

// memory is that of a node, which its servers use one at a time.
type memory struct {
	busy    bool
	waiting queue.FIFO[claim]
}

// claim is a use of a node's memory: by a server for its next job, or for data that have come.
type claim struct {
	server   int // or none
	transfer int
	bytes    uint32
}

// job is one request at a server.
type job struct {
	transfer int
	bytes    uint32
	server   int
}

// deliver takes a packet at its destination.
func (r *replay) deliver(network int, d *noc.Delivery) {
	p := &r.packets[d.Tag]
	r.result.Digest = random.Mix(r.result.Digest ^ (uint64(d.Arrived)<<24 + uint64(network)<<20 + uint64(d.At)))
	id, bytes, back := p.transfer, p.bytes, p.back
	if p.left--; p.left == 0 {
		r.free = append(r.free, d.Tag)
	}
	t := &r.transfers[id]
	if back {
		r.claim(int(d.At), claim{server: none, transfer: id, bytes: bytes}, d.Arrived)
		return
	}
	if t.arrivals--; t.arrivals == 0 {
		r.progress(id, false, d.Arrived)
	}
	which := network*r.nodes + int(d.At)
	s := &r.servers[which]
	s.queue.Push(r.job(job{transfer: id, bytes: bytes, server: which}))
	r.serve(which, d.Arrived)
}
