package ideal

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
)

// flight is one copy on its way to one node.
type flight struct {
	start  noc.Cycle // when the node could consume its header
	serial uint64
	at     noc.NodeID
	hops   uint16
	packet fabric.Packet
}

// before returns the order in which flights land. Flights of different sources compare by number
// of node, so that the order of their Offer calls does not matter.
func (f *flight) before(o *flight) bool {
	switch {
	case f.start != o.start:
		return f.start < o.start
	case f.at != o.at:
		return f.at < o.at
	case f.packet.Src != o.packet.Src:
		return f.packet.Src < o.packet.Src
	}
	return f.serial < o.serial
}

// flights is a binary heap, the next to land first.
type flights struct{ all []flight }

// next returns when the next flight lands, or noc.Never.
func (h *flights) next() noc.Cycle {
	if len(h.all) == 0 {
		return noc.Never
	}
	return h.all[0].start
}

func (h *flights) push(f flight) {
	h.all = append(h.all, f)
	i := len(h.all) - 1
	for i > 0 && f.before(&h.all[(i-1)/2]) {
		h.all[i] = h.all[(i-1)/2]
		i = (i - 1) / 2
	}
	h.all[i] = f
}

func (h *flights) pop() flight {
	top := h.all[0]
	last := len(h.all) - 1
	f := h.all[last]
	h.all = h.all[:last]
	i := 0
	for {
		child := 2*i + 1
		if child >= last {
			break
		}
		if child+1 < last && h.all[child+1].before(&h.all[child]) {
			child++
		}
		if !h.all[child].before(&f) {
			break
		}
		h.all[i] = h.all[child]
		i = child
	}
	if last > 0 {
		h.all[i] = f
	}
	return top
}
