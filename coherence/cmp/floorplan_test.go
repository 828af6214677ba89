package cmp

import (
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/must"
)

func plan(t *testing.T, nodes int, edit func(*Config)) *floorplan {
	t.Helper()
	c := Default()
	c.Cores = 16
	if edit != nil {
		edit(&c)
	}
	p := must.Get(newFloorplan(c, nodes))
	return p
}

// Cores sit where x and y are even, mean core-to-core distance 4.27 hops, at most 8.
func TestCoresAreSpreadEvenly(t *testing.T) {
	p := plan(t, 64, nil)
	sum, pairs, most := 0, 0, 0
	for i, a := range p.cores {
		if a%8%2 != 0 || a/8%2 != 0 {
			t.Errorf("core %d sits at (%d,%d), not on even coordinates", i, a%8, a/8)
		}
		for k, b := range p.cores {
			if i != k {
				d := p.distance(a, b)
				sum, pairs, most = sum+d, pairs+1, max(most, d)
			}
		}
	}
	if mean := float64(sum) / float64(pairs); mean < 4.26 || mean > 4.27 || most != 8 {
		t.Errorf("mean distance %.3f, most %d; want 4.267 and 8", mean, most)
	}
}

// There is one controller per row and column, pairwise at least 4 hops apart, none at a core's
// router; each serves 8 routers at a mean distance of 1.25 and at most 2; core to controller 4.0.
func TestMemoryControllersFormALattice(t *testing.T) {
	p := plan(t, 64, nil)
	rows, columns := map[noc.NodeID]bool{}, map[noc.NodeID]bool{}
	for i, a := range p.memories {
		if want := noc.NodeID(3*i%8*8 + (i+1)%8); a != want {
			t.Errorf("controller %d sits at router %d, want %d", i, a, want)
		}
		rows[a/8], columns[a%8] = true, true
		if len(p.coresAt[a]) > 0 {
			t.Errorf("controller %d shares router %d with a core", i, a)
		}
		for k, b := range p.memories {
			if i != k && p.distance(a, b) < 4 {
				t.Errorf("controllers %d and %d are %d hops apart", i, k, p.distance(a, b))
			}
		}
	}
	if len(rows) != 8 || len(columns) != 8 {
		t.Errorf("controllers cover %d rows and %d columns", len(rows), len(columns))
	}
	served := make([]int, 8)
	sum, most := 0, 0
	for r := range 64 {
		m := p.homes.MemoryOfBank[r]
		served[m]++
		d := p.distance(noc.NodeID(r), p.memories[m])
		sum, most = sum+d, max(most, d)
	}
	for m, n := range served {
		if n != 8 {
			t.Errorf("controller %d serves %d routers", m, n)
		}
	}
	if sum != 80 || most != 2 {
		t.Errorf("mean distance %.2f, most %d; want 1.25 and 2", float64(sum)/64, most)
	}
	sum = 0
	for _, a := range p.cores {
		for _, b := range p.memories {
			sum += p.distance(a, b)
		}
	}
	if sum != 4*16*8 {
		t.Errorf("mean distance from core to controller %.3f, want 4", float64(sum)/128)
	}
}

func TestOtherFloorplans(t *testing.T) {
	for _, c := range []struct {
		nodes int
		edit  func(*Config)
	}{
		{16, func(c *Config) { c.Place.MemoryControllers = 4 }},
		{32, func(c *Config) { c.Place.Columns = 8; c.Place.MemoryControllers = 3 }},
		{64, func(c *Config) { c.Cores = 64 }},
		{64, func(c *Config) { c.Cores = 7 }},
		{16, func(c *Config) { c.Cores = 100 }},
		{64, func(c *Config) { c.Place.Cores, c.Place.Memory = "edge", "edge" }},
		{256, func(c *Config) { c.Cores = 64 }},
	} {
		p := plan(t, c.nodes, c.edit)
		served := map[uint16]int{}
		for _, m := range p.homes.MemoryOfBank {
			served[m]++
		}
		if len(served) != len(p.memories) {
			t.Errorf("%d nodes: only %d of %d controllers serve banks", c.nodes, len(served), len(p.memories))
		}
		at := map[noc.NodeID]int{}
		for _, r := range p.cores {
			at[r]++
		}
		for r, n := range at {
			if limit := (len(p.cores) + c.nodes - 1) / c.nodes; n > limit {
				t.Errorf("%d nodes, %d cores: router %d has %d cores", c.nodes, len(p.cores), r, n)
			}
		}
	}
}

func TestFloorplanErrorsNameTheKey(t *testing.T) {
	for _, c := range []struct {
		nodes int
		edit  func(*Config)
		want  string
	}{
		{64, func(c *Config) { c.Place.Cores = "anywhere" }, "chip.place.cores"},
		{64, func(c *Config) { c.Place.Memory = "list"; c.Place.MemoryList = []int{1, 2} }, "chip.place.memory_list"},
		{64, func(c *Config) { c.Place.Cores = "list"; c.Place.CoreList = make([]int, 16); c.Place.CoreList[3] = 64 }, "chip.place.core_list names router 64"},
		{60, func(c *Config) { c.Place.Columns = 10 }, "power of two"},
		{64, func(c *Config) { c.Place.Columns = 7 }, "chip.place.columns"},
	} {
		config := Default()
		config.Cores = 16
		if c.edit != nil {
			c.edit(&config)
		}
		if _, err := newFloorplan(config, c.nodes); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want an error about %s", err, c.want)
		}
	}
}

// TestPlaceOnALine: in a network without coordinates, 16 cores sit at every fourth of 64 nodes and
// the memory controllers evenly at others; with a core at every node controllers share them.
func TestPlaceOnALine(t *testing.T) {
	c := Default()
	c.Cores, c.Place.Columns = 16, 64
	p, err := newFloorplan(c, 64)
	if err != nil {
		t.Fatal(err)
	}
	for i, at := range p.cores {
		if int(at) != 4*i {
			t.Errorf("core %d is at node %d", i, at)
		}
	}
	for i, at := range p.memories {
		if int(at) != 8*i+5 {
			t.Errorf("memory controller %d is at node %d", i, at)
		}
	}
	c.Place.Columns = 16
	if p, err = newFloorplan(c, 16); err != nil || p.memories[0] != 1 || p.memories[7] != 15 {
		t.Errorf("16 cores on 16 nodes: controllers at %v, %v", p.memories, err)
	}
}
