package coherence

// Defect is a mistake that can be seeded into a protocol to see that the checks find it.
type Defect struct {
	Name   string
	Breaks string // what the protocol then does
	// Trap is the well-known trap for implementations that the mistake falls into, or "".
	Trap string
}

// Defective is a protocol into which mistakes can be seeded. A run never asks for one.
type Defective interface {
	Protocol
	// Defects lists the mistakes.
	Defects() []Defect
	// Seed makes all controllers make a mistake; false when there is none of that name.
	Seed(name string) bool
}
