package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/show/figures"
	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/noc/leaf/must"
)

// nets is a study of networks over loads and an axis that is no column.
func nets(loads ...float64) *tables.Rows {
	rows := new(tables.Rows)
	for _, limit := range []string{"12", "20"} {
		for _, router := range []string{"base", "mrr"} {
			for _, load := range loads {
				for seed := range uint64(2) {
					key := fmt.Sprint(len(rows.Traffic))
					rows.Traffic = append(rows.Traffic, tables.Traffic{RunKey: key, Router: router, Pattern: "uniform <script>", Topology: "torus:4x4",
						Offered: load, Seed: seed, ExitState: tables.Finished, Accepted: tables.Some(load), LatencyMean: tables.Some(20 + 10*load),
						Energy: tables.Some(1e6), ED2P: tables.Some(1e6 / load), PowerProfile: "O", Technology: 65})
					rows.Axes = append(rows.Axes, tables.Axis{RunKey: key, Key: "network.rotary.miss_limit", Value: limit})
				}
			}
		}
	}
	return rows
}

// add adds a finished run.
func add(rows *tables.Rows, workload, protocol, router string, seed, window, cycles uint64) *tables.Run {
	rows.Runs = append(rows.Runs, tables.Run{RunKey: fmt.Sprint(len(rows.Runs)), Workload: workload, Router: router, Protocol: protocol, Topology: "torus:2x2",
		Seed: seed, Window: window, Cores: 2, ExitState: tables.Finished, Cycles: tables.Some(cycles)})
	return &rows.Runs[len(rows.Runs)-1]
}

func manifest() *experiment.Manifest {
	m := experiment.Program()
	m.Command, m.Given = []string{"carousel", "sweep", "plan.yaml"}, map[string]string{"traffic.cycles": "plan plan.yaml:3"}
	m.Configuration = map[string]any{"traffic": map[string]any{"cycles": 1500, "pattern": "uniform"}}
	m.Plan = &experiment.PlanIdentity{Title: "A <b>title</b>", Axes: []experiment.PlanAxis{{Key: "network.rotary.miss_limit", Values: []string{"12", "20"}}}}
	return &m
}

// of is the part of a page about rows, of a plan or of a command.
func of(t *testing.T, rows *tables.Rows, planned bool) Study {
	t.Helper()
	m := manifest()
	if !planned {
		m.Plan = nil
	}
	s := must.Get(Of("dir", rows, nil, m, ""))
	return s
}

func TestPicturesFollowWhatVaries(t *testing.T) {
	s := of(t, nets(0.1, 0.2, 0.3), true)
	if len(s.Figures) != 4 || s.Title != "A <b>title</b>" || len(s.Figures[0].Panels) != 2 || s.Figures[0].Panels[1].Title != "network.rotary.miss_limit 20" ||
		len(s.Figures[0].Panels[0].Categories) != 0 || len(s.Figures[0].Panels[0].Series[1].Points) != 3 {
		t.Errorf("curves: %+v", s.Figures)
	}
	s = of(t, nets(0.1), true)
	if len(s.Figures) != 4 || len(s.Figures[0].Panels) != 1 || s.Figures[0].Panels[0].XLabel != "network.rotary.miss_limit" || len(s.Figures[0].Panels[0].Series[1].Points) != 2 ||
		s.Figures[0].Panels[0].Label() != "latency [cycles]" {
		t.Errorf("over another number: %+v", s.Figures)
	}
	rows := nets(0.1, 0.2)
	rows.Traffic = slices.DeleteFunc(rows.Traffic, func(r tables.Traffic) bool { return r.Router != "mrr" })
	if f := of(t, rows, true).Figures[0]; len(f.Panels) != 1 || !slices.Equal(f.Series, []string{"network.rotary.miss_limit 12", "network.rotary.miss_limit 20"}) {
		t.Errorf("one router: %+v", f)
	}
	if len(s.Sheet.Rows) != 8 || s.Sheet.Header[0] != "network.rotary.miss_limit" || s.Sheet.Rows[7][0] != "20" {
		t.Errorf("the sheet is %+v", s.Sheet)
	}
}

// TestPageIsOneFile: well-formed, with one script of its own and nothing to fetch; texts of studies
// are texts.
func TestPageIsOneFile(t *testing.T) {
	m := manifest()
	m.Repriced = "power.tech_nm=45"
	s := must.Get(Of("dir", nets(0.1, 0.2, 0.3), nil, m, ""))
	s.Claims = []tables.Claim{{ID: "S2-99", Verdict: tables.NotConfirmed, Measured: tables.Some(1.2345), CI: tables.Some(0.01), Detail: "<i>detail</i>"}}
	page := Page{Title: "All & everything", Studies: []Study{s, s}}
	var one, two bytes.Buffer
	must.Do(errors.Join(page.Write(&one), page.Write(&two)))
	text := one.String()
	if !bytes.Equal(one.Bytes(), two.Bytes()) {
		t.Error("two pages of the same studies differ")
	}
	for want, times := range map[string]int{"@font-face": 0, `role="img"`: 16, "<script>": 1, "<b>title": 0, "<i>detail": 0, "All &amp; everything": 2,
		"power.tech_nm=45": 2, `class="verdict not-confirmed"`: 2, "1.234 ± 0.01": 2, "traffic.cycles": 2} {
		if got := strings.Count(text, want); got != times {
			t.Errorf("%q is there %d times; want %d", want, got, times)
		}
	}
	if found := regexp.MustCompile(`(?:src|href)="[^#"]*"|url\((?:[^d])`).FindAllString(text, -1); len(found) > 0 {
		t.Errorf("the page fetches %v", found)
	}
	before, after, _ := strings.Cut(text, "<script>")
	_, after, _ = strings.Cut(after, "</script>")
	d := xml.NewDecoder(strings.NewReader(before + after))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	for {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatalf("the page is not well-formed: %v", err)
		}
	}
}

func TestLongStudiesAreCut(t *testing.T) {
	rows := new(tables.Rows)
	for i := range maxRows + 5 {
		rows.Runs = append(rows.Runs, tables.Run{RunKey: fmt.Sprint(i), Workload: "w", Router: "base", ExitState: tables.Failed})
	}
	s, err := Of("dir", rows, nil, manifest(), "")
	if err != nil || len(s.Sheet.Rows) != maxRows || s.Sheet.Left != 5 || len(s.Figures) != 0 {
		t.Errorf("%d rows, %d left out, %d figures (%v)", len(s.Sheet.Rows), s.Sheet.Left, len(s.Figures), err)
	}
	if _, err := Of("dir", rows, nil, manifest(), "mrr.fig99"); err == nil || !strings.Contains(err.Error(), "mrr.fig99") {
		t.Errorf("an unknown entry: %v", err)
	}
}

// TestAtMostTwelvePicturesAreOpen: figures whose panels do not fit on the first screen are folded, and
// those behind them that do are not.
func TestAtMostTwelvePicturesAreOpen(t *testing.T) {
	figure := func(name string, panels int) figures.Figure {
		f := figures.Figure{Name: name, Title: name, Series: []string{"base"}}
		for range panels {
			f.Panels = append(f.Panels, figures.Panel{Quantity: "cycles", Categories: []figures.Category{{Label: "lu"}},
				Series: []figures.Series{{Name: "base", Points: []figures.Point{{Y: 1, Low: 1, High: 1}}}}})
		}
		return f
	}
	var page bytes.Buffer
	s := Study{Figures: []figures.Figure{figure("time", 1), figure("parts", 12), figure("energy", 11)}}
	must.Do((&Page{Studies: []Study{s}}).Write(&page))
	folded := regexp.MustCompile(`(?s)<details>.*?</details>`)
	if n := strings.Count(folded.ReplaceAllString(page.String(), ""), "<svg"); n != 12 || strings.Count(page.String(), "<svg") != 24 {
		t.Errorf("%d pictures are open, of %d", n, strings.Count(page.String(), "<svg"))
	}
}

// TestOneDivisor: pictures divide by the router that the tables divide by, under each setting by the one
// that is fastest there.
func TestOneDivisor(t *testing.T) {
	for token, want := range map[uint64]string{50: "base mrr", 200: "mrr mrr"} {
		rows := new(tables.Rows)
		add(rows, "w", "token", "base", 1, 0, token)
		add(rows, "w", "token", "mrr", 1, 0, 100)
		add(rows, "w", "directory", "base", 1, 0, 200)
		add(rows, "w", "directory", "mrr", 1, 0, 100)
		s := of(t, rows, false)
		var divisors []string
		for i, p := range s.Figures[0].Panels {
			at := slices.IndexFunc(s.Points, func(q tables.FigurePoint) bool { return q.Figure == "time" && q.Panel == p.Title })
			divisors = append(divisors, s.Points[at].Baseline)
			if s.Results[i].Title != p.Title || s.Results[i].Header[1] != "time / "+divisors[i] || !strings.HasSuffix(p.Label(), " of "+divisors[i]) {
				t.Errorf("panel %q (%s) divides by %s, the table %q by %s", p.Title, p.Label(), divisors[i], s.Results[i].Title, s.Results[i].Header[1])
			}
		}
		if got := strings.Join(divisors, " "); got != want {
			t.Errorf("the divisors are %s, want %s", got, want)
		}
	}
}
