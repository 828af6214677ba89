package vectors

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/multicast"
)

// starCase compares the totals of OCMS and the longest worms of OTMS. Several stars are optimal, so the
// witnesses are only checked to cost what the case says they cost.
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
	Ports       []noc.NodeID `json:"ports"`
	OCMSTotal   int          `json:"ocms_total"`
	OTMSMax     int          `json:"otms_max"`
	TotalAtMax  int          `json:"otms_total_at_max"`
	OCMSWitness []witness    `json:"ocms_witness"`
	OTMSWitness []witness    `json:"otms_witness"`
}

type starTotals struct {
	OCMSTotal int `json:"ocms_total"`
	OTMSMax   int `json:"otms_max"`
}

// witness is one worm of a star: a port and the stops through it, written [port, [stops]].
type witness struct {
	port  noc.NodeID
	stops []noc.NodeID
}

// UnmarshalJSON reads [port, [stops]].
func (w *witness) UnmarshalJSON(text []byte) error {
	var parts []json.RawMessage
	if err := json.Unmarshal(text, &parts); err != nil {
		return err
	}
	if len(parts) != 2 {
		return fmt.Errorf("a witness has %d parts; it is [port, [stops]]", len(parts))
	}
	if err := json.Unmarshal(parts[0], &w.port); err != nil {
		return err
	}
	return json.Unmarshal(parts[1], &w.stops)
}

func (k *starCase) check(c *comparison) error {
	l, err := k.open()
	if err != nil {
		return err
	}
	r, err := k.request(l)
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
	total, _ := cost(l, source, w.OCMSWitness)
	c.equal(name+" ocms_witness channels", total, w.OCMSTotal)
	total, longest := cost(l, source, w.OTMSWitness)
	c.equal(name+" otms_witness channels", total, w.TotalAtMax)
	c.equal(name+" otms_witness longest", longest, w.OTMSMax)
}

// cost adds up the worms of a witness.
func cost(l *multicast.Labelled, source noc.NodeID, list []witness) (total, longest int) {
	for _, w := range list {
		length := 0
		for i, s := range w.stops {
			if i == 0 {
				length = 1 + l.Distance(w.port, s)
			} else {
				length += l.Distance(w.stops[i-1], s)
			}
		}
		total, longest = total+length, max(longest, length)
	}
	return total, longest
}
