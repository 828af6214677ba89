package experiment

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/coherence/cmp"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/noc/topology"
)

// setWidth gives every router links of a width, and slots of a length.
func setWidth(o *models.Options, bits, slot int) {
	o.Rotary.PhitBits, o.Buffered.PhitBits, o.Ideal.PhitBits, o.Wormhole.PhitBits, o.WormholeIdeal.PhitBits = bits, bits, bits, bits, bits
	o.Rotary.SlotPhits, o.Rotary.InputStagePhits, o.Rotary.SegmentPhits, o.Rotary.OutputStagePhits = slot, 2*slot, 4*slot, 4*slot
	o.Buffered.SlotPhits, o.Buffered.ChannelPhits, o.Ideal.SlotPhits = slot, 2*slot, slot
	o.Wormhole.MaxPhits, o.WormholeIdeal.MaxPhits = slot, slot
}

// TestMessagesFollowTheWidth: on every router commands have 16 bytes and messages with a block 80, in
// phits of the links' width, and narrow links make programs slower.
func TestMessagesFollowTheWidth(t *testing.T) {
	cycles := map[string]uint64{}
	for _, c := range []struct {
		bits, command, data int
		rules               string
	}{{128, 1, 5, ""}, {64, 2, 10, "messages of 2 and 10 phits"}, {96, 2, 7, "messages of 2 and 7 phits"}, {256, 1, 3, "messages of 1 and 3 phits"}, {1 << 16, 1, 1, "messages of 1 and 1 phits"}} {
		s := small()
		s.Runs, s.Routers, s.Chip.Protocol = 1, models.Table().Names(), "msi"
		setWidth(&s.Network, c.bits, c.data)
		must.Do(s.Check())
		outcomes, rows := do(t, context.Background(), s, quiet(2))
		for i, r := range rows.Runs {
			at := fmt.Sprintf("%s, %d bits", r.Router, c.bits)
			if r.ExitState != tables.Finished {
				t.Fatalf("%s: %v", at, outcomes[i].Err)
			}
			if c.bits == 128 {
				cycles[r.Router] = r.Cycles.Value
			} else if c.bits == 64 && r.Cycles.Value < cycles[r.Router]*101/100 {
				t.Errorf("%s: %d cycles, and %d with 128 bits", at, r.Cycles.Value, cycles[r.Router])
			}
			if !strings.HasSuffix(r.Rules, c.rules) || c.rules == "" && strings.Contains(r.Rules, "messages") {
				t.Errorf("%s: rules are %q", at, r.Rules)
			}
		}
		classes, of := len(rows.Classes)/len(rows.Runs), must.Get(cmp.LookupProtocol("msi")).ClassBytes()
		for i, row := range rows.Classes {
			packets := row.Unicast + row.Multicast + row.Broadcast
			low, high := packets*uint64(c.command), packets*uint64(c.data)
			if of[i%classes] == coherence.CommandBytes {
				high = low
			}
			if row.Phits < low || row.Phits > high {
				t.Errorf("%d bits: %d messages of class %s have %d phits", c.bits, packets, row.Class, row.Phits)
			}
		}
	}
}

// TestLongMessagesAreRefused: a router whose packets may not be as long as a block with its header is
// refused before anything runs, with what to change.
func TestLongMessagesAreRefused(t *testing.T) {
	keys := map[string]string{"ideal": "ideal.slot_phits", "wormhole": "wormhole.max_phits", "wormhole-ideal": "wormhole_ideal.max_phits",
		"base": "buffered.slot_phits", "base-mc": "buffered.slot_phits"}
	for _, m := range models.Table() {
		key, section := keys[m.Name], ""
		if key == "" {
			key = "rotary.slot_phits"
		}
		section, _, _ = strings.Cut(key, ".")
		for bits, slots := range map[int][]int{128: {1, 2, 3, 4}, 64: {5, 9}, 256: {1, 2}} {
			for _, slot := range slots {
				s := small()
				s.Routers = []string{m.Name}
				setWidth(&s.Network, bits, slot)
				want := fmt.Sprintf("router %s: network.%s is %d, but a block and its header have %d phits with network.%s.phit_bits=%d; use %d or more",
					m.Name, key, slot, (640+bits-1)/bits, section, bits, (640+bits-1)/bits)
				if err := s.Check(); err == nil || err.Error() != want {
					t.Errorf("error is %v; want %s", err, want)
				}
			}
		}
		least := map[string]int{"rotary": 27, "buffered": 20, "ideal": 20}[section]
		if least == 0 {
			continue
		}
		s := small()
		s.Routers = []string{m.Name}
		setWidth(&s.Network, least-1, 40)
		if err := s.Check(); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("network.%s.phit_bits=%d", section, least-1)) || !strings.HasSuffix(err.Error(), fmt.Sprintf("use links of %d bits or more", least)) {
			t.Errorf("%s with links of %d bits: %v", m.Name, least-1, err)
		}
		setWidth(&s.Network, least, (640+least-1)/least)
		if err := s.Check(); err != nil {
			t.Errorf("%s with links of %d bits: %v", m.Name, least, err)
		}
	}
	s := small()
	outside := must.Get(models.Lookup("base"))
	outside.Name, outside.Width, outside.MostPhits = "outside", nil, 0
	outside.MaxPhits = func(models.Options) (int, string) { return 4, "" }
	s.Models, s.Routers = models.List{outside}, []string{"outside"}
	if err := s.Check(); err == nil || !strings.Contains(err.Error(), "5 phits with links of 128 bits, but packets have at most 4") {
		t.Errorf("a router without keys: %v", err)
	}
}

// TestClassesOfUnknownWidth: a network that says itself how wide its links are is built for the lengths of
// the chip's messages on them, and none that is built on the way stays open.
func TestClassesOfUnknownWidth(t *testing.T) {
	c := cmp.Default()
	for bits, want := range map[int]string{128: "[1 5]", 64: "[2 10]", 1024: "[1]"} {
		var asked [noc.MaxClasses]int
		open := 0
		m := models.Model{Name: "own", SourceQueue: func(models.Options) (int, string) { return 0, "" }, MaxPhits: func(models.Options) (int, string) { return 32, "" },
			New: func(o models.Options) (noc.Network, error) {
				asked, o.Ideal.PhitBits = o.ClassPhits, bits
				o.Ideal.SlotPhits = 32
				open++
				return closing{must.Get(must.Get(models.Lookup("ideal")).Build(o)), &open}, nil
			}}
		must.Get(BuildNetwork(m, models.DefaultOptions(), &c))
		lengths := slices.Compact(slices.Sorted(slices.Values(asked[:6])))
		if got := fmt.Sprint(lengths); got != want || open != 1 {
			t.Errorf("links of %d bits: classes of %s phits, want %s; %d networks are open", bits, got, want, open)
		}
	}
}

// closing counts the networks that are open.
type closing struct {
	noc.Network
	open *int
}

func (c closing) Close() error { *c.open--; return nil }

// TestDestinationSetsAreLong: in networks that replicate messages, a header has a bit for each node. Beyond 64 of
// them, messages to several nodes need further phits, unless a key says otherwise.
func TestDestinationSetsAreLong(t *testing.T) {
	for _, c := range []struct {
		side int
		free bool
		want map[string]uint64 // phits of a broadcast
	}{
		{8, false, map[string]uint64{"base": 1, "base-mc": 1, "rr": 1, "mrr": 1}},
		{16, false, map[string]uint64{"base": 1, "base-mc": 3, "rr": 1, "mrr": 3}}, // 64 and 192 bits, beside 64 others
		{16, true, map[string]uint64{"base-mc": 1, "mrr": 1}},
	} {
		s := small()
		s.Runs, s.Routers, s.Network.Grid, s.Chip.FreeDestinationSets = 1, nil, topology.Torus(c.side, c.side), c.free
		for router := range c.want {
			s.Routers = append(s.Routers, router)
		}
		_, rows := do(t, context.Background(), s, quiet(2))
		routers := map[string]string{}
		for _, r := range rows.Runs {
			routers[r.RunKey] = r.Router
			long := fmt.Sprintf("commands to several nodes of %d phits, because headers have a bit for each node (1 with chip.free_destination_sets=true)", c.want[r.Router])
			if strings.HasSuffix(r.Rules, long) != (c.want[r.Router] > 1) || strings.HasPrefix(r.Rules, ",") {
				t.Errorf("%d nodes, free %t, %s: rules are %q", c.side*c.side, c.free, r.Router, r.Rules)
			}
		}
		for _, row := range rows.Classes {
			if want := c.want[routers[row.RunKey]]; row.Class == "TREQ" && (row.Broadcast == 0 || row.Phits != row.Broadcast*want+row.Unicast) {
				t.Errorf("%d nodes, free %t, %s: %d broadcasts have %d phits, want %d each", c.side*c.side, c.free, routers[row.RunKey], row.Broadcast, row.Phits, want)
			}
		}
	}
	s := small()
	s.Routers, s.Network.Grid = []string{"mrr"}, topology.Torus(25, 25)
	want := "a message to several nodes has 6 phits, because its header has a bit for each node, and packets have at most 5; set network.rotary.slot_phits=6 or chip.free_destination_sets=true"
	if err := s.Check(); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("625 nodes: %v, want %s", err, want)
	}
}
