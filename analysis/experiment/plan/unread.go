package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/workloads"
)

// Unread is the error that no point of a study reads a setting.
type Unread struct {
	config.Setting
	because string
}

// Error says why, and what to do.
func (u *Unread) Error() string {
	return fmt.Sprintf("%s has no effect %s", u.Origin.Label(u.Key.Name), u.because)
}

// unread returns which of some settings no point of a configuration reads. Kind is one of Kinds, or
// experiment.Packets.
func unread(kind string, given config.Layer, c *config.Config) (list []*Unread) {
	for _, s := range given {
		if because := unreadBecause(kind, s.Key.Name, c); because != "" {
			list = append(list, &Unread{s, because})
		}
	}
	return list
}

// Refused is the first of some settings that the command line gives; nil if none is. Files and environment may hold
// settings for several studies.
func Refused(list []*Unread) error {
	for _, u := range list {
		if u.Origin.Kind >= config.FromSet {
			return u
		}
	}
	return nil
}

// CheckRead refuses settings of the command line that no point of a study reads. also are routers beside those of
// the configuration.
func CheckRead(kind string, c *config.Effective, also ...string) error {
	wider := c.Config
	wider.Routers = slices.Concat(c.Routers, also)
	return Refused(unread(kind, c.Settings(), &wider))
}

// unreadBecause says why no point reads a key; "" if one may. Routers and protocols of other modules may read any.
func unreadBecause(kind, key string, c *config.Config) string {
	in := func(names ...string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return key == name || strings.HasPrefix(key, name+".") })
	}
	parts := strings.Split(key, ".")
	switch {
	case kind == Messages && !in("seed", "jobs", "out", "parquet", "csv", "compression"):
		return "on single messages, whose keys are set in the plan; leave it out"
	case kind == Run && in("traffic"):
		return "on chips; leave it out, or use carousel traffic, which reads it"
	case kind != Run && key != "chip.clock_ghz" && in("workload", "trace", "windows", "program", "synthetic", "chip", "network.copies"):
		return "on networks without a chip; leave it out, or use carousel run, which reads it"
	case kind == experiment.Packets && !in("traffic.packet_phits", "traffic.classes") && in("traffic", "runs"):
		return "with --packets or --collective; leave it out"
	case in("program") && key != "program.path" && c.Program.Path == "":
		return "without --program; leave it out"
	case in("synthetic") && !synthetic(c):
		return "without a synthetic workload; leave it out"
	case in("chip.token", "chip.directory") && c.Chip.Protocol != parts[1] && slices.Contains(config.Extra{}.Choices(config.Key{Name: "chip.protocol"}), c.Chip.Protocol):
		return fmt.Sprintf("without protocol %s; leave it out", parts[1])
	case in("network"):
		return unreadByRouters(parts[1], c)
	}
	return ""
}

// synthetic reports whether a workload of a configuration may be synthetic.
func synthetic(c *config.Config) bool {
	return c.Trace == "" && c.Program.Path == "" && slices.ContainsFunc(c.WorkloadList(), func(name string) bool {
		w, err := workloads.Find(name, c.Workloads...)
		return err != nil || w.Kind != workloads.Recording
	})
}

// unreadByRouters says why no router reads a section of the network's keys, or its scheme.
func unreadByRouters(section string, c *config.Config) string {
	var readers []string
	read := false
	for i, name := range slices.Concat(c.Models().Names(), []string{"program:FILE"}, c.Routers) {
		m, err := c.Models().Lookup(name)
		own := ""
		if err == nil && m.MaxPhits != nil {
			_, key := m.MaxPhits(c.Network)
			own, _, _ = strings.Cut(key, ".")
		}
		reads := own == section || section == "scheme" && m.Schemes != nil
		switch {
		case i > len(c.Models()):
			read = read || reads || own == ""
		case reads:
			readers = append(readers, name)
		}
	}
	if read || readers == nil {
		return ""
	}
	return fmt.Sprintf("without router %s; leave it out", strings.Join(readers, ", "))
}
