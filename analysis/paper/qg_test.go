package paper

import (
	"fmt"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/analysis/paper/claim"
	"github.com/carousel-sim/carousel/analysis/paper/ocms"
	"github.com/carousel-sim/carousel/analysis/paper/qg"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// study collects made-up runs of messages with four batches each.
type study struct{ tables.Rows }

// add adds a run. set puts values into its batches, which differ a little; axes are names and
// values.
func (s *study) add(topology, scheme string, destinations uint64, load float64, set func(*tables.Batch), axes ...string) {
	key := fmt.Sprint(len(s.Traffic))
	s.Traffic = append(s.Traffic, tables.Traffic{RunKey: key, Router: "wormhole-ideal", Topology: topology, Scheme: scheme, MulticastDestinations: destinations,
		PacketPhits: 64, Offered: load, Seed: 1, ExitState: tables.Finished})
	for i := range uint64(4) {
		b := tables.Batch{RunKey: key, Batch: i}
		set(&b)
		for _, v := range []*tables.Maybe[float64]{&b.MulticastLatencyMean, &b.MulticastLatencyMax, &b.Accepted, &b.ArrivalCV, &b.ArrivalCVHeader, &b.ArrivalSpread} {
			v.Value *= 1 + 0.002*float64(i)
		}
		s.Batches = append(s.Batches, b)
	}
	for i := 0; i+1 < len(axes); i += 2 {
		s.Axes = append(s.Axes, tables.Axis{RunKey: key, Key: axes[i], Value: axes[i+1]})
	}
}

// only is the part of a study whose runs are kept.
func (s *study) only(keep func(*tables.Traffic) bool) *study {
	part := *s
	part.Traffic = nil
	for i := range s.Traffic {
		if keep(&s.Traffic[i]) {
			part.Traffic = append(part.Traffic, s.Traffic[i])
		}
	}
	return &part
}

func on(mesh string) func(*tables.Traffic) bool {
	return func(r *tables.Traffic) bool { return r.Topology == mesh }
}

// latency gives a batch a latency.
func latency(v float64) func(*tables.Batch) {
	return func(b *tables.Batch) {
		b.MulticastLatencyMean, b.MulticastLatencyMax = tables.Some(v), tables.Some(2*v)
	}
}

// expect holds verdicts of an entry on made-up rows.
func expect(t *testing.T, what string, e claim.Entry, s *study, want map[string]string) {
	t.Helper()
	for id, verdict := range want {
		if c := judge(t, e, &s.Rows, id); c.Verdict != verdict {
			t.Errorf("%s: %s is %s, want %s: %s", what, id, c.Verdict, verdict, c.Detail)
		}
	}
}

// TestTable3Ranges: a mean inside the printed interval confirms, one outside refutes, one across
// its end is open.
func TestTable3Ranges(t *testing.T) {
	for value, verdict := range map[float64]string{112: tables.Confirmed, 150: tables.NotConfirmed, 117.8: tables.Open} {
		var s study
		s.add("mesh:16x16", "dual-path", 10, 0, latency(value), "preparation", "none", "scheme", "dual-path")
		expect(t, fmt.Sprint(value), qg.Table3(), &s, map[string]string{"S4-11": verdict, "S4-12": tables.Open})
	}
	var s study
	for _, scheme := range []string{"multi-path", "column-path", "qg-cut"} {
		s.add("mesh:16x16", scheme, 10, 0, latency(200), "preparation", "none", "scheme", scheme)
	}
	expect(t, "200", qg.Table3(), &s, map[string]string{"S4-12": tables.NotConfirmed, "S4-13": tables.NotConfirmed, "S4-14": tables.NotConfirmed})
}

// variationStudy is a study of the tables' variations, scaled for each mesh.
func variationStudy(small, large float64) *study {
	var s study
	for mesh, v := range map[string]qg.Variation{"mesh:16x16": qg.PrintedTable4(), "mesh:32x32": qg.PrintedTable5()} {
		scale := small
		if mesh == "mesh:32x32" {
			scale = large
		}
		for _, scheme := range []string{"dual-path", "multi-path", "column-path", "qg-cut"} {
			for i, k := range qg.PrintedDestinations {
				cv := v.CV[strings.TrimSuffix(scheme, "-cut")][i]
				if scheme != "qg-cut" {
					cv *= scale
				}
				s.add(mesh, scheme, uint64(k), 0, func(b *tables.Batch) {
					b.ArrivalCVHeader, b.ArrivalCV, b.ArrivalSpread = tables.Some(cv), tables.Some(cv/2), tables.Some(cv)
				},
					"variant", strings.TrimPrefix(mesh, "mesh:")+", exponential intervals")
			}
		}
	}
	return &s
}

// TestVariationTables: the printed tables confirm themselves, and do not show what the conclusion
// says of them; other numbers refute them.
func TestVariationTables(t *testing.T) {
	expect(t, "as printed", qg.Table4(), variationStudy(1, 1), map[string]string{"S4-22": tables.Confirmed, "S4-24": tables.Confirmed,
		"S4-26": tables.Confirmed, "S4-26 column-path": tables.Confirmed, "S4-27": tables.Confirmed, "S4-28": tables.NotConfirmed})
	expect(t, "larger", qg.Table4(), variationStudy(2.2, 1.2), map[string]string{"S4-22": tables.NotConfirmed, "S4-24": tables.NotConfirmed,
		"S4-26": tables.Confirmed, "S4-27": tables.NotConfirmed})
	expect(t, "much larger", qg.Table4(), variationStudy(3, 4), map[string]string{"S4-27": tables.Confirmed, "S4-28": tables.Confirmed})
	expect(t, "qg worst", qg.Table4(), variationStudy(0.3, 0.3), map[string]string{"S4-26": tables.NotConfirmed, "S4-22": tables.NotConfirmed})
	steady := variationStudy(1, 1)
	for i := range steady.Batches {
		if steady.Traffic[i/4].Scheme == "column-path" {
			steady.Batches[i].ArrivalCVHeader.Value /= 2
		}
	}
	expect(t, "column-path best", qg.Table4(), steady, map[string]string{"S4-26 column-path": tables.NotConfirmed})
}

// TestAloneFigures: the paper's picture confirms its claims, and the opposite does not.
func TestAloneFigures(t *testing.T) {
	figures := func(factor map[string]float64) *study {
		var s study
		for _, mesh := range []string{"mesh:16x16", "mesh:24x24", "mesh:32x32"} {
			for _, k := range []uint64{10, 20, 30, 40, 50} {
				for _, scheme := range []string{"dual-path", "multi-path", "column-path", "qg", "qg-cut"} {
					v := 100 * factor[scheme]
					if mesh == "mesh:32x32" && scheme == "qg" {
						v *= 0.8
					}
					s.add(mesh, scheme, k, 0, func(b *tables.Batch) { latency(v)(b); b.AdditionalTraffic = tables.Some(v) })
				}
			}
		}
		return &s
	}
	few := map[string]float64{"dual-path": 1.2, "multi-path": 1, "column-path": 5, "qg": 2, "qg-cut": 1.9}
	many := map[string]float64{"dual-path": 3, "multi-path": 2, "column-path": 5, "qg": 1, "qg-cut": 1}
	expect(t, "few", qg.Fig10(), figures(few).only(on("mesh:16x16")), map[string]string{"S4-16": tables.Confirmed, "S4-17": tables.Confirmed, "S4-37": tables.Confirmed})
	expect(t, "many", qg.Fig10(), figures(many).only(on("mesh:16x16")), map[string]string{"S4-16": tables.NotConfirmed, "S4-17": tables.NotConfirmed, "S4-37": tables.NotConfirmed})
	expect(t, "many", qg.Fig12(), figures(many), map[string]string{"S4-18": tables.Confirmed, "S4-19": tables.Confirmed, "S4-20": tables.Confirmed})
	expect(t, "few", qg.Fig12(), figures(few), map[string]string{"S4-18": tables.NotConfirmed, "S4-19": tables.NotConfirmed, "S4-20": tables.Confirmed})
	fast := map[string]float64{"dual-path": 3, "multi-path": 2, "column-path": 1, "qg": 1.5, "qg-cut": 1.5}
	expect(t, "column-path fastest", qg.Fig12(), figures(fast), map[string]string{"S4-20": tables.NotConfirmed})
	expect(t, "many", qg.Fig14(), figures(many), map[string]string{"S4-21": tables.Confirmed})
	expect(t, "few", qg.Fig14(), figures(few), map[string]string{"S4-21": tables.NotConfirmed})
}

// loadStudy has curves that end where a scheme's load does, for meshes and destinations.
func loadStudy(carries, level map[string]float64, growth float64, axes ...string) *study {
	var s study
	for _, mesh := range []string{"mesh:10x10", "mesh:16x16"} {
		for _, k := range []uint64{10, 20} {
			for _, scheme := range []string{"dual-path", "multi-path", "column-path", "qg", "qg-multi"} {
				for _, load := range []float64{1, 2, 3, 4, 5} {
					v := level[scheme]
					if scheme == "qg" && load > 1 {
						v = 0.5
					}
					if scheme == "column-path" && k == 20 {
						v *= growth
					}
					s.add(mesh, scheme, k, load, func(b *tables.Batch) {
						b.Accepted = tables.Some(min(load, carries[scheme]))
						if load <= carries[scheme] {
							latency(100 * v)(b)
						}
					}, axes...)
					if load > carries[scheme] {
						s.Traffic[len(s.Traffic)-1].Saturated = tables.Some(tables.Saturated)
					}
				}
			}
		}
	}
	return &s
}

// TestLoadFigures: the paper's picture of loads confirms its claims; a scheme that carries less, or
// is slower, refutes them.
func TestLoadFigures(t *testing.T) {
	level := map[string]float64{"dual-path": 1.1, "multi-path": 1, "column-path": 4, "qg": 2, "qg-multi": 2}
	good := map[string]float64{"dual-path": 2, "multi-path": 2, "column-path": 3, "qg": 4, "qg-multi": 4}
	bad := map[string]float64{"dual-path": 3, "multi-path": 3, "column-path": 4, "qg": 2, "qg-multi": 2}
	s := loadStudy(good, level, 1.5)
	expect(t, "as printed", qg.Fig15(), s, map[string]string{"S4-31": tables.Confirmed, "S4-32": tables.Confirmed, "S4-33": tables.Confirmed, "S4-33 10x10": tables.Confirmed, "S4-33 column-path": tables.Confirmed, "S4-33 less sensitive": tables.Confirmed})
	expect(t, "as printed", qg.Fig19(), s.only(on("mesh:10x10")), map[string]string{"S4-35": tables.Confirmed, "S4-35 light": tables.Confirmed, "S4-35 column-path": tables.Confirmed, "S4-36": tables.Confirmed})
	s = loadStudy(bad, level, 0.9)
	expect(t, "qg carries less", qg.Fig15(), s, map[string]string{"S4-31": tables.Confirmed, "S4-33": tables.NotConfirmed, "S4-33 10x10": tables.NotConfirmed, "S4-33 column-path": tables.NotConfirmed})
	expect(t, "qg carries less", qg.Fig19(), s.only(on("mesh:10x10")), map[string]string{"S4-35": tables.NotConfirmed, "S4-35 column-path": tables.NotConfirmed, "S4-36": tables.NotConfirmed})
}

// TestLoadFiguresTurnedRound: column-path fast and dual-path before multi-path refute what is said
// of light load, and a column-path that carries little what is said of it.
func TestLoadFiguresTurnedRound(t *testing.T) {
	level := map[string]float64{"dual-path": 3, "multi-path": 4, "column-path": 1, "qg": 2, "qg-multi": 2}
	s := loadStudy(map[string]float64{"dual-path": 3, "multi-path": 3, "column-path": 2, "qg": 4, "qg-multi": 4}, level, 1)
	expect(t, "turned round", qg.Fig15(), s, map[string]string{"S4-31": tables.NotConfirmed, "S4-32": tables.NotConfirmed, "S4-33 less sensitive": tables.NotConfirmed})
	expect(t, "turned round", qg.Fig19(), s.only(on("mesh:10x10")), map[string]string{"S4-35 light": tables.NotConfirmed})
}

// TestStarsThatLose: stars that another scheme betters are not optimal.
func TestStarsThatLose(t *testing.T) {
	var s study
	for scheme, v := range map[string]float64{"ocms": 2, "otms": 2, "dual-path": 1, "multi-path": 3, "ocms-free": 1, "otms-free": 1} {
		s.add("mesh:8x8", scheme, 10, 0, func(b *tables.Batch) {
			latency(v)(b)
			b.MulticastChannels = tables.Some(v)
		})
	}
	expect(t, "lose", ocms.Paths(), &s, map[string]string{"S1-14": tables.NotConfirmed, "S1-15": tables.NotConfirmed})
}

// TestLittleChange compares two preparations: what is carried, and on which side of the others qg
// is; a tie is on neither.
func TestLittleChange(t *testing.T) {
	level := map[string]float64{"dual-path": 1, "multi-path": 1, "column-path": 4, "qg": 0.6}
	carries := map[string]float64{"dual-path": 4, "multi-path": 4, "column-path": 4, "qg": 4}
	for what, c := range map[string]struct {
		carries, level float64
		verdict        string
		reason         []string
	}{
		"the same": {4, 0.65, tables.Confirmed, nil}, "carries less": {3, 0.65, tables.NotConfirmed, []string{"in 2 of ", "load in mesh:10x10", "ratio 0.7500 ± 0.0"}},
		"slower than others": {4, 1.5, tables.NotConfirmed, []string{"qg/dual-path at 2 in mesh:10x10", "becomes 1.5"}},
		"as fast as others":  {4, 1, tables.Open, []string{"with confidence in none", "qg/dual-path at 2 in mesh:10x10"}},
	} {
		s := loadStudy(carries, level, 1, "preparation", "text")
		for i := range s.Batches { // loadStudy makes qg fast at all loads but the first
			if s.Batches[i].MulticastLatencyMean.Value > 49 && s.Batches[i].MulticastLatencyMean.Value < 51 {
				s.Batches[i].MulticastLatencyMean.Value *= 1.2
			}
		}
		more := loadStudy(map[string]float64{"dual-path": 4, "multi-path": 4, "column-path": 4, "qg": c.carries}, level, 1, "preparation", "fifty")
		for i := range more.Batches {
			if v := &more.Batches[i].MulticastLatencyMean.Value; *v > 49 && *v < 51 {
				*v *= 2 * c.level
			}
		}
		for i := range more.Traffic {
			more.Traffic[i].RunKey += "m"
		}
		for i := range more.Batches {
			more.Batches[i].RunKey += "m"
		}
		for i := range more.Axes {
			more.Axes[i].RunKey += "m"
		}
		s.Append(&more.Rows)
		ten := func(r *tables.Traffic) bool { return r.MulticastDestinations == 10 }
		expect(t, what, qg.Fig17(), s.only(ten), map[string]string{"S4-30": c.verdict})
		got := judge(t, qg.Fig17(), &s.only(ten).Rows, "S4-30")
		says(t, what, &got, c.reason, nil)
	}
}

// TestCompromise: a latency that another threshold betters by more than 2 % refutes.
func TestCompromise(t *testing.T) {
	for value, verdict := range map[float64]string{100: tables.Confirmed, 110: tables.NotConfirmed} {
		var s study
		for threshold, v := range map[string]float64{"200": 100, "500": value, "800": 100} {
			s.add("mesh:16x16", "qg", 10, 0, latency(v), "threshold", threshold)
		}
		expect(t, fmt.Sprint(value), qg.Section42(), &s, map[string]string{"S4-29": verdict})
	}
}

// TestNoDeadlockNeedsLoad: points that nobody saturated prove nothing, and a missing one refutes.
func TestNoDeadlockNeedsLoad(t *testing.T) {
	all := map[string]float64{"dual-path": 2, "multi-path": 2, "column-path": 2, "qg": 2, "qg-multi": 2}
	s := loadStudy(all, all, 1)
	for i := range s.Traffic {
		s.Traffic[i].Saturated = tables.Maybe[string]{}
	}
	expect(t, "light", ocms.Load(), s, map[string]string{"S1-07": tables.Open})
	for i := range s.Traffic {
		s.Traffic[i].Saturated = tables.Some(tables.Saturated)
	}
	expect(t, "heavy", ocms.Load(), s, map[string]string{"S1-07": tables.Confirmed})
	s.Traffic[3].ExitState = tables.Failed
	expect(t, "stopped", ocms.Load(), s, map[string]string{"S1-07": tables.NotConfirmed})
}
