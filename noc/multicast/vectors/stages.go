package vectors

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/multicast"
	"github.com/carousel-sim/carousel/noc/topology"
)

// size is the input that cases on multistage networks share: b^n nodes and b x b switches.
type size struct {
	ID string `json:"id"`
	B  int    `json:"b"`
	N  int    `json:"n"`
}

// open builds the unidirectional or the bidirectional network.
func (s size) open(bidirectional bool) (topology.Multistage, error) {
	if s.B < 2 || s.N < 1 {
		return topology.Multistage{}, fmt.Errorf("b is %d and n is %d; at least 2 and 1 are needed", s.B, s.N)
	}
	nodes := 1
	for range s.N {
		if nodes *= s.B; nodes > topology.MaxNodes {
			return topology.Multistage{}, fmt.Errorf("b^n is %d^%d; at most %d nodes are possible", s.B, s.N, topology.MaxNodes)
		}
	}
	return topology.NewMultistage(bidirectional, nodes, s.B)
}

// stageCase compares wiring, switch groups, routes and trees of multistage networks.
type stageCase struct {
	size
	Kind     string       `json:"kind"`
	Note     string       `json:"note"`
	Wiring   [][][][2]int `json:"wiring"`
	Several  bool         `json:"b_consumption"`
	Groups   [][][]int    `json:"groups"`
	Source   noc.NodeID   `json:"source"`
	Dest     noc.NodeID   `json:"dest"`
	Dests    []noc.NodeID `json:"dests"`
	Turn     int          `json:"bi_turn"`
	Uni      []string     `json:"uni"`
	BiLowest []string     `json:"bi_lowest_port"`
	UniNS    int64        `json:"uni_ns"`
	BiNS     int64        `json:"bi_ns"`
	// Channels are lists of names, or their number.
	UniChannels json.RawMessage     `json:"uni_channels"`
	BiChannels  json.RawMessage     `json:"bi_channels"`
	UniBranches [][]json.RawMessage `json:"uni_branches"`
	BiBranches  [][]json.RawMessage `json:"bi_branches"`
	UniATBM     int64               `json:"uni_atbm_ns"`
	BiATBM      int64               `json:"bi_atbm_ns"`
}

func (k *stageCase) check(c *comparison) error {
	uni, err := k.open(false)
	if err != nil {
		return err
	}
	bi, err := k.open(true)
	if err != nil {
		return err
	}
	all := append([]noc.NodeID{k.Dest}, k.Dests...)
	if err := (multicast.Request{Source: k.Source, Destinations: all}).Validate(uni.Nodes()); err != nil {
		return err
	}
	switch k.Kind {
	case "uni wiring":
		k.compareWiring(c, uni)
	case "bi wiring":
		k.compareWiring(c, bi)
	case "uni groups":
		return k.compareGroups(c, uni)
	case "bi backward groups":
		return k.compareGroups(c, bi)
	case "unicast":
		k.Dests = []noc.NodeID{k.Dest}
		c.equal("bi_turn", bi.TurnStage(k.Source, k.Dest), k.Turn)
		return cmp.Or(k.compareUnicast(c, uni, k.Uni, k.UniNS), k.compareUnicast(c, bi, k.BiLowest, k.BiNS))
	case "multicast":
		c.equal("bi_turn", bi.TurnStage(k.Source, multicast.Request{Source: k.Source, Destinations: k.Dests}.Targets()...), k.Turn)
		return cmp.Or(k.compareTree(c, uni, k.UniBranches, k.UniChannels, k.UniATBM), k.compareTree(c, bi, k.BiBranches, k.BiChannels, k.BiATBM))
	case "latency example":
		// From node 0 to one node under each switch: it branches at the turn only.
		for n := range noc.NodeID(bi.Nodes()) {
			k.Dests = append(k.Dests, n*noc.NodeID(k.B)%noc.NodeID(bi.Nodes()))
		}
		return k.compareLatency(c, bi, "bi_atbm_ns", k.BiATBM)
	default:
		return fmt.Errorf("kind %q is not known", k.Kind)
	}
	return nil
}

func (k *stageCase) compareWiring(c *comparison, m topology.Multistage) {
	var got [][][][2]int
	for stage := range m.Stages - 1 {
		rows := make([][][2]int, m.Rows())
		for row := range rows {
			for p := range m.Arity {
				next, in := m.Right(stage, row, p)
				rows[row] = append(rows[row], [2]int{next, in})
			}
		}
		got = append(got, rows)
	}
	c.equal("wiring", got, k.Wiring)
}

// compareGroups compares the closed form and the general algorithm.
func (k *stageCase) compareGroups(c *comparison, m topology.Multistage) error {
	consumption := 1
	if k.Several {
		consumption = m.Arity
	}
	groups, err := multicast.NewSwitchGroups(m, consumption)
	if err != nil {
		return err
	}
	tags := multicast.TagGroups(m, consumption)
	c.equal("number of stages", m.Stages, len(k.Groups))
	for stage := range min(m.Stages, len(k.Groups)) {
		name := fmt.Sprintf("groups of stage %d", stage)
		c.equal(name, groups.Partition(m, stage), k.Groups[stage])
		column := stage
		if m.Bidirectional {
			column = 2*m.Stages - 1 - stage
		}
		var parts [][]int
		place := map[int]int{}
		for row, group := range tags[column] {
			if group < 0 {
				continue
			}
			if _, known := place[group]; !known {
				place[group] = len(parts)
				parts = append(parts, nil)
			}
			parts[place[group]] = append(parts[place[group]], row)
		}
		c.equal(name+" by tags", parts, k.Groups[stage])
	}
	return nil
}

func (k *stageCase) compareUnicast(c *comparison, m topology.Multistage, channels []string, ns int64) error {
	p, err := multicast.Copies(multicast.Request{Source: k.Source, Destinations: k.Dests}, 1, m.Route)
	if err != nil {
		return err
	}
	if len(p) == 0 {
		return fmt.Errorf("a unicast from node %d to itself", k.Source)
	}
	c.equal(m.String()+" channels", channelNames(m, p[0]), channels)
	latency, err := p.Latency(m.Wiring(), multicast.TreeTiming(64))
	c.equal(m.String()+" ns", latency, ns)
	return err
}

func (k *stageCase) compareTree(c *comparison, m topology.Multistage, branches [][]json.RawMessage, channels json.RawMessage, ns int64) error {
	groups, err := multicast.NewSwitchGroups(m, 1)
	if err != nil {
		return err
	}
	r := multicast.Request{Source: k.Source, Destinations: k.Dests}
	p := multicast.TreeWorm(m, groups, r)
	c.valid(m.String(), p.Check(m.Wiring(), r))
	names := []string{}
	if len(p) > 0 {
		names = channelNames(m, p[0])
	}
	if text := bytes.TrimSpace(channels); len(text) > 0 && text[0] == '[' {
		var want []string
		if err := json.Unmarshal(channels, &want); err != nil {
			return err
		}
		slices.Sort(names)
		slices.Sort(want)
		c.equal(m.String()+" channels", names, want)
	} else {
		c.equal(m.String()+" number of channels", len(names), channels)
	}
	c.equal(m.String()+" branches", branchPoints(m, p), branches)
	return k.compareLatency(c, m, m.String()+" atbm_ns", ns)
}

func (k *stageCase) compareLatency(c *comparison, m topology.Multistage, what string, ns int64) error {
	groups, err := multicast.NewSwitchGroups(m, 1)
	if err != nil {
		return err
	}
	p := multicast.TreeWorm(m, groups, multicast.Request{Source: k.Source, Destinations: k.Dests})
	latency, err := p.Latency(m.Wiring(), multicast.TreeTiming(64))
	c.equal(what, latency, ns)
	return err
}

// channelNames names the channels of a worm: inj:source, f:stage:row:port to the right,
// b:stage:row:port to the left, con:destination.
func channelNames(m topology.Multistage, worm multicast.Worm) []string {
	names := []string{fmt.Sprintf("inj:%d", worm.From)}
	visits := worm.Tree
	for i, r := range worm.Path {
		visits = append(visits, multicast.Visit{Parent: int32(i - 1), Router: r})
	}
	for _, v := range visits {
		from := m.Router(0, int(worm.From)/m.Arity)
		if v.Parent >= 0 {
			from = visits[v.Parent].Router
		}
		stage, row := m.Place(from)
		next, _ := m.Place(v.Router)
		side, port := "f", portTo(m, from, v.Router)
		if next < stage {
			side = "b"
		}
		names = append(names, fmt.Sprintf("%s:%d:%d:%d", side, stage, row, port%m.Arity))
	}
	for _, s := range worm.Stops {
		names = append(names, fmt.Sprintf("con:%d", s))
	}
	return names
}

// portTo is the output port that leads from one switch to another.
func portTo(m topology.Multistage, from, to noc.NodeID) int {
	for out := range 2 * m.Arity {
		if !m.Bidirectional && out >= m.Arity {
			break
		}
		if next, _, ok := m.Step(from, out); ok && next == to {
			return out
		}
	}
	return -1
}

// branchPoints lists [stage, row, ports] of every switch where a tree needs several ports.
func branchPoints(m topology.Multistage, p multicast.Plan) [][3]any {
	list := [][3]any{}
	if len(p) == 0 {
		return list
	}
	ports := map[noc.NodeID][]int{}
	add := func(router noc.NodeID, port int) {
		if !slices.Contains(ports[router], port) {
			ports[router] = append(ports[router], port)
		}
	}
	for _, v := range p[0].Tree {
		from := m.Router(0, int(p[0].From)/m.Arity)
		if v.Parent >= 0 {
			from = p[0].Tree[v.Parent].Router
		}
		if port := portTo(m, from, v.Router); !m.Bidirectional || port < m.Arity {
			add(from, port)
		}
	}
	exits := m.Wiring().Exit
	for _, s := range p[0].Stops {
		add(exits[s].Router, int(exits[s].Port))
	}
	for _, r := range slices.Sorted(maps.Keys(ports)) {
		if len(ports[r]) < 2 {
			continue
		}
		slices.Sort(ports[r])
		stage, row := m.Place(r)
		list = append(list, [3]any{stage, row, ports[r]})
	}
	return list
}

// chainCase compares software multicast by recursive doubling.
type chainCase struct {
	size
	Source       noc.NodeID   `json:"source"`
	Dests        []noc.NodeID `json:"dests"`
	Chain        []noc.NodeID `json:"chain"`
	Schedule     [][3]int     `json:"schedule"`
	Steps        int          `json:"steps"`
	ConflictsUni int          `json:"conflicts_uni"`
	ConflictsBi  int          `json:"conflicts_bi_lowest_port"`
}

func (k *chainCase) check(c *comparison) error {
	r := multicast.Request{Source: k.Source, Destinations: k.Dests}
	chain := multicast.RotatedChain(r)
	c.equal("chain", chain, k.Chain)
	for i, bidirectional := range []bool{false, true} {
		m, err := k.open(bidirectional)
		if err != nil {
			return err
		}
		if err := r.Validate(m.Nodes()); err != nil {
			return err
		}
		p := multicast.Doubling(chain, multicast.WithSender, m.Route)
		c.valid(m.String(), p.Check(m.Wiring(), r))
		c.equal("schedule", schedule(p), sortedSchedule(k.Schedule))
		size, err := p.Measure()
		c.valid("measure", err)
		c.equal("steps", size.Steps, k.Steps)
		pairs, err := p.Contending(m.Wiring())
		c.valid("contending", err)
		c.equal([]string{"conflicts_uni", "conflicts_bi_lowest_port"}[i], len(pairs), []int{k.ConflictsUni, k.ConflictsBi}[i])
	}
	return nil
}

// schedule lists [step, from, to] of every unicast of a plan, ascending.
func schedule(p multicast.Plan) [][3]int {
	var list [][3]int
	for i, m := range p {
		list = append(list, [3]int{p.Step(i), int(m.From), int(m.Stops[0])})
	}
	return sortedSchedule(list)
}

func sortedSchedule(list [][3]int) [][3]int {
	slices.SortFunc(list, func(a, b [3]int) int { return slices.Compare(a[:], b[:]) })
	return list
}
