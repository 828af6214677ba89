package noc

// Hardware describes what one router of a network is made of, so that its energy and storage can be
// computed without knowing the model. All routers of a network are alike.
type Hardware struct {
	Ports    int // the local port included
	PhitBits int // width of links and buffers
	// VirtualChannels is the number of FIFOs per input port that share one crossbar input; 0 for
	// routers without virtual channels.
	VirtualChannels int
	// ChannelChoices and ChannelRivals describe the allocator of virtual channels: the number of
	// channels of the next router among which a header may choose, and the number of channels of
	// each input port whose headers may ask for the same one. Both are 0 where a packet keeps its
	// channel, as in BASE.
	ChannelChoices, ChannelRivals int
	// FIFOs is the number of FIFOs of each kind in a router, Depth their depth in phits.
	FIFOs, Depth [BufferKinds]int
	Crossbar     bool // a Ports x Ports crossbar; rotary routers have none
	// DestinationBits is the length of the destination set in a header.
	DestinationBits int
}

// StoragePhits returns the total buffer storage of one router in phits.
func (h Hardware) StoragePhits() int {
	sum := 0
	for k := range h.FIFOs {
		sum += h.FIFOs[k] * h.Depth[k]
	}
	return sum
}
