package power

// The switching parts of profile O: crossbar, multiplexers and arbiters (section 3.3 and 3.4).

// crossbarLine returns the length in um of a wire along one side of the crossbar.
func (o *orion) crossbarLine(ports, bits int) float64 {
	return float64(ports*bits) * o.Crosspoint
}

// crossbar returns the energy of a phit that crosses a square matrix of tri-state drivers, in J.
func (o *orion) crossbar(ports, bits int) float64 {
	w, p := float64(bits), float64(ports)
	line := o.crossbarLine(ports, bits)
	input := line*o.WideWire + p*o.triIn()
	driver := o.widths(o.driver(input, o.period/3))
	input += o.drainsCap(driver) + o.gateCap(driver.n+driver.p, 0)
	output := line*o.WideWire + p*o.triOut() + o.triOut() + o.gateCap(o.Out.n+o.Out.p, 0)
	control := o.Wire*line/2 + w*o.triIn() + o.inverterCap()
	return w*o.alpha*(input+output)*o.square/2 + control*o.square
}

func (o *orion) crossbarLeak(ports, bits int) float64 {
	w, p := float64(bits), float64(ports)
	return p*p*w*o.triStateLeak() + p*w*o.pairLeak(o.Inverter) + p*w*o.pairLeak(o.Out) +
		p*p*o.pairLeak(o.Inverter)
}

// steer returns a phit that leaves by one of two drivers, merge one that passes a two-input
// multiplexer into the next stage (section 7.2), in J.
func (o *orion) steer(bits int) float64 {
	return o.alpha * float64(bits) * o.square / 2 * (o.triIn() + 2*o.triOut())
}

func (o *orion) merge(bits int) float64 {
	return o.alpha * float64(bits) * o.square / 2 *
		(o.triIn() + 2*o.triOut() + o.gateCap(o.Out.n+o.Out.p, 0))
}

// arbiterCost is what one arbiter costs. An arbitration with n requests and a grant takes
// n*request + grant + clock.
type arbiterCost struct {
	request, grant float64 // J
	clock          float64 // J per clocked cycle
	leak           float64 // A; for profile S, W
}

// roundRobin returns a ring of R cells; with one requester there is nothing to arbitrate.
func (o *orion) roundRobin(requesters int) arbiterCost {
	if requesters < 2 {
		return arbiterCost{}
	}
	r, g, x := float64(requesters), o.norGate(), o.norDrain()
	return arbiterCost{
		request: (2*g + o.inverterCap()) * o.square / 2,
		grant: x*o.square + r/2*(x+g)*o.square/2 + (r/2-1)*(2*g+x)*o.square/2 +
			2*o.flip(g) + (r-2)*o.keepZero(),
		clock: r * o.tick(),
		leak:  6*r*o.norLeak() + r*o.pairLeak(o.Inverter) + r*o.FlipFlop*o.LeakFlipFlop,
	}
}

// matrix keeps one bit per pair of requesters; its requests arrive over wire um of wire. The
// carry through the matrix grows with the number of requests, (n+1)(R-1)/2 nodes: its share per
// request counts as request, the rest as grant.
func (o *orion) matrix(requesters int, wire float64) arbiterCost {
	if requesters < 2 {
		return arbiterCost{}
	}
	r, g := float64(requesters), o.norGate()
	pairs, changed := r*(r-1)/2, (r-1)/2
	carry := (r - 1) / 2 * (o.norDrain() + g) * o.square / 2
	return arbiterCost{
		request: ((r-1)*g+o.inverterCap()+g+wire*o.Wire)*o.square/2 + carry,
		grant: (r*o.drainCap(o.Nor.n, nType, 1)+o.drainCap(o.Nor.p, pType, requesters))*o.square +
			carry + changed*o.flip(2*g) + (pairs-changed)*(o.keepZero()+o.keepOne())/2,
		clock: pairs * o.tick(),
		leak: (2*r-1)*r*o.norLeak() + r*o.pairLeak(o.Inverter)/2 +
			pairs*o.FlipFlop*o.LeakFlipFlop,
	}
}

// single returns one request that is granted, in J.
func (a arbiterCost) single() float64 { return a.request + a.grant + a.clock }

// channelAllocator is separable: for each header a round robin among the channels that it may
// take, and for each channel a matrix among the headers of all other ports that may ask for it
// (section 3.4). Its registers are clocked when it allocates: the matrices of all channels,
// clocked in every cycle, would draw a multiple of the router's other clock.
func (o *orion) channelAllocator(ports, choices, rivals int) (first, second arbiterCost) {
	return o.roundRobin(choices), o.matrix((ports-1)*rivals, 0)
}

// registerTick returns the clock of a rank of registers for one phit, in J per cycle (section
// 3.6), and registerLeak the current of its flip-flops, which the technology's leakage scale
// leaves out.
func (o *orion) registerTick(bits int) float64 { return float64(bits) * o.RegisterClock * o.square }
func (o *orion) registerLeak(bits int) float64 {
	return float64(bits) * o.FlipFlop * o.LeakFlipFlop
}

// headerTest returns one destination bit compared with a port mask, headerWrite one bit
// rewritten, in J.
func (o *orion) headerTest() float64 {
	return o.alpha * o.square / 2 * 4 * (o.norGate() + o.norDrain())
}
func (o *orion) headerWrite() float64 { return o.flip(0) }
