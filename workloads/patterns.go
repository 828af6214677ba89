package workloads

import (
	"github.com/carousel-sim/carousel/noc/leaf/random"
	"github.com/carousel-sim/carousel/traces"
)

// The memory of synthetic workloads: shared data from 0, then one private region per core.
const (
	sharedLines  = 1024
	privateBase  = 1 << 20
	privateBytes = 256 << 10
	lineBytes    = traces.LineBytes
)

// private returns an address in a core's own region.
func private(core int, offset uint64) uint64 {
	return privateBase + uint64(core)*privateBytes + offset%privateBytes
}

// privateWork appends accesses that walk through a core's own data: three loads, then a store.
func privateWork(core int, from uint64, count int, r *random.Stream, out []traces.Record) []traces.Record {
	for i := range count {
		kind := traces.Load
		if i%4 == 3 {
			kind = traces.Store
		}
		out = append(out, traces.Record{Address: private(core, (from+uint64(i))*8), Kind: kind, Size: 3, Instructions: uint32(1 + r.Uint64()%4)})
	}
	return out
}

// openUniform: each round is three private accesses and one to a random shared line, three in ten
// of them stores.
func openUniform(w *Workload, c Config) (*Opened, error) {
	return openSynthetic(w, c, pattern{recordsPerRound: 4,
		round: func(s *synthetic, core int, round uint64, r *random.Stream, out []traces.Record) []traces.Record {
			out = privateWork(core, round*3, 3, r, out)
			kind := traces.Load
			if r.Uint64()%10 < 3 {
				kind = traces.Store
			}
			return append(out, traces.Record{Address: r.Uint64() % (sharedLines * 8) * 8, Kind: kind, Size: 3, Instructions: uint32(1 + r.Uint64()%4)})
		}}), nil
}

const (
	lockCount     = 4
	firstLock     = 1
	barrierObject = 100
	roundsToMeet  = 16
)

// openLocks: each round is private work and the update of a counter under a lock; every 16 rounds
// all cores meet.
func openLocks(w *Workload, c Config) (*Opened, error) {
	return openSynthetic(w, c, pattern{recordsPerRound: 12, created: true,
		prologue: func(s *synthetic, core int, out []traces.Record) []traces.Record {
			for other := 1; core == 0 && other < len(s.cores); other++ {
				out = append(out, traces.Record{Kind: traces.Create, Address: uint64(other), Instructions: 50})
			}
			return out
		},
		round: func(s *synthetic, core int, round uint64, r *random.Stream, out []traces.Record) []traces.Record {
			out = privateWork(core, round*8, 8, r, out)
			lock := r.Uint64() % lockCount
			counter := lock * lineBytes
			out = append(out, traces.Record{Kind: traces.Lock, Address: firstLock + lock, Instructions: 1},
				traces.Record{Address: counter, Size: 3, Instructions: 2},
				traces.Record{Address: counter, Kind: traces.Store, Size: 3, Instructions: 2},
				traces.Record{Kind: traces.Unlock, Address: firstLock + lock, Instructions: 1})
			if round%roundsToMeet == roundsToMeet-1 {
				out = append(out, traces.Record{Kind: traces.Barrier, Address: barrierObject, Count: uint16(len(s.cores)), Instructions: 1})
			}
			return out
		},
		epilogue: func(s *synthetic, core int, out []traces.Record) []traces.Record {
			for other := 1; core == 0 && other < len(s.cores); other++ {
				out = append(out, traces.Record{Kind: traces.Join, Address: uint64(other), Instructions: 1})
			}
			return out
		}}), nil
}

const (
	ringLines  = 8
	ringSlots  = 2 // a producer may be one round ahead without overwriting what is being read
	ringRecord = 3 * ringLines
)

// openRing: in each round a core reads the eight lines that its predecessor wrote in the round
// before, works on its own data, and writes eight lines. One edge per round makes the first load
// wait for the predecessor's last store.
func openRing(w *Workload, c Config) (*Opened, error) {
	line := func(core int, round uint64, i int) uint64 {
		return private(core, privateBytes/2+((round%ringSlots)*ringLines+uint64(i))*lineBytes)
	}
	before := func(s *synthetic, core int) int { return (core + len(s.cores) - 1) % len(s.cores) }
	return openSynthetic(w, c, pattern{recordsPerRound: ringRecord,
		round: func(s *synthetic, core int, round uint64, r *random.Stream, out []traces.Record) []traces.Record {
			for i := range ringLines {
				out = append(out, traces.Record{Address: line(before(s, core), round+ringSlots-1, i), Size: 3, Instructions: 2})
			}
			out = privateWork(core, round*ringLines%(privateBytes/16), ringLines, r, out)
			for i := range ringLines {
				out = append(out, traces.Record{Address: line(core, round, i), Kind: traces.Store, Size: 3, Instructions: 2})
			}
			return out
		},
		edge: func(s *synthetic, core int, round uint64) (traces.Edge, bool) {
			return traces.Edge{At: round * ringRecord, Position: round*ringRecord - 1, Producer: uint16(before(s, core))}, round > 0 && len(s.cores) > 1
		}}), nil
}
