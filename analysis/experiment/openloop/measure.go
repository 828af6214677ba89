package openloop

import (
	"encoding/json"
	"fmt"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/noc/traffic"
	"github.com/carousel-sim/carousel/power"
)

// Row is the row of a network alone before anything has been measured: its key, router and prices.
func Row(key, simulation string, list models.List, router string, o models.Options, prices power.Config) tables.Traffic {
	row := tables.Traffic{RunKey: key, SimulationKey: simulation, Router: router, Topology: o.Topology(),
		PowerProfile: string(prices.Profile), Technology: float64(prices.TechNM), ExitState: tables.Finished}
	if model, err := list.Lookup(router); err == nil {
		row.Scheme, row.Rules = model.SchemeOf(o), model.RulesOf(o)
	}
	return row
}

// configurationRow is a point's row before anything has been measured.
func (s *Study) configurationRow(p point) tables.Traffic {
	row := Row(p.Key, p.Simulation, s.Models, p.Router, s.Network, s.Power)
	row.Pattern, row.MulticastFraction, row.PacketPhits = s.Traffic.Pattern, s.Traffic.MulticastFraction, uint64(s.Traffic.PacketPhits)
	row.MulticastDestinations = uint64(min(s.Traffic.MulticastDestinations, s.Network.Places().Nodes()-1))
	row.Classes, row.Cycles, row.Warmup = uint64(s.Traffic.Classes), uint64(s.Cycles), uint64(s.Warmup)
	row.Seed, row.Offered = p.Seed, p.Load
	return row
}

// measure fills in the row of a finished point and adds its other rows.
func (s *Study) measure(row *tables.Traffic, rows *tables.Rows, driver *traffic.Driver) error {
	w := driver.Window()
	row.Saturated = tables.SaturatedText(w.Saturated())
	row.WaitingGrowth, row.OldestWaiting = tables.Some(w.WaitingGrowth), tables.Some(uint64(w.OldestWaiting))
	row.SimulatedCycles = tables.Some(uint64(driver.Network().Now()))
	layout, err := s.Models.LayoutOf(row.Router, s.Network)
	if err != nil {
		return err
	}
	return Fill(row, rows, &w, driver.Network().Hardware(), s.Power, layout, driver.Activity(nil), driver.Links(nil))
}

// Fill puts the measurement of a window of a network into its row, and adds its other rows: of routers
// and links, which did so much in the window, and of latencies.
func Fill(row *tables.Traffic, rows *tables.Rows, w *traffic.Window, h noc.Hardware, prices power.Config, layout topology.Layout, routers []noc.Activity, links []noc.Link) error {
	row.Generated, row.Accepted, row.Delivered = tables.Some(w.Generated), tables.Some(w.Accepted), tables.Some(w.Delivered)
	row.PacketsGenerated, row.PacketsInjected = tables.Some(w.GeneratedPackets), tables.Some(w.InjectedPackets)
	row.PacketsDelivered, row.PhitsDelivered = tables.Some(w.DeliveredPackets), tables.Some(w.DeliveredPhits)
	row.PhitHops, row.Digest = tables.Some(w.PhitHops), tables.Some(fmt.Sprintf("%016x", w.Digest))
	row.PhitHops.Known = len(layout.Wiring.Channels) > 0
	fillLatency(row, w)
	rows.Latency = latencyRows(row.RunKey, w.Latencies)
	energy, err := experiment.AppendNetwork(rows, row.RunKey, h, prices, layout, routers, links, w.Cycles)
	if err == nil {
		energy.FillTraffic(row)
	}
	return err
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
	for p, cell := range map[int]*tables.Maybe[float64]{50: &row.LatencyP50, 95: &row.LatencyP95, 99: &row.LatencyP99} {
		cell.Value, cell.Known = all.Percentile(p)
	}
	row.LatencyMax = tables.Some(w.MaxLatency)
}

// latencyRows are the rows of histograms.
func latencyRows(key string, l traffic.Latencies) (rows []tables.Latency) {
	for class := range l {
		for cast := range traffic.Casts {
			for _, b := range l[class][cast].Buckets() {
				rows = append(rows, tables.Latency{RunKey: key, Class: fmt.Sprint(class), Cast: cast.String(),
					Low: b.Low, High: b.High, Count: b.Count, Sum: b.Sum})
			}
		}
	}
	return rows
}

// Describe adds the study to a manifest.
func (s *Study) Describe(m *experiment.Manifest) {
	m.Routers, m.Traces = s.Routers, []experiment.TraceIdentity{}
	for i := range s.Runs {
		m.Seeds = append(m.Seeds, s.Seed+uint64(i))
	}
}

// Search is what a search for the saturation load has found, and its evidence.
type Search struct {
	Router string `json:"router"`
	Seed   uint64 `json:"seed"`
	State  string `json:"exit_state"` // tables.Finished, Failed or Interrupted
	// Below is the largest load looked at that is carried, 0 if none was; Above the smallest one
	// that is not, nil if all are.
	Below      float64  `json:"saturation_load"`
	Above      *float64 `json:"saturated_at"`
	Resolution float64  `json:"resolution"`
	Probes     Probes   `json:"probes"` // of a finished search, in their order
}

// Probes are the loads that a search has looked at.
type Probes []tables.Traffic

// MarshalJSON implements json.Marshaler.
func (p Probes) MarshalJSON() ([]byte, error) { return json.Marshal(tables.TrafficObjects(p)) }

// Searches reads the searches of a study out of its rows. resolution is the least step between loads.
func Searches(rows []tables.Traffic, resolution float64) []Search {
	list := []Search{}
	for i := range rows {
		row := &rows[i]
		if n := len(list); n == 0 || list[n-1].Router != row.Router || list[n-1].Seed != row.Seed {
			list = append(list, Search{Router: row.Router, Seed: row.Seed, Resolution: resolution})
		}
		s := &list[len(list)-1]
		s.State = row.ExitState
		switch {
		case row.ExitState != tables.Finished:
			continue
		case row.Saturated.Value != tables.Saturated:
			s.Below = max(s.Below, row.Offered)
		case s.Above == nil || row.Offered < *s.Above:
			s.Above = &row.Offered
		}
		s.Probes = append(s.Probes, *row)
	}
	return list
}

// Text tells the result of a search.
func (s *Search) Text() string {
	about := fmt.Sprintf("%s, seed %d: ", s.Router, s.Seed)
	switch {
	case s.State != tables.Finished:
		return about + "the search did not finish"
	case s.Above == nil:
		return about + fmt.Sprintf("not saturated up to %g phits per node and cycle", s.Below)
	case s.Below == 0:
		return about + fmt.Sprintf("saturated from %g phits per node and cycle on", *s.Above)
	}
	return about + fmt.Sprintf("saturates between %g and %g phits per node and cycle", s.Below, *s.Above)
}
