package fabric

import "github.com/carousel-sim/carousel/noc"

// Receipts are the packets with receipts that have left their sources and that were not yet
// reported to the client.
type Receipts struct{ list, shown []noc.Receipt }

// Add notes that a packet has left. The order among packets of one source and class is kept.
func (r *Receipts) Add(p noc.Receipt) {
	r.list = append(r.list, p)
	for i := len(r.list) - 1; i > 0 && before(p, r.list[i-1]); i-- {
		r.list[i], r.list[i-1] = r.list[i-1], p
	}
}

func before(a, b noc.Receipt) bool { return a.Src < b.Src || a.Src == b.Src && a.Class < b.Class }

// Due reports whether there is something to tell.
func (r *Receipts) Due() bool { return len(r.list) > 0 }

// Take lists the packets and forgets them. The slice is reused by the call after the next.
func (r *Receipts) Take() []noc.Receipt {
	r.list, r.shown = r.shown[:0], r.list
	return r.shown
}
