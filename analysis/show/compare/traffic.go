package compare

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/experiment/openloop"
	"github.com/carousel-sim/carousel/analysis/experiment/packets"
	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/result"
	"github.com/carousel-sim/carousel/analysis/show/chart"
	"github.com/carousel-sim/carousel/analysis/show/sheet"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// Traffic compares networks under synthetic traffic.
type Traffic struct {
	Manifest   *experiment.Manifest `json:"manifest"`
	Points     []tables.Object      `json:"points"`
	Summary    []tables.Object      `json:"summary"`
	Saturation []openloop.Search    `json:"saturation"`
	// SaturationSummary joins the searches of each router that found a load.
	SaturationSummary []SaturationSummary `json:"saturation_summary"`
	Doubts
	Tables string `json:"tables"` // where the tables were written

	rows  *tables.Rows
	means chart.Means
}

// SaturationSummary is the result of all searches of one router that found a load.
type SaturationSummary struct {
	Router string           `json:"router"`
	Runs   int              `json:"runs"`
	Load   metrics.Estimate `json:"saturation_load"`

	low, high float64 // of the searches
}

// mean is that of the searches, with its interval if that says something.
func (s *SaturationSummary) mean() string {
	if s.Load.Vague() {
		return metrics.Number(s.Load.Mean)
	}
	return s.Load.Text()
}

// trafficColumns are those of a comparison of networks. What people do not see is in the document
// only.
var trafficColumns = tables.OfTraffic.Columns()

// NewTraffic compares the points of a study. out is where its tables are.
func NewTraffic(s *openloop.Study, m *experiment.Manifest, rows *tables.Rows, out string) *Traffic {
	r := &Traffic{Manifest: m, Points: tables.TrafficObjects(rows.Traffic), rows: rows, Saturation: []openloop.Search{},
		SaturationSummary: []SaturationSummary{}, Doubts: doubtsOf(m, rows), Tables: out}
	r.means = chart.MeansOf(rows, []tables.Name{col.Router, col.Offered}, trafficColumns)
	for _, l := range r.means.Lines {
		o := tables.Object{{Name: col.Router.String(), Value: l.Labels[0]}, {Name: col.Offered.String(), Value: json.Number(l.Labels[1])},
			{Name: "runs", Value: l.Runs}, {Name: "saturated_runs", Value: l.Saturated}}
		for k, c := range trafficColumns {
			o.Set(c.Column.String(), l.Values[k])
		}
		r.Summary = append(r.Summary, o)
	}
	if len(s.Loads) > 0 {
		return r
	}
	found := map[string][]float64{}
	r.Saturation = openloop.Searches(rows.Traffic, s.Step)
	for _, search := range r.Saturation {
		if search.Above != nil {
			found[search.Router] = append(found[search.Router], search.Below)
		}
	}
	for _, router := range m.Routers { // as rows name them
		if list := found[router]; len(list) > 0 {
			r.SaturationSummary = append(r.SaturationSummary, SaturationSummary{router, len(list), result.PlainMean.Of(list), slices.Min(list), slices.Max(list)})
		}
	}
	return r
}

// seeds names consecutive seeds.
func seeds(first uint64, n int) string {
	if n > 1 {
		return fmt.Sprintf("seeds %d to %d", first, first+uint64(n)-1)
	}
	return fmt.Sprintf("seed %d", first)
}

// Sheet is the comparison for people; verbose adds the notes that hold for every study.
func (r *Traffic) Sheet(c *config.Effective, verbose bool) *sheet.Sheet {
	s, t := r.on(r.means.Sheet()), &c.Traffic
	s.Before = some(fmt.Sprintf("%s, pattern %s, %s, packets of %d phits in %s, %d cycles of which %d are warm-up, %s",
		c.Topology, t.Pattern, multicastShare(c), t.PacketPhits, sheet.Count(t.Classes, "message class"), t.Cycles, t.Warmup, seeds(c.Seed, c.Runs)), explained(r.rows.RuleText()))
	s.Note("Loads are in phits per node and cycle, latencies in cycles from the generation of a packet to its arrival. The mean latency is over all copies of packets, multicast latency is that of the last copy. Energies are those of the network after the warm-up.")
	if verbose {
		s.Note("Energy: "+c.Power.Circumstances()+".", repricingHint)
	}
	for i := range r.Saturation {
		s.Note(r.Saturation[i].Text())
	}
	for _, e := range r.SaturationSummary {
		if e.Runs > 1 {
			s.Note(fmt.Sprintf("%s: %d searches find saturation at %g to %g phits per node and cycle, mean %s", e.Router, e.Runs, e.low, e.high, e.mean()))
		}
	}
	return s
}

// Spreadsheet lists the points with all digits.
func (r *Traffic) Spreadsheet() *sheet.Sheet {
	return r.on(Pick(r.Points, tables.Texts(tables.OfTrafficCSV.Names()...)...))
}

func multicastShare(c *config.Effective) string {
	t := &c.Traffic
	switch {
	case t.MulticastFraction == 0:
		return "no multicasts"
	case t.MulticastDestinations >= c.Network.Places().Nodes()-1:
		return fmt.Sprintf("%g %% broadcasts", 100*t.MulticastFraction)
	}
	return fmt.Sprintf("%g %% multicasts to %d nodes", 100*t.MulticastFraction, t.MulticastDestinations)
}

// Packets compares networks that replayed a file of packets.
type Packets struct {
	Manifest *experiment.Manifest `json:"manifest"`
	Tables   string               `json:"out"` // where the tables were written
	// Runs are the replays, one on each router. What was not measured is null.
	Runs     []tables.Object `json:"runs"`
	Baseline string          `json:"baseline"` // the router that cycles are divided by
	Doubts

	rows []tables.Traffic
}

// packetColumns are the fields of a replay, with the columns that they are in and their names for
// people. Cycles are those of the last arrival, and recorded ones of the last packet sent in the
// recorded run; normalized is over the cycles of the baseline.
var packetColumns = []struct {
	name   string
	column tables.Name
	title  string
}{
	{"router", col.Router, "router"}, {"exit_state", col.ExitState, "state"}, {"explanation", col.Explanation, ""}, {"cycles", col.Cycles, "cycles"},
	{"cycles_normalized", tables.Name{}, "cycles / "}, {"recorded", col.CyclesRecorded, ""}, {"packets", col.PacketsGenerated, "packets"},
	{"packets_delivered", col.PacketsDelivered, ""}, {"phits", col.DeliveredPhits, ""}, {"packets_delayed", col.PacketsDelayed, "delayed"},
	{"delay_mean", col.DelayMean, "mean delay"}, {"latency_mean", col.LatencyMean, "latency"}, {"latency_p50", col.LatencyP50, "median"}, {"latency_p95", col.LatencyP95, ""},
	{"latency_p99", col.LatencyP99, "p99"}, {"latency_max", col.LatencyMax, ""}, {"hops_mean", col.HopsMean, "hops"}, {"phit_hops", col.PhitHops, ""},
	{"energy_pj", col.EnergyPJ, "energy [uJ]"}, {"digest", col.Digest, ""}, {"wall_seconds", col.WallSeconds, ""},
}

// NewPackets compares replays. out is where their tables are.
func NewPackets(m *experiment.Manifest, rows *tables.Rows, out string) *Packets {
	p, base := &Packets{Manifest: m, Tables: out, Doubts: doubtsOf(m, rows), rows: rows.Traffic}, tables.Traffic{}
	if by := result.ComparisonOf(rows, ""); by.Chosen() {
		p.Baseline = by.Base[0]
		base = rows.Traffic[slices.IndexFunc(rows.Traffic, func(t tables.Traffic) bool { return t.Router == p.Baseline })]
	}
	for i, all := range tables.TrafficPoints.Objects(rows.Traffic) {
		var o tables.Object
		for _, c := range packetColumns {
			if v := all.Get(c.column.String()); v != nil || c.name != "explanation" {
				o.Set(c.name, v)
			}
		}
		if own := &rows.Traffic[i]; base.ExitState == tables.Finished && base.Cycles > 0 && own.ExitState == tables.Finished {
			o.Set("cycles_normalized", float64(own.Cycles)/float64(base.Cycles))
		}
		p.Runs = append(p.Runs, o)
	}
	return p
}

// Sheet is the comparison for people.
func (p *Packets) Sheet(c *config.Effective, head packets.Head) *sheet.Sheet {
	s := p.on(&sheet.Sheet{Rows: make([][]string, len(p.Runs))})
	for _, c := range packetColumns {
		if c.title != "" && !(head.Steps && (c.column == col.PacketsDelayed || c.column == col.DelayMean)) {
			title := c.title
			if c.name == "cycles_normalized" {
				title += p.Baseline
			}
			s.Column(title, func(row int) any {
				if pj, ok := p.Runs[row].Get(c.name).(float64); ok && c.column == col.EnergyPJ {
					return metrics.Value(pj * 1e-6)
				}
				return p.Runs[row].Get(c.name)
			})
		}
	}
	if head.Steps {
		s.Before = []string{fmt.Sprintf("%s, %s: %d messages and computations, packets of up to %d phits", c.Topology, head.Name, head.Packets, head.Phits)}
		if verdict := p.verdict(); verdict != "" {
			s.Note(verdict)
		}
		s.Note("cycles is the cycle in which the last message or computation ends.")
	} else {
		s.Before = []string{fmt.Sprintf("%s; packets of %s: nodes 0 to %d, recorded in %d cycles, %d packets", c.Topology, head.Name, head.Nodes-1, head.Cycles, head.Packets)}
		s.Note("cycles is the cycle of the last arrival. delayed counts packets that were sent later than recorded, because packets that they depend on arrived later. mean delay is the mean of these delays, in cycles.")
		if p.timed() {
			s.Note("The recorded times set the end on every router: compare latencies, not cycles.")
		}
	}
	s.Note("latency is the time from when a packet can be sent to its arrival, in cycles. Energy: " + c.Power.Circumstances() + ".")
	return s
}

// Spreadsheet lists the replays with all digits.
func (p *Packets) Spreadsheet() *sheet.Sheet {
	var names []string
	for _, c := range packetColumns {
		if c.column != col.WallSeconds {
			names = append(names, c.name)
		}
	}
	return p.on(Pick(p.Runs, names...))
}

// timed reports whether all replays end at most 2 % after the last packet was sent in the recorded run, so that their
// cycles say nothing of the routers.
func (p *Packets) timed() bool {
	return !slices.ContainsFunc(p.rows, func(r tables.Traffic) bool {
		return r.ExitState != tables.Finished || r.Cycles > r.CyclesRecorded.Value+r.CyclesRecorded.Value/50
	})
}

// verdict says which of several routers takes the least time, and how the next one compares.
func (p *Packets) verdict() string {
	list := slices.DeleteFunc(slices.Clone(p.rows), func(r tables.Traffic) bool { return r.ExitState != tables.Finished || r.Router == result.Ideal })
	if len(list) < 2 {
		return ""
	}
	slices.SortStableFunc(list, func(a, b tables.Traffic) int { return cmp.Compare(a.Cycles, b.Cycles) })
	first, second := &list[0], &list[1]
	if first.Cycles == second.Cycles {
		return fmt.Sprintf("%s and %s take the least time.", first.Router, second.Router)
	}
	return fmt.Sprintf("%s takes the least time; %s takes %.3f times as long.", first.Router, second.Router, float64(second.Cycles)/float64(first.Cycles))
}
