package power

// Breakdown is energy by part, in J.
type Breakdown struct {
	BufferWrite, BufferRead float64
	Crossbar                float64
	Arbiter                 float64
	Ring                    float64 // multiplexers, demultiplexers and wires of a rotary router
	Header                  float64 // destination sets compared and rewritten
	Clock                   float64 // registers, arbiters and clock tree
	Leakage                 float64
	Link                    float64
	LinkLeakage             float64
}

// Add returns the sum of two breakdowns, part by part.
func (b Breakdown) Add(c Breakdown) Breakdown {
	return Breakdown{
		BufferWrite: b.BufferWrite + c.BufferWrite, BufferRead: b.BufferRead + c.BufferRead,
		Crossbar: b.Crossbar + c.Crossbar, Arbiter: b.Arbiter + c.Arbiter,
		Ring: b.Ring + c.Ring, Header: b.Header + c.Header,
		Clock: b.Clock + c.Clock, Leakage: b.Leakage + c.Leakage,
		Link: b.Link + c.Link, LinkLeakage: b.LinkLeakage + c.LinkLeakage,
	}
}

// Dynamic returns the energy that follows from activity, in J.
func (b Breakdown) Dynamic() float64 {
	return b.BufferWrite + b.BufferRead + b.Crossbar + b.Arbiter + b.Ring + b.Header + b.Link
}

// Static returns the energy that follows from time, in J: clock and leakage. With clock gating
// its clock part follows from activity too.
func (b Breakdown) Static() float64 { return b.Clock + b.Leakage + b.LinkLeakage }

// Total returns all energy, in J.
func (b Breakdown) Total() float64 { return b.Dynamic() + b.Static() }
