package paper

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/analysis/paper/atbm"
	"github.com/carousel-sim/carousel/analysis/paper/claim"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// stagePoint is a made-up measurement of a figure about multistage networks.
type stagePoint struct {
	bidirectional bool
	nodes, ports  int
	scheme        string
	load          float64 // or the number of destinations
	fraction      float64
	flits         uint64
	channels      int
}

// stageValues are what it measured; no latencies where the network does not carry the load.
type stageValues struct{ multicast, unicast, accepted, wait float64 }

// stageStudy collects the measurements of all combinations.
func stageStudy(sizes [][2]int, loads, fractions []float64, flits []uint64, channels []int, of func(stagePoint) stageValues) *study {
	var s study
	for _, size := range sizes {
		for _, bidirectional := range []bool{false, true} {
			for _, scheme := range []string{"atbm", "atbm-once", "free tokens", "software"} {
				for _, fraction := range fractions {
					for _, length := range flits {
						for _, c := range channels {
							for _, load := range loads {
								s.stage(stagePoint{bidirectional, size[0], size[1], scheme, load, fraction, length, c}, of)
							}
						}
					}
				}
			}
		}
	}
	return &s
}

// stage adds one measurement.
func (s *study) stage(p stagePoint, of func(stagePoint) stageValues) {
	name := fmt.Sprintf("min:baseline:%d:%d", p.nodes, p.ports)
	if p.bidirectional {
		name = fmt.Sprintf("bimin:butterfly:%d:%d", p.nodes, p.ports)
	}
	v := of(p)
	for _, mix := range []string{"copies", "messages"} {
		s.add(name, p.scheme, uint64(p.load), p.load, func(b *tables.Batch) {
			b.Accepted = tables.Some(v.accepted)
			if v.multicast > 0 {
				b.MulticastLatencyMean, b.UnicastLatencyMean, b.TokenWaitMean = tables.Some(v.multicast), tables.Some(v.unicast), tables.Some(v.wait)
			}
		}, "consumption", strconv.Itoa(p.channels), "mix", mix, "variant", p.scheme)
		last := &s.Traffic[len(s.Traffic)-1]
		last.MulticastFraction, last.PacketPhits = p.fraction, p.flits
		if v.multicast == 0 {
			last.Saturated = tables.Some(tables.Saturated)
		}
	}
}

var (
	stageLoads  = []float64{0.02, 0.1, 0.2, 0.3, 0.4, 0.5}
	half        = []float64{0.5}
	sixtyFour   = []uint64{64}
	oneChannel  = []int{1}
	smallSizes  = [][2]int{{16, 2}, {64, 2}, {256, 2}}
	middleSizes = [][2]int{{16, 4}, {64, 4}, {256, 4}}
	largeSizes  = [][2]int{{64, 8}, {512, 8}}
)

// asPrinted is the paper's picture: tree worms are three to four times as fast, unicasts a third
// faster; in UNI networks tree worms carry more, in BI networks a little less; more carry larger
// switches, four channels, and fewer multicasts.
func asPrinted(p stagePoint) stageValues {
	if p.scheme == "atbm-once" {
		p.scheme = "atbm"
	}
	carries := 0.2 + 0.02*float64(p.ports) + 0.2*(0.5-p.fraction)
	factor := 3.0
	if p.nodes > 16 && (p.ports > 2 || p.nodes == 256) {
		factor = 4
	}
	if (p.scheme == "atbm" || p.scheme == "free tokens") != p.bidirectional {
		carries += 0.03
	}
	if p.channels > 1 {
		carries += 0.1
	}
	v := stageValues{accepted: min(p.load, carries)}
	if p.load > carries {
		return v
	}
	v.multicast, v.unicast, v.wait = float64(p.flits)+40, 100, 1
	if p.load >= 0.2 { // the serialisation shows
		v.multicast *= 2.5
		v.wait = 100
	}
	if p.scheme == "atbm" && p.nodes == 256 && p.ports == 4 && p.load >= 0.3 && !p.bidirectional {
		v.unicast = 300
	}
	if p.scheme == "software" {
		v.multicast *= factor
		v.unicast = 150
	}
	return v
}

// turnedRound is the opposite.
func turnedRound(p stagePoint) stageValues {
	switch p.scheme {
	case "atbm", "atbm-once":
		p.scheme = "software"
	case "software":
		p.scheme = "atbm"
	}
	p.ports = 10 - p.ports
	p.fraction = 1 - p.fraction
	if p.flits == 128 {
		p.flits = 1000
	}
	p.channels = 5 - p.channels
	v := asPrinted(p)
	v.accepted *= 0.9
	v.wait = 1
	return v
}

// TestStageFigures: the paper's picture confirms its claims, and the opposite does not.
func TestStageFigures(t *testing.T) {
	fractions := []float64{0.2, 0.5}
	for _, c := range []struct {
		entry func() claim.Entry
		sizes [][2]int
	}{
		{entry: atbm.Fig15, sizes: smallSizes}, {entry: atbm.Fig16, sizes: middleSizes}, {entry: atbm.Fig17, sizes: largeSizes},
		{entry: atbm.Switches, sizes: [][2]int{{64, 2}, {64, 4}, {64, 8}, {256, 2}, {256, 4}}},
		{entry: atbm.Fig18, sizes: smallSizes}, {entry: atbm.Fig19, sizes: slices.Concat(middleSizes, largeSizes)},
		{entry: atbm.TokenTime, sizes: [][2]int{{256, 4}}}, {entry: atbm.Fig21, sizes: middleSizes}, {entry: atbm.Fig22, sizes: largeSizes}, {entry: atbm.Fig23, sizes: middleSizes},
	} {
		e := c.entry()
		flits, share, channels := sixtyFour, half, oneChannel
		switch e.ID {
		case "atbm.fig18":
			share = fractions
		case "atbm.fig19":
			share = fractions[:1]
		case "atbm.fig21":
			flits = []uint64{64, 128}
		case "atbm.fig22":
			flits = []uint64{256}
		case "atbm.fig23":
			channels = []int{1, 4}
		}
		good := stageStudy(c.sizes, stageLoads, share, flits, channels, asPrinted)
		if e.ID == "atbm.fig21" {
			flits = []uint64{64, 129}
		}
		bad := stageStudy(c.sizes, stageLoads, share, flits, channels, turnedRound)
		for _, claim := range e.Claims {
			if v := judge(t, e, &good.Rows, claim.ID); v.Verdict != tables.Confirmed {
				t.Errorf("%s as printed is %s: %s", claim.ID, v.Verdict, v.Detail)
			}
			if v := judge(t, e, &bad.Rows, claim.ID); v.Verdict == tables.Confirmed {
				t.Errorf("%s is confirmed by the opposite: %s", claim.ID, v.Detail)
			}
			if v := judge(t, e, &tables.Rows{}, claim.ID); v.Verdict != tables.Open {
				t.Errorf("%s without measurements is %s: %s", claim.ID, v.Verdict, v.Detail)
			}
		}
	}
}

// TestUnicastsBesideTreeWorms: unicasts that gain in one kind of network alone, and that degrade
// without token time too, refute.
func TestUnicastsBesideTreeWorms(t *testing.T) {
	s := stageStudy(smallSizes, stageLoads, half, sixtyFour, oneChannel, func(p stagePoint) stageValues {
		v := asPrinted(p)
		if p.bidirectional && p.scheme == "software" && v.unicast > 0 {
			v.unicast = 101
		}
		return v
	})
	expect(t, "BI gains nothing", atbm.Fig15(), s, map[string]string{"S0-44": tables.NotConfirmed})
	s = stageStudy([][2]int{{256, 4}}, stageLoads, half, sixtyFour, oneChannel, func(p stagePoint) stageValues {
		if p.scheme == "free tokens" {
			p.scheme = "atbm"
		}
		return asPrinted(p)
	})
	expect(t, "free tokens", atbm.TokenTime(), s, map[string]string{"S0-46": tables.NotConfirmed})
}

// unicastsVary spreads the latency of unicasts over the four batches of some runs.
func (s *study) unicastsVary(by float64, in func(*tables.Traffic) bool) {
	for i := range s.Batches {
		if b := &s.Batches[i]; in(&s.Traffic[i/4]) {
			b.UnicastLatencyMean.Value *= 1 + by*(float64(b.Batch)-1.5)
		}
	}
}

// TestUnicastsUnderLoad: how much slower unicasts are under load, with token time and without, is
// decided where the measurements are certain enough.
func TestUnicastsUnderLoad(t *testing.T) {
	for _, c := range []struct {
		with, without, noise float64 // latency at the largest loads, beside 100 at light load
		degrades, because    string
	}{
		{300, 100, 0, tables.Confirmed, tables.Confirmed}, {150, 100, 0, tables.NotConfirmed, tables.Confirmed}, {300, 290, 0, tables.Confirmed, tables.NotConfirmed},
		{210, 150, 0.05, tables.Open, tables.Open}, {100, 150, 0.05, tables.NotConfirmed, tables.Open},
	} {
		s := stageStudy([][2]int{{256, 4}}, stageLoads, half, sixtyFour, oneChannel, func(p stagePoint) stageValues {
			v := asPrinted(p)
			switch {
			case v.unicast == 0 || p.load < 0.3 || p.bidirectional:
			case p.scheme == "atbm":
				v.unicast = c.with
			case p.scheme == "free tokens":
				v.unicast = c.without
			case p.scheme == "software":
				v.unicast = 1000
			}
			return v
		})
		s.unicastsVary(c.noise, func(r *tables.Traffic) bool { return r.Scheme != "software" && r.Offered >= 0.3 })
		expect(t, fmt.Sprintf("%+v", c), atbm.Fig16(), s, map[string]string{"S0-34": c.degrades})
		expect(t, fmt.Sprintf("%+v", c), atbm.TokenTime(), s, map[string]string{"S0-46": c.because})
	}
}

// TestUnicastGainsApart: how uncertain the gain in UNI networks is counts as much as how uncertain
// that in BI networks is; no gain in BI networks is not half of one.
func TestUnicastGainsApart(t *testing.T) {
	for _, c := range []struct {
		software, noise float64 // latency beside 100 with tree worms in BI networks; 33 % are gained in UNI
		want            string
	}{
		{150, 0, tables.Confirmed}, {100 / 0.85, 0, tables.NotConfirmed}, {90, 0, tables.NotConfirmed}, {90, 0.05, tables.NotConfirmed},
		{100 / 0.85, 0.1, tables.Open}, {100 / 0.8, 0.1, tables.Open}, {150, 0.02, tables.Confirmed},
	} {
		s := stageStudy(smallSizes, stageLoads, half, sixtyFour, oneChannel, func(p stagePoint) stageValues {
			v := asPrinted(p)
			if p.bidirectional && p.scheme == "software" && v.unicast > 0 {
				v.unicast = c.software
			}
			return v
		})
		s.unicastsVary(c.noise, func(r *tables.Traffic) bool { return strings.HasPrefix(r.Topology, "min:") && r.Scheme == "atbm" })
		expect(t, fmt.Sprintf("%+v", c), atbm.Fig15(), s, map[string]string{"S0-44": c.want})
	}
}

// TestCarriesAtLeast: where one of two schemes was never saturated, what it delivers is the least
// that it carries, which may decide.
func TestCarriesAtLeast(t *testing.T) {
	for what, c := range map[string]struct {
		never []string
		most  float64 // load of the never saturated schemes
		want  string
	}{
		"tree worms": {[]string{"atbm"}, 1, tables.Confirmed}, "software": {[]string{"software"}, 1, tables.NotConfirmed},
		"both": {[]string{"atbm", "software"}, 1, tables.Open}, "tree worms, at small loads": {[]string{"atbm"}, 0.1, tables.Open},
	} {
		s := stageStudy(smallSizes, stageLoads, half, sixtyFour, oneChannel, func(p stagePoint) stageValues {
			if !p.bidirectional && slices.Contains(c.never, p.scheme) {
				return stageValues{100, 100, p.load, 1}
			}
			return asPrinted(p)
		})
		s = s.only(func(r *tables.Traffic) bool { return !slices.Contains(c.never, r.Scheme) || r.Offered <= c.most })
		expect(t, what, atbm.Fig15(), s, map[string]string{"S0-45": c.want})
	}
}

// TestReadings: the readings of the multicast fraction are judged apart.
func TestReadings(t *testing.T) {
	s := stageStudy(smallSizes, stageLoads, half, sixtyFour, oneChannel, asPrinted)
	bad := stageStudy(smallSizes, stageLoads, half, sixtyFour, oneChannel, turnedRound)
	var mixed study
	for i := range bad.Traffic { // the same runs in the same order
		from := s
		if i%2 == 1 { // of messages
			from = bad
		}
		mixed.Traffic = append(mixed.Traffic, from.Traffic[i])
		mixed.Batches = append(mixed.Batches, from.Batches[4*i:4*i+4]...)
	}
	mixed.Axes = s.Axes
	for id, want := range map[string]string{"S0-28": tables.Confirmed, "S0-28 messages": tables.NotConfirmed, "S0-45": tables.Confirmed, "S0-45 messages": tables.NotConfirmed} {
		if v := judge(t, atbm.Fig15(), &mixed.Rows, id); v.Verdict != want {
			t.Errorf("%s is %s, want %s: %s", id, v.Verdict, want, v.Detail)
		}
	}
}

// TestStagesAlone: steps of software and a flat line of tree worms confirm, a rising line and a
// slope do not.
func TestStagesAlone(t *testing.T) {
	destinations := []float64{1, 2, 3, 4, 7, 8, 16, 31, 32, 40, 63}
	good := stageStudy([][2]int{{64, 2}, {64, 8}}, destinations, half, sixtyFour, oneChannel, func(p stagePoint) stageValues {
		phases := float64(len(strconv.FormatInt(int64(p.load), 2)))
		if p.scheme == "software" {
			return stageValues{multicast: 100*phases + p.load/10}
		}
		return stageValues{multicast: 99 + p.load/100}
	})
	bad := stageStudy([][2]int{{64, 2}, {64, 8}}, destinations, half, sixtyFour, oneChannel, func(p stagePoint) stageValues {
		if p.scheme == "software" {
			return stageValues{multicast: 100 + p.load}
		}
		return stageValues{multicast: 105 + p.load}
	})
	first := func(r *tables.Traffic) bool { // one of both readings, of which figure 14 knows nothing
		n, _ := strconv.Atoi(r.RunKey)
		return n%2 == 0
	}
	good, bad = good.only(first), bad.only(first)
	for _, c := range atbm.Fig14().Claims {
		if v := judge(t, atbm.Fig14(), &good.Rows, c.ID); v.Verdict != tables.Confirmed {
			t.Errorf("%s as printed is %s: %s", c.ID, v.Verdict, v.Detail)
		}
		if v := judge(t, atbm.Fig14(), &bad.Rows, c.ID); v.Verdict != tables.NotConfirmed {
			t.Errorf("%s is %s for the opposite: %s", c.ID, v.Verdict, v.Detail)
		}
	}
}
