package silicon

import (
	"context"
	"fmt"
	"slices"

	"github.com/carousel-sim/carousel/analysis/experiment/closedloop"
	"github.com/carousel-sim/carousel/coherence/parallel"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/noc/sidebyside"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/traces/ttmetal"
)

// Variant is one way to carry kernels. The recordings hold no addresses, so whether two readers of
// a node want the same data is not known. Shared variants suppose that they do: those that ask the
// same node for the same number of bytes as their k-th read since the last barrier are answered
// together, when the last has asked. All others carry every answer by itself.
type Variant struct {
	Name, Doc string
	Shared    bool
	model     string // on one bidirectional torus of the same wires; "" for the chip's own networks
	bytes     uint32 // longest answer
}

// shortAnswer is the payload of answers on routers whose buffers hold whole packets.
const shortAnswer = 512

// Variants lists what a study compares, the chip first.
var Variants = []Variant{
	{"chip", "two unidirectional tori, every answer by itself: the model that is held against the chip", false, "", PacketBytes},
	{"chip, shared", "the same networks; the answer of several readers leaves its source as one copy each", true, "", PacketBytes},
	{"torus", "one bidirectional torus of the same wires, routers as before, every answer by itself", false, "wormhole", PacketBytes},
	{"base, shared", "the torus with input-buffered routers and answers of 512 bytes, one copy for each reader", true, "base", shortAnswer},
	{"tree, shared", "the same, answers replicated in the routers along a tree (base-mc)", true, "base-mc", shortAnswer},
	{"mrr, shared", "the torus with rotary routers that replicate adaptively (mrr)", true, "mrr", shortAnswer},
}

// Study is the cycles of kernels under the variants.
type Study struct {
	Kernels []StudyKernel `json:"kernels"`
	Groups  []StudyGroup  `json:"groups"`
}

// StudyKernel is one kernel: by variant, cycles and the flits that crossed a link.
type StudyKernel struct {
	Name     string   `json:"name"`
	Group    string   `json:"group"`
	Cycles   []uint64 `json:"cycles"`
	FlitHops []uint64 `json:"flit_hops"`
	Readers  float64  `json:"readers_per_answer"` // when answers are shared
}

// StudyGroup is the mean of a group's kernels, each relative to the chip, by variant.
type StudyGroup struct {
	Group    string    `json:"group"`
	Cycles   []float64 `json:"cycles_normalized"`
	FlitHops []float64 `json:"flit_hops_normalized"`
}

// RunStudy replays all kernels under all variants.
func RunStudy(ctx context.Context, traces []*ttmetal.Trace, p Parameters, jobs int, progress func(done, all int)) (Study, error) {
	s := Study{Kernels: make([]StudyKernel, len(traces))}
	for i, t := range traces {
		s.Kernels[i] = StudyKernel{Name: t.Name, Group: Group(t.Name), Cycles: make([]uint64, len(Variants)), FlitHops: make([]uint64, len(Variants))}
	}
	n := len(traces) * len(Variants)
	err := parallel.Until(ctx, n, jobs, func(done int) { progress(done, n) }, func(i int) error {
		return s.run(ctx, traces[i/len(Variants)], p, i/len(Variants), i%len(Variants))
	})
	if err != nil {
		return s, err
	}
	slices.SortStableFunc(s.Kernels, func(a, b StudyKernel) int {
		return compareKernels(Kernel{Group: a.Group, Name: a.Name}, Kernel{Group: b.Group, Name: b.Name})
	})
	s.sum()
	return s, nil
}

// run replays one kernel under one variant.
func (s *Study) run(ctx context.Context, t *ttmetal.Trace, p Parameters, kernel, variant int) error {
	v := &Variants[variant]
	program, err := Program(t)
	if err != nil {
		return ForeignKernel{err}
	}
	networks, err := v.networks(p)
	if err != nil {
		return err
	}
	if v.model != "" {
		program = merged(program)
	}
	k := &s.Kernels[kernel]
	if v.Shared {
		var readers float64
		if program, readers = shared(program); variant == 1 {
			k.Readers = readers
		}
	}
	c := p.config()
	c.AnswerBytes = v.bytes
	r, err := closedloop.Run(ctx, networks, program, c)
	if err != nil {
		return fmt.Errorf("%s, %s: %w", t.Name, v.Name, err)
	}
	k.Cycles[variant] = uint64(r.Cycles - min(r.Cycles, ttmetal.Tail))
	for _, n := range networks {
		k.FlitHops[variant] += n.Totals().PhitHops
	}
	return nil
}

// networks builds a variant's.
func (v *Variant) networks(p Parameters) (sidebyside.Networks, error) {
	b, err := newBuilder(p)
	if err != nil || v.model == "" {
		if err != nil {
			return nil, err
		}
		return b.build()
	}
	m, err := models.Lookup(v.model)
	if err != nil {
		return nil, err
	}
	o := b.options()
	o.Grid = topology.Torus(Columns, Rows)
	slot := 1 + int(v.bytes)/FlitBytes
	o.Buffered.SlotPhits, o.Buffered.ChannelPhits, o.Buffered.PhitBits = slot, 2*slot, 8*FlitBytes
	o.Rotary.SlotPhits, o.Rotary.InputStagePhits, o.Rotary.SegmentPhits, o.Rotary.OutputStagePhits, o.Rotary.PhitBits = slot, 2*slot, 4*slot, 4*slot, 8*FlitBytes
	n, err := m.Build(o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", v.model, err)
	}
	return sidebyside.Networks{n}, nil
}

// merged is a program whose transfers all go over the first network.
func merged(p closedloop.Program) closedloop.Program {
	return changed(p, func(_ *closedloop.Process, s *closedloop.Step) {
		if s.Network != closedloop.AllNetworks {
			s.Network = 0
		}
	})
}

// changed is a copy of a program with other steps.
func changed(p closedloop.Program, change func(*closedloop.Process, *closedloop.Step)) closedloop.Program {
	var other closedloop.Program
	for _, q := range p.Processes {
		q.Steps = slices.Clone(q.Steps)
		for i := range q.Steps {
			change(&q, &q.Steps[i])
		}
		other.Processes = append(other.Processes, q)
	}
	return other
}

// wanted is what readers share: the bytes, where they are, and the which-th read of them since
// which barrier.
type wanted struct {
	network        uint8
	peer           noc.NodeID
	bytes          uint32
	barriers, read int
	again          int // of the same node
}

// shared is a program in which readers of the same data get one answer, and how many readers an
// answer has.
func shared(p closedloop.Program) (closedloop.Program, float64) {
	number, members, taken := map[wanted]int{}, map[int]int{}, map[wanted]map[noc.NodeID]bool{}
	reads := 0
	var last *closedloop.Process
	barriers, before := 0, map[wanted]int{}
	result := changed(p, func(q *closedloop.Process, s *closedloop.Step) {
		if q != last {
			last, barriers, before = q, 0, map[wanted]int{}
		}
		if s.Kind.Waits() {
			barriers++
		}
		if s.Kind != closedloop.Read || s.Bytes > PacketBytes {
			return
		}
		w := wanted{network: s.Network, peer: s.Peer, bytes: s.Bytes, barriers: barriers}
		w.read, before[w] = before[w], before[w]+1
		for taken[w][q.Node] {
			w.again++
		}
		if number[w] == 0 {
			number[w], taken[w] = len(number)+1, map[noc.NodeID]bool{}
		}
		taken[w][q.Node] = true
		s.Share = number[w]
		members[s.Share]++
		reads++
	})
	answers := len(members)
	result = changed(result, func(_ *closedloop.Process, s *closedloop.Step) {
		if s.Share != 0 && members[s.Share] == 1 {
			s.Share = 0
		}
	})
	return result, float64(reads) / float64(max(answers, 1))
}

// sum fills in the groups.
func (s *Study) sum() {
	count := map[string]float64{}
	for _, k := range s.Kernels {
		count[k.Group]++
	}
	for _, k := range s.Kernels {
		if last := len(s.Groups) - 1; last < 0 || s.Groups[last].Group != k.Group {
			s.Groups = append(s.Groups, StudyGroup{k.Group, make([]float64, len(Variants)), make([]float64, len(Variants))})
		}
		g := &s.Groups[len(s.Groups)-1]
		for v := range Variants {
			g.Cycles[v] += float64(k.Cycles[v]) / float64(k.Cycles[0]) / count[k.Group]
			g.FlitHops[v] += float64(k.FlitHops[v]) / float64(max(k.FlitHops[0], 1)) / count[k.Group]
		}
	}
}
