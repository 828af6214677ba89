package openloop

import (
	"fmt"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/traffic"
)

// configurationRow is a point's row before anything has been measured.
func (s *Study) configurationRow(p point) tables.Traffic {
	row := tables.Traffic{
		RunKey: p.Key, SimulationKey: p.Simulation, Router: p.Router, Topology: s.Network.Topology(), Pattern: s.Traffic.Pattern,
		MulticastFraction: s.Traffic.MulticastFraction, PacketPhits: uint64(s.Traffic.PacketPhits),
		MulticastDestinations: uint64(min(s.Traffic.MulticastDestinations, s.Network.Places().Nodes()-1)),
		Classes:               uint64(s.Traffic.Classes), Cycles: uint64(s.Cycles), Warmup: uint64(s.Warmup),
		Seed: p.Seed, Offered: p.Load, PowerProfile: string(s.Power.Profile), Technology: float64(s.Power.TechNM),
		ExitState: tables.Finished,
	}
	if model, err := s.Models.Lookup(p.Router); err == nil {
		row.Scheme, row.Rules = model.SchemeOf(s.Network), model.RulesOf(s.Network)
	}
	return row
}

// measure fills in the row of a finished point and adds its other rows.
func (s *Study) measure(row *tables.Traffic, rows *tables.Rows, driver *traffic.Driver) error {
	w := driver.Window()
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
	rows.Latency = LatencyRows(row.RunKey, w.Latencies)
	return s.price(row, rows, driver, w.Cycles)
}

// maybe is a cell of a value that may not exist.
func maybe(v float64, ok bool) tables.Maybe[float64] {
	if !ok {
		return tables.Maybe[float64]{}
	}
	return tables.Some(v)
}

// fillLatency sets what is known about the copies that arrived in the window.
func fillLatency(row *tables.Traffic, w *traffic.Window) {
	all := w.Latencies.All(traffic.Unicast, traffic.Multicast, traffic.Broadcast)
	copies, sum := all.Total()
	unicasts, unicastSum := w.Latencies.All(traffic.Unicast).Total()
	row.LatencyMean = tables.Ratio(sum, copies)
	row.UnicastLatencyMean = tables.Ratio(unicastSum, unicasts)
	row.MulticastCopyLatencyMean = tables.Ratio(sum-unicastSum, copies-unicasts)
	row.MulticastLatencyMean = tables.Ratio(w.CompletionSum, w.CompletedMulticasts)
	several := w.Hops[traffic.Multicast] + w.Hops[traffic.Broadcast]
	row.MulticastPathMean = tables.Ratio(several, copies-unicasts)
	row.HopsMean = tables.Ratio(w.Hops[traffic.Unicast]+several, copies)
	if copies == 0 {
		return
	}
	row.LatencyP50, row.LatencyP95 = maybe(all.Percentile(50)), maybe(all.Percentile(95))
	row.LatencyP99 = maybe(all.Percentile(99))
	row.LatencyMax = tables.Some(w.MaxLatency)
}

// LatencyRows are the rows of histograms.
func LatencyRows(key string, l *traffic.Latencies) (rows []tables.Latency) {
	for class := range l.Classes() {
		for cast := range traffic.Casts {
			for _, b := range l.Of(class, cast).Buckets() {
				rows = append(rows, tables.Latency{RunKey: key, Class: fmt.Sprint(class), Cast: cast.String(),
					Low: b.Low, High: b.High, Count: b.Count, Sum: b.Sum})
			}
		}
	}
	return rows
}

// price adds rows of routers and links, and the energy of the window.
func (s *Study) price(row *tables.Traffic, rows *tables.Rows, driver *traffic.Driver, window noc.Cycle) error {
	hardware := driver.Network().Hardware()
	activity, links := driver.Activity(nil), driver.Links(nil)
	energy, err := experiment.Price(hardware, s.Power, activity, links, window)
	if err != nil {
		return err
	}
	experiment.AppendNetwork(rows, row.RunKey, &energy, s.Network.Layout(), activity, links, window)
	energy.FillTraffic(row)
	row.Hardware, row.Power = experiment.DescribePrices(hardware, s.Power)
	return nil
}
