// Package packets replays packet traces of the netrace library on networks alone.
//
// A [Study] says what to replay on which routers; its points are one replay per router. Packets keep the
// times and the dependences of the recorded run (see traffic.Replay). A packet of n bytes has as many phits as they
// need at the network's width; requests are message class 0, everything else class 1, so that answers pass requests.
//
// There is no window: everything from the first packet to the last arrival counts, in cycles and in energy. A row puts
// that into the table of synthetic traffic, as a window that begins with cycle 0.
package packets

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/experiment/openloop"
	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/noc/traffic"
	"github.com/carousel-sim/carousel/power"
	"github.com/carousel-sim/carousel/traces/netrace"
)

const classes = 2

// Study is one packet trace on several routers.
type Study struct {
	Path    string
	Digest  string      // of the file
	Limit   uint64      // packets to replay; 0 is all
	Models  models.List `json:"-"` // what routers are chosen from; nil is models.Table
	Routers []string    // names of Models
	Seed    uint64
	Network models.Options // its classes and seed follow the study
	Power   power.Config
}

// Check opens the file and finds mistakes before the first replay.
func (s *Study) Check() (netrace.Head, error) {
	r, err := netrace.Open(s.Path)
	if err != nil {
		return netrace.Head{}, err
	}
	defer r.Close()
	for _, router := range s.Routers {
		if _, _, err := s.build(router, r.Head()); err != nil {
			return r.Head(), err
		}
	}
	return r.Head(), nil
}

// build makes a router's network.
func (s *Study) build(router string, h netrace.Head) (noc.Network, models.Model, error) {
	if s.Power.Activity == power.ActivityHamming {
		return nil, models.Model{}, errors.New("power.activity is hamming, but the packets of a trace of packets have no content; use half")
	}
	model, err := s.Models.Lookup(router)
	if err != nil {
		return nil, model, err
	}
	o := s.Network
	o.Classes, o.Seed = classes, s.Seed
	network, err := model.Build(o)
	if err != nil {
		return nil, model, fmt.Errorf("router %s: %w", router, err)
	}
	if network.Nodes() < h.Nodes {
		return nil, model, fmt.Errorf("the trace has %d nodes, and %s has %d; choose a larger topology", h.Nodes, o.Topology(), network.Nodes())
	}
	if longest, key := model.MaxPhits(o); phits(72, network) > longest {
		return nil, model, fmt.Errorf("a packet of 72 bytes has %d phits, but router %s carries packets of up to %d; raise network.%s",
			phits(72, network), router, longest, key)
	}
	return network, model, nil
}

// phits is the length of a packet of some bytes.
func phits(bytes int, n noc.Network) int {
	width := n.Hardware().PhitBits
	return (8*bytes + width - 1) / width
}

// Points lists the replays, one per router, of a trace whose head Check has read.
func (s *Study) Points(head netrace.Head) ([]experiment.Point, error) {
	var points []experiment.Point
	for _, router := range s.Routers {
		row, err := s.row(router, head)
		if err != nil {
			return nil, err
		}
		points = append(points, experiment.Point{
			Key: row.RunKey, Label: fmt.Sprintf("packets of %s on %s, seed %d", head.Benchmark, router, s.Seed),
			Blank: tables.Rows{Traffic: []tables.Traffic{row}},
			Run: func(ctx context.Context, report func(experiment.Progress)) (tables.Rows, error) {
				return s.replay(ctx, row, report)
			},
		})
	}
	return points, nil
}

// stretch is how many cycles pass between two looks at progress and interruption.
const stretch = 8192

// replay does one router, whose row says what it is.
func (s *Study) replay(ctx context.Context, row tables.Traffic, report func(experiment.Progress)) (rows tables.Rows, err error) {
	begun := time.Now()
	file, err := netrace.Open(s.Path)
	if err != nil {
		return rows, err
	}
	defer file.Close()
	network, _, err := s.build(row.Router, file.Head())
	if err != nil {
		return rows, err
	}
	total := file.Head().Packets
	if s.Limit != 0 {
		total = min(total, s.Limit)
	}
	replay := traffic.NewReplay(network, &source{file: file, network: network, limit: s.Limit}, classes)
	var moved uint64
	still := 0
	for done := false; !done; {
		if err := ctx.Err(); err != nil {
			return rows, err
		}
		now := network.Now()
		report(experiment.Progress{Share: float64(replay.Result.Packets) / float64(max(1, total)), Cycles: uint64(now), Network: network})
		if done, err = replay.Run(now + stretch); err != nil {
			return rows, err
		}
		totals := network.Totals()
		if so := totals.PhitHops + totals.Phits; so != moved || network.InFlight() == 0 {
			moved, still = so, 0
		} else if still++; still == 2 {
			return rows, openloop.Standstill(network, row.Rules)
		}
	}
	if err := s.measure(&row, &rows, network, &replay.Result); err != nil {
		return rows, err
	}
	row.WallSeconds = tables.Some(time.Since(begun).Seconds())
	rows.Traffic = []tables.Traffic{row}
	return rows, nil
}

// source turns packets of the file into packets of a network.
type source struct {
	file    *netrace.Reader
	network noc.Network
	limit   uint64
	read    uint64
}

// Next implements traffic.PacketSource.
func (s *source) Next() (*traffic.TracedPacket, error) {
	if s.limit != 0 && s.read == s.limit {
		return nil, io.EOF
	}
	p, err := s.file.Next()
	if err != nil {
		return nil, err
	}
	s.read++
	x := &traffic.TracedPacket{ID: p.ID, Cycle: noc.Cycle(p.Cycle), Src: noc.NodeID(p.Src), Dst: noc.NodeID(p.Dst),
		Phits: uint16(phits(p.Bytes(), s.network)), Class: 1, Dependants: p.Dependants}
	if p.Request() {
		x.Class = 0
	}
	return x, nil
}
