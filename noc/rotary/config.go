package rotary

import (
	"cmp"
	"fmt"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Scheme says how a packet with several destinations is served.
type Scheme string

// The multicast schemes.
const (
	Replicate Scheme = "replicate" // one unicast copy per destination, made at the source (RR)
	Adaptive  Scheme = "adaptive"  // one packet, replicated in the routers as space allows (MRR)
	// The references of the paper's section 3.3, correct with UnlimitedOutput.
	Tree Scheme = "tree" // one packet, replicated at every output that serves some destinations (rule 23)
	Path Scheme = "path" // two packets that visit the destinations one after another (rule 24)
)

// Config describes a rotary router. The rules are those of the package documentation.
type Config struct {
	// Rules names the rule set that gives the defaults. The fields below are what routers follow:
	// [Config.WithRules] writes a rule set into them.
	Rules Rules `choices:"paper,live,calm" doc:"rule set: paper (may stop beyond saturation), live (tori and meshes of two and three dimensions deliver at any load) or calm (as live, with fewer copies beyond saturation); keys of single rules override it"`

	SlotPhits        int `unit:"phits" doc:"longest packet, and size of a slot"`
	InputStagePhits  int `unit:"phits" doc:"size of an input stage"`
	SegmentPhits     int `unit:"phits" doc:"size of a ring segment"`
	OutputStagePhits int `unit:"phits" doc:"size of an output stage, which is two queues of equal size"`

	// Free slots that a move needs: in a segment for a header of its ring, of a network input and of
	// the local node (rules 9, 1 and 2), and in an output stage for a copy (rule 4).
	TurnSlots      int `rule:"turn_slots" key:"-"`
	EnterSlots     int `rule:"enter_slots" key:"-"`
	InjectSlots    int `rule:"inject_slots" key:"-"`
	ReplicateSlots int `rule:"replicate_slots" key:"-"`

	// MissLimit is the number of segment entries in one router above which a packet may leave by
	// any network output (rule 3). At 255 and above packets are never misrouted.
	MissLimit int `rule:"miss_limit" unit:"segments" doc:"segments entered in one router after which a packet may leave by any port"`
	// InjectLimit is the number of ring slots in use, of 40, from which on nothing is injected
	// (rule 17); 40 is no limit.
	InjectLimit int `rule:"inject_limit" key:"-"`
	// CalmInjection and CalmPatience: rule 19.
	CalmInjection bool `rule:"calm_injection" doc:"stop injection while an aged packet, which may leave by any port, is on the router's rings"`
	CalmPatience  int  `rule:"calm_patience" unit:"cycles" doc:"time without injection after which a node may inject packets although its router has an aged packet, if their class is higher than that of the aged packet; no wait while all aged packets wait for full sinks"`
	// CalmCopies: rule 4.
	CalmCopies bool `rule:"calm_copies" doc:"make no copies for neighbours while an aged packet is on the router's rings"`
	// UnlimitedOutput lets output stages grow without limit (rule 25). Past saturation what waits
	// in them grows as long as the traffic goes on. Hardware describes OutputStagePhits; storage
	// beyond that is not priced.
	UnlimitedOutput bool `rule:"unlimited_output" key:"-"`

	ClassLimit      bool `rule:"class_limit" key:"-"`       // rule 18
	RingTurnBalance bool `rule:"ring_turn_balance" key:"-"` // rule 9
	EntryHold       bool `rule:"entry_hold" doc:"let a starved input stop ring traffic at its segment"`
	HoldAfter       int  `rule:"hold_after" unit:"cycles" doc:"refusals in a row after which entry_hold acts"`

	Classes     int    `key:"-"` // message classes
	SourceQueue int    `unit:"packets" doc:"depth of a source queue, one per node and class"`
	Multicast   Scheme `key:"-"` // how packets with several destinations are served
	Seed        uint64 `key:"-"` // of the ties in the choice of the ring (rule 14)
	EveryCycle  bool   `key:"-"` // steps every router in every cycle, with the same results; for tests
	PhitBits    int    `unit:"bits" doc:"width of links and buffers; on a chip, other sizes of the router that are not set follow from it"`
	// Threads is how many threads may simulate the network at the same time, with the same results; 0 is one.
	Threads int `key:"-" json:"-"`
}

// DefaultRR returns the Rotary Router with the rule set [LiveRules]: unicast copies made at the
// source.
func DefaultRR() Config {
	c := Config{
		SlotPhits: 5, InputStagePhits: 10, SegmentPhits: 20, OutputStagePhits: 20,
		TurnSlots: 1, EnterSlots: 2, InjectSlots: 3, ReplicateSlots: 2,
		InjectLimit: 40, CalmPatience: 256, HoldAfter: 8,
		Classes: 6, SourceQueue: 16, Multicast: Replicate, PhitBits: 128,
	}
	return c.WithRules(LiveRules)
}

// MaxSlotPhits bounds packets: their streaming time must fit the routers' calendars.
const MaxSlotPhits = 24

const (
	referencePorts = 5  // for which rule 3 states MissLimit
	referenceSlots = 40 // for which rule 17 states InjectLimit
	maxPorts       = 16 // at least those of the largest grid of package topology
)

// Validate returns what is wrong with the configuration on the given grid, naming the key.
func (c Config) Validate(g topology.Grid) error {
	return cmp.Or(g.Validate(), c.validate())
}

func (c Config) validate() error {
	if err := cmp.Or(
		fabric.CheckChoice("rules", c.Rules, PaperRules, LiveRules, CalmRules),
		fabric.CheckRange("slot_phits", c.SlotPhits, 1, MaxSlotPhits),
		fabric.CheckRange("input_stage_phits", c.InputStagePhits, c.SlotPhits, 64*c.SlotPhits),
		fabric.CheckRange("segment_phits", c.SegmentPhits, max(c.TurnSlots, c.EnterSlots, c.InjectSlots)*c.SlotPhits, 64*c.SlotPhits),
		fabric.CheckRange("output_stage_phits", c.OutputStagePhits, 2*c.SlotPhits, 64*c.SlotPhits),
		fabric.CheckMultiple("input_stage_phits", c.InputStagePhits, "slot_phits", c.SlotPhits),
		fabric.CheckMultiple("segment_phits", c.SegmentPhits, "slot_phits", c.SlotPhits),
		fabric.CheckMultiple("output_stage_phits", c.OutputStagePhits, "two slots", 2*c.SlotPhits), // equal lanes
		fabric.CheckRange("turn_slots", c.TurnSlots, 1, 64),
		fabric.CheckRange("enter_slots", c.EnterSlots, 1, 64),
		fabric.CheckRange("inject_slots", c.InjectSlots, 1, 64),
		fabric.CheckRange("replicate_slots", c.ReplicateSlots, 1, 64),
		fabric.CheckRange("miss_limit", c.MissLimit, 1, 1<<20),
		fabric.CheckRange("inject_limit", c.InjectLimit, 1, referenceSlots),
		fabric.CheckRange("calm_patience", c.CalmPatience, 1, 1<<20),
		fabric.CheckRange("hold_after", c.HoldAfter, 1, 1<<20),
		fabric.CheckRange("classes", c.Classes, 1, noc.MaxClasses),
		fabric.CheckRange("source_queue", c.SourceQueue, 1, 1<<14),
		fabric.CheckRange("phit_bits", c.PhitBits, 1, 1<<16),
		fabric.CheckChoice("multicast", c.Multicast, Replicate, Adaptive, Tree, Path),
	); err != nil {
		return fmt.Errorf("rotary: %w", err)
	}
	return nil
}

// Rules names a rule set of [RuleSets].
type Rules string

// The rule sets.
const (
	PaperRules Rules = "paper"
	LiveRules  Rules = "live"
	CalmRules  Rules = "calm"
)

// RuleSet is a preset of the rules that a router may follow or not. The four rules of the paper and
// the structure are part of every one. See "Rule sets" in the package documentation.
type RuleSet struct {
	Name Rules
	Doc  string // one line

	MissLimit                              int
	ClassLimit, RingTurnBalance, EntryHold bool
	CalmInjection, CalmCopies              bool
}

// RuleSets returns all rule sets, from the fewest rules to the most.
func RuleSets() []RuleSet {
	return []RuleSet{
		{PaperRules, "the four rules of the MRR paper, its class limits, and a rule of its authors' simulator (carousel help papers); may stop or starve nodes beyond saturation",
			10, true, true, false, false, false},
		{LiveRules, "the default: the paper's rules and two more (carousel help papers); tori and meshes of two and three dimensions deliver at any load, from every node and in every class",
			10, true, true, true, true, false},
		{CalmRules, "live and calm_copies: aged packets stop not only the interface of a router but also its copies",
			10, true, true, true, true, true},
	}
}

// WithRules returns the configuration with the values of a rule set. It panics when there is none
// of that name; Validate tells users.
func (c Config) WithRules(name Rules) Config {
	for _, s := range RuleSets() {
		if s.Name == name {
			c.Rules = name
			c.MissLimit = s.MissLimit
			c.ClassLimit, c.RingTurnBalance, c.EntryHold = s.ClassLimit, s.RingTurnBalance, s.EntryHold
			c.CalmInjection, c.CalmCopies = s.CalmInjection, s.CalmCopies
			return c
		}
	}
	panic(fmt.Sprintf("rotary: there is no rule set %q", name))
}

// RuleText names the rules that the configuration follows: its rule set, and what differs from it
// and from the default of keys that no rule set decides, such as "live, entry_hold=false". Sizes
// are no rules.
func (c Config) RuleText() string {
	return fabric.RuleText(string(c.Rules), c, DefaultRR().WithRules(c.Rules))
}
