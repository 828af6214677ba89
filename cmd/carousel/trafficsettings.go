package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/carousel-sim/carousel/analysis/experiment/openloop"
	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/noc/traffic"
)

// TrafficSettings configures synthetic traffic. Loads are phits per node and cycle at the sources, a
// multicast counting once.
type TrafficSettings struct {
	Pattern               string
	Load                  float64
	Loads                 string // "0.1:0.9:0.1"; "" takes Load
	MulticastFraction     float64
	MulticastDestinations int
	PacketPhits           int
	Classes               int // message classes, and virtual channels of the routers that have them
	Cycles, Warmup        noc.Cycle
	HotspotShare          float64
	TornadoDims           string
	Saturation            bool    // search the load at which a network saturates
	Limit, Step           float64 // of the search
}

// defaultTraffic is the paper's: 200,000 cycles, of which the first 20,000 are not measured.
func defaultTraffic() TrafficSettings {
	d := traffic.Default()
	return TrafficSettings{Pattern: d.Pattern, Load: d.Load, MulticastDestinations: d.MulticastDestinations,
		PacketPhits: d.PacketPhits, Classes: d.Classes, Cycles: 200_000, Warmup: 20_000,
		HotspotShare: d.HotspotShare, TornadoDims: d.TornadoDims, Limit: 1, Step: 0.01}
}

// loads are the points of a sweep; none for a search. Of the three keys that say which points to do, the
// one from the strongest place counts, and the others are cleared.
func (c *Configuration) loads() ([]float64, error) {
	t := &c.Traffic
	way, err := c.wayOfLoading()
	if err != nil {
		return nil, err
	}
	if way != "traffic.loads" {
		t.Loads = ""
	}
	if t.Saturation = way == "traffic.saturation"; t.Saturation {
		return nil, nil
	}
	if t.Loads == "" {
		return []float64{t.Load}, nil
	}
	list, err := parseLoads(t.Loads)
	if err != nil {
		return nil, usagef("traffic.loads is %q: %w (given by %s)", t.Loads, err, c.Origins["traffic.loads"].place())
	}
	return list, nil
}

// wayOfLoading is the key that says which points to do. A file, such as that of a manifest, may hold a
// single load beside one of the others.
func (c *Configuration) wayOfLoading() (string, error) {
	places := []string{"file", "env", "plan", "set", "flag"} // weakest first
	way, strength, also := "traffic.load", -1, ""
	for _, k := range []struct {
		name string
		used bool
	}{{"traffic.load", true}, {"traffic.loads", c.Traffic.Loads != ""}, {"traffic.saturation", c.Traffic.Saturation}} {
		kind, _, _ := strings.Cut(string(c.Origins[k.name]), " ")
		switch at := slices.Index(places, kind); {
		case !k.used || at < strength || at < 0:
		case at == strength && (kind != "file" || way != "traffic.load"):
			also = k.name
		default:
			way, strength, also = k.name, at, ""
		}
	}
	if also != "" {
		return "", usagef("%s and %s are given; choose one of --load, --loads and --saturation", way, also)
	}
	return way, nil
}

// maxLoads bounds the points of a sweep, leastStep their distance.
const (
	maxLoads  = 10_000
	leastStep = 1e-6
)

// parseLoads reads first:last:step; the last value is part of the sweep when a step meets it.
func parseLoads(text string) ([]float64, error) {
	parts := strings.Split(text, ":")
	var v [3]float64
	if len(parts) != 3 {
		return nil, fmt.Errorf("write FIRST:LAST:STEP, such as 0.1:0.9:0.1")
	}
	for i, part := range parts {
		var err error
		if v[i], err = strconv.ParseFloat(strings.TrimSpace(part), 64); err != nil {
			return nil, fmt.Errorf("%q is not a number; write FIRST:LAST:STEP, such as 0.1:0.9:0.1", part)
		}
	}
	first, last, step := v[0], v[1], v[2]
	if !(step >= leastStep) || !(first >= leastStep) || !(last >= first) {
		return nil, fmt.Errorf("the first load and the step must be %g or more and the last not below the first, such as 0.1:0.9:0.1", leastStep)
	}
	if (last-first)/step >= maxLoads {
		return nil, fmt.Errorf("these are more than %d loads; use a larger step", maxLoads)
	}
	var list []float64
	for i := 0; ; i++ {
		load := metrics.Tidy(first + float64(i)*step)
		if load > metrics.Tidy(last) {
			return list, nil
		}
		list = append(list, load)
	}
}

// chooseScheme makes the routers follow --scheme. Those given must have it, by themselves or by choice;
// when none were given, those of the table that always have it are taken, or else those that can.
func (c *Configuration) chooseScheme(scheme string) error {
	if scheme == "" {
		return nil
	}
	var fixed, choosing, schemes []string
	for _, m := range models.Table() {
		if m.Schemes == nil && m.Scheme == scheme {
			fixed = append(fixed, m.Name)
		}
		if slices.Contains(m.Schemes, scheme) {
			choosing = append(choosing, m.Name)
		}
		for _, s := range append([]string{m.Scheme}, m.Schemes...) {
			if !slices.Contains(schemes, s) {
				schemes = append(schemes, s)
			}
		}
	}
	if len(fixed)+len(choosing) == 0 {
		return usagef("--scheme %s: no router has it; there are %s%s", scheme, strings.Join(schemes, ", "), didYouMean(scheme, schemes))
	}
	if !c.Given("routers") {
		if c.Routers = fixed; len(fixed) == 0 {
			c.Routers = choosing
		}
		c.Origins["routers"] = "flag --scheme"
	}
	for _, router := range c.Routers {
		if m, err := models.Lookup(router); err == nil && !slices.Contains(fixed, router) && !slices.Contains(choosing, router) {
			return usagef("--scheme %s: router %s serves multicasts by %s; the routers with %s are %s",
				scheme, router, m.Scheme, scheme, strings.Join(append(fixed, choosing...), ", "))
		}
	}
	if slices.ContainsFunc(c.Routers, func(router string) bool { return slices.Contains(choosing, router) }) {
		c.Network.Scheme, c.Origins["network.scheme"] = scheme, "flag --scheme"
	}
	return nil
}

// channelKeys are the keys that --vcs and --buffer-phits set, for each kind of router. The first of a flag
// is that of base and base-mc, to which the flag belongs.
var channelKeys = map[string][]string{
	"vcs":          {"traffic.classes", "network.wormhole.virtual_channels"},
	"buffer-phits": {"network.buffered.channel_phits", "network.wormhole.buffer_phits", "network.wormhole_ideal.buffer_phits"},
}

// shareChannels gives --vcs and --buffer-phits to every router that they are for. The channels of base are
// its message classes; alone, a wormhole router has them for all packets of one class.
func (c *Configuration) shareChannels() error {
	base := slices.Contains(c.Routers, "base") || slices.Contains(c.Routers, "base-mc")
	worm, ideal := slices.Contains(c.Routers, "wormhole"), slices.Contains(c.Routers, "wormhole-ideal")
	from := func(flag string) bool { return c.Origins[channelKeys[flag][0]] == Origin("flag --"+flag) }
	for flag, having := range map[string]bool{"vcs": base || worm, "buffer-phits": base || worm || ideal} {
		if from(flag) && !having {
			return usagef("--%s: %s has no virtual channels; use it with base, base-mc or wormhole, or leave it out", flag, strings.Join(c.Routers, ", "))
		}
	}
	note := func(flag string) {
		for _, key := range channelKeys[flag][1:] {
			c.Origins[key] = Origin("flag --" + flag)
		}
		if !base {
			delete(c.Origins, channelKeys[flag][0])
		}
	}
	if from("vcs") && worm {
		c.Network.Wormhole.VirtualChannels = c.Traffic.Classes
		if note("vcs"); !base {
			c.Traffic.Classes = 1
		}
	}
	if from("buffer-phits") && (worm || ideal) {
		phits := c.Network.Buffered.ChannelPhits
		c.Network.Wormhole.BufferPhits, c.Network.WormholeIdeal.BufferPhits = phits, phits
		if note("buffer-phits"); !base {
			c.Network.Buffered.ChannelPhits = models.DefaultOptions().Buffered.ChannelPhits
		}
	}
	return nil
}

// chipChannels gives --vcs to the wormhole routers of chips, whose message classes follow from the protocol.
func (c *Configuration) chipChannels() error {
	if c.Origins["traffic.classes"] != "flag --vcs" {
		return nil
	}
	if !slices.Contains(c.Routers, "wormhole") {
		return usagef("--vcs: the virtual channels of %s follow from the protocol's message classes; use it with router wormhole, or leave it out", strings.Join(c.Routers, ", "))
	}
	c.Network.Wormhole.VirtualChannels, c.Traffic.Classes = c.Traffic.Classes, defaultTraffic().Classes
	c.Origins["network.wormhole.virtual_channels"] = "flag --vcs"
	delete(c.Origins, "traffic.classes")
	return nil
}

// openLoop makes the study that the settings describe.
func (c *Configuration) openLoop(scheme string) (*openloop.Study, error) {
	loads, err := c.loads()
	if err != nil {
		return nil, err
	}
	if err := c.chooseScheme(scheme); err != nil {
		return nil, err
	}
	if err := c.shareChannels(); err != nil {
		return nil, err
	}
	if err := c.Check(); err != nil {
		return nil, err
	}
	t := c.Traffic
	s := &openloop.Study{
		Routers: c.Routers, Loads: loads, Runs: c.Runs, Seed: c.Seed, Cycles: t.Cycles, Warmup: t.Warmup,
		Traffic: traffic.Config{Pattern: t.Pattern, MulticastFraction: t.MulticastFraction,
			MulticastDestinations: t.MulticastDestinations, PacketPhits: t.PacketPhits, Classes: t.Classes,
			HotspotShare: t.HotspotShare, TornadoDims: t.TornadoDims},
		Network: c.Network, Power: c.Power,
	}
	if t.Saturation {
		s.Limit, s.Step = t.Limit, t.Step
	}
	if err := s.Check(); err != nil {
		return nil, c.blame(err)
	}
	return s, nil
}
