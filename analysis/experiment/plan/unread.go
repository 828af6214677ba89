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
	case kind == experiment.Packets && key != "traffic.packet_phits" && in("traffic", "runs"):
		return "with --packets or --collective; leave it out"
	case in("program") && key != "program.path" && c.Program.Path == "":
		return "without --program; leave it out"
	case in("synthetic") && !synthetic(c):
		return "without a synthetic workload; leave it out"
	case in("chip.token", "chip.directory") && c.Chip.Protocol != parts[1] && !foreign(c):
		return fmt.Sprintf("without protocol %s; leave it out", parts[1])
	case in("network"):
		return unreadByRouters(parts[1], c)
	}
	return ""
}

// foreign reports whether the protocol is that of another module.
func foreign(c *config.Config) bool {
	for _, p := range c.Protocols {
		if p.Name == c.Chip.Protocol {
			return true
		}
	}
	return false
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
	reads := func(name string) bool {
		m, err := c.Models().Lookup(name)
		if err != nil || m.MaxPhits == nil {
			return true
		}
		if section == "scheme" {
			return m.Schemes != nil
		}
		_, key := m.MaxPhits(c.Network)
		own, _, _ := strings.Cut(key, ".")
		return own == "" || own == section
	}
	owners := slices.DeleteFunc(c.Models().Names(), func(name string) bool { return !reads(name) })
	if section == "program" {
		owners = []string{"program:FILE"}
	}
	if len(owners) == 0 || slices.ContainsFunc(c.Routers, reads) {
		return ""
	}
	return fmt.Sprintf("without router %s; leave it out", strings.Join(owners, ", "))
}
