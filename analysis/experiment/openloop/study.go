package openloop

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/noc/traffic"
	"github.com/carousel-sim/carousel/power"
)

// Study compares routers under traffic.
type Study struct {
	Models  models.List `json:"-"` // what routers are chosen from; nil is models.Table
	Routers []string    // names of Models
	// Loads are the points of a sweep; none searches for saturation instead.
	Loads []float64
	Limit float64 // largest load that a search looks at, phits per node and cycle
	Step  float64 // resolution of a search, phits per node and cycle
	// Knee is the multiple of the latency at the lightest load, Step, beyond which a search takes a
	// network as saturated; 0 asks only whether the network carries the load.
	Knee float64
	Runs int    // of each router and load, or searches of each router, with consecutive seeds
	Seed uint64 // of the first
	// Cycles is the length of a point, the first Warmup of which are not measured.
	Cycles, Warmup noc.Cycle
	Traffic        traffic.Config // its load and seed are replaced by those of the point
	Network        models.Options // its classes and seed follow the traffic
	Power          power.Config
}

// row returns the row of a router at one load with one seed before anything has been measured.
func (s *Study) row(router string, load float64, seed uint64) (tables.Traffic, error) {
	c, network := s.traffic(load, seed), s.network(seed)
	row, err := experiment.NetworkRow(func(router string) any {
		return struct {
			Model, Router  string
			Cycles, Warmup noc.Cycle
			Traffic        traffic.Config
			Network        models.Options
		}{experiment.ModelVersion, router, s.Cycles, s.Warmup, c, network}
	}, s.Models, router, network, s.Power)
	row.Pattern, row.MulticastFraction, row.PacketPhits = c.Pattern, c.MulticastFraction, uint64(c.PacketPhits)
	row.MulticastDestinations = uint64(min(c.MulticastDestinations, s.Network.Places().Nodes()-1))
	row.Classes, row.Cycles, row.Warmup = uint64(c.Classes), uint64(s.Cycles), uint64(s.Warmup)
	row.Seed, row.Offered = seed, load
	return row, err
}

// traffic is that of a load with a seed.
func (s *Study) traffic(load float64, seed uint64) traffic.Config {
	c := s.Traffic
	c.Load, c.Seed = load, seed
	return c
}

// network is that of a seed.
func (s *Study) network(seed uint64) models.Options {
	o := s.Network
	o.Classes, o.Seed = s.Traffic.Classes, seed
	for class := range min(o.Classes, noc.MaxClasses) {
		o.ClassPhits[class] = s.Traffic.PacketPhits
	}
	return o
}

// CheckValues finds mistakes of the traffic.
func (s *Study) CheckValues() error {
	if s.Cycles < 1 || s.Warmup >= s.Cycles {
		return fmt.Errorf("traffic.warmup is %d and traffic.cycles is %d; warmup must be less than cycles", s.Warmup, s.Cycles)
	}
	loads, key := s.Loads, "load"
	if len(loads) == 0 {
		if !(s.Step > 0 && s.Step <= s.Limit) {
			return fmt.Errorf("traffic.step is %g; use a resolution above 0 and up to traffic.limit (%g)", s.Step, s.Limit)
		}
		if s.Knee != 0 && !(s.Knee > 1) {
			return fmt.Errorf("traffic.knee is %g; use a multiple above 1, such as 3, or 0 for none", s.Knee)
		}
		loads, key = []float64{s.Limit}, "limit"
	}
	for _, load := range loads {
		if err := s.traffic(load, s.Seed).Validate(s.Network.Places()); err != nil {
			if s.Network.Other != nil {
				return fmt.Errorf("traffic.%w (patterns see the nodes of %s in a line)", err, s.Network.Topology())
			}
			return fmt.Errorf("traffic.%w", err)
		}
	}
	return s.checkInjection(key, slices.Max(loads))
}

// checkInjection finds routers whose nodes cannot send what is offered, whatever the network carries.
func (s *Study) checkInjection(key string, load float64) error {
	for _, router := range s.Routers {
		m, err := s.Models.Lookup(router)
		if err != nil || m.Injection == nil {
			continue // for Check to say
		}
		if most := m.Injection(s.Network); most > 0 && load > float64(most) {
			return fmt.Errorf("traffic.%s is %g phits per node and cycle, but a node of router %s sends at most %d; use loads up to %d",
				key, load, router, most, most)
		}
	}
	return nil
}

// Check finds mistakes of the configuration before the first point.
func (s *Study) Check() error {
	if err := s.CheckValues(); err != nil {
		return err
	}
	for _, router := range s.Routers {
		network, _, err := s.build(router, s.Seed)
		if err != nil {
			return err
		}
		err = experiment.CheckPrices(router, network, s.Power)
		noc.Close(network)
		if err != nil {
			return err
		}
	}
	return nil
}

// build makes the network of a router.
func (s *Study) build(router string, seed uint64) (noc.Network, models.Model, error) {
	model, err := s.Models.Lookup(router)
	if err != nil {
		return nil, model, err
	}
	if longest, key := model.MaxPhits(s.Network); s.Traffic.PacketPhits > longest {
		return nil, model, fmt.Errorf("traffic.packet_phits is %d, but router %s carries packets of up to %d phits; raise network.%s",
			s.Traffic.PacketPhits, router, longest, key)
	}
	network, err := model.Build(s.network(seed))
	if err != nil {
		return nil, model, fmt.Errorf("router %s: %w", router, err)
	}
	return network, model, nil
}

// maxLoads bounds the points of a sweep, leastStep their distance.
const (
	maxLoads  = 10_000
	leastStep = 1e-6
)

// ParseLoads reads loads, separated by commas, or FIRST:LAST:STEP. The last load of these is part of the sweep when
// a step meets it.
func ParseLoads(text string) (list []float64, err error) {
	const form = "write FIRST:LAST:STEP, such as 0.1:0.9:0.1, or a list, such as 0.1,0.25"
	separator := ","
	if strings.Contains(text, ":") {
		separator = ":"
	}
	for _, part := range strings.Split(text, separator) {
		v, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
		if err != nil {
			return nil, fmt.Errorf("%q is not a number; %s", part, form)
		}
		if separator == "," && (!(v >= leastStep) || math.IsInf(v, 1) || slices.Contains(list, v)) {
			return nil, fmt.Errorf("load %g is below %g, too large, or given twice", v, leastStep)
		}
		list = append(list, v)
	}
	if separator == "," {
		slices.Sort(list)
		return list, nil
	}
	if len(list) != 3 {
		return nil, errors.New(form)
	}
	first, last, step := list[0], list[1], list[2]
	if !(step >= leastStep) || !(first >= leastStep) || !(last >= first) {
		return nil, fmt.Errorf("the first load and the step must be %g or more and the last not below the first, such as 0.1:0.9:0.1", leastStep)
	}
	if (last-first)/step >= maxLoads {
		return nil, fmt.Errorf("these are more than %d loads; use a larger step", maxLoads)
	}
	list = nil
	for i := 0; ; i++ {
		load := tidy(first + float64(i)*step)
		if load > tidy(last) {
			return list, nil
		}
		list = append(list, load)
	}
}

// tidy removes the error of binary arithmetic from a decimal number: 0.1+0.2 becomes 0.3.
func tidy(v float64) float64 { return math.Round(v*1e9) / 1e9 }

// Describe adds the study to a manifest.
func (s *Study) Describe(m *experiment.Manifest) {
	m.DescribeRouters(s.Models, s.Routers, s.Network)
	m.Traces, m.Seeds = []experiment.TraceIdentity{}, experiment.Seeds(s.Seed, s.Runs)
}
