package compare

import (
	"slices"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/result"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// TestEqualRouters: two routers that only differ in multicasts do the same where none was sent, and the sentence says
// why, of one application and of several.
func TestEqualRouters(t *testing.T) {
	for broadcasts, want := range map[uint64]string{0: "mrr and rr do the same, because no multicast was sent.", 3: "No number of windows would tell mrr from rr."} {
		rows := new(tables.Rows)
		for _, workload := range []string{"w", "x"} {
			rows.Runs = append(rows.Runs, study(workload, true, times{"mrr", []uint64{100, 101}}, times{"rr", []uint64{100, 101}}).Runs...)
			for i := range rows.Runs {
				rows.Runs[i].PacketsUnicast, rows.Runs[i].PacketsBroadcast = tables.Some(uint64(7)), tables.Some(broadcasts)
			}
			if got := said(rows, &result.Rank(rows, nil)[0], (*findings).order, Answer); !strings.Contains(got, want) {
				t.Errorf("up to %s with %d broadcasts it says %q", workload, broadcasts, got)
			}
		}
	}
}

// nodes is a study of two routers with two technologies, which change no time. energies are of the network and the
// chip.
func nodes(energies map[string][2]float64) *tables.Rows {
	rows := new(tables.Rows)
	for _, router := range []string{"rr", "mrr"} {
		for _, node := range []string{"65", "45"} {
			r := chipRun("lu", router, 1, energies[node][0])
			r.RunKey, r.ChipEnergy = router+node, tables.Some(energies[node][1])
			rows.Runs, rows.Axes = append(rows.Runs, r), append(rows.Axes, tables.Axis{RunKey: r.RunKey, Key: "power.tech_nm", Value: node})
		}
	}
	return rows
}

// TestAcrossEnergies: where a key leaves all times as they are, the table of its values has an energy that it changes.
// What is said of the chip's ED2P does not claim that it follows time.
func TestAcrossEnergies(t *testing.T) {
	for want, energies := range map[string]map[string][2]float64{
		"network energy / tech_nm 65 on rr 0.500":     {"65": {2, 100}, "45": {1, 40}},
		"energy of the chip / tech_nm 65 on rr 0.400": {"65": {1, 100}, "45": {1, 40}},
		"time / tech_nm 65 on rr 1":                   {"65": {1, 100}, "45": {1, 100}},
	} {
		r := NewStudy(new(experiment.Manifest), nodes(energies), Extra{}, "")
		s := r.acrossSheet()
		if got := s.Header[1] + " " + strings.TrimSpace(s.Rows[1][1]); got != want {
			t.Errorf("it has %q, want %q", got, want)
		}
		c := result.ComparisonOf(nodes(energies), "power.tech_nm=65").Rank(nodes(energies), nil)
		if got := said(nil, &c[0], (*findings).networkShare, Warning); !strings.Contains(got, "says little about the ED2P of the whole chip") || strings.Contains(got, "follows") {
			t.Errorf("it says %q", got)
		}
	}
}

// TestOneWindow: intervals of seeds are doubtful where the trace has windows that were not replayed.
func TestOneWindow(t *testing.T) {
	for _, c := range []struct {
		windows bool   // of the runs, which are seeds otherwise
		given   string // what sets the key windows
		trace   int    // windows of the trace
		runs    int
		want    bool
	}{{false, "--windows", 4, 2, true}, {false, "--windows", 4, 1, false}, {false, "--windows", 1, 2, false}, {false, "", 4, 2, false}, {true, "--windows", 4, 2, false}} {
		rows := study("lu", c.windows, times{"mrr", []uint64{100, 101}[:c.runs]}, times{"rr", []uint64{110, 112}[:c.runs]})
		for i := range rows.Runs {
			rows.Runs[i].TraceDigest = "d"
		}
		m := &experiment.Manifest{Given: map[string]string{}, Traces: []experiment.TraceIdentity{{Digest: "d", Windows: c.trace}}}
		if c.given != "" {
			m.Given["windows"] = c.given
		}
		const sentence = "Several seeds replay only one window of the recording (lu), so the numbers after ± do not show how windows differ: leave out --windows or raise it."
		if list := NewStudy(m, rows, Extra{}, "").Findings; slices.Contains(list, Finding{Warning, sentence}) != c.want {
			t.Errorf("%+v: %+v", c, list)
		}
	}
}

// TestManyUsersOfABlock: cores that use the same bytes are named together.
func TestManyUsersOfABlock(t *testing.T) {
	b := HotBlock{Cores: []HotCore{{0, "0-63", "0-63"}, {1, "0-63", "0-63"}, {2, "0-63", "0-63"}}}
	if got := b.bytes(3); got != "all 3 cores read and write bytes 0-63" {
		t.Errorf("it says %q", got)
	}
	b.Cores = append(b.Cores, HotCore{3, "0-7", ""})
	if got := b.bytes(3); got != "3 cores read and write bytes 0-63, core 3 reads bytes 0-7" {
		t.Errorf("it says %q", got)
	}
}

// TestMixedProfiles: technologies whose energy model follows them are not comparable, of chips and of networks alone.
func TestMixedProfiles(t *testing.T) {
	for _, c := range []struct {
		key, second string
		want        bool
	}{{"power.tech_nm", "S", true}, {"power.tech_nm", "O", false}, {"power.profile", "S", false}} {
		chips, networks := nodes(map[string][2]float64{"65": {1, 2}, "45": {1, 2}}), new(tables.Rows)
		for i := range chips.Runs {
			r := &chips.Runs[i]
			r.PowerProfile, r.Technology, chips.Axes[i].Key = []string{"O", c.second}[i%2], []float64{65, 16}[i%2], c.key
			networks.Traffic = append(networks.Traffic, tables.Traffic{RunKey: r.RunKey, Router: r.Router, PowerProfile: r.PowerProfile, Technology: r.Technology, ExitState: tables.Finished})
		}
		networks.Axes = chips.Axes
		for _, rows := range []*tables.Rows{chips, networks} {
			const sentence = "The technologies are compared with different energy models: profile O at 65 nm, profile S at 16 nm. power.profile=S has all technologies from 90 to 3 nm."
			if list := Open(new(experiment.Manifest), rows, nil).Findings; slices.Contains(list, Finding{Warning, sentence}) != c.want {
				t.Errorf("%+v: %+v", c, list)
			}
		}
	}
}

// TestBaselineIsBeaten: where the ratio of a row to a chosen baseline differs from 1 for certain, the baseline is not
// among the fastest, although the inverse ratio may not be certain.
func TestBaselineIsBeaten(t *testing.T) {
	rows := study("w", true, times{"mrr", []uint64{100, 100}}, times{"rr", []uint64{210, 230}})
	rows.Runs = append(rows.Runs, study("x", true, times{"mrr", []uint64{100, 101}}, times{"rr", []uint64{150, 150}}).Runs...)
	c := result.ComparisonOf(rows, "router=rr").Rank(rows, nil)[0]
	a := &c.Applications[0]
	if forth, back := a.Ratio(col.Cycles, "mrr", "rr"), a.Ratio(col.Cycles, "rr", "mrr"); forth.Side(1) >= 0 || back.Side(1) != 0 {
		t.Fatalf("the ratios are %v and %v; the test needs others", forth.Text(), back.Text())
	}
	if got := a.Fastest(); !slices.Equal(got, []string{"mrr"}) {
		t.Errorf("the fastest are %q", got)
	}
}
