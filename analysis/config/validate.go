package config

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/coherence/cmp"
	"github.com/carousel-sim/carousel/noc/leaf/suggest"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/workloads"
)

// Check returns an error for the first value that is not allowed, and where it was given. Whether the
// network can be built is checked when a study is made.
func (e *Effective) Check() error { return e.Blame(e.Config.check(), Config.check) }

func (c Config) check() error {
	for _, r := range []struct {
		key          string
		value, limit int
	}{{"runs", c.Runs, 10_000}, {"jobs", c.Jobs, 1024}} {
		if r.value < 1 || r.value > r.limit {
			return fmt.Errorf("%s is %d; 1 to %d are allowed", r.key, r.value, r.limit)
		}
	}
	if t := c.Network.Threads; t < 0 || t > models.MostThreads {
		return fmt.Errorf("network.threads is %d; 0 to %d are allowed", t, models.MostThreads)
	}
	if c.Windows < 0 {
		return fmt.Errorf("windows is %d; 0 or more are allowed, and 0 replays all", c.Windows)
	}
	routers := c.Models().Names()
	for _, name := range c.Routers { // a name may have one of the model's schemes behind it
		if _, err := c.Models().Lookup(name); err == nil && !slices.Contains(routers, name) {
			routers = append(routers, name)
		}
	}
	if err := checkNames("routers", c.Routers, routers); err != nil {
		return err
	}
	if err := checkShown(c.Routers); err != nil {
		return err
	}
	if c.Trace == "" && c.Program.Path == "" {
		if err := checkNames("workload", c.WorkloadList(), append(workloads.Names(c.Workloads...), AllApplications)); err != nil {
			if info, statErr := os.Stat(c.Workload); statErr == nil && info.Mode().IsRegular() {
				err = fmt.Errorf("%w; to replay the file of that name, use --trace %s", err, c.Workload)
			}
			return err
		}
	}
	if err := checkNames("compression", []string{c.Compression}, []string{"zstd", "none"}); err != nil {
		return err
	}
	if err := checkNames("chip.protocol", []string{c.Chip.Protocol}, cmp.ProtocolNames(c.Protocols...)); err != nil {
		return err
	}
	for _, part := range []struct {
		section  string
		validate func() error
	}{{"synthetic", c.Synthetic.Validate}, {"chip", c.Chip.Validate}, {"power", c.Power.Validate}, {"network.program", c.Network.Program.Validate}} {
		if err := part.validate(); err != nil {
			return fmt.Errorf("%s.%w", part.section, err) // the parts name their own keys
		}
	}
	return c.checkInterfaces()
}

// checkInterfaces refuses sinks of finite size where packets may wait for each other's places in a
// circle: with buffers that all message classes share, with quotas that leave no room on one side of a bridge, and with
// worms that hold places at their first stops while they wait for one at a later stop.
func (c Config) checkInterfaces() error {
	for _, router := range c.Routers {
		m, err := c.Models().Lookup(router)
		base := models.Base(router)
		own := base == "wormhole" && !c.Network.Wormhole.ShareChannels
		if c.Chip.InterfaceSlots == 0 || err != nil || m.Schemes == nil && base == router && m.KeepsClassesApart(c.Network) || own && m.SchemeOf(c.Network) == "unicast" {
			continue
		}
		return fmt.Errorf("chip.interface_slots is %d, but router %s with scheme %s may deadlock on sinks of finite size on %s; use 0, or router wormhole with scheme unicast and without share_channels",
			c.Chip.InterfaceSlots, router, m.SchemeOf(c.Network), c.Topology)
	}
	return nil
}

// checkShown refuses two programs that tables would show by the same name.
func checkShown(routers []string) error {
	for i, name := range routers {
		for _, other := range routers[:i] {
			if models.Shown(name) == models.Shown(other) {
				return fmt.Errorf("routers has %s and %s, which tables would both show as %s; rename one", other, name, models.Shown(name))
			}
		}
	}
	return nil
}

// checkNames checks the names that a key lists against those that exist, and refuses repetitions.
func checkNames(key string, names, allowed []string) error {
	if len(names) == 0 {
		return fmt.Errorf("%s is empty; choose from %s", key, strings.Join(allowed, ", "))
	}
	for i, name := range names {
		if key == "chip.protocol" && strings.Contains(name, ",") {
			return fmt.Errorf("chip.protocol is %s, but a run has one protocol; list several in a plan of carousel sweep, under axes", name)
		}
		if !slices.Contains(allowed, name) {
			forms := strings.Join(allowed, ", ")
			if key == "routers" {
				forms += ", or program:FILE, which is a program of your own"
			}
			return fmt.Errorf("%s: there is no %q; choose from %s%s", key, name, forms, suggest.Text(name, allowed))
		}
		if slices.Contains(names[:i], name) {
			return fmt.Errorf("%s has %q twice", key, name)
		}
	}
	return nil
}
