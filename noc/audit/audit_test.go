package audit

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/ideal"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/topology"
)

var grid = topology.Torus(4, 4)

// broken spoils what a network says.
type broken struct {
	*ideal.Network
	spoil   func(list []noc.Delivery) []noc.Delivery
	owes    int
	late    noc.Cycle
	phits   uint64
	invalid error
	closed  bool // a sink
	silent  bool // about receipts
	told    []noc.Receipt
}

func (b *broken) Deliveries() []noc.Delivery {
	list := b.Network.Deliveries()
	if b.spoil != nil && len(list) > 0 {
		list = b.spoil(list)
	}
	return list
}

func (b *broken) Sent() []noc.Receipt {
	list := b.Network.Sent()
	if b.silent {
		list = nil
	}
	return append(list, b.told...)
}

func (b *broken) InFlight() int                  { return b.Network.InFlight() + b.owes }
func (b *broken) Step(until noc.Cycle) noc.Cycle { return b.Network.Step(until + b.late) }
func (b *broken) CheckInvariants() error         { return b.invalid }
func (b *broken) Totals() noc.Totals {
	t := b.Network.Totals()
	t.Phits += b.phits
	return t
}

// TestEachLawBites breaks each law in turn.
func TestEachLawBites(t *testing.T) {
	change := func(f func(d *noc.Delivery)) func([]noc.Delivery) []noc.Delivery {
		return func(list []noc.Delivery) []noc.Delivery {
			f(&list[0])
			return list
		}
	}
	for want, b := range map[string]*broken{
		"":                        {},
		"is not owed":             {spoil: change(func(d *noc.Delivery) { d.Tag = 7 })},
		"does not match":          {spoil: change(func(d *noc.Delivery) { d.Class++ })},
		"is early":                {spoil: change(func(d *noc.Delivery) { d.Hops = 0 })},
		"after a step from cycle": {spoil: change(func(d *noc.Delivery) { d.Arrived-- })},
		"is listed after {":       {spoil: func(l []noc.Delivery) []noc.Delivery { slices.Reverse(l); return l }},
		"the network owes 3":      {owes: 1},
		"are missing 500 cycles":  {closed: true},
		", Now is":                {late: 1},
		"at the end the totals":   {phits: 3},
		"it has not left":         {silent: true},
		"receipt {":               {told: []noc.Receipt{{Src: 5}}},
		"of its own":              {invalid: errors.New("of its own")},
	} {
		net := must.Get(ideal.New(grid, ideal.Default()))
		b.Network = net
		if b.closed {
			net.LimitSink(6, 0, 0)
		}
		if got := drive(b); (want == "") != (got == nil) || got != nil && !strings.Contains(got.Error(), want) {
			t.Errorf("%q: %v", want, got)
		}
	}
}

// drive sends one packet under audit.
func drive(net noc.Network) error {
	a, err := New(net, grid.Distance)
	if err != nil {
		return err
	}
	a.Offer(noc.Packet{Src: 5, Dst: noc.SetOf(16, 4, 6), Phits: 5, Receipt: true})
	if err := a.Step(3); err != nil {
		return err
	}
	if err := a.Drain(500, 500); err != nil {
		return err
	}
	return a.End()
}

// unchecked is a network without invariants.
type unchecked struct{ noc.Network }

func TestEveryNetworkChecksItself(t *testing.T) {
	if _, err := New(unchecked{}, grid.Distance); err == nil || !strings.Contains(err.Error(), "noc.Checker") {
		t.Errorf("got %v", err)
	}
}
