package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/analysis/result"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// The percentages of core time that waits for timeouts from which on a run warns that it measures its
// timer, and from which on a note gives them: less is printed as zero.
const (
	longTimeouts   = 5
	leastTimeouts  = 0.05
	timeoutPercent = "%.1f %%"
)

// timeouts says which share of core time went into waiting for timeouts, with a protocol that has
// any, and whether that is long.
func (f *findings) timeouts() {
	percent := func(rows *tables.Rows) float64 {
		waited, all := uint64(0), uint64(0)
		for i := range rows.Runs {
			if r := &rows.Runs[i]; r.Reissues.Known && r.TimeoutCycles.Known {
				waited += r.TimeoutCycles.Value
			}
		}
		for i := range rows.Cores {
			all += rows.Cores[i].FinishCycle
		}
		return 100 * float64(waited) / float64(max(all, 1))
	}
	if long := f.above(longTimeouts, timeoutPercent, percent); long != "" {
		f.say(Warning, "Share of core time spent waiting for timeouts: %s. The times therefore depend on the timeout; see carousel help concepts.", long)
	} else if text := f.above(leastTimeouts, timeoutPercent, percent); text != "" {
		f.say(Note, "Share of core time spent waiting for timeouts: %s.", text)
	}
}

// agreeWithin is how far the work of routers that replay the same recording may be apart.
const agreeWithin = 0.05

// works are what every router does for a recording, whatever its speed.
var works = []struct {
	name string
	of   func(*tables.Run) uint64
}{
	{"instructions", func(r *tables.Run) uint64 { return r.Instructions.Value }},
	{"instruction fetches", func(r *tables.Run) uint64 { return r.Fetches.Value }},
	{"L1 misses", func(r *tables.Run) uint64 { return r.L1Misses.Value }},
}

// agreement names the workloads for which the routers did not do the same work, and says why.
func (f *findings) agreement() {
	for i := range f.places {
		p := &f.places[i]
		for _, w := range works {
			by := func(a, b routerRows) int { return cmp.Compare(a.sum(w.of), b.sum(w.of)) }
			low, high := slices.MinFunc(p.routers, by), slices.MaxFunc(p.routers, by)
			least, most := low.sum(w.of), high.sum(w.of)
			if len(low.Runs) != len(high.Runs) || most-least <= agreeWithin*least {
				continue
			}
			why := "cores get locks, barriers and shared blocks in a different order"
			replays := func(r *tables.Run) uint64 { return r.Replays.Value }
			if repeated := high.sum(replays) - low.sum(replays); repeated > 0 && 2*repeated >= most-least {
				why = "loads are repeated more often"
			}
			f.say(Warning, "%s: %s differ: %.0f on %s, %.0f on %s. The reason is that %s.", p.name, w.name, most, high.router, least, low.router, why)
		}
	}
}

// sum adds up a column of runs.
func (r *routerRows) sum(of func(*tables.Run) uint64) (v float64) {
	for i := range r.Runs {
		v += float64(of(&r.Runs[i]))
	}
	return v
}

// clock says that the latency of memory stays in cycles if a study sets the clock and not the latency.
func (f *findings) clock() {
	if f.manifest == nil {
		return
	}
	const clock, latency = "chip.clock_ghz", "chip.memory.latency"
	settings := f.manifest.Settings()
	set := func(key, usual string) bool {
		return f.manifest.Plan.Varies(key) || f.manifest.Given[key] != "" && settings[key] != usual
	}
	if set(clock, "4") && !set(latency, "260") && !set(latency+"_ns", "0") {
		f.say(Warning, "The clock was set, but the latency of memory stays %s cycles at any clock, as its bandwidth stays the same per cycle. Set chip.memory.latency_ns for a latency in ns.",
			settings[latency])
	}
}

// programs says how executed programs ended and what they wrote. It is a reason to doubt the runs of
// a program if it failed or if runs differ.
func (f *findings) programs() {
	runs := slices.DeleteFunc(slices.Clone(f.rows.Runs), func(r tables.Run) bool { return !r.ProgramEnd.Known })
	for _, program := range tables.GroupBy(runs, func(r *tables.Run) string { return r.TraceDigest }) {
		type ending struct{ end, output string }
		endings := tables.GroupBy(program.Records, func(r *tables.Run) ending { return ending{r.ProgramEnd.Value, r.ProgramOutput.Value} })
		var texts []string
		for _, e := range endings {
			where := "in all runs"
			if len(endings) > 1 {
				where = "on " + enumerate(tables.Keys(tables.GroupBy(e.Records, func(r *tables.Run) string { return r.Router })))
			}
			text := e.Key.end + " " + where
			if line := lastLine(e.Key.output); line != "" {
				text += fmt.Sprintf("; the last line of its output is %q", line)
			}
			texts = append(texts, text)
		}
		name, first := program.Records[0].Workload, endings[0].Key
		switch {
		case len(endings) > 1:
			f.say(Warning, "Program %s does not write the same in all runs: %s. The column program_output of the table runs has all of it.", name, strings.Join(texts[:2], ". In other runs: "))
		case first.end != "success":
			f.say(Warning, "Program %s: %s.", name, texts[0])
		case first.output != "":
			f.say(Answer, "Program %s: %s.", name, texts[0])
		}
		if least, most, many := instructionsOf(program.Records); many {
			f.say(Warning, "Program %s executes %.0f %% more instructions on %s than on %s: its threads wait in another way, or for longer. The ratio of times is then also one of waiting; see carousel help live.",
				name, 100*(most.N/least.N-1), most.Router, least.Router)
		}
	}
}

// unequal is how much more instructions an executed program may take on one router than on another.
const unequal = 1.05

// routerCount is a mean number over the runs of a router.
type routerCount struct {
	Router string
	N      float64
}

// instructionsOf returns the routers on which a program has executed the fewest and the most
// instructions, and whether they differ by much.
func instructionsOf(runs []tables.Run) (least, most routerCount, many bool) {
	for i, of := range tables.GroupBy(runs, func(r *tables.Run) string { return r.Router }) {
		c := routerCount{Router: of.Key}
		for _, r := range of.Records {
			c.N += float64(r.Instructions.Value) / float64(len(of.Records))
		}
		if i == 0 || c.N < least.N {
			least = c
		}
		if i == 0 || c.N > most.N {
			most = c
		}
	}
	return least, most, least.N > 0 && most.N > unequal*least.N
}

// lastLine returns the last line of a text that is not blank, without its end where it is long.
func lastLine(text string) string {
	text = strings.TrimSpace(text)
	line := []rune(text[strings.LastIndexByte(text, '\n')+1:])
	return string(line[:min(len(line), 200)])
}

// The percentages of an execution above which a time says little about the program.
const (
	mostlyIdle    = 20 // of the time, with fewer than half of the cores at work
	mostlyOrdered = 5  // of the cores' time, waiting for recorded order
)

// contended is how many atomics per 1,000 instructions make a class of programs: of the kernels of
// carousel validate replay, recordings above it are off by up to 8 % in ratios of routers, and those
// of earlier recorders, which keep the order of atomics, by up to 63 %.
const contended = 1

// muchMore is how many times the instructions of most cores the last one executes where the program
// has nothing to do for the others.
const muchMore = 2

// starts says how caches start.
func (f *findings) starts() {
	var starts [2]bool // warm, cold
	for i := range f.rows.Runs {
		if r := &f.rows.Runs[i]; r.ExitState == tables.Finished {
			starts[0], starts[1] = starts[0] || r.Start.Value == tables.WarmStart, starts[1] || r.Start.Value == tables.ColdStart
		}
	}
	switch starts {
	case [2]bool{true, true}:
		f.say(Note, "Caches start warm in some runs, and empty in others.")
	case [2]bool{true, false}:
		f.say(Note, "Caches start warm (--cold empties them).")
	case [2]bool{false, true}:
		f.say(Note, "Caches start empty.")
	}
}

// times names the workloads, settings and routers of which much of the time tells little about the
// network: few cores are at work, or cores wait for the recorded order.
func (f *findings) times() {
	percent := func(share func(late, few, ordered float64) float64) func(rows *tables.Rows) float64 {
		return func(rows *tables.Rows) float64 { return 100 * share(coreShares(rows)) }
	}
	const whole = "%.0f %%"
	for _, w := range []struct {
		places, text string
	}{
		{f.above(mostlyIdle, whole, percent(func(_, few, _ float64) float64 { return few })),
			"Fewer than half of the cores work for much of the time, because one core executes more than twice the instructions of most: %s."},
		{f.above(mostlyIdle, whole, percent(func(late, _, _ float64) float64 { return late })),
			"Fewer than half of the cores work for much of the time: %s. Choose longer or other windows (carousel trace sample)."},
		{f.above(mostlyOrdered, whole, percent(func(_, _, ordered float64) float64 { return ordered })),
			"Cores wait for the recorded order of threads for much of their time: %s. This time says little about the network; see carousel help traces."},
		{f.above(contended, "%.1f", atomics),
			"Many atomic accesses per 1,000 instructions: %s. Ratios of routers in replays of such programs were off by up to 8 %%, and by up to 63 %% with recorders up to version \"record 6\" and \"riscv 2\": record again, or execute the program (--program; see carousel help accuracy)."},
	} {
		if w.places != "" {
			f.say(Warning, w.text, w.places)
		}
	}
}

// atomics is how many atomic accesses of a recording keep their order, per 1,000 instructions.
func atomics(rows *tables.Rows) float64 {
	var atomics, instructions float64
	for i := range rows.Runs {
		if r := &rows.Runs[i]; r.WorkloadSource == "recorded" {
			atomics, instructions = atomics+float64(r.Atomics.Value), instructions+float64(r.Instructions.Value)
		}
	}
	return 1000 * atomics / max(instructions, 1)
}

// coreShares returns the shares of the time with fewer than half of the cores at work, because some
// are late, and because the program has more to do for some than for most; and the share of the
// cores' time that was waiting for recorded order.
func coreShares(rows *tables.Rows) (late, few, ordered float64) {
	var waited, all, total float64
	for _, run := range tables.GroupBy(rows.Cores, func(c *tables.Core) string { return c.RunKey }) {
		var ends, instructions []uint64
		for i := range run.Records {
			c := &run.Records[i]
			waited, all = waited+float64(c.StallDependence), all+float64(c.FinishCycle)
			if c.Records > 1 {
				ends, instructions = append(ends, c.FinishCycle), append(instructions, c.Instructions)
			}
		}
		if len(ends) == 0 {
			continue
		}
		last := instructions[slices.Index(ends, slices.Max(ends))]
		slices.Sort(ends)
		slices.Sort(instructions)
		// With n cores fewer than half are left from the end of core n/2 on, counted from 0.
		half, end := len(ends)/2, float64(slices.Max(ends))
		total += end
		if left := end - float64(ends[half]); last > muchMore*instructions[half] {
			few += left
		} else {
			late += left
		}
	}
	return late / max(total, 1), few / max(total, 1), waited / max(all, 1)
}

// mainReasons is how many parts of a difference are named, and leastReason the smallest one, as a
// share of the time.
const (
	mainReasons = 3
	leastReason = 0.005
)

// reasons says why the slowest router takes longer than the fastest: the parts of the time of cores
// that differ most, as shares of the fastest router's time.
func (f *findings) reasons(c *result.Ranking) {
	a, fast, slow := c.Overall(), c.Routers[0], c.Routers[len(c.Routers)-1]
	if e := a.Ratio(col.Cycles, slow, fast); !e.OK || e.Mean <= 1 || len(c.Setting) > 1 {
		return
	}
	more := map[string]float64{}
	var parts []string
	for _, p := range tables.Cycles.Parts {
		if more[p.Name] = a.Share(&tables.Cycles, p.Name, slow, fast) - a.Share(&tables.Cycles, p.Name, fast, fast); more[p.Name] > leastReason {
			parts = append(parts, p.Name)
		}
	}
	slices.SortStableFunc(parts, func(a, b string) int { return cmp.Compare(more[b], more[a]) })
	parts = parts[:min(mainReasons, len(parts))]
	for i, p := range parts {
		parts[i] = fmt.Sprintf("%s %.0f", p, 100*more[p])
	}
	over := ""
	if c.Mean != nil {
		over = ", mean over applications"
	}
	if parts != nil {
		f.say(Note, "%s takes longer than %s mainly in these parts, in %% of the time of %s%s: %s.", slow, fast, fast, over, enumerate(parts))
	}
}

// parts says how the time and the energy of the fastest router divide.
func (f *findings) parts(c *result.Ranking) {
	router, a := c.Routers[0], c.Overall()
	percent := func(part string) float64 { return 100 * a.Share(&tables.Cycles, part, router, router) }
	if retiring, ways := percent("retiring"), []float64{percent("interface"), percent("flight"), percent("contention")}; retiring > 0 {
		f.say(Note, "Of the execution time of %s, messages take %.0f %%: %.0f %% in network interfaces, %.0f %% in flight and %.0f %% in contention. Cores retire instructions in %.0f %%.",
			router, ways[0]+ways[1]+ways[2], ways[0], ways[1], ways[2], retiring)
	}
	if text := energyParts(a, router); text != "" {
		f.say(Note, "%s", text)
	}
}

// EnergyParts says how the energy of a network divides in some of its runs; "" where that is not known.
func EnergyParts(router string, runs result.Runs) string {
	return energyParts(&result.Application{Runs: map[string]result.Runs{router: runs}}, router)
}

// energyParts names the shares of the energy of a router.
func energyParts(a *result.Application, router string) string {
	percent := func(part string) float64 { return 100 * a.Share(&tables.Energies, part, router, router) }
	if percent("clock")+percent("leakage") == 0 {
		return ""
	}
	return fmt.Sprintf("Of the network energy of %s, the clock takes %.0f %%, leakage %.0f %%, buffers %.0f %% and links %.0f %%.",
		router, percent("clock"), percent("leakage"), percent("buffers"), percent("links"))
}
