package metrics

import "math"

// ED is the energy-delay product E*t in J s, of an application that took the given time and network
// energy.
func ED(joules, seconds float64) float64 { return joules * seconds }

// ED2P is the energy-delay-squared product E*t^2 in J s^2 (paper, figure 11: network energy only,
// over the whole run, clock and leakage included).
func ED2P(joules, seconds float64) float64 { return joules * seconds * seconds }

// WindowED2P is E/Th^2 with the energy of a measurement window, the literal reading of the paper's
// section 5.2, in J per (phit/cycle/node)^2. Throughput is what arrives at maximum load in that
// window. A router that carries more traffic in the window also spends more energy there, which
// this reading holds against it. False when nothing arrived.
func WindowED2P(joules, throughput float64) (float64, bool) {
	if !(throughput > 0) {
		return math.NaN(), false
	}
	return joules / (throughput * throughput), true
}

// PhitED2P is E/(n*Th^2), with the energy per phit in place of that per window: the
// energy-delay-squared product of a fixed amount of work, which takes a time of 1/Th. n counts
// phits at their destinations, every copy of a multicast. The unit is J per phit and
// (phit/cycle/node)^2. False when nothing arrived.
func PhitED2P(joules float64, deliveredPhits uint64, throughput float64) (float64, bool) {
	if deliveredPhits == 0 {
		return math.NaN(), false
	}
	return WindowED2P(joules/float64(deliveredPhits), throughput)
}
