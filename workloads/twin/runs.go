package twin

import "github.com/carousel-sim/carousel/noc/random"

// Run is a part of a sequence of lines: the set of the first, how many sets on the next one is, and how many lines.
type Run [3]uint16

const (
	// exactRuns is how many runs describe a sequence exactly; of a longer one sampledRuns are kept, evenly from all.
	exactRuns   = 48
	sampledRuns = 16
	limitPeriod = 1 << 16 // lines after which a pattern of sets repeats
)

// runs describes a sequence of sets.
func runs(sequence []uint8) []Run {
	var all []Run
	for _, set := range sequence {
		if n := len(all); n > 0 {
			r := &all[n-1]
			last := uint8(r[0] + r[1]*(r[2]-1))
			switch {
			case r[2] == 1:
				r[1], r[2] = uint16(set-last), 2
				continue
			case set == last+uint8(r[1]) && r[2] < 1<<15:
				r[2]++
				continue
			}
		}
		all = append(all, Run{uint16(set), 0, 1})
	}
	if len(all) <= exactRuns {
		return all
	}
	sample := make([]Run, sampledRuns)
	for i := range sample {
		sample[i] = all[i*len(all)/sampledRuns]
	}
	return sample
}

// pattern gives each of the lines of a pool its place, so that they are in the sets of the runs, and tells how many
// lines of memory it takes. When the runs are a sample, they repeat, and begin in sets of chance.
func pattern(lines uint64, from []Run, r random.Stream) (places []uint32, span uint64) {
	if lines == 0 {
		return nil, 0
	}
	if len(from) == 0 {
		from = []Run{{0, 1, 1 << 15}}
	}
	known := uint64(0)
	for _, run := range from {
		known += uint64(run[2])
	}
	period := min(lines, limitPeriod)
	var used [setCount]uint32
	for i := 0; uint64(len(places)) < period; i++ {
		run := from[i%len(from)]
		set := uint64(run[0])
		if known < lines {
			set = r.Uint64() >> 32
		}
		for range max(run[2], 1) {
			at := set % setCount
			places = append(places, used[at]*setCount+uint32(at))
			used[at]++
			span = max(span, uint64(used[at])*setCount)
			if set += uint64(run[1]); uint64(len(places)) == period {
				break
			}
		}
	}
	return places, span
}
