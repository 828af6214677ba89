package silicon

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/analysis/experiment/closedloop"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/random"
	"github.com/carousel-sim/carousel/traces/ttmetal"
)

// Kernel is one recorded kernel beside its simulation. Cycles are what the chip's tools count: from
// the first event to the last, less ttmetal.Tail.
type Kernel struct {
	Name     string  `json:"name"`
	Group    string  `json:"group"`
	Measured uint64  `json:"measured_cycles"`
	Cycles   uint64  `json:"cycles"` // mean over the replicas
	Error    float64 `json:"error"`  // of Cycles, as a fraction of Measured
	// Spread is the standard deviation of the replicas, in cycles.
	Spread float64 `json:"spread_cycles"`
	// Waits is the number of barriers, the others the mean time at one, in cycles.
	Waits         int     `json:"barriers"`
	WaitMeasured  float64 `json:"barrier_wait_measured"`
	WaitSimulated float64 `json:"barrier_wait"`
	ReadLatency   float64 `json:"read_latency_mean"`
	Packets       uint64  `json:"packets"`
	Digest        string  `json:"digest"`
	// Null is what models without a network of routers say, by name.
	Null map[string]uint64 `json:"null_cycles"`
}

// Options are how kernels are replayed.
type Options struct {
	Parameters Parameters
	Open       bool // issue reads when they were issued on the chip
	Plain      bool // routers in their readable form: the same results, slower
	Replicas   int
}

// DefaultOptions is closed loop with the fitted parameters.
func DefaultOptions() Options { return Options{Parameters: Default(), Replicas: 16} }

// ForeignKernel is the error of a recording that is of another chip.
type ForeignKernel struct{ error }

func (e ForeignKernel) Unwrap() error { return e.error }

// jitter is by how many cycles the starts of processors differ between replicas.
const jitter = 16

// Simulate replays a kernel: once as recorded, and in further replicas with processors that start a
// few cycles later. Arbitration can depend on a single cycle, so one replay is as random as that;
// the mean of several is not.
func Simulate(ctx context.Context, t *ttmetal.Trace, o Options) (Kernel, error) {
	k := Kernel{Name: t.Name, Group: Group(t.Name), Measured: t.Cycles}
	program, err := Program(t)
	if err != nil {
		return k, ForeignKernel{err}
	}
	var cycles []float64
	for replica := range o.Replicas {
		r, err := replay(ctx, program, replica, o)
		if err != nil {
			return k, fmt.Errorf("%s: %w", t.Name, err)
		}
		cycles = append(cycles, float64(counted(r.Cycles)))
		if replica == 0 {
			k.Packets, k.Digest = r.Packets, fmt.Sprintf("%016x", r.Digest)
			k.waits(t, r.Waits)
			k.ReadLatency = float64(r.Latency) / float64(max(r.Reads, 1))
		}
	}
	mean, spread := moments(cycles)
	k.Cycles, k.Spread = uint64(math.Round(mean)), spread
	k.Error = float64(k.Cycles)/float64(k.Measured) - 1
	return k, nil
}

// replay runs one replica of a program on fresh networks.
func replay(ctx context.Context, p closedloop.Program, replica int, o Options) (closedloop.Result, error) {
	networks, err := o.Parameters.networks(o.Plain)
	if err != nil {
		return closedloop.Result{}, err
	}
	c := o.Parameters.config()
	c.Open = o.Open
	return closedloop.Run(ctx, networks, shifted(p, replica), c)
}

// counted are the cycles of a replay as the chip's tools count them.
func counted(end noc.Cycle) uint64 { return uint64(end - min(end, ttmetal.Tail)) }

// shifted is a program whose processors start up to jitter cycles later, each by itself; replica 0
// is the program.
func shifted(p closedloop.Program, replica int) closedloop.Program {
	if replica == 0 {
		return p
	}
	var other closedloop.Program
	for i, q := range p.Processes {
		s := random.Numbered(uint64(replica), i)
		by := noc.Cycle(s.Below(jitter))
		q.Start += by
		q.Steps = slices.Clone(q.Steps)
		for k := range q.Steps {
			q.Steps[k].At += by
		}
		other.Processes = append(other.Processes, q)
	}
	return other
}

// waits compares the times at barriers, where the recording has both ends of one.
func (k *Kernel) waits(t *ttmetal.Trace, simulated []closedloop.Wait) {
	measured, sum := 0.0, 0.0
	for _, w := range simulated {
		sum += float64(w.End - w.Start)
	}
	for _, p := range t.Processes {
		began := p.Start
		for _, e := range p.Events {
			if _, ends := waits[e.Kind]; ends {
				measured += float64(e.Time - began)
			}
			began = e.Time
		}
	}
	if k.Waits = len(simulated); k.Waits > 0 {
		k.WaitMeasured, k.WaitSimulated = measured/float64(k.Waits), sum/float64(k.Waits)
	}
}

// moments are mean and standard deviation.
func moments(values []float64) (mean, deviation float64) {
	for _, v := range values {
		mean += v / float64(len(values))
	}
	for _, v := range values {
		deviation += (v - mean) * (v - mean) / float64(len(values))
	}
	return mean, math.Sqrt(deviation)
}

// Group is the family of kernels in a name: where data come from, and for DRAM by how many columns
// of readers they are read.
func Group(name string) string {
	from, to, ok := strings.Cut(name, "_TO_")
	if !ok {
		return "other"
	}
	if from != "DRAM" {
		return from
	}
	rows, _, _ := strings.Cut(to, "x")
	return "DRAM to " + rows + "xN"
}
