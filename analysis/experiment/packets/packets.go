// Package packets replays recorded packets, and programs of messages, on networks without a chip. Packets come from
// traces of the netrace library, or from lists in CSV (package packetlist). Programs are collective operations
// (package collective), traces of Chakra, or kernels of TT-Metal.
//
// A [Study] says what to replay on which routers; its points are one replay per router. A packet is sent in
// its recorded cycle, or when the last of the packets that it waits for has arrived everywhere, whichever
// is later. Queues at the nodes are unbounded. Memory grows with the packets that are under way or waited
// for, not with how many there are. A packet of n
// bytes has as many phits as they need at the network's width. Of netrace, requests are message
// class 0, everything else class 1, so that answers pass requests.
//
// There is no window: everything from the first packet to the last arrival counts, in cycles and in
// energy. A row puts that into the table of synthetic traffic, as a window that begins with cycle
// 0.
//
// The loop is traffic.Drive. To add a form of files: a recording in input.go.
package packets

import (
	"context"
	"fmt"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/power"
	"github.com/carousel-sim/carousel/traces/packed"
)

// Study is one file of packets, or one collective operation, on several routers.
type Study struct {
	Path   string
	Digest string // of the file
	Limit  uint64 // packets to replay; 0 is all
	Region int    // of a netrace file, from 1; 0 is all regions
	// Collective is an operation instead of a file. PacketPhits is the longest packet of its messages, and of
	// those of files with messages.
	Collective  *Collective
	PacketPhits int
	Forms       []string    // of collective operations of a Chakra trace, such as all-reduce:tree
	ClockGHz    float64     // of its computations
	Models      models.List `json:"-"` // what routers are chosen from; nil is models.Table
	Routers     []string    // names of Models
	Seed        uint64
	Network     models.Options // its classes and seed follow the study
	Power       power.Config
}

// Head reads the file's head, and all of a plain list, whose mistakes it finds. passed follows the reading
// of a list and may be nil.
func (s *Study) Head(passed packed.Passed) (Head, error) {
	from, err := s.open(passed)
	if err != nil {
		return Head{}, err
	}
	defer from.Close()
	h, err := from.head()
	switch {
	case err != nil:
		return Head{}, err
	case h.Nodes == 0:
		return Head{}, fmt.Errorf("%s: the file contains no packet", s.Path)
	case h.Classes > noc.MaxClasses:
		return Head{}, fmt.Errorf("%s: there are packets of class %d; classes 0 to %d are allowed", s.Path, h.Classes-1, noc.MaxClasses-1)
	}
	return h, nil
}

// Check reports whether the routers can carry the packets of a file with this head.
func (s *Study) Check(head Head) error {
	for _, router := range s.Routers {
		network, err := s.build(router, head)
		if err != nil {
			return err
		}
		noc.Close(network)
	}
	return nil
}

// build makes a router's network for the packets of a file.
func (s *Study) build(router string, h Head) (noc.Network, error) {
	model, err := s.Models.Lookup(router)
	if err != nil {
		return nil, err
	}
	o := s.Network
	o.Classes, o.Seed = h.Classes, s.Seed
	network, err := model.Build(o)
	if err != nil {
		return nil, fmt.Errorf("router %s: %w", router, err)
	}
	if network.Nodes() < h.Nodes {
		noc.Close(network)
		return nil, fmt.Errorf("the trace has %d nodes, and %s has %d; choose a larger topology", h.Nodes, o.Topology(), network.Nodes())
	}
	if h.Steps {
		if err := checkLength(s.PacketPhits, network); err != nil {
			noc.Close(network)
			return nil, err
		}
	}
	longest, key := model.MaxPhits(o)
	if n := phits(h.Bytes, h.Phits, network); n > longest {
		what := "a packet"
		if h.Bytes > 0 {
			what = fmt.Sprintf("a packet of %d bytes", h.Bytes)
		}
		noc.Close(network)
		return nil, fmt.Errorf("%s has %d phits, but router %s carries packets of up to %d; raise network.%s", what, n, router, longest, key)
	}
	return network, nil
}

// Points lists the replays, one per router, of a trace whose head Check has read.
func (s *Study) Points(head Head) (points []experiment.Point, err error) {
	longest, noun, clock := 0, "packets", 0.
	if head.Steps {
		longest, noun = s.PacketPhits, "steps"
	}
	if head.Steps && s.Collective == nil {
		clock = s.ClockGHz
	}
	network := s.Network
	network.Classes = head.Classes
	for _, router := range s.Routers {
		row, err := experiment.NetworkRow(func(router string) any {
			return struct {
				Model, Router, Trace string
				Limit, Seed          uint64
				Network              models.Options
				Region               int         `json:",omitempty"`
				Collective           *Collective `json:",omitempty"`
				PacketPhits          int         `json:",omitempty"`
				Forms                []string    `json:",omitempty"`
				ClockGHz             float64     `json:",omitempty"`
			}{experiment.ModelVersion, router, s.Digest, s.Limit, s.Seed, s.Network, s.Region, s.Collective, longest, s.Forms, clock}
		}, s.Models, router, network, s.Power)
		if err != nil {
			return nil, err
		}
		row.Pattern, row.Classes, row.Seed = noun+" of "+head.Name, uint64(head.Classes), s.Seed
		points = append(points, experiment.NetworkPoint(fmt.Sprintf("%s of %s on %s, seed %d", noun, head.Name, row.Router, s.Seed), row,
			func(ctx context.Context, report func(experiment.Progress), row *tables.Traffic, rows *tables.Rows) error {
				return s.replay(ctx, router, head, report, row, rows)
			}))
	}
	return points, nil
}

// replay does one router, whose row says what it is.
func (s *Study) replay(ctx context.Context, router string, head Head, report func(experiment.Progress), row *tables.Traffic, rows *tables.Rows) error {
	network, err := s.build(router, head)
	if err != nil {
		return err
	}
	defer noc.Close(network)
	row.Scheme = models.SchemeOf(network, row.Scheme)
	from, err := s.open(nil)
	if err != nil {
		return err
	}
	defer from.Close()
	total := head.Packets
	if s.Limit != 0 {
		total = min(total, s.Limit)
		from = &limited{from, s.Limit}
	}
	stream := newStream(network, from, head.Classes, row.Rules)
	if head.Steps {
		stream.longest = s.PacketPhits
	}
	o, err := stream.run(ctx, func() {
		report(experiment.Progress{Share: float64(stream.done) / float64(max(1, total)), Cycles: uint64(network.Now()), Network: network})
	})
	if err != nil {
		return err
	}
	layout, err := s.Models.LayoutOf(router, s.Network)
	if err != nil {
		return err
	}
	err = experiment.FillNetwork(row, rows, &o.Window, network.Hardware(), s.Power, layout, network.Activity(nil), network.Links(nil))
	row.MulticastPathMean = tables.Maybe[float64]{} // a column of synthetic traffic
	row.Cycles, row.SimulatedCycles = uint64(o.Cycles), tables.Some(uint64(o.Cycles))
	if head.Steps { // which have no recorded times
		return err
	}
	row.PacketsDelayed, row.CyclesRecorded = tables.Some(o.waited), tables.Some(uint64(o.recorded))
	row.DelayMean = tables.Ratio(o.delay, o.waited)
	if o.recorded > 0 {
		row.Offered = rate(o.phits, o.recorded, network.Nodes())
	}
	return err
}

// Describe adds the study to a manifest.
func (s *Study) Describe(m *experiment.Manifest, head Head) {
	m.DescribeRouters(s.Models, s.Routers, s.Network)
	m.Seeds = []uint64{s.Seed}
	if s.Digest != "" {
		m.Traces = []experiment.TraceIdentity{{Workload: head.Name, Digest: s.Digest}}
	}
}
