package traffic

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/counts"
	"github.com/carousel-sim/carousel/noc/leaf/random"
)

// Mark is what a network has counted up to a point in time, so that later counts can begin there.
type Mark struct {
	Start    noc.Cycle
	totals   noc.Totals
	activity []noc.Activity
	links    []noc.Link
}

// Set sets the mark to the current cycle of a network.
func (m *Mark) Set(n noc.Network) {
	*m = Mark{n.Now(), n.Totals(), n.Activity(m.activity[:0]), n.Links(m.links[:0])}
}

// Totals returns the sums of a network since the mark. Buffered is no sum: it is the current one.
func (m *Mark) Totals(n noc.Network) noc.Totals {
	sums := n.Totals()
	buffered := sums.Buffered
	counts.Since(&sums, &m.totals)
	sums.Buffered = buffered
	return sums
}

// Activity returns what each router of a network did since the mark, by number.
func (m *Mark) Activity(n noc.Network) []noc.Activity {
	list := n.Activity(nil)
	for i := range m.activity {
		counts.Since(&list[i], &m.activity[i])
	}
	return list
}

// Links returns the traffic of each link of a network since the mark, in the network's order.
func (m *Mark) Links(n noc.Network) []noc.Link {
	list := n.Links(nil)
	for i := range m.links {
		list[i].Phits -= m.links[i].Phits
	}
	return list
}

// window is what a driver has counted since Clear.
type window struct {
	Mark
	counts Window // what deliveries add to it
}

// Clear starts a new window at the current cycle. The digest goes on: it covers the run from its
// start.
func (d *Driver) Clear() {
	w := &d.window
	clear(w.counts.Latencies)
	w.counts = Window{Digest: w.counts.Digest, Latencies: w.counts.Latencies}
	w.Set(d.network)
}

// Arrive counts a copy with its latency. last is the last copy of a message; of is what the digest holds of
// the message beside its latency.
func (w *Window) Arrive(d *noc.Delivery, cast Cast, latency uint64, last bool, of uint64) {
	w.Latencies[d.Class][cast].Add(latency)
	w.Hops[cast] += uint64(d.Hops)
	w.MaxLatency = max(w.MaxLatency, latency)
	w.NetworkSum += uint64(d.Arrived - d.Injected)
	w.DeliveredPackets++
	if last && cast != Unicast {
		w.CompletedMulticasts++
		w.CompletionSum += latency
	}
	w.Digest = random.Mix(w.Digest ^ (uint64(d.Arrived)<<24 + uint64(d.At)))
	w.Digest = random.Mix(w.Digest ^ (latency<<32 + of))
}

// Window is what happened between two points in time. Rates are phits per node and cycle.
type Window struct {
	Cycles noc.Cycle
	// Generated is what the sources made, a multicast counting once; it differs from the
	// configured load by chance, and by nodes that a pattern maps to themselves.
	Generated float64
	// Accepted is what left the sources, a multicast counting once. Where multicasts leave as
	// separate copies, each counts as its share of the message; the mean share is that of the
	// copies delivered.
	Accepted float64
	// Delivered is what was handed to destinations, each copy counting.
	Delivered float64
	// GeneratedPackets counts messages, and so does InjectedPackets, except that copies made at
	// the source count one by one; DeliveredPackets counts copies.
	GeneratedPackets, InjectedPackets, DeliveredPackets uint64
	DeliveredPhits, PhitHops                            uint64
	// WaitingGrowth is by how many messages per node the lines at the sources grew in the window.
	WaitingGrowth float64
	// BufferedGrowth is by how many phits per node the network's own buffers filled in the window.
	BufferedGrowth float64
	// OldestWaiting is the age in cycles of the oldest message that is in such a line at the end,
	// beyond the network's own source queue; 0 when there is none.
	OldestWaiting noc.Cycle
	// Latencies, MaxLatency and the sums below are about copies that arrived in the window.
	Latencies  Latencies
	MaxLatency uint64
	NetworkSum uint64        // of the cycles from when the first phit of a copy left its source
	Hops       [Casts]uint64 // links crossed
	// CompletedMulticasts had their last copy delivered in the window; CompletionSum is the sum
	// of their latencies, from generation to that delivery, in cycles.
	CompletedMulticasts, CompletionSum uint64
	// Digest is a hash over all deliveries since the start of the run.
	Digest uint64
}

// Window returns the measurement since Clear. Its latencies are those of the driver: they go on
// counting.
func (d *Driver) Window() Window {
	w, now := &d.window, d.network.Totals()
	out := w.counts
	out.Cycles, out.InjectedPackets = d.network.Now()-w.Start, now.Injected-w.totals.Injected
	out.DeliveredPhits, out.PhitHops = now.Phits-w.totals.Phits, now.PhitHops-w.totals.PhitHops
	messages := float64(out.InjectedPackets)
	if d.attach.SeparateCopies && out.DeliveredPackets > 0 {
		unicasts, _ := out.Latencies.All(Unicast).Total()
		shares := float64(unicasts) + float64(out.DeliveredPackets-unicasts)/float64(d.generator.destinations)
		messages *= shares / float64(out.DeliveredPackets)
	}
	nodes := float64(d.generator.nodes)
	if out.Cycles > 0 {
		perMessage := float64(d.phits) / nodes / float64(out.Cycles)
		out.Generated, out.Accepted = float64(out.GeneratedPackets)*perMessage, messages*perMessage
		out.Delivered = float64(out.DeliveredPhits) / nodes / float64(out.Cycles)
	}
	out.BufferedGrowth = (float64(now.Buffered) - float64(w.totals.Buffered)) / nodes
	out.WaitingGrowth = (float64(out.GeneratedPackets) - messages) / nodes
	for i := range d.late {
		if d.waiting[i/d.classes]>>(i%d.classes)&1 != 0 {
			out.OldestWaiting = max(out.OldestWaiting, d.network.Now()-d.late[i].born)
		}
	}
	return out
}

// Activity returns what each router did in the window, in node order.
func (d *Driver) Activity() []noc.Activity { return d.window.Activity(d.network) }

// Links returns the traffic of each link in the window, in the network's order.
func (d *Driver) Links() []noc.Link { return d.window.Links(d.network) }
