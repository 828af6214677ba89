package explore

import (
	"fmt"

	"github.com/carousel-sim/carousel/cache"
	"github.com/carousel-sim/carousel/coherence"
)

// Model is a small chip and what may happen on it.
type Model struct {
	Name string
	// New makes the protocol. It is called once per worker.
	New func(coherence.System) coherence.Explorable
	// Cores is the number of L1s; there is one memory controller, and one bank.
	Cores int
	// Blocks is the number of blocks in play.
	Blocks int
	// Accesses are what cores may do at any time, and Outstanding how many of them a core may wait
	// for at once.
	Accesses    []coherence.AccessKind
	Outstanding int
	// Evictions lets L1s give blocks up at any time, Replacements the bank.
	Evictions, Replacements bool
	// PassingBank delivers messages to the bank in the step that sends them. With a bank that keeps
	// nothing this is a chip without L2.
	PassingBank bool
	// InstantMemory ends DRAM reads in the step that starts them; otherwise they take any time.
	InstantMemory bool
	// Cramped gives every agent one place per class for messages on their way out: nothing that may
	// need to send in a class happens while the agent's last message of it is in flight, and a
	// memory controller reads one block at a time. Otherwise queues are endless.
	Cramped bool
	// OrderedInFlight bounds the ordered messages between two agents, at least 2: a core learns
	// that its last ordered message has left when no more than this number less two of them are on
	// their way anywhere.
	OrderedInFlight int
	// History verifies what loads return whose block was invalidated before the data came: a
	// version that was current since the load began. It tells more states apart, by when open loads
	// began.
	History bool
	// Victims is the size of each L1's victim buffer. If there is one, loads stay speculative for
	// any time after they have read a block: no other core may write it before the core has been
	// told.
	Victims int
	// Named keeps states apart that differ only in the names of cores.
	Named bool
}

func (m *Model) validate() error {
	for _, r := range []struct {
		key               string
		value, low, limit int
	}{
		{"Cores", m.Cores, 1, maxCores},
		{"Blocks", m.Blocks, 1, maxBlocks},
		{"Outstanding", m.Outstanding, 1, cache.MaxTargets},
		{"OrderedInFlight", m.OrderedInFlight, 2, maxPosition},
		{"Victims", m.Victims, 0, maxBlocks},
	} {
		if r.value < r.low || r.value > r.limit {
			return fmt.Errorf("model %s: %s is %d; %d to %d are allowed", m.Name, r.key, r.value, r.low, r.limit)
		}
	}
	return nil
}
