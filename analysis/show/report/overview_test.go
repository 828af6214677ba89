package report

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/power"
)

// chips is a study of two routers and the bound, with known shares: of 100 cycles of mrr, cores
// wait for 30, and its clock takes 60 % of the energy.
func chips(seeds int) *tables.Rows {
	rows := new(tables.Rows)
	for _, c := range []struct {
		router        string
		cycles, stall uint64
		energy        float64
	}{{"base", 200, 90, 10}, {"mrr", 100, 30, 5}, {"ideal", 80, 10, 1}} {
		for seed := range uint64(seeds) {
			cycles := c.cycles + seed
			r := add(rows, "sort", "token", c.router, seed+1, 0, cycles)
			r.Seconds, r.Energy, r.EnergyED2P = tables.Some(float64(cycles)), tables.Some(c.energy), tables.Some(c.energy*float64(cycles*cycles))
			for core := range uint64(2) {
				rows.Cores = append(rows.Cores, tables.Core{RunKey: r.RunKey, Core: core, FinishCycle: cycles, Flight: c.stall / 3, Contention: c.stall - c.stall/3, Retiring: cycles - c.stall})
			}
			for node := range uint64(4) {
				addNode(rows, r.RunKey, node, cycles, 10*node, power.Breakdown{Clock: 0.6 * c.energy / 4, Leakage: 0.3 * c.energy / 4, Link: 0.1 * c.energy / 4}, node^1)
			}
			rows.Latency = append(rows.Latency, tables.Latency{RunKey: r.RunKey, Class: "TREQ", Cast: "unicast", Low: 16, High: 31, Count: 30},
				tables.Latency{RunKey: r.RunKey, Class: "TREQ", Cast: "unicast", Low: 32, High: 63, Count: 10})
			rows.Classes = append(rows.Classes, tables.Class{RunKey: r.RunKey, Class: "TREQ", Unicast: 40})
		}
	}
	return rows
}

// addNode adds a router of a run and its links to others.
func addNode(rows *tables.Rows, key string, node, cycles, phits uint64, parts power.Breakdown, links ...uint64) {
	r := tables.Router{RunKey: key, Parts: parts}
	r.Node, r.Cycles, r.LinkPhits = node, cycles, phits
	rows.Routers = append(rows.Routers, r)
	for _, to := range links {
		rows.Links = append(rows.Links, tables.Link{RunKey: key, FromNode: node, ToNode: to, Phits: phits, Utilisation: tables.Some(float64(phits) / 100)})
	}
}

// TestFirstScreen: the answer names the best router that can be built, with confidence, and says
// what the network has of time and energy; the hottest link is named.
func TestFirstScreen(t *testing.T) {
	m := manifest()
	m.Plan, m.Configuration = nil, map[string]any{"chip": map[string]any{"runs": 3}}
	m.Given = map[string]string{"chip.runs": "--runs", "out": "--out"}
	s := must.Get(Of("dir", chips(3), nil, m, ""))
	answer, notes := strings.Join(s.Answer, " "), strings.Join(s.Notes, " ")
	if strings.Contains(answer, "execution time of mrr") {
		t.Errorf("a note is among the answers: %s", answer)
	}
	answer += " " + notes
	for _, want := range []string{
		"mrr is fastest; base takes 1.990 ± 0.024 times as long.", "The chip with mrr has the lowest ED2P, whatever its cores, caches and memory need.", "On a network without contention (router ideal), a run takes 0.8020 ± 0.0049 of the time of mrr",
		"Messages take 29.7 %: 0.0 % in network interfaces, 9.9 % in flight and 19.8 % in contention.",
		"Cores spend more time on base than on mrr, mainly in these parts: retiring +40, contention +40 and flight +20 (in % of the time on mrr; carousel help results).", "the clock takes 60 %, leakage 30 %, buffers 0 % and links 10 %",
	} {
		if !strings.Contains(answer, want) {
			t.Errorf("the answer does not say %q: %s", want, answer)
		}
	}
	if len(s.Settings.Rows) != 1 || !slices.Equal(s.Settings.Rows[0], []string{"chip.runs", "3", "--runs"}) {
		t.Errorf("the settings are %v", s.Settings.Rows)
	}
	var names []string
	for _, f := range append(s.Figures, s.Groups[0].Figures...) {
		names = append(names, f.Name)
	}
	if want := "time cycles energy-parts energy ed2p map latency-cast latency-class classes cores"; strings.Join(names, " ") != want {
		t.Errorf("the pictures are %v; want %s", names, want)
	}
	heat := s.Groups[0].Figures[0]
	if len(heat.Panels) != 3 || heat.Panels[1].Title != "mrr: hottest link (1,1) to (0,1), utilisation 0.3" || len(s.Groups) != 1 {
		t.Errorf("the maps are %+v", heat.Panels)
	}
	if points := s.Groups[0].Figures[1].Panels[0].Series[0].Points; len(points) != 3 || points[1].X != 32 || points[1].Y != 0.75 || points[2].Y != 1 {
		t.Errorf("the distribution is %+v", points)
	}
	if row := s.Results[0].Rows[1]; row[0] != "base" || row[1] != "1.990 ± 0.024" {
		t.Errorf("the ranking is %v", s.Results[0].Rows)
	}
	one, err := Of("dir", chips(1), nil, m, "")
	if err != nil || !strings.Contains(one.Answer[0], "One run of each gives no confidence interval") || one.Figures[0].Note != "one run of each" {
		t.Errorf("one run of each: %v, %q (%v)", one.Answer, one.Figures[0].Note, err)
	}
	var page bytes.Buffer
	must.Do((&Page{Studies: []Study{one}}).Write(&page))
	const doubt = "<div class=\"warning\"><p>only 0 of 2 cores access memory"
	if warning, answer := strings.Index(page.String(), doubt), strings.Index(page.String(), "<div class=\"answer\">"); warning < 0 || answer < warning {
		t.Errorf("the warning is at %d, and the answer at %d", warning, answer)
	}
}

// TestKnees: of networks alone the report says who saturates when, who does not, and who is
// quickest before.
func TestKnees(t *testing.T) {
	rows := nets(0.1, 0.2, 0.3)
	rows.Axes = nil
	rows.Traffic = rows.Traffic[:12] // without the axis
	for i := range rows.Traffic {
		r := &rows.Traffic[i]
		r.Saturated = tables.Some(tables.Unsaturated)
		if r.Router == "base" && r.Offered > 0.25 {
			r.Saturated = tables.Some(tables.Saturated)
		}
		if r.Router == "mrr" {
			r.LatencyMean.Value /= 2
		}
	}
	s := of(t, rows, false)
	want := []string{"base saturates between 0.2 and 0.3; mrr not up to the largest load.",
		"At offered load 0.2 phits/node/cycle, the largest at which nothing is saturated, mrr has the lowest latency, 11 cycles, and base the highest, 22 cycles."}
	if !slices.Equal(s.Answer, want) {
		t.Errorf("the answer is %q; want %q", s.Answer, want)
	}
	if note := s.Figures[0].Note; !strings.Contains(note, "vertical lines: the network saturates near this load") {
		t.Errorf("the note does not explain the line: %q", note)
	}
	if p := s.Figures[0].Panels[0]; len(p.Knees) != 1 || p.Knees[0].Series != "base" || !p.Series[0].Points[2].Saturated || s.Title != "uniform <script> traffic on base and mrr" {
		t.Errorf("%q: %+v", s.Title, p)
	}
}

// TestLowest: networks have the lowest latency only if the runs can tell them from others.
func TestLowest(t *testing.T) {
	const at = "At load 0.2, "
	for _, x := range []struct {
		latencies [][]float64 // by router and seed
		want      string
	}{
		{[][]float64{{60}, {61}, {70}}, "a has the least latency measured, 60 cycles, and c the largest, 70 cycles. One run of each gives no confidence interval: use --runs 3."},
		{[][]float64{{60, 61, 62}, {62, 63, 61}, {70, 71, 70}}, "a or b has the lowest latency, 61.0 ± 2.5 cycles with a, and c the highest, 70.3 ± 1.4 cycles."},
		{[][]float64{{60, 61, 60}, {69, 71, 71}, {70, 71, 70}}, "a has the lowest latency, 60.3 ± 1.4 cycles, and b or c the highest, 70.3 ± 1.4 cycles with c."},
		{[][]float64{{60, 70, 62}, {62, 63, 71}, {70, 61, 70}}, "these runs cannot tell the networks apart: a has a latency of 64 ± 13 cycles, and c one of 67 ± 13 cycles."},
	} {
		rows := new(tables.Rows)
		for i, seeds := range x.latencies {
			for seed, latency := range seeds {
				rows.Traffic = append(rows.Traffic, tables.Traffic{RunKey: fmt.Sprint(i, seed), Router: string("abc"[i]), Pattern: "uniform", Topology: "torus:8x8", Offered: 0.2, Seed: uint64(seed),
					ExitState: tables.Finished, Saturated: tables.Some(tables.Unsaturated), LatencyMean: tables.Some(latency)})
			}
		}
		m := manifest()
		m.Plan = nil
		s, err := Of("dir", rows, nil, m, "")
		if err != nil || len(s.Answer) == 0 || !strings.HasPrefix(s.Answer[0], at+x.want) {
			t.Errorf("%v: %q, %v; want %s", x.latencies, s.Answer, err, x.want)
		}
	}
}

// TestMessagesAreDrawn: a study of messages, of one router, compares its schemes.
func TestMessagesAreDrawn(t *testing.T) {
	rows := new(tables.Rows)
	for _, scheme := range []string{"dual-path", "qg"} {
		for _, load := range []float64{0.001, 0.002, 0.003} {
			key := fmt.Sprint(scheme, load)
			rows.Traffic = append(rows.Traffic, tables.Traffic{RunKey: key, Router: "wormhole-ideal", Scheme: scheme, Pattern: "uniform", Topology: "mesh:8x8", Offered: load,
				ExitState: tables.Finished, MulticastLatencyMean: tables.Some(100.0)})
			for batch := range uint64(3) {
				rows.Batches = append(rows.Batches, tables.Batch{RunKey: key, Batch: batch, MulticastLatencyMean: tables.Some(100 + float64(len(scheme)) + float64(batch))})
			}
		}
	}
	m := manifest()
	m.Plan = nil
	s, err := Of("dir", rows, nil, m, "")
	if err != nil || len(s.Figures) != 1 || s.Figures[0].Name != "multicast-latency" || !slices.Equal(s.Figures[0].Series, []string{"dual-path", "qg"}) {
		t.Fatalf("%v: the pictures are %+v", err, s.Figures)
	}
	if !strings.Contains(strings.Join(s.Answer, " "), "qg has the lowest latency to the last destination, 103.0 ± 2.5 cycles") {
		t.Errorf("the answer is %v", s.Answer)
	}
	if slices.ContainsFunc(s.Facts.Rows, func(row []string) bool { return row[0] == "energy" }) {
		t.Errorf("the facts name an energy model: %q", s.Facts.Rows)
	}
	for i := range rows.Batches { // in one batch of three the other scheme is quicker
		if b := &rows.Batches[i]; strings.HasPrefix(b.RunKey, "qg") && b.Batch == 1 {
			b.MulticastLatencyMean = tables.Some(118.0)
		}
	}
	if s, err = Of("dir", rows, nil, m, ""); err != nil || !strings.Contains(strings.Join(s.Answer, " "), "these runs cannot tell the networks apart: qg has a latency to the last destination of 108 ± 22 cycles") {
		t.Errorf("%v, the answer is %v", err, s.Answer)
	}
}

// TestLargeStudiesStaySmall: the page of 12 workloads by 4 routers by 5 seeds on 8x8 tori has less
// than 5 MB.
func TestLargeStudiesStaySmall(t *testing.T) {
	rows := new(tables.Rows)
	for workload := range 12 {
		for r, router := range []string{"base", "base-mc", "rr", "mrr"} {
			for seed := range uint64(5) {
				run := add(rows, fmt.Sprint("workload", workload), "token", router, seed, 0, 320+seed+uint64(r*workload))
				run.Topology, run.Energy, run.EnergyED2P = "torus:8x8", tables.Some(float64(r+1)), tables.Some(float64(r+1))
				key := run.RunKey
				for node := range uint64(64) {
					x, y := node%8, node/8
					addNode(rows, key, node, 320, 13*node%97, power.Breakdown{Clock: 0.01, Link: 0.003}, (y+7)%8*8+x, y*8+(x+1)%8, (y+1)%8*8+x, y*8+(x+7)%8)
				}
				for i := range uint64(32 * 64) {
					node, epoch := i%64, i/64
					rows.RouterEpochs = append(rows.RouterEpochs, tables.RouterEpoch{RunKey: key, Node: node, Cycle: 10 * (epoch + 1), Phits: node * epoch * 31 % 101})
				}
				rows.Classes = append(rows.Classes, tables.Class{RunKey: key, Class: "class0", Unicast: 10})
				for core := range uint64(16) {
					rows.Cores = append(rows.Cores, tables.Core{RunKey: key, Core: core, FinishCycle: 320, Retiring: 100, Flight: 120, Memory: 100})
				}
				for class := range 6 {
					for bucket := range 10 {
						rows.Latency = append(rows.Latency, tables.Latency{RunKey: key, Class: fmt.Sprint("class", class), Cast: "unicast", Low: 1 << bucket, High: 2<<bucket - 1, Count: uint64(bucket + r)})
					}
				}
			}
		}
	}
	s := of(t, rows, true)
	var page bytes.Buffer
	must.Do((&Page{Studies: []Study{s}}).Write(&page))
	if page.Len() > 5_200_000 || len(s.Groups) != 12 {
		t.Errorf("the page of %d workloads has %d bytes", len(s.Groups), page.Len())
	}
}

// TestNothingYet: a study that has measured nothing yet has no pictures, whatever its kind.
func TestNothingYet(t *testing.T) {
	for name, rows := range map[string]*tables.Rows{
		"nothing": {}, "networks": {Traffic: []tables.Traffic{{RunKey: "a", Router: "mrr", ExitState: tables.Interrupted}, {RunKey: "b", Router: "base", ExitState: tables.Interrupted}}},
		"chips": {Runs: []tables.Run{{RunKey: "a", Router: "mrr", ExitState: tables.Interrupted}}},
	} {
		if s := of(t, rows, false); len(s.Figures) > 0 || len(s.Groups) > 0 {
			t.Errorf("%s: %+v", name, s.Figures)
		}
	}
}
