package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// effect says that flags of a command have no effect with another flag, or without any of several
// others. What depends on configuration or input is checked where that is known, by noEffect.
type effect struct {
	command, flags string // "!a b" are all flags of the command but a and b
	with           string // another flag
	without        string // flags of which one is needed
	hint           string // what to do instead; "" is to leave the flag out
}

// effects are all of them.
var effects = []effect{
	{command: "traffic", flags: "packet-limit region", without: "packets"},
	{command: "traffic", flags: "bytes nodes", without: "collective"},
	{command: "traffic", flags: "bytes nodes", with: "packets"},
	{command: "traffic", flags: "pattern load loads multicast-fraction multicast-destinations cycles warmup saturation runs verbose", with: "packets"},
	{command: "traffic", flags: "pattern load loads multicast-fraction multicast-destinations cycles warmup saturation runs verbose", with: "collective"},
	{command: "multicast plan", flags: "force", without: "svg"},
	{command: "trace record", flags: "!program files output small name cores turn windows window-records live window-instructions no-fetches program-output go-on force", with: "program"},
	{command: "trace record", flags: "files", without: "program"},
	{command: "trace record", flags: "cpus kernel busybox file setup memory", without: "system"},
	{command: "trace record", flags: "cores", with: "system", hint: "use --cpus"},
	{command: "trace record", flags: "instances children threads-to-cores begin end skip-instructions", with: "system"},
	{command: "trace record", flags: "turn window-records go-on", with: "live"},
	{command: "trace record", flags: "window-records live", without: "windows"},
	{command: "trace record", flags: "live", without: "program"},
	{command: "trace record", flags: "window-instructions", without: "live"},
	{command: "trace record", flags: "go-on", without: "program end markers instructions records"},
}

// isOn reports whether a flag was given, and not as the value that stands for nothing.
func isOn(flags *pflag.FlagSet, name string) bool {
	f := flags.Lookup(name)
	return f != nil && f.Changed && !slices.Contains([]string{"", "0", "false"}, f.Value.String())
}

// checkEffects refuses flags that have no effect beside the other flags of a command line.
func checkEffects(command *cobra.Command) (err error) {
	path := strings.TrimPrefix(command.CommandPath(), "carousel ")
	given := command.LocalFlags()
	for _, e := range effects {
		if e.command != path || err != nil {
			continue
		}
		because := "with --" + e.with
		if e.with == "" {
			because = "without --" + strings.ReplaceAll(e.without, " ", ", --")
		}
		if applies := isOn(given, e.with) || e.with == "" && !slices.ContainsFunc(strings.Fields(e.without), func(name string) bool { return isOn(given, name) }); !applies {
			continue
		}
		listed, but := strings.CutPrefix(e.flags, "!")
		given.VisitAll(func(f *pflag.Flag) {
			if f.Changed && slices.Contains(strings.Fields(listed), f.Name) != but && err == nil {
				err = withoutEffect(f.Name, because, e.hint)
			}
		})
	}
	return err
}

// noEffect refuses the first of some flags that was given.
func noEffect(command *cobra.Command, because string, flags ...string) error {
	for _, name := range flags {
		if f := command.Flags().Lookup(name); f != nil && f.Changed {
			return withoutEffect(name, because, "")
		}
	}
	return nil
}

func withoutEffect(flag, because, hint string) error {
	if hint == "" {
		hint = "leave it out"
	}
	return usagef("--%s has no effect %s; %s", flag, because, hint)
}
