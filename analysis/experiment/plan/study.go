package plan

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/experiment/openloop"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/arguments"
	"github.com/carousel-sim/carousel/noc/leaf/wholefile"
	"github.com/carousel-sim/carousel/noc/traffic"
	"github.com/carousel-sim/carousel/traces"
)

// Chips makes the study of a configuration that replays workloads on chips, opens these, and checks that the
// chips can be built.
func Chips(ctx context.Context, c *config.Effective) (*experiment.Study, error) {
	study, err := OpenChips(ctx, c)
	if err == nil {
		err = CheckChips(study)
	}
	return study, err
}

// OpenChips does so without building a chip.
func OpenChips(ctx context.Context, c *config.Effective) (*experiment.Study, error) {
	c.FitMessages()
	if err := c.Check(); err != nil {
		return nil, err
	}
	list, err := OpenWorkloads(ctx, c)
	if err != nil {
		return nil, err
	}
	return ChipsWith(c, list), nil
}

// ChipsWith makes the study of workloads that are open, without building a chip.
func ChipsWith(c *config.Effective, list []experiment.Workload) *experiment.Study {
	return &experiment.Study{
		Workloads: list, Models: c.Models(), Routers: c.Routers, Runs: c.Runs, Seed: c.Seed, Windows: c.Windows,
		Chip: c.Chip, Network: c.Network, Power: c.Power,
	}
}

// CheckChips returns an error if a chip of a study cannot be built.
func CheckChips(study *experiment.Study) error {
	err := study.Check()
	switch {
	case err == nil:
		return nil
	case errors.As(err, new(*traces.Error)):
		return &config.InputError{Err: err}
	}
	return fmt.Errorf("this chip cannot be built: %w", err)
}

// Check finds the mistakes of a configuration that show without opening its workload: wrong values,
// and networks that cannot be built.
func Check(c *config.Effective) error {
	c.FitMessages()
	if err := c.Check(); err != nil {
		return err
	}
	return c.Blame(buildAll(c.Config), buildAll)
}

// buildAll reads the arguments of the program and builds the network of every router, and returns the first
// complaint.
func buildAll(c config.Config) error {
	if _, err := arguments.Split(c.Program.Arguments); err != nil {
		return fmt.Errorf("program.arguments %w", err)
	}
	for _, router := range c.Routers {
		m, err := c.Models().Lookup(router)
		if err == nil {
			var network noc.Network
			network, err = experiment.BuildNetwork(m, c.Network, &c.Chip)
			noc.Close(network)
		}
		if err != nil {
			return fmt.Errorf("router %s: %w", router, err)
		}
	}
	return nil
}

// NetworksAlone makes the study of a configuration that loads networks with synthetic traffic.
func NetworksAlone(c *config.Effective) (*openloop.Study, error) {
	if err := readRates(c); err != nil {
		return nil, err
	}
	if _, err := loadsOf(c); err != nil {
		return nil, err
	}
	return openLoop(c.Config), checkNetworksAlone(c, true)
}

// readRates reads the file of pattern "rates:FILE". Its load counts, unless another one is given.
func readRates(c *config.Effective) error {
	path, is := strings.CutPrefix(c.Traffic.Pattern, traffic.RatesPrefix)
	if !is {
		return nil
	}
	if c.Traffic.MulticastFraction > 0 {
		return fmt.Errorf("traffic.multicast_fraction is %g; pattern %s sends no multicasts", c.Traffic.MulticastFraction, c.Traffic.Pattern)
	}
	content, err := wholefile.Read(path, wholefile.TextBytes)
	if err != nil {
		return &config.InputError{Err: err}
	}
	if c.Traffic.Rates, err = traffic.ReadRates(path, bytes.NewReader(content)); err != nil {
		return &config.InputError{Err: err}
	}
	if c.Origin("traffic.load").Kind == config.FromDefault {
		c.Traffic.Load = traffic.RatesLoad(c.Traffic.Rates, c.Traffic.PacketPhits, c.Network.Places().Nodes())
	}
	return nil
}

// checkNetworksAlone finds wrong values, and with build also networks that cannot be built.
func checkNetworksAlone(c *config.Effective, build bool) error {
	if err := c.Check(); err != nil {
		return err
	}
	check := func(other config.Config) error { return openLoop(other).CheckValues() }
	if build {
		check = func(other config.Config) error { return openLoop(other).Check() }
	}
	return c.Blame(check(c.Config), check)
}

// openLoop makes a study without checking it, of a configuration whose loads loadsOf has read.
func openLoop(c config.Config) *openloop.Study {
	t := c.Traffic
	loads, _ := listLoads(&t)
	s := &openloop.Study{
		Models: c.Models(), Routers: c.Routers, Loads: loads, Runs: c.Runs, Seed: c.Seed, Cycles: t.Cycles, Warmup: t.Warmup,
		Traffic: t.Config,
		Network: c.Network, Power: c.Power,
	}
	s.Traffic.More = c.Patterns
	if t.Saturation {
		s.Limit, s.Step, s.Knee = t.Limit, t.Step, t.Knee
	}
	return s
}

// loadsOf returns the points of a sweep over the load; none stands for a search for saturation. Of
// the three keys that say which points to do, the one with the highest precedence counts, and the
// others are cleared.
func loadsOf(c *config.Effective) ([]float64, error) {
	t := &c.Traffic
	key, err := loadKey(c)
	if err != nil {
		return nil, err
	}
	if key != "traffic.loads" {
		t.Loads = ""
	}
	t.Saturation = key == "traffic.saturation"
	list, err := listLoads(t)
	if err != nil {
		return nil, fmt.Errorf("traffic.loads is %q: %w (given by %s)", t.Loads, err, c.Origin("traffic.loads"))
	}
	return list, nil
}

// listLoads returns the loads of a configuration that has one of the three keys.
func listLoads(t *config.Traffic) ([]float64, error) {
	if t.Saturation {
		return nil, nil
	}
	if t.Loads == "" {
		return []float64{t.Load}, nil
	}
	return openloop.ParseLoads(t.Loads)
}

// loadKey returns the key that says which points to do. A file, such as that of a manifest, may
// hold a single load beside one of the others.
func loadKey(c *config.Effective) (string, error) {
	key, strength, also := "traffic.load", config.FromDefault, ""
	for _, k := range []struct {
		name string
		used bool
	}{{"traffic.load", true}, {"traffic.loads", c.Traffic.Loads != ""}, {"traffic.saturation", c.Traffic.Saturation}} {
		at := c.Origin(k.name).Kind
		switch {
		case !k.used || at < config.FromFile || at < strength:
		case at == strength && (at != config.FromFile || key != "traffic.load"):
			also = k.name
		default:
			key, strength, also = k.name, at, ""
		}
	}
	if also != "" {
		return "", fmt.Errorf("%s and %s are given; choose one of --load, --loads and --saturation", key, also)
	}
	return key, nil
}
