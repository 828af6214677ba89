package experiment

import (
	"context"
	"fmt"
	"time"

	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/noc/traffic"
	"github.com/carousel-sim/carousel/power"
)

// NetworkRow returns the row of a router without a chip before anything has been measured. decides returns
// everything that decides its counts, from what identifies the router.
func NetworkRow(decides func(identity string) any, list models.List, router string, o models.Options, prices power.Config) (row tables.Traffic, err error) {
	row = tables.Traffic{Router: models.Shown(router), Topology: o.Topology(), PowerProfile: string(prices.Profile), Technology: float64(prices.TechNM), ExitState: tables.Finished}
	if model, err := list.Lookup(router); err == nil {
		row.Scheme, row.Rules = model.SchemeOf(o), model.RulesOf(o)
	}
	identity, err := list.Identity(router, o)
	if err == nil {
		row.SimulationKey, row.RunKey = Keys(decides(identity), prices)
	}
	return row, err
}

// NetworkPoint returns the point of a network without a chip. row says what it is, and measure fills it in and
// adds the other rows.
func NetworkPoint(label string, row tables.Traffic, measure func(ctx context.Context, report func(Progress), row *tables.Traffic, rows *tables.Rows) error) Point {
	return Point{Key: row.RunKey, Label: label,
		Blank: func() tables.Rows { return tables.Rows{Traffic: []tables.Traffic{row}} },
		Run: func(ctx context.Context, report func(Progress)) (rows tables.Rows, err error) {
			begun, row := time.Now(), row
			err = measure(ctx, report, &row, &rows)
			row.WallSeconds = tables.Some(time.Since(begun).Seconds())
			rows.Traffic = []tables.Traffic{row}
			return rows, err
		},
	}
}

// FillNetwork puts the measurement of a window of a network into its row, and adds its other rows: of
// routers and links, which did so much in the window, and of latencies.
func FillNetwork(row *tables.Traffic, rows *tables.Rows, w *traffic.Window, h noc.Hardware, prices power.Config, layout topology.Layout, routers []noc.Activity, links []noc.Link) error {
	row.Generated, row.Accepted, row.Delivered = tables.Some(w.Generated), tables.Some(w.Accepted), tables.Some(w.Delivered)
	row.PacketsGenerated, row.PacketsInjected = tables.Some(w.GeneratedPackets), tables.Some(w.InjectedPackets)
	row.PacketsDelivered, row.PhitsDelivered = tables.Some(w.DeliveredPackets), tables.Some(w.DeliveredPhits)
	row.PhitHops, row.Digest = tables.Some(w.PhitHops), tables.Some(fmt.Sprintf("%016x", w.Digest))
	row.PhitHops.Known = len(layout.Wiring.Channels) > 0
	fillLatency(row, w)
	rows.Latency = latencyRows(row.RunKey, w.Latencies)
	energy, err := AppendNetwork(rows, row.RunKey, h, prices, layout, routers, links, w.Cycles)
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
	row.NetworkLatencyMean = tables.Ratio(w.NetworkSum, copies)
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
