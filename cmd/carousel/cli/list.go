package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/paper"
	"github.com/carousel-sim/carousel/analysis/show/sheet"
	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/coherence/cmp"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/noc/multicast"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/noc/traffic"
	"github.com/carousel-sim/carousel/power"
	"github.com/carousel-sim/carousel/traces/formats"
	"github.com/carousel-sim/carousel/workloads"
)

// listed is one thing that can be chosen by name.
type listed struct {
	Kind string `json:"kind" title:"kind"`
	Name string `json:"name" title:"name"`
	Doc  string `json:"doc" title:"what it is"`
}

func listCommand(a *app) *cobra.Command {
	return newCommand("list", noArguments, func(*cobra.Command, []string) error { return printList(a, a.catalogue()) })
}

// catalogue lists the tables of all families.
func (a *app) catalogue() []listed {
	var list []listed
	for _, m := range a.extra.Models() {
		list = append(list, listed{"router", m.Name, m.Doc})
	}
	for _, s := range models.RuleSets() {
		list = append(list, listed{"rotary rules", string(s.Name), s.Doc})
	}
	for _, p := range slices.Concat(cmp.Protocols, a.extra.Protocols) {
		list = append(list, listed{"protocol", p.Name, p.Doc})
	}
	for _, f := range topology.Forms {
		list = append(list, listed{"topology", f.Form, f.Doc})
	}
	for _, s := range slices.Concat(multicast.Schemes, a.extra.Schemes) {
		list = append(list, listed{"multicast scheme", s.Name, s.Doc})
	}
	for _, p := range slices.Concat(traffic.Patterns, a.extra.Patterns) {
		list = append(list, listed{"traffic pattern", p.Name, p.Doc})
	}
	for _, w := range slices.Concat(workloads.Table, a.extra.Workloads) {
		list = append(list, listed{"workload", w.Name, string(w.Kind) + ": " + w.Doc})
	}
	for _, f := range formats.Table {
		list = append(list, listed{"trace format", f.Name, f.Doc})
	}
	for _, name := range config.Presets() {
		list = append(list, listed{"preset", name, config.PresetDoc(name)})
	}
	for _, e := range paper.Entries() {
		list = append(list, listed{"figure", e.ID, e.Figure + ": " + e.Title})
	}
	return append(list, technologies()...)
}

// technologies lists the nodes that package power accepts, largest first, with their profiles.
func technologies() (list []listed) {
	c := power.Default()
	for c.TechNM = 250; c.TechNM > 0; c.TechNM-- {
		var names []string
		extrapolated := ""
		for _, c.Profile = range power.Profiles() {
			if c.Validate() != nil {
				continue
			}
			names = append(names, string(c.Profile))
			if c.Extrapolated() {
				extrapolated += fmt.Sprintf("; extrapolated in profile %s", c.Profile)
			}
		}
		if names != nil {
			doc := fmt.Sprintf("nm, %g V; profiles: %s%s", c.Effective().VoltageV, strings.Join(names, ", "), extrapolated)
			list = append(list, listed{"technology", strconv.Itoa(c.TechNM), doc})
		}
	}
	return list
}

func tablesCommand(a *app) *cobra.Command {
	return newCommand("tables", cobra.MaximumNArgs(1), func(_ *cobra.Command, args []string) error {
		list := tables.Descriptions()
		if len(args) > 0 {
			var err error
			if list, err = tables.DescribeFolder(args[0]); err != nil {
				return inputError{err}
			}
			if len(list) == 0 {
				return usagef("%s holds no result tables; name a folder that run, traffic, sweep or paper run wrote", args[0])
			}
		}
		s := sheet.New("table", "column", "type", "null", "unit", "meaning")
		for _, t := range list {
			for _, c := range t.Columns {
				s.Add(t.Name, c.Name, c.Type, c.Null, c.Unit, c.Doc)
			}
		}
		return a.print(list, s)
	})
}

// offerVersion gives the program its flag --version. A version template of cobra would do so too, but it
// refers to text/template, whose calls by name make the linker keep every method of every type: 5 MB.
func offerVersion(root *cobra.Command) {
	version := root.Flags().BoolP("version", "v", false, "version for carousel")
	run := root.RunE
	root.RunE = func(c *cobra.Command, args []string) error {
		if *version {
			_, err := fmt.Fprintln(c.OutOrStdout(), versionLine())
			return err
		}
		return run(c, args)
	}
}

// versionLine is what carousel --version prints.
func versionLine() string {
	p := experiment.Program()
	line := "carousel " + p.Version
	if p.Revision != nil {
		line += " (" + *p.Revision + ")"
	}
	return line
}

func versionCommand(a *app) *cobra.Command {
	return newCommand("version", noArguments, func(*cobra.Command, []string) error {
		p := experiment.Program()
		return printFacts(a, struct {
			Version       string  `json:"version" title:"carousel"`
			Revision      *string `json:"vcs_revision" title:"revision"`
			Modified      *bool   `json:"vcs_modified" title:"modified"`
			ModelVersion  string  `json:"model_version" title:"model version"`
			SchemaVersion string  `json:"schema_version" title:"table version"`
			GoVersion     string  `json:"go_version" title:"go"`
			Platform      string  `json:"platform" title:"platform"`
		}{p.Version, p.Revision, p.Modified, p.ModelVersion, p.SchemaVersion, p.GoVersion, p.Platform})
	})
}

// complete makes the shell offer names for a flag.
func complete(command *cobra.Command, flag string, names []string) {
	completeBy(command, flag, func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return names, cobra.ShellCompDirectiveNoFileComp
	})
}

func completeBy(command *cobra.Command, flag string, offer cobra.CompletionFunc) {
	if err := command.RegisterFlagCompletionFunc(flag, offer); err != nil {
		panic(err) // the flag does not exist: a mistake in this program
	}
}

// completeEverywhere offers topologies for the flag --topology of all commands below a command.
func completeEverywhere(command *cobra.Command) {
	if command.LocalFlags().Lookup("topology") != nil {
		completeBy(command, "topology", offerTopologies)
	}
	for _, sub := range command.Commands() {
		completeEverywhere(sub)
	}
}

// offerTopologies offers the beginnings that a network's name can have, and files once graph: or
// anynet: is written.
func offerTopologies(_ *cobra.Command, _ []string, written string) ([]string, cobra.ShellCompDirective) {
	if topology.OfFile(written) {
		return nil, cobra.ShellCompDirectiveDefault
	}
	var list []string
	for _, f := range topology.Forms {
		begin := f.Form[:strings.IndexFunc(f.Form, unicode.IsUpper)] // the rest stands for sizes and names
		list = append(list, begin+"\t"+f.Doc)
	}
	return beginning(list, written), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// offerSettings offers the keys for --set, and the names that a key's value can have once it is
// written.
func (a *app) offerSettings(_ *cobra.Command, _ []string, written string) ([]string, cobra.ShellCompDirective) {
	name, _, valued := strings.Cut(written, "=")
	var list []string
	for _, k := range config.Keys() {
		switch {
		case !valued:
			list = append(list, k.Name+"=\t"+k.Doc)
		case k.Name == name:
			for _, choice := range a.extra.Choices(k) {
				list = append(list, name+"="+choice)
			}
			return beginning(list, written), cobra.ShellCompDirectiveNoFileComp
		}
	}
	return beginning(list, written), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// offerWorkloads offers the names of workloads for an argument.
func (a *app) offerWorkloads(_ *cobra.Command, args []string, written string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return beginning(workloads.Names(a.extra.Workloads...), written), cobra.ShellCompDirectiveNoFileComp
}

// offerKeys offers the configuration keys as arguments.
func offerKeys(_ *cobra.Command, _ []string, written string) ([]string, cobra.ShellCompDirective) {
	var list []string
	for _, k := range config.Keys() {
		list = append(list, k.Name+"\t"+k.Doc)
	}
	return beginning(list, written), cobra.ShellCompDirectiveNoFileComp
}

// beginning returns the offers that begin with what is written.
func beginning(list []string, written string) []string {
	return slices.DeleteFunc(list, func(s string) bool { return !strings.HasPrefix(s, written) })
}
