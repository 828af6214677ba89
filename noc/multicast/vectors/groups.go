package vectors

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/multicast"
)

// groupCase compares every phase of Qualified Groups.
type groupCase struct {
	network
	TD              json.Number    `json:"TD"`
	Lo              []int          `json:"lo"`
	Hi              []int          `json:"hi"`
	Mid             []int          `json:"mid"`
	N               []int          `json:"N"`
	Divisor         int            `json:"divisor"`
	Primary         []groupNumbers `json:"primary"`
	Wav             [2]int64       `json:"wav"`
	QP              []float64      `json:"qp"`
	Final           [][]noc.NodeID `json:"final"`
	Representatives []noc.NodeID   `json:"representatives"`
	Step1           []worm         `json:"step1_dual"`
	Step2           []worm         `json:"step2_dual"`
	Cut             int64          `json:"latency_cut_Ts33_L32"`
	Store           int64          `json:"latency_eq7_Ts33_L32"`
}

type groupNumbers struct {
	Nodes []noc.NodeID `json:"nodes"`
	Pn    noc.NodeID   `json:"pn"`
	Pf    noc.NodeID   `json:"pf"`
	Ext   int          `json:"ext"`
	Int   int          `json:"int"`
	Wm    int          `json:"wm"`
}

// thousandths reads a threshold as a whole number of thousandths.
func thousandths(n json.Number) (int, error) {
	r, ok := new(big.Rat).SetString(n.String())
	if ok {
		r.Mul(r, big.NewRat(1000, 1))
	}
	if !ok || !r.IsInt() || !r.Num().IsInt64() {
		return 0, fmt.Errorf("TD is %s; it has at most three decimals", n)
	}
	return int(r.Num().Int64()), nil
}

func (k *groupCase) check(c *comparison) error {
	l, r, err := k.openMesh()
	if err != nil {
		return err
	}
	o := multicast.DefaultGroupOptions()
	if o.Threshold, err = thousandths(k.TD); err != nil {
		return err
	}
	q, err := multicast.QualifiedGroups(k.grid, r, o)
	if err != nil {
		return err
	}
	k.compareGroups(c, q)
	p := q.Plan(l, &k.grid, r, o)
	c.valid("plan", p.Check(l.Wiring, r))
	var first, second multicast.Plan
	for _, m := range p {
		if m.After < 0 {
			first = append(first, m)
		} else {
			second = append(second, m)
		}
	}
	c.equal("step1_dual", worms(first, false), sorted(k.Step1))
	c.equal("step2_dual", worms(second, true), sorted(k.Step2))
	timing := multicast.GroupTiming(32)
	for start, want := range []int64{k.Store, k.Cut} {
		timing.Start = multicast.Start(start)
		latency, err := p.Latency(l.Wiring, timing)
		c.valid("latency", err)
		c.equal([]string{"latency_eq7_Ts33_L32", "latency_cut_Ts33_L32"}[start], latency, want)
	}
	return nil
}

func (k *groupCase) compareGroups(c *comparison, q multicast.Grouping) {
	c.equal("lo", q.Area.Low, k.Lo)
	c.equal("hi", q.Area.High, k.Hi)
	c.equal("mid", q.Area.Middle, k.Mid)
	c.equal("N", q.Area.Imbalance, k.N)
	c.equal("divisor", q.Area.Divisor, k.Divisor)
	var primary []groupNumbers
	for _, g := range q.Primary {
		primary = append(primary, groupNumbers{g.Nodes, g.Nearest, g.Farthest, g.External, g.Internal, g.Weight})
	}
	c.equal("primary", primary, k.Primary)
	average := new(big.Rat)
	if len(q.Primary) > 0 {
		average.SetFrac64(int64(q.WeightSum()), int64(len(q.Primary)))
	}
	c.equal("wav", [2]int64{average.Num().Int64(), average.Denom().Int64()}, k.Wav)
	c.equal("number of qp", len(q.Primary), len(k.QP))
	for i := range min(len(k.QP), len(q.Primary)) {
		qp, _ := new(big.Rat).Quo(new(big.Rat).Sub(big.NewRat(int64(q.Primary[i].Weight), 1), average), average).Float64()
		if math.Abs(qp-k.QP[i]) > 1e-9 { // printed with nine decimals
			c.equal(fmt.Sprintf("qp %d", i), qp, k.QP[i])
		}
	}
	var final [][]noc.NodeID
	var representatives []noc.NodeID
	for _, g := range q.Final {
		final, representatives = append(final, g.Nodes), append(representatives, g.Nearest)
	}
	c.equal("final", final, k.Final)
	c.equal("representatives", representatives, k.Representatives)
}

// weightCase compares the arithmetic of the paper's worked example, whose nodes are not printed.
type weightCase struct {
	ID        string      `json:"id"`
	Note      string      `json:"note"`
	Weights   []int       `json:"weights"`
	Int       []int       `json:"int"`
	Ext       []int       `json:"ext"`
	Wav       [2]int64    `json:"wav"`
	QP        *float64    `json:"qp_G3"`
	Qualified []bool      `json:"qualified"`
	TD        json.Number `json:"TD"`
}

func (k *weightCase) check(c *comparison) error {
	threshold, err := thousandths(k.TD)
	if err != nil {
		return err
	}
	if len(k.Weights) == 0 || slices.Min(k.Weights) < 1 {
		return fmt.Errorf("weights are %v; at least one, all positive, are needed", k.Weights)
	}
	var q multicast.Grouping
	for _, w := range k.Weights {
		q.Primary = append(q.Primary, multicast.Group{Weight: w})
	}
	for i := range min(len(k.Int), len(k.Ext)) {
		c.equal("weight", k.Int[i]+k.Ext[i], k.Weights[min(i, len(k.Weights)-1)])
	}
	average := big.NewRat(int64(q.WeightSum()), int64(len(k.Weights)))
	c.equal("wav", [2]int64{average.Num().Int64(), average.Denom().Int64()}, k.Wav)
	var qualified []bool
	for _, g := range q.Primary {
		qualified = append(qualified, q.Qualified(g, threshold))
	}
	c.equal("qualified", qualified, k.Qualified)
	if k.QP != nil && len(k.Weights) > 2 {
		qp, _ := new(big.Rat).Quo(new(big.Rat).Sub(big.NewRat(int64(k.Weights[2]), 1), average), average).Float64()
		if math.Abs(qp-*k.QP) > 1e-9 {
			c.equal("qp_G3", qp, *k.QP)
		}
	}
	return nil
}
