package traffic

// The limits of a network that carries its load.
const (
	SaturatedShare = 0.02 // of what was generated
	saturatedNode  = 2    // messages per node
	saturatedWait  = 0.5  // of the window
	saturatedFill  = 500  // phits per node
)

// Grows reports whether what waits or is under way has become more by more than a share of what was generated,
// and by more than chance explains. With [SaturatedShare] this is the rule of saturation, of windows and of
// messages alike.
func Grows(more, generated, share, chance float64) bool {
	return more > share*generated && more > chance
}

// Saturated tells that the network does not carry the load: in the window the lines at the sources grew by
// more than two messages per node, which is no chance, or the buffers of the network by more than limited
// ones hold; or a message has stood in line for half the window, because its node starves while the others
// do well.
func (w *Window) Saturated() bool {
	return Grows(w.Generated-w.Accepted, w.Generated, SaturatedShare, 0) && w.WaitingGrowth > saturatedNode ||
		Grows(w.BufferedGrowth, w.Delivered*float64(w.Cycles), SaturatedShare, saturatedFill) ||
		float64(w.OldestWaiting) > saturatedWait*float64(w.Cycles)
}
