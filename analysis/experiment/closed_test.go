package experiment

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/power"
	"github.com/carousel-sim/carousel/traces"
)

// counted is a network that counts how many of its kind are open, and does not count its events.
type counted struct {
	noc.Network
	open *atomic.Int32
}

func (c *counted) Close() error {
	c.open.Add(-1)
	return nil
}

func (c *counted) Hardware() noc.Hardware {
	h := c.Network.Hardware()
	h.Uncounted = true
	return h
}

// TestNetworksAreClosed: a study closes every network that it builds, those that fail too. Workloads with equally
// many cores share what is measured in the idle network. One that does not
// count its events has no energy and no rows of routers, before and after new prices.
func TestNetworksAreClosed(t *testing.T) {
	var open, built atomic.Int32
	m := must.Get(models.Lookup("ideal"))
	usual := m.New
	m.Name, m.New = "counted", func(o models.Options) (noc.Network, error) {
		open.Add(1)
		built.Add(1)
		n, err := usual(o)
		return &counted{n, &open}, err
	}
	s := small()
	s.Models, s.Routers = models.List{m}, []string{"counted"}
	s.Workloads = append(s.Workloads, workload("again", pingPong(4, 30)))
	must.Do(s.Check())
	if open.Load() != 0 || built.Load() != 2 {
		t.Errorf("after Check %d of %d networks are open", open.Load(), built.Load())
	}
	_, rows := do(t, context.Background(), s, quiet(1))
	if open.Load() != 0 || built.Load() != 7 { // of the check, four runs, and the idle times once
		t.Errorf("%d of %d networks are open, want none of 7", open.Load(), built.Load())
	}
	for range 2 {
		if r := &rows.Runs[0]; r.ExitState != tables.Finished || r.Energy.Known || r.ChipEnergy.Known || !r.ChipCores.Known || len(rows.Routers) != 0 {
			t.Fatalf("%d rows of routers, and %+v", len(rows.Routers), r)
		}
		must.Do(Reprice(&rows, func(c power.Config) (power.Config, error) { c.TechNM = 32; return c, nil }))
	}
	s.Workloads[0].Open = func(int) (traces.Source, func() error, error) { return nil, nil, errors.New("the trace is gone") }
	if err := s.Check(); err == nil || open.Load() != 0 {
		t.Errorf("%v, and %d networks are open", err, open.Load())
	}
}
