package cmp

import (
	"fmt"

	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/noc"
)

// Distribution is one row of a histogram: how often a value from Low up to and including High came
// up, and the sum of these values.
type Distribution struct {
	// Measure says what is counted, Part of which kind.
	Measure, Part         string
	Low, High, Count, Sum uint64
}

// The measures of distributions.
const (
	MissLatency   = "miss latency"      // cycles that L1 misses took, by supplier and effort
	Destinations  = "destinations"      // agents that a message to several was sent to, by class
	OpenMisses    = "open misses"       // of one L1, at each sample of the epochs
	Transactions  = "open transactions" // of one bank, at each sample of the epochs
	TokenAnswers  = "answers"           // messages with tokens per L1 miss; the last row: or more
	HomeStalls    = "stalls at home"    // requests that waited at their home, by reason
	ReadQueue     = "read queue"        // reads waiting in one memory controller, at each epoch
	MemoryService = "memory service"    // blocks moved by one memory controller
)

// effort is how hard a miss was to complete.
type effort uint8

const (
	firstRequest effort = iota
	reissued
	persistentRequest
	efforts
)

func (e effort) String() string {
	return [...]string{"first request", "reissued", "persistent"}[e]
}

// counted is a histogram of small numbers; the last entry stands for all from there on.
type counted struct {
	count [129]uint64
	sum   uint64
}

func (h *counted) add(n int) {
	h.count[min(n, len(h.count)-1)]++
	h.sum += uint64(n)
}

// distributions are what a run counts beside what its tables of packets hold.
type distributions struct {
	missLatency  [coherence.Roles][efforts]histogram
	destinations []counted // per class
	openMisses   counted
	transactions counted
	readQueue    counted
	longestMiss  noc.Cycle
}

// observeMiss notes how long a miss took, who ended it and at what effort.
func (o *observation) observeMiss(d *coherence.Completion, took noc.Cycle) {
	e := firstRequest
	switch {
	case d.Persistent:
		e = persistentRequest
	case d.Issues > 1:
		e = reissued
	}
	o.missLatency[d.Supplier][e].add(uint64(took))
	o.longestMiss = max(o.longestMiss, took)
}

// sampleOpen notes what the controllers have open, and what waits for the memories.
func (s *System) sampleOpen() {
	for _, c := range s.agents.caches {
		if o, ok := c.(coherence.Occupant); ok {
			s.openMisses.add(o.Open())
		}
	}
	for _, b := range s.agents.banks {
		if o, ok := b.(coherence.Occupant); ok {
			s.transactions.add(o.Open())
		}
	}
	for i := range s.memory.drams {
		s.readQueue.add(s.memory.drams[i].reads.len())
	}
}

// rows lists the buckets that are not empty.
func (h *histogram) rows(into []Distribution, measure, part string) []Distribution {
	for b := range h {
		if h[b].count > 0 {
			low, high := bucket(b)
			into = append(into, Distribution{measure, part, low, high, h[b].count, h[b].sum})
		}
	}
	return into
}

// rows lists the numbers that have come up.
func (h *counted) rows(into []Distribution, measure, part string) []Distribution {
	rest := h.sum
	for n, count := range h.count {
		if count == 0 {
			continue
		}
		row := Distribution{measure, part, uint64(n), uint64(n), count, uint64(n) * count}
		if n == len(h.count)-1 {
			row.High, row.Sum = max(uint64(n), rest), rest
		}
		rest -= row.Sum
		into = append(into, row)
	}
	return into
}

// distributionRows gathers the distributions of the whole run.
func (s *System) distributionRows(own *[coherence.MaxOwnCounters]uint64) []Distribution {
	var rows []Distribution
	for r := range coherence.Roles {
		for e := range efforts {
			rows = s.missLatency[r][e].rows(rows, MissLatency, fmt.Sprintf("%s, %s", r, e))
		}
	}
	for c := range s.destinations {
		rows = s.destinations[c].rows(rows, Destinations, s.classes[c].Name)
	}
	rows = s.openMisses.rows(rows, OpenMisses, coherence.Cache.String())
	rows = s.transactions.rows(rows, Transactions, coherence.Bank.String())
	rows = s.readQueue.rows(rows, ReadQueue, coherence.Memory.String())
	for i, c := range s.protocol.OwnCounters() {
		if c.Name == "" && own[i] > 0 {
			rows = append(rows, Distribution{c.Measure, c.Part, c.Value, c.Value, own[i], c.Value * own[i]})
		}
	}
	for i, m := range s.agents.memories {
		c := m.Counters()
		if n := c.MemoryReads + c.MemoryWrites; n > 0 {
			rows = append(rows, Distribution{MemoryService, fmt.Sprintf("memory %d", i), n, n, 1, n})
		}
	}
	return rows
}
