package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"
)

// app is what all commands share: the streams and the global flags.
type app struct {
	stdout, stderr io.Writer
	args           []string // of the command line
	environment    []string

	format   string
	quiet    bool
	logLevel string
	file     string
	set      []string
}

// boundFlags names the key that each configuration flag sets, over all commands.
var boundFlags = map[string]string{
	"seed": "seed", "out": "out", "jobs": "jobs",
	"workload": "workload", "trace": "trace", "twin": "twin", "source": "source", "router": "routers", "protocol": "chip.protocol",
	"runs": "runs", "parquet": "parquet", "topology": "topology",
	"tech": "power.tech_nm", "profile": "power.profile",
	"pattern": "traffic.pattern", "load": "traffic.load", "loads": "traffic.loads",
	"multicast-fraction": "traffic.multicast_fraction", "multicast-destinations": "traffic.multicast_destinations",
	"packet-phits": "traffic.packet_phits", "cycles": "traffic.cycles", "warmup": "traffic.warmup",
	"vcs": "traffic.classes", "buffer-phits": "network.buffered.channel_phits", "saturation": "traffic.saturation", "plain": "network.plain",
}

func rootCommand(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:   "carousel",
		Short: "Compare on-chip networks under the traffic of real programs",
		Long: `Carousel replays memory traces of real programs on simulated multi-core chips and
compares their networks: execution time, latency and energy.

Exit codes: 0 done; 1 the simulation or a check found something wrong; 2 bad usage or
configuration; 3 bad input file; 130 interrupted, with everything finished so far saved.`,
		Example:           "  carousel run\n  carousel run --router rr,mrr --set chip.core.window=128\n  carousel help tutorial",
		SilenceUsage:      true,
		SilenceErrors:     true,
		PersistentPreRunE: func(*cobra.Command, []string) error { return a.checkGlobals() },
	}
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	flags := root.PersistentFlags()
	flags.StringVar(&a.format, "format", "table", "what standard output carries: table, json or csv")
	flags.BoolVar(&a.quiet, "quiet", false, "no progress, and only errors in the log")
	flags.StringVar(&a.logLevel, "log-level", "warn", "least level of log messages on standard error: debug, info, warn or error")
	flags.StringVar(&a.file, "config", "", "configuration file (YAML)")
	flags.StringArrayVar(&a.set, "set", nil, "set a configuration key, as key=value; may be repeated")
	flags.Uint64("seed", 1, "seed of all random streams")
	flags.String("out", "", "directory for tables and manifest (default a new one below results)")
	flags.Int("jobs", 0, "runs at the same time (default one per processor)")
	complete(root, "format", outputFormats)
	complete(root, "log-level", logLevels)
	root.AddCommand(
		runCommand(a),
		trafficCommand(a),
		sweepCommand(a),
		mergeCommand(a),
		paperCommand(a),
		reportCommand(a),
		traceCommand(a),
		workloadCommand(a),
		multicastCommand(a),
		powerCommand(a),
		verifyCommand(a),
		listCommand(a),
		configCommand(a),
		tablesCommand(a),
		manualCommand(a),
		versionCommand(a),
	)
	root.SetFlagErrorFunc(explainFlag)
	root.SetHelpCommand(helpCommand(a))
	root.Version = versionLine()
	root.SetVersionTemplate("{{.Version}}\n")
	group(root)
	root.InitDefaultCompletionCmd()
	return root
}

func (a *app) checkGlobals() error {
	if err := checkFormat(a.format); err != nil {
		return err
	}
	if !slices.Contains(logLevels, a.logLevel) {
		return usagef("--log-level %s: there are %s%s", a.logLevel, strings.Join(logLevels, ", "), didYouMean(a.logLevel, logLevels))
	}
	return nil
}

var logLevels = []string{"debug", "info", "warn", "error"}

// configuration merges defaults, file, environment, --set and the command's flags.
func (a *app) configuration(command *cobra.Command) (*Configuration, error) {
	return a.configurationOf(command, nil)
}

// configurationOf is the same with the settings of a plan, which are stronger than those of file and
// environment and weaker than --set.
func (a *app) configurationOf(command *cobra.Command, p *plan) (*Configuration, error) {
	file := a.file
	if file == "" {
		for _, entry := range a.environment {
			if path, ok := strings.CutPrefix(entry, "CAROUSEL_CONFIG="); ok {
				file = path
			}
		}
	}
	return load(sources{file: file, env: a.environment, plan: p, set: a.set, flags: command.Flags(), bound: boundFlags})
}

// log is a logger on standard error.
func (a *app) log() zerolog.Logger {
	level, _ := zerolog.ParseLevel(a.logLevel)
	if a.quiet {
		level = zerolog.ErrorLevel
	}
	w := zerolog.ConsoleWriter{Out: a.stderr, NoColor: !a.onTerminal(), TimeFormat: "15:04:05"}
	return zerolog.New(w).Level(level).With().Timestamp().Logger()
}

// onTerminal reports whether standard error is a terminal, the only place where progress is drawn.
func (a *app) onTerminal() bool {
	f, ok := a.stderr.(interface{ Fd() uintptr })
	return ok && term.IsTerminal(int(f.Fd()))
}

// group makes a command that only has subcommands name them, and suggest one, instead of succeeding
// without having done anything.
func group(command *cobra.Command) *cobra.Command {
	command.DisableSuggestions = true
	command.Args = cobra.ArbitraryArgs
	command.RunE = func(c *cobra.Command, args []string) error {
		var names []string
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() {
				names = append(names, sub.Name())
			}
		}
		if len(args) > 0 {
			return usagef("unknown command %q for %q; there are %s%s", args[0], c.CommandPath(), strings.Join(names, ", "), didYouMean(args[0], names))
		}
		if err := c.Help(); err != nil {
			return err
		}
		return usagef("%s needs a command: %s", c.CommandPath(), strings.Join(names, ", "))
	}
	return command
}

// explainFlag adds a suggestion to the message about an unknown flag.
func explainFlag(command *cobra.Command, err error) error {
	_, written, ok := strings.Cut(err.Error(), "unknown flag: --")
	if !ok {
		return usageError{fmt.Errorf("%w (see %s --help)", err, command.CommandPath())}
	}
	var names []string
	command.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	return usagef("unknown flag --%s%s (see %s --help)", written, didYouMean(written, names), command.CommandPath())
}

// complete makes the shell offer names for a flag.
func complete(command *cobra.Command, flag string, names []string) {
	offer := func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return names, cobra.ShellCompDirectiveNoFileComp
	}
	if err := command.RegisterFlagCompletionFunc(flag, offer); err != nil {
		panic(err) // the flag does not exist: a mistake in this program
	}
}
