package cli

import (
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/spf13/viper"

	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/analysis/show/monitor"
	"github.com/carousel-sim/carousel/coherence/verify"
	"github.com/carousel-sim/carousel/noc/leaf/printable"
	"github.com/carousel-sim/carousel/noc/leaf/suggest"
)

// app is what all commands share: the streams and the global flags.
type app struct {
	stdout, stderr *printable.Writer
	args           []string // of the command line
	environment    []string
	arguments      []string          // of the program that --program names, behind --
	extra          config.Extra      // what the program adds to the tables
	checks         []verify.Protocol // of protocols of extra
	monitor        *monitor.Server   // with --monitor
	title          string            // of the study on its page; "" for the command line

	options  *viper.Viper // the following, from flags and environment
	flags    *pflag.FlagSet
	format   string
	quiet    bool
	logLevel string
	preset   string
	file     string
	set      []string
}

// withoutKeys are the commands that no configuration key concerns.
var withoutKeys = []string{"list", "tables", "manual", "version", "multicast", "help", "completion"}

func rootCommand(a *app) *cobra.Command {
	root := group("carousel")
	root.SilenceUsage, root.SilenceErrors = true, true
	root.PersistentPreRunE = func(command *cobra.Command, _ []string) error {
		if name, _, _ := strings.Cut(strings.TrimPrefix(command.CommandPath(), "carousel "), " "); len(a.set) > 0 && slices.Contains(withoutKeys, name) {
			return usagef("--set %s has no effect on %s; leave it out", a.set[0], command.CommandPath())
		}
		if err := checkEffects(command); err != nil {
			return err
		}
		return a.readOptions()
	}
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	flags := root.PersistentFlags()
	flags.String("format", "table", "output format: table, json, csv, markdown or latex")
	flags.Bool("quiet", false, "no progress, and only errors in the log")
	flags.String("log-level", "warn", "minimum log level on standard error: debug, info, warn or error")
	flags.String("config", "", "configuration file (YAML), or the manifest.json of results")
	flags.String("preset", "", "named settings of a chip; all other settings override those of the preset; carousel list names the presets")
	flags.StringArrayVar(&a.set, "set", nil, "set a configuration key, as key=value; may be repeated")
	flags.Uint64("seed", 1, "seed of the random streams of the first run; synthetic workloads have synthetic.seed, too")
	flags.Int("jobs", 0, "number of runs at the same time (default one per processor)")
	a.bindOptions(flags)
	complete(root, "format", outputFormats)
	completeBy(root, "set", a.offerSettings)
	complete(root, "preset", config.Presets())
	complete(root, "log-level", logLevels)
	root.AddCommand(
		runCommand(a),
		trafficCommand(a),
		sweepCommand(a),
		mergeCommand(a),
		group("paper", paperListCommand(a), paperRunCommand(a)),
		reportCommand(a),
		group("trace", traceInfo(a), traceVerify(a), traceCat(a), traceImport(a), traceExport(a), traceSlice(a), traceSample(a), traceRecord(a)),
		group("workload", workloadList(a), workloadShow(a), workloadMake(a)),
		group("multicast", multicastPlan(a), multicastCheck(a)),
		group("power", powerEstimate(a), powerCheck(a)),
		verifyCommand(a),
		group("validate", validateSilicon(a), validateReplay(a), validateHandOff(a)),
		listCommand(a),
		group("config", configShow(a), configSystem(a), configSchema(a), configValidate(a)),
		tablesCommand(a),
		manualCommand(a),
		versionCommand(a),
	)
	root.SetFlagErrorFunc(explainFlag)
	root.SetHelpCommand(helpCommand(a))
	offerVersion(root)
	completeEverywhere(root)
	countInTens(root)
	root.InitDefaultCompletionCmd()
	return root
}

// decimal is the value of a flag that takes a whole number.
type decimal struct{ pflag.Value }

// Set implements pflag.Value.
func (d decimal) Set(text string) error { return d.Value.Set(config.Decimal(text)) }

// countInTens lets the flags of a command and of those below it take 010 for 10.
func countInTens(command *cobra.Command) {
	wrap := func(f *pflag.Flag) {
		if strings.Contains(f.Value.Type(), "int") {
			f.Value = decimal{f.Value}
		}
	}
	command.PersistentFlags().VisitAll(wrap)
	command.LocalNonPersistentFlags().VisitAll(wrap)
	for _, sub := range command.Commands() {
		countInTens(sub)
	}
}

var logLevels = []string{"debug", "info", "warn", "error"}

// log is a logger on standard error.
func (a *app) log() zerolog.Logger {
	level, _ := zerolog.ParseLevel(a.logLevel)
	if a.quiet {
		level = zerolog.ErrorLevel
	}
	w := zerolog.ConsoleWriter{Out: a.stderr, NoColor: true, TimeFormat: "15:04:05"}
	return zerolog.New(w).Level(level).With().Timestamp().Logger()
}

//go:embed commands.md
var commandTexts string

// newCommand returns the command of a path such as "trace info" with its texts of commands.md: a heading
// with what it takes, a line about it, its help, and examples, which are the last paragraph.
func newCommand(path string, args cobra.PositionalArgs, run func(command *cobra.Command, args []string) error) *cobra.Command {
	for section := range strings.SplitSeq(strings.TrimPrefix(commandTexts, "# "), "\n# ") {
		heading, text, _ := strings.Cut(section, "\n")
		takes, found := strings.CutPrefix(heading+" ", path+" ")
		if !found {
			continue
		}
		short, text, _ := strings.Cut(text, "\n")
		long, example := strings.Trim(text, "\n"), ""
		if at := strings.LastIndex("\n\n"+long, "\n\n"); strings.HasPrefix(long[at:], "  carousel ") {
			long, example = strings.TrimRight(long[:at], "\n"), long[at:]
		}
		name := path[strings.LastIndex(path, " ")+1:]
		return &cobra.Command{Use: strings.TrimSpace(name + " " + takes), Short: short, Long: long, Example: example, Args: args, RunE: run}
	}
	panic("commands.md has no text about " + path)
}

// group returns a command that only has subcommands. It names them, and suggests one, instead of
// succeeding without having done anything.
func group(path string, commands ...*cobra.Command) *cobra.Command {
	command := newCommand(path, cobra.ArbitraryArgs, func(c *cobra.Command, args []string) error {
		var names []string
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() {
				names = append(names, sub.Name())
			}
		}
		if len(args) > 0 {
			return usagef("unknown command %q for %q; there are %s%s", args[0], c.CommandPath(), strings.Join(names, ", "), suggest.Text(args[0], names))
		}
		if err := c.Help(); err != nil {
			return err
		}
		return usagef("%s needs a command: %s", c.CommandPath(), strings.Join(names, ", "))
	})
	command.DisableSuggestions = true
	command.AddCommand(commands...)
	return command
}

// flagValues says what flags of a type take, whatever its size.
var flagValues = map[string]string{"int": "a whole number", "uint": "a whole number from 0 on", "float": "a number", "bool": "true or false",
	"duration": "a time such as 90s or 2h"}

// explainFlag adds a suggestion to the message about an unknown flag, and what a flag takes to that
// about a wrong value.
func explainFlag(command *cobra.Command, err error) error {
	var invalid *pflag.InvalidValueError
	if errors.As(err, &invalid) {
		f := invalid.GetFlag()
		if takes := flagValues[strings.TrimRight(f.Value.Type(), "123468")]; takes != "" {
			for _, k := range config.Keys() {
				if k.Name == boundFlags[f.Name] && k.Unit != "" {
					takes += " of " + k.Unit
				}
			}
			return usagef("--%s %s: write %s (see %s --help)", f.Name, invalid.GetValue(), takes, command.CommandPath())
		}
	}
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) || unknown.GetSpecifiedShortnames() != "" {
		return usageError{fmt.Errorf("%w (see %s --help)", err, command.CommandPath())}
	}
	var names []string
	command.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
	written := "--" + unknown.GetSpecifiedName()
	hint := suggest.Text(written, names)
	if keys := keysOf(unknown.GetSpecifiedName()); hint == "" && keys != nil && command.Flags().Lookup("set") != nil {
		hint = "; did you mean --set " + strings.Join(keys, "=VALUE or --set ") + "=VALUE?"
	}
	return usagef("unknown flag %s%s (see %s --help)", written, hint, command.CommandPath())
}

// keysOf returns the keys that people may mean by a flag: those of which the last part has all of its words; nil for
// more than three.
func keysOf(flag string) (found []string) {
	for _, name := range config.KeyNames(config.Keys()) {
		words := strings.Split(name[strings.LastIndex(name, ".")+1:], "_")
		if !slices.ContainsFunc(strings.Split(flag, "-"), func(word string) bool { return !slices.Contains(words, word) }) {
			found = append(found, name)
		}
	}
	if len(found) > 3 {
		return nil
	}
	return found
}

// noArguments refuses arguments in our words.
func noArguments(command *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef("%s takes no arguments, but got %q (see %s --help)", command.CommandPath(), args, command.CommandPath())
	}
	return nil
}

// oneFile asks for exactly one argument.
func oneFile(command *cobra.Command, args []string) error {
	if len(args) != 1 {
		_, wanted, _ := strings.Cut(command.Use, " ")
		return usagef("%s needs one argument, not %d: %s %s", command.CommandPath(), len(args), command.CommandPath(), wanted)
	}
	return nil
}

// someArguments asks for at least one argument; needs says what the command takes.
func someArguments(needs string) cobra.PositionalArgs {
	return func(command *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usagef("%s %s (see %s --help)", command.CommandPath(), needs, command.CommandPath())
		}
		return nil
	}
}
