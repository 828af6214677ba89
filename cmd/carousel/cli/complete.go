package cli

import (
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/workloads"
)

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

// offerTopologies offers the beginnings that a network's name can have, and files once graph: is
// written.
func offerTopologies(_ *cobra.Command, _ []string, written string) ([]string, cobra.ShellCompDirective) {
	if strings.HasPrefix(written, "graph:") {
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
