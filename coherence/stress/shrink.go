package stress

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/traces"
)

// Scenario is a short program that breaks a law.
type Scenario struct {
	Config  Config
	Err     error // what goes wrong when the program runs
	Records [][]traces.Record
	Runs    int // programs tried on the way
}

// Accesses returns the length of the program.
func (s *Scenario) Accesses() int {
	n := 0
	for _, r := range s.Records {
		n += len(r)
	}
	return n
}

// Write prints the program as a trace in text form, with what it does in comments. On a chip
// configured as the case's, carousel run --trace repeats it.
func (s *Scenario) Write(out io.Writer) error {
	var text bytes.Buffer
	if err := traces.Cat(&text, traces.NewMemory(s.Records, nil), traces.Metadata{}, traces.DefaultCatConfig()); err != nil {
		return err
	}
	head, rest, _ := strings.Cut(text.String(), "\n")
	_, records, _ := strings.Cut(rest, "\n") // the program has no metadata
	story := fmt.Sprintf("%s, seed %d: %d accesses remain after %d runs\n%v", s.Config.Name, s.Config.Seed, s.Accesses(), s.Runs, s.Err)
	_, err := fmt.Fprintf(out, "%s\n# %s\n%s", head, strings.ReplaceAll(story, "\n", "\n# "), records)
	return err
}

// Shrink looks for a short program that fails on the same chip as a failed run, in at most the
// given number of tries (400 are usually plenty). Any broken law counts: it need not be the first
// one.
//
// It drops records in ever smaller pieces and keeps what still fails (delta debugging): first all
// but the last few of each core, then pieces of the remaining list.
func Shrink(ctx context.Context, f *Failure, tries int) (*Scenario, error) {
	z := shrinker{ctx: ctx, config: f.Config, left: tries}
	// A shorter wait shows a standstill sooner; no sound access of a short program takes as long.
	z.config.Chip.WatchdogCycles = min(z.config.Chip.WatchdogCycles, progressLimit/4)
	z.restore(f)
	if !z.fails(z.list) {
		return nil, fmt.Errorf("%s, seed %d: fails when the program is made up as it runs, but not when it is given", f.Config.Name, f.Config.Seed)
	}
	z.suffix()
	z.halve()
	z.plain()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return &Scenario{Config: f.Config, Err: z.err, Records: z.programs(z.list), Runs: tries - z.left}, nil
}

// step is one record of one core.
type step struct {
	core   int
	record traces.Record
}

// shrinker is a search under way: list is the shortest program known to fail, in the order in which
// the cores reach the records if they run equally fast.
type shrinker struct {
	ctx    context.Context
	config Config
	left   int
	list   []step
	err    error
}

// restore makes up the records again that the failed run has read.
func (z *shrinker) restore(f *Failure) {
	src := newSource(f.Config)
	for at, more := uint64(0), true; more; at++ {
		more = false
		for core, n := range f.read {
			if at >= n {
				continue
			}
			var one [1]traces.Record
			if _, err := src.ReadRecords(core, one[:]); err != nil {
				continue
			}
			more = true
			if one[0].Kind != traces.End {
				z.list = append(z.list, step{core, one[0]})
			}
		}
	}
}

// programs sorts a list by core. A dependence that would reach back beyond the first access is
// dropped.
func (z *shrinker) programs(list []step) [][]traces.Record {
	p := make([][]traces.Record, z.config.Chip.Cores)
	for _, s := range list {
		if int(s.record.Dependence) > len(p[s.core]) {
			s.record.Dependence = 0
		}
		p[s.core] = append(p[s.core], s.record)
	}
	return p
}

// fails tries a program, and keeps it when it fails.
func (z *shrinker) fails(list []step) bool {
	if z.left == 0 || z.ctx.Err() != nil {
		return false
	}
	z.left--
	err := Replay(z.ctx, z.config, z.programs(list), nil)
	if err == nil || z.ctx.Err() != nil {
		return false
	}
	z.list, z.err = list, err
	return true
}

// suffix keeps only the end of the list, if that is enough: most failures need no long history.
func (z *shrinker) suffix() {
	for n := 64; n < len(z.list); n *= 4 {
		if z.fails(z.list[len(z.list)-n:]) {
			return
		}
	}
}

// halve drops pieces of the list, half of it at first, single records in the end, until no record
// can be dropped any more.
func (z *shrinker) halve() {
	for size := (len(z.list) + 1) / 2; z.left > 0; size = max(1, size/2) {
		before := len(z.list)
		for at := 0; at < len(z.list); {
			end := min(at+size, len(z.list))
			if !z.fails(slices.Concat(z.list[:at], z.list[end:])) {
				at = end
			}
		}
		if size == 1 && len(z.list) == before {
			return
		}
	}
}

// plain makes the remaining records as simple as they can be: loads and stores of whole words, one
// instruction apart, without dependences.
func (z *shrinker) plain() {
	for i := range z.list {
		for _, simplify := range []func(*traces.Record){
			func(r *traces.Record) { r.Instructions, r.Dependence = 1, 0 },
			func(r *traces.Record) { r.Address, r.Size = r.Address&^7, 3 },
		} {
			list := slices.Clone(z.list)
			if simplify(&list[i].record); list[i] != z.list[i] {
				z.fails(list)
			}
		}
	}
}
