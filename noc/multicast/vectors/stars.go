package vectors

import (
	"fmt"
	"slices"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/multicast"
)

// starCase compares the totals of OCMS and the longest worms of OTMS. Several stars are optimal, so
// the witnesses are only checked to be stars of the size that the case gives them.
type starCase struct {
	network
	High   starHalf   `json:"high"`
	Low    starHalf   `json:"low"`
	Strict starTotals `json:"strict"`
	Free   starTotals `json:"free"`
}

type starHalf struct {
	K      int      `json:"k"`
	Strict starRule `json:"strict"`
	Free   starRule `json:"free"`
}

type starRule struct {
	Ports      []noc.NodeID `json:"ports"`
	OCMSTotal  int          `json:"ocms_total"`
	OTMSMax    int          `json:"otms_max"`
	TotalAtMax int          `json:"otms_total_at_max"`
	// A witness is a star: the port of each worm and the stops through it.
	OCMSWitness []nodeAndList `json:"ocms_witness"`
	OTMSWitness []nodeAndList `json:"otms_witness"`
}

type starTotals struct {
	OCMSTotal int `json:"ocms_total"`
	OTMSMax   int `json:"otms_max"`
}

func (k *starCase) check(c *comparison) error {
	l, r, err := k.openRequest()
	if err != nil {
		return err
	}
	for rule, name := range multicast.PortRules {
		ocms, err := l.OCMS(r, multicast.PortRule(rule))
		if err != nil {
			return err
		}
		otms, err := l.OTMS(r, multicast.PortRule(rule))
		if err != nil {
			return err
		}
		c.valid(name+" ocms", ocms.Plan(l, r.Source).Check(l.Wiring, r))
		c.valid(name+" otms", otms.Plan(l, r.Source).Check(l.Wiring, r))
		totals := []starTotals{k.Strict, k.Free}[rule]
		c.equal(name+" ocms_total", ocms.High.Total()+ocms.Low.Total(), totals.OCMSTotal)
		c.equal(name+" otms_max", max(otms.High.Longest(), otms.Low.Longest()), totals.OTMSMax)
		compareHalf(c, "high "+name, l, r.Source, ocms.High, otms.High, k.High, rule)
		compareHalf(c, "low "+name, l, r.Source, ocms.Low, otms.Low, k.Low, rule)
	}
	return nil
}

func compareHalf(c *comparison, name string, l *multicast.Labelled, source noc.NodeID, ocms, otms multicast.Half, want starHalf, rule int) {
	w := []starRule{want.Strict, want.Free}[rule]
	stops := 0
	for _, list := range ocms.Stops {
		stops += len(list)
	}
	c.equal(name+" k", stops, want.K)
	ports, wanted := slices.Clone(ocms.Ports), slices.Clone(w.Ports)
	slices.Sort(ports)
	slices.Sort(wanted)
	c.equal(name+" ports", ports, wanted)
	c.equal(name+" ocms_total", ocms.Total(), w.OCMSTotal)
	c.equal(name+" otms_max", otms.Longest(), w.OTMSMax)
	c.equal(name+" otms_total_at_max", otms.Total(), w.TotalAtMax)
	c.equal(name+" ocms_witness channels", witnessed(c, name+" ocms_witness", l, source, ocms, w.OCMSWitness).Total(), w.OCMSTotal)
	best := witnessed(c, name+" otms_witness", l, source, ocms, w.OTMSWitness)
	c.equal(name+" otms_witness channels", best.Total(), w.TotalAtMax)
	c.equal(name+" otms_witness longest", best.Longest(), w.OTMSMax)
}

// witnessed checks that a witness is a star that serves what another one serves, and sizes it.
func witnessed(c *comparison, what string, l *multicast.Labelled, source noc.NodeID, other multicast.Half, list []nodeAndList) multicast.Half {
	var h multicast.Half
	for _, w := range list {
		for _, n := range append(w.list, w.node) {
			if int(n) >= l.Wiring.Nodes() {
				c.valid(what, fmt.Errorf("it names node %d; nodes are 0 to %d", n, l.Wiring.Nodes()-1))
				return multicast.Half{}
			}
		}
		if !slices.Contains(other.Ports, w.node) {
			c.valid(what, fmt.Errorf("it names port %d; ports are %v", w.node, other.Ports))
		}
		h.Ports, h.Stops = append(h.Ports, w.node), append(h.Stops, w.list)
	}
	p := multicast.Star{High: h}.Plan(l, source)
	c.valid(what, p.Check(l.Wiring, multicast.Request{Source: source, Destinations: slices.Concat(other.Stops...)}))
	for _, m := range p {
		h.Lengths = append(h.Lengths, len(m.Path))
	}
	return h
}
