package stress

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/coherence/cmp"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/random"
	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/csv"
)

// Failure is a run that broke a law.
type Failure struct {
	Config Config
	Err    error
	read   []uint64 // records that each core had been given
}

// Error names the case, so that it can be repeated.
func (f *Failure) Error() string {
	return fmt.Sprintf("%s, seed %d: %v", f.Config.Name, f.Config.Seed, f.Err)
}

// Unwrap returns what went wrong.
func (f *Failure) Unwrap() error { return f.Err }

// Run performs one random run. report, which may be nil, is called now and then. A broken law comes
// back as a *Failure, an error of the chip's configuration or the context's end as they are.
func Run(ctx context.Context, c Config, report func(cmp.Progress)) (cmp.Result, error) {
	if err := c.Chip.Validate(); err != nil {
		return cmp.Result{}, err
	}
	src := newSource(c)
	r, err := c.replay(ctx, src, nil, report)
	if err != nil {
		if ctx.Err() != nil {
			return cmp.Result{}, ctx.Err()
		}
		f := &Failure{Config: c, Err: err}
		for i := range src.streams {
			f.read = append(f.read, src.streams[i].made)
		}
		return cmp.Result{}, f
	}
	return r, nil
}

// Replay runs given programs, one per core, on the chip of a configuration. witness, which may be
// nil, is told of every access as it takes effect, and takes the place of the search for an order.
// Replay returns what breaks, or nil.
func Replay(ctx context.Context, c Config, programs *traces.Memory, witness func(cmp.Performed)) error {
	c.Order = c.Order && witness == nil
	_, err := c.replay(ctx, programs, witness, nil)
	return err
}

// replay runs programs on the run's chip. Controllers panic when they are told something that their
// protocol does not know: that is a failure like any other.
func (c Config) replay(ctx context.Context, src traces.Source, witness func(cmp.Performed), report func(cmp.Progress)) (r cmp.Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	c.Shape.Seed = c.Seed
	var network noc.Network
	if network, err = c.Network.New(c.Shape); err != nil {
		return r, err
	}
	defer noc.Close(network)
	if c.Faults != (Faults{}) {
		network = NewFaultInjector(network, c.Faults, c.Seed)
	}
	s, err := cmp.New(c.Chip, network, src, c.Seed)
	if err != nil {
		return r, err
	}
	o := order{sequential: c.Chip.Core.SequentialConsistency}
	if c.Order {
		witness = o.observe
	}
	s.Watch(witness)
	if r, err = s.Run(ctx, report); err == nil && c.Order {
		err = o.check()
	}
	return r, err
}

// pilot is the length of the run by which Sized measures.
const pilot = 1_000

// Sized sets the number of accesses so that the run costs about as much as the given number of them
// that hit: runs of equal work take about equal time, however hard they are. A delivery of the
// network costs as much as ten hits.
func (c Config) Sized(ctx context.Context, work uint64) (Config, error) {
	short := c
	short.Accesses = pilot
	r, err := Run(ctx, short, nil)
	if err != nil {
		return c, err
	}
	c.Accesses = max(pilot, work*pilot/(pilot+10*r.PacketDeliveries))
	return c, nil
}

// source makes up the programs of all cores as they are read.
type source struct {
	mix     Mix
	streams []stream
}

// stream is one core's program so far.
type stream struct {
	random random.Stream
	block  uint64
	left   int    // accesses to the block
	todo   uint64 // records to come, without the end
	made   uint64 // records handed out
}

func newSource(c Config) *source {
	s := &source{mix: c.Mix, streams: make([]stream, c.Chip.Cores)}
	cores := uint64(c.Chip.Cores)
	for i := range s.streams {
		share := c.Accesses / cores
		if uint64(i) < c.Accesses%cores {
			share++
		}
		s.streams[i] = stream{random: random.Stream(c.Seed ^ uint64(i+1)*0xd1342543de82ef95), todo: share}
	}
	return s
}

// Cores returns the number of programs.
func (s *source) Cores() int { return len(s.streams) }

// ReadRecords makes up the next records of a core.
func (s *source) ReadRecords(core int, into []traces.Record) (int, error) {
	t := &s.streams[core]
	n := 0
	for ; n < len(into) && t.todo > 0; n++ {
		into[n] = s.mix.next(t)
		t.todo--
	}
	if n < len(into) && t.todo == 0 {
		t.todo-- // the largest number: the end has been made
		into[n] = traces.Record{Kind: traces.End}
		n++
	}
	t.made += uint64(n)
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

// ReadEdges gives none: every interleaving is allowed.
func (s *source) ReadEdges(int, []traces.Edge) (int, error) { return 0, io.EOF }

// next makes up one record: an access to a word, or to one byte of it.
func (m Mix) next(t *stream) traces.Record {
	v := t.random.Uint64()
	if t.left == 0 {
		t.block = v >> 8 % uint64(m.Blocks) * uint64(m.Stride)
		t.left = 1 + int(v>>40%uint64(2*m.Repeat-1))
		v = t.random.Uint64()
	}
	t.left--
	r := traces.Record{Kind: traces.Load, Size: 3, Address: t.block*coherence.BlockBytes + v>>8%8*8,
		Instructions: 1 + uint32(v>>16%uint64(m.Gap+1))}
	switch p := int(v >> 24 % 100); {
	case p < m.Stores:
		r.Kind = traces.Store
	case p < m.Stores+m.Atomics:
		r.Kind = traces.Atomic
	case p < m.Stores+m.Atomics+m.Fetches:
		r.Kind = traces.Fetch
	case p < m.Stores+m.Atomics+m.Fetches+m.Fences:
		return traces.Record{Kind: traces.Fence, Instructions: r.Instructions}
	}
	if v>>48%8 == 0 {
		r.Size = 0
		r.Address += v >> 51 % 8
	}
	if v>>54%8 == 0 {
		r.Dependence = 1 + uint16(v>>57%4)
	}
	return r
}

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

// Write prints the program as a trace in the format of package csv, with what it does in comments. On
// a chip configured as the case's, carousel run repeats it after carousel trace import.
func (s *Scenario) Write(out io.Writer) error {
	var text bytes.Buffer
	if err := csv.Export(&text, traces.NewMemory(s.Records, nil), traces.Metadata{}); err != nil {
		return err
	}
	head, records, _ := strings.Cut(text.String(), "\n")
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
	err := Replay(z.ctx, z.config, traces.NewMemory(z.programs(list), nil), nil)
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
