package openloop

import (
	"fmt"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/noc/traffic"
)

// configurationRow is a point's row before anything has been measured.
func (s *Study) configurationRow(p Point) tables.Traffic {
	row := tables.Traffic{
		RunKey: p.Key, SimulationKey: p.Simulation, Router: p.Router, Topology: s.Network.Topology(), Pattern: s.Traffic.Pattern,
		MulticastFraction: s.Traffic.MulticastFraction, PacketPhits: uint64(s.Traffic.PacketPhits),
		MulticastDestinations: uint64(min(s.Traffic.MulticastDestinations, s.Network.Places().Nodes()-1)),
		Classes:               uint64(s.Traffic.Classes), Cycles: uint64(s.Cycles), Warmup: uint64(s.Warmup),
		Seed: p.Seed, Offered: p.Load, PowerProfile: string(s.Power.Profile), Technology: float64(s.Power.TechNM),
		ExitState: tables.Finished,
	}
	if model, err := models.Lookup(p.Router); err == nil {
		row.Scheme = model.SchemeOf(s.Network)
	}
	return row
}

// measure fills in the rows of a finished point.
func (s *Study) measure(done *Outcome, driver *traffic.Driver) error {
	w := driver.Window()
	row := &done.Row
	row.Generated, row.Accepted, row.Delivered = tables.Some(w.Generated), tables.Some(w.Accepted), tables.Some(w.Delivered)
	row.Saturated = tables.Some(tables.Unsaturated)
	if w.Saturated() {
		row.Saturated = tables.Some(tables.Saturated)
	}
	row.WaitingGrowth, row.OldestWaiting = tables.Some(w.WaitingGrowth), tables.Some(uint64(w.OldestWaiting))
	row.PacketsGenerated, row.PacketsInjected = tables.Some(w.GeneratedPackets), tables.Some(w.InjectedPackets)
	row.PacketsDelivered, row.PhitsDelivered = tables.Some(w.DeliveredPackets), tables.Some(w.DeliveredPhits)
	row.PhitHops, row.SimulatedCycles = tables.Some(w.PhitHops), tables.Some(uint64(driver.Network().Now()))
	row.Digest = tables.Some(fmt.Sprintf("%016x", w.Digest))
	fillLatency(row, &w)
	done.addLatency(w.Latencies)
	return s.price(done, driver, w.Cycles)
}

// maybe is a cell of a value that may not exist.
func maybe(v float64, ok bool) tables.Maybe[float64] {
	if !ok {
		return tables.Maybe[float64]{}
	}
	return tables.Some(v)
}

// ratio is a cell of a mean; absent when there was nothing to take it over.
func ratio(sum, n uint64) tables.Maybe[float64] {
	if n == 0 {
		return tables.Maybe[float64]{}
	}
	return tables.Some(float64(sum) / float64(n))
}

// fillLatency sets what is known about the copies that arrived in the window.
func fillLatency(row *tables.Traffic, w *traffic.Window) {
	all := w.Latencies.All(traffic.Unicast, traffic.Multicast, traffic.Broadcast)
	copies, sum := all.Total()
	unicasts, unicastSum := w.Latencies.All(traffic.Unicast).Total()
	row.LatencyMean = ratio(sum, copies)
	row.UnicastLatencyMean = ratio(unicastSum, unicasts)
	row.MulticastCopyLatencyMean = ratio(sum-unicastSum, copies-unicasts)
	row.MulticastLatencyMean = ratio(w.CompletionSum, w.CompletedMulticasts)
	several := w.Hops[traffic.Multicast] + w.Hops[traffic.Broadcast]
	row.MulticastPathMean = ratio(several, copies-unicasts)
	row.HopsMean = ratio(w.Hops[traffic.Unicast]+several, copies)
	if copies == 0 {
		return
	}
	row.LatencyP50, row.LatencyP95 = maybe(all.Percentile(50)), maybe(all.Percentile(95))
	row.LatencyP99 = maybe(all.Percentile(99))
	row.LatencyMax = tables.Some(w.MaxLatency)
}

// addLatency adds the histogram's rows.
func (o *Outcome) addLatency(l *traffic.Latencies) {
	for class := range l.Classes() {
		for cast := range traffic.Casts {
			for _, b := range l.Of(class, cast).Octaves() {
				o.Latency = append(o.Latency, tables.Latency{RunKey: o.Key, Class: fmt.Sprint(class), Cast: cast.String(),
					Low: b.Low, High: b.High, Count: b.Count, Sum: b.Sum})
			}
		}
	}
}

// price adds rows of routers and links, and the energy of the window.
func (s *Study) price(done *Outcome, driver *traffic.Driver, window noc.Cycle) error {
	hardware := driver.Network().Hardware()
	activity, links := driver.Activity(nil), driver.Links(nil)
	energy, err := experiment.Price(hardware, s.Power, activity, links, window)
	if err != nil {
		return err
	}
	for i := range activity {
		row := tables.Router{RunKey: done.Key, Router: uint64(i), Activity: activity[i]}
		energy.FillRouter(&row, i)
		done.Routers = append(done.Routers, row)
	}
	for _, l := range links {
		done.Links = append(done.Links, tables.Link{RunKey: done.Key, From: uint64(l.From), To: uint64(l.To), Port: uint64(l.Port),
			Phits: l.Phits, Utilisation: ratio(l.Phits, uint64(window))})
	}
	energy.FillTraffic(&done.Row)
	done.Row.Hardware, done.Row.Power = experiment.DescribePrices(hardware, s.Power)
	return nil
}
