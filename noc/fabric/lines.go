package fabric

import (
	"slices"

	"github.com/carousel-sim/carousel/noc"
	fifo "github.com/carousel-sim/carousel/noc/leaf/queue"
)

// Lines hold what clients send when the source queues of networks are full: an unbounded queue for each
// network, node and class. They offer nothing by themselves.
type Lines struct {
	networks []noc.Network
	lines    []fifo.FIFO[noc.Packet]
	waiting  []int // lines that are not empty, in the order in which they came to be so
}

// NewLines makes lines in front of networks of the same nodes.
func NewLines(networks ...noc.Network) Lines {
	return Lines{networks: networks, lines: make([]fifo.FIFO[noc.Packet], len(networks)*networks[0].Nodes()*noc.MaxClasses)}
}

// Send offers a packet to a network, unless others of its line wait, and puts it into the line if the
// network has not taken it.
func (l *Lines) Send(network int, p noc.Packet) {
	if l.lines[l.line(network, &p)].Len() == 0 && l.networks[network].Offer(p) {
		return
	}
	p.Dst.More = slices.Clone(p.Dst.More)
	l.Push(network, p)
}

// Push puts a packet at the end of its line. Its set of destinations must not change.
func (l *Lines) Push(network int, p noc.Packet) {
	i := l.line(network, &p)
	if l.lines[i].Len() == 0 {
		l.waiting = append(l.waiting, i)
	}
	l.lines[i].Push(p)
}

func (l *Lines) line(network int, p *noc.Packet) int {
	return (network*l.networks[0].Nodes()+int(p.Src))*noc.MaxClasses + int(p.Class)
}

// Offer hands packets to the networks, each line in order, until these refuse them. taken, if it is not
// nil, is told which ones they have taken.
func (l *Lines) Offer(taken func(noc.Tag)) {
	left := l.waiting[:0]
	for _, i := range l.waiting {
		line, network := &l.lines[i], l.networks[i*len(l.networks)/len(l.lines)]
		for line.Len() > 0 && network.Offer(line.Front()) {
			if p := line.Pop(); taken != nil {
				taken(p.Tag)
			}
		}
		if line.Len() > 0 {
			left = append(left, i)
		}
	}
	l.waiting = left
}

// Waiting returns how many packets wait.
func (l *Lines) Waiting() (packets int) {
	for _, i := range l.waiting {
		packets += l.lines[i].Len()
	}
	return packets
}
