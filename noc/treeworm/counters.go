package treeworm

import "github.com/carousel-sim/carousel/noc/fabric"

// routerCounters are what a router has done. They are raised for all phits of a worm when its header does
// it. Presence counts the worms in the router: from the cycle after the header crossed into the buffer, or
// the one in which it came straight from the node, until the tail leaves.
type routerCounters struct {
	asked, granted    uint64 // requests to channels, when one is granted
	crossbar, ejected uint64
	written, read     uint64
	injected          uint64
	copies, lookups   uint64
	fabric.Presence
}
