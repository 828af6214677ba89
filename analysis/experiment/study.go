package experiment

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/coherence/cmp"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/power"
	"github.com/carousel-sim/carousel/traces"
)

// ModelVersion counts changes of the simulated models that change results. It is part of every
// run's key.
//
//   - 10: messages are saturated by the copies owed of one kind; UMIN and CMIN give the middle to
//     the receiver.
//   - 11: messages that grow in the measured time saturate a network only if they grow once more in
//     as long again; batches of mix messages have as many copies as those of mix copies.
//   - 12: rotary routers follow the rule set "live" unless another is asked for.
//   - 13: channels of base and base-mc have slots as long as the longest message of their class.
//   - 14: the timeout of the token protocol is adaptive unless another is asked for, and its timers
//     start when the last copy of a request has left the source queue; interfaces hold 16 messages
//     of each class on their way out.
//   - 15: the wait for tokens is that of worms at their first branch.
//   - 16: the middle of a run is known four times as finely.
//   - 17: all completed misses have the same weight in the mean that makes the timeout of the token
//     protocol.
//   - 18: messages with normalized arrivals are repeated in longer batches where it is in doubt
//     whether the network carries the load.
//   - 19: classes that share injection ports of the router wormhole take them in turn; before, the
//     lowest of them left the others nothing at saturation.
//   - 20: a load is repeated only when its block was taken for another core, no longer because its
//     own L1 has evicted the block; timeouts of the token protocol follow from the mean and the
//     deviation of answers, are not learnt from timeouts, and have no lower bound in cycles.
//   - 21: the estimate for timeouts of the token protocol starts from answers of 64 cycles; before, a
//     core's first answer replaced it, which made timeouts long where caches are empty.
//   - 22: the buffered phits of epochs are those of whole packets.
//   - 23: messages of chips are as long as the width of links makes them, before 1 and 5 phits at any
//     width; the channels of messages that have a header are counted right.
//   - 24: cores that spin for a lock swap first and then read it; before, they read it first. Recordings
//     that are made again have short turns, and no order between fetch-and-adds of one word.
//   - 25: prices of caches follow their number of ways at each size; before, accesses that read all ways at
//     once cost up to three times too much in large caches. Cores may sleep at barriers, and barriers may
//     have their words in memory. Recordings of RISC-V programs that are made again have records of barriers
//     and of the C library's reader-writer locks.
//     Messages saturate a network if those under way become more by 2 % of those generated; before, by 3 %.
//   - 26: in networks of more than 64 nodes that replicate messages (base-mc, mrr and others whose headers
//     have destination sets), messages to several nodes need the phits of a bit for each node. Windows that
//     are drawn again have a warm-up and a tail; windows of executed programs have a warm-up.
//     Recordings that are made again have tickets, which a replay gives out, and loads that poll.
//   - 27: all recordings but ft and is were made again, with warm-up and tail, and gcc, jbb and mcf with larger inputs.
//     Windows of a piece of an execution start after a quarter of its time; before, after a sixteenth.
//   - 28: ideal counts the phits of a packet on its links when the header has crossed them; before, when the packet
//     was offered. Phits, energy and link tables of ideal move by the packets under way at the ends of a measurement.
//     The recordings of all but twolf and gcc were made again: ends of windows tell what cores wait for, machines
//     tell where processors halt, ft and sp have class A, and windows are drawn from groups of similar ones.
//   - 29: in wormhole routers with the routing adaptive, a packet takes an adaptive channel only when its buffer is
//     empty; before, packets queued there and could wait for each other forever.
//     Windows of all recordings but twolf and gcc were drawn again. Cores have drifted apart where they start.
//   - 30: windows of all recordings but twolf, gcc and mcf were drawn again, at the same places. Warm-up and tail
//     have the size of an average window's parts. bt has seven windows; before, five.
//   - 31: ft was recorded again. It has twelve windows; before, six, and ratios of its times were too uncertain. The
//     recording now says that barriers are further apart than its windows are long.
//     Thirds, middles and epochs of runs end in their cycles; before, in the next one in which the chip had work.
//     In windows of executed programs, a thread that joins another need not be at barriers, and long parts before the
//     first barrier or after the last one are drawn, too.
//   - 32: the components of a core's stalls, timeout_cycles among them, do not depend on the cycles in which the core
//     is visited; they move by a few cycles. Times, energies and digests are as before.
//     With network_clock below 1, the clock of routers that is not gated draws energy in each cycle of the network;
//     before, in each of the chip. The clock tree of profile S is never gated.
const ModelVersion = "32"

// Recorded is the source of workloads that a real program was recorded for.
const Recorded = "recorded"

// Workload is a trace by name.
type Workload struct {
	Name string
	// Source says where the records come from: "recorded" or "synthetic".
	Source string
	// ByLine tells that the recorded order of threads is by line.
	ByLine bool
	// CutsBarriers tells that the threads of a recording meet at barriers, and its windows do not go from one to another.
	CutsBarriers bool
	// Digest identifies the trace's content.
	Digest string
	Cores  int
	// Records is the number of records in all streams of all windows, for progress; 0 when it is
	// not known.
	Records uint64
	// Windows is how many windows the trace has; 0 means one.
	Windows int
	// Open gives a source of a window, from 0, for one run, and a function that releases it.
	Open func(window int) (traces.Source, func() error, error)
}

// Study is a comparison: every workload on every router with every seed.
type Study struct {
	Workloads []Workload
	Models    models.List `json:"-"` // what routers are chosen from; nil is models.Table
	Routers   []string    // names of Models
	Runs      int         // runs of each workload and router
	Seed      uint64      // seed of the first run; the others count on from it
	Windows   int         // at most so many of each workload, evenly spread; 0 takes all
	Chip      cmp.Config
	Network   models.Options
	Power     power.Config
}

// run is one run of a study.
type run struct {
	Workload *Workload
	Router   string
	Window   int
	Seed     uint64
	// Simulation is a digest of what decides the run's counts: the effective configuration of chip
	// and network, and the trace. Key adds the prices of energy.
	Simulation, Key string
	idle            *idle // nil leaves contention unknown
}

// Points lists the runs: by workload, then router, then window, then seed. A window is done on all
// routers before the next one, because its runs share what the caches hold at its start.
func (s *Study) Points() ([]Point, error) {
	type places struct { // of cores, and the router between them: with them goes what idle networks take
		router string
		cores  int
	}
	var points []Point
	idles := map[places]*idle{}
	for w := range s.Workloads {
		for _, router := range s.Routers {
			at := places{router, s.Workloads[w].Cores}
			if idles[at] == nil {
				idles[at] = &idle{}
			}
			for _, window := range Spread(s.Workloads[w].Windows, s.Windows) {
				for _, seed := range Seeds(s.Seed, s.Runs) {
					p, err := s.point(&run{Workload: &s.Workloads[w], Router: router, Window: window, Seed: seed, idle: idles[at]})
					if err != nil {
						return nil, err
					}
					p.Turn = w<<32 | window
					points = append(points, p)
				}
			}
		}
	}
	return points, nil
}

// point makes the point of a run.
func (s *Study) point(r *run) (p Point, err error) {
	router, err := s.Models.Identity(r.Router, s.Network)
	if err != nil {
		return Point{}, err
	}
	// Everything that decides the results, and nothing else.
	r.Simulation, r.Key = Keys(struct {
		Model, Trace, Router string
		Window               int `json:",omitempty"`
		Seed                 uint64
		Chip                 cmp.Config
		Network              models.Options
	}{ModelVersion, r.Workload.Digest, router, r.Window, r.Seed, s.Chip, s.Network}, s.Power)
	window := ""
	if r.Workload.Windows > 1 {
		window = fmt.Sprintf(", window %d", r.Window)
	}
	return Point{
		Key: r.Key, Label: fmt.Sprintf("%s on %s, %s%s, seed %d", r.Workload.Name, models.Shown(r.Router), s.Chip.Protocol, window, r.Seed),
		Window: r.Window, Blank: func() tables.Rows { return tables.Rows{Runs: []tables.Run{s.runRow(r)}} },
		Run: func(ctx context.Context, report func(Progress)) (tables.Rows, error) {
			return s.simulate(ctx, r, report)
		},
	}, nil
}

// Spread returns at most so many of the numbers from 0 up to n, evenly spread; most 0 takes all,
// and n 0 counts as 1.
func Spread(n, most int) []int {
	n = max(n, 1)
	if most <= 0 || most > n {
		most = n
	}
	list := make([]int, most)
	for i := range list {
		list[i] = (2*i + 1) * n / (2 * most)
	}
	return list
}

// Digest identifies a configuration. JSON writes the fields of a structure in their order, so the
// digest does not depend on the program that computes it. Of numbers that JSON does not have, which no
// check of a configuration lets pass, it takes the text.
func Digest(v any) string {
	content, err := json.Marshal(v)
	if err != nil {
		content = fmt.Append(nil, v)
	}
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:16])
}
