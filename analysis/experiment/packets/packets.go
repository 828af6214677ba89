// Package packets replays packet traces of the netrace library on networks alone.
//
// A [Study] says what to replay on which routers; its method Run does it, one replay per router. Packets keep the
// times and the dependences of the recorded run (see traffic.Replay). A packet of n bytes has as many phits as they
// need at the network's width; requests are message class 0, everything else class 1, so that answers pass requests.
//
// There is no window: everything from the first packet to the last arrival counts, in cycles and in energy. [Study.Rows]
// puts that into the table of synthetic traffic, as a window that begins with cycle 0.
package packets

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/experiment/openloop"
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

// Outcome is what became of one replay.
type Outcome struct {
	Router string
	traffic.Replayed
	PhitHops uint64
	Energy   experiment.Energy
	Wall     time.Duration
	Err      error // why it did not finish
	// What the network's parts did, and what their prices follow from.
	nodes    int
	scheme   string
	routers  []noc.Activity
	links    []noc.Link
	hardware noc.Hardware
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

// Run replays the trace on each router. progress is told the router's number, its cycle and the packets that have
// arrived; it is called from several goroutines.
func (s *Study) Run(ctx context.Context, jobs int, progress func(router int, now noc.Cycle, packets uint64)) []Outcome {
	done := make([]Outcome, len(s.Routers))
	experiment.Parallel(len(s.Routers), jobs, func(i int) {
		begun := time.Now()
		done[i].Router = s.Routers[i]
		done[i].Err = s.replay(ctx, &done[i], func(now noc.Cycle, packets uint64) { progress(i, now, packets) })
		done[i].Wall = time.Since(begun)
	})
	return done
}

// stretch is how many cycles pass between two looks at progress and interruption.
const stretch = 8192

// replay does one router. A broken invariant of a model ends that replay only.
func (s *Study) replay(ctx context.Context, out *Outcome, progress func(noc.Cycle, uint64)) (err error) {
	defer func() {
		if broken := recover(); broken != nil {
			err = fmt.Errorf("a broken invariant: %v", broken)
		}
	}()
	file, err := netrace.Open(s.Path)
	if err != nil {
		return err
	}
	defer file.Close()
	network, model, err := s.build(out.Router, file.Head())
	if err != nil {
		return err
	}
	out.nodes, out.scheme = network.Nodes(), model.SchemeOf(s.Network)
	replay := traffic.NewReplay(network, &source{file: file, network: network, limit: s.Limit}, classes)
	var moved uint64
	still := 0
	for done := false; !done; {
		if err := ctx.Err(); err != nil {
			return err
		}
		now := network.Now()
		progress(now, replay.Result.Packets)
		if done, err = replay.Run(now + stretch); err != nil {
			return err
		}
		totals := network.Totals()
		if so := totals.PhitHops + totals.Phits; so != moved || network.InFlight() == 0 {
			moved, still = so, 0
		} else if still++; still == 2 {
			return openloop.Standstill(network)
		}
	}
	out.Replayed, out.PhitHops = replay.Result, network.Totals().PhitHops
	out.hardware, out.routers, out.links = network.Hardware(), network.Activity(nil), network.Links(nil)
	out.Energy, err = experiment.Price(out.hardware, s.Power, out.routers, out.links, out.Last)
	return err
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

// Interrupted reports whether a replay was stopped.
func (o *Outcome) Interrupted() bool { return errors.Is(o.Err, context.Canceled) }
