package cli

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/spf13/viper"

	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/experiment/plan"
	"github.com/carousel-sim/carousel/analysis/show/system"
	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/noc/leaf/arguments"
	"github.com/carousel-sim/carousel/noc/leaf/suggest"
	"github.com/carousel-sim/carousel/noc/leaf/wholefile"
	"github.com/carousel-sim/carousel/noc/models"
)

// boundFlags names the key that each configuration flag sets, over all commands.
var boundFlags = map[string]string{
	"seed": "seed", "out": "out", "jobs": "jobs",
	"workload": "workload", "trace": "trace", "program": "program.path", "threads": "program.threads", "files": "program.files", "router": "routers", "protocol": "chip.protocol",
	"runs": "runs", "windows": "windows", "cold": "chip.cold", "until-instructions": "chip.until_instructions", "until-cycles": "chip.until_cycles", "parquet": "parquet", "csv": "csv", "compression": "compression", "topology": "topology",
	"tech": "power.tech_nm", "profile": "power.profile",
	"pattern": "traffic.pattern", "load": "traffic.load", "loads": "traffic.loads",
	"multicast-fraction": "traffic.multicast_fraction", "multicast-destinations": "traffic.multicast_destinations",
	"packet-phits": "traffic.packet_phits", "cycles": "traffic.cycles", "warmup": "traffic.warmup",
	"saturation": "traffic.saturation", "plain": "network.plain",
}

// programOptions are the flags of the program itself that have an environment variable: --log-level
// has CAROUSEL_LOG_LEVEL. They are no configuration keys, because no result depends on them.
var programOptions = []string{"config", "preset", "format", "quiet", "log-level"}

// bindOptions puts flags and environment of the program's options into one order.
func (a *app) bindOptions(flags *pflag.FlagSet) {
	a.options, a.flags = viper.New(), flags
	a.options.SetEnvPrefix("carousel")
	a.options.SetEnvKeyReplacer(strings.NewReplacer("-", "_"))
	a.options.AutomaticEnv()
	for _, name := range programOptions {
		if err := a.options.BindPFlag(name, flags.Lookup(name)); err != nil {
			panic(err) // the flag does not exist: a mistake in this program
		}
	}
}

// readOptions takes the program's options from flags and environment, and refuses what they cannot
// be.
func (a *app) readOptions() (err error) {
	a.preset, a.file, a.format, a.logLevel = a.options.GetString("preset"), a.options.GetString("config"), a.options.GetString("format"), a.options.GetString("log-level")
	if a.quiet, err = strconv.ParseBool(a.options.GetString("quiet")); err != nil {
		return usagef("CAROUSEL_QUIET is %q; true or false is needed", a.options.GetString("quiet"))
	}
	if !slices.Contains(outputFormats, a.format) {
		return usagef("%s %s: there are %s%s", a.optionLabel("format"), a.format, strings.Join(outputFormats, ", "), suggest.Text(a.format, outputFormats))
	}
	a.stdout.Raw = a.format != "table" // CSV and JSON are for programs
	if !slices.Contains(logLevels, a.logLevel) {
		return usagef("%s %s: there are %s%s", a.optionLabel("log-level"), a.logLevel, strings.Join(logLevels, ", "), suggest.Text(a.logLevel, logLevels))
	}
	return nil
}

// optionLabel names an option of the program in errors by where it was given.
func (a *app) optionLabel(name string) string {
	if a.flags.Changed(name) {
		return "--" + name
	}
	return optionVariable(name)
}

// optionVariable is the environment variable of an option.
func optionVariable(name string) string {
	return "CAROUSEL_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}

// configuration merges defaults, file, environment, --set and the command's flags.
func (a *app) configuration(command *cobra.Command) (*config.Effective, error) {
	below, above, err := a.layers(command)
	if err != nil {
		return nil, err
	}
	return a.extra.New(below, above)
}

// networks is the configuration of a kind of study, with what --scheme, --vcs and --buffer-phits make of its routers.
func (a *app) networks(command *cobra.Command, kind string, channels func(*config.Effective, *pflag.FlagSet) error) (*config.Effective, error) {
	c, err := a.configuration(command)
	if err == nil {
		err = chooseScheme(c, command.Flags())
	}
	if err == nil {
		err = channels(c, command.Flags())
	}
	if err != nil {
		return nil, err
	}
	var more []string
	if asksBound(command, &c.Config) {
		more = []string{"ideal"}
	}
	return c, plan.CheckRead(kind, c, more...)
}

// layers returns the settings of file and environment, which are weaker than those of a plan, and
// those of --set and of the command's flags, which are stronger.
func (a *app) layers(command *cobra.Command) (below, above config.Layer, err error) {
	if a.preset != "" {
		if below, err = config.Preset(a.preset); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", a.optionLabel("preset"), err)
		}
	}
	if a.file != "" {
		file, err := config.ReadFile(a.file)
		if err != nil {
			return nil, nil, err
		}
		below = append(below, file...)
	}
	var others []string
	for _, name := range programOptions {
		others = append(others, optionVariable(name))
	}
	environment, err := config.Environment(a.environment, others...)
	if err != nil {
		return nil, nil, err
	}
	if above, err = config.Assignments(a.set); err != nil {
		return nil, nil, err
	}
	command.Flags().Visit(func(f *pflag.Flag) {
		key, bound := boundFlags[f.Name]
		if !bound || err != nil {
			return
		}
		above, err = also(above, key, f.Value.String(), config.Origin{Kind: config.FromFlag, Name: f.Name})
	})
	if len(a.arguments) > 0 && err == nil {
		above, err = also(above, "program.arguments", arguments.Join(a.arguments), config.Origin{Kind: config.FromFlag, Name: "program"})
	}
	return append(below, environment...), above, err
}

// channelKeys are the keys that --vcs and --buffer-phits set, by router.
var channelKeys = map[string]map[string]string{
	"vcs": {"base": "traffic.classes", "base-mc": "traffic.classes", "wormhole": "network.wormhole.virtual_channels"},
	"buffer-phits": {"base": "network.buffered.channel_phits", "base-mc": "network.buffered.channel_phits",
		"wormhole": "network.wormhole.buffer_phits", "wormhole-ideal": "network.wormhole_ideal.buffer_phits"},
}

// addChannels lays --vcs and --buffer-phits over the configuration, as keys of the routers that are
// compared. The virtual channels of base are message classes; alone, a wormhole router has its own
// for packets of one class.
func addChannels(c *config.Effective, flags *pflag.FlagSet) (err error) {
	var layer config.Layer
	for _, name := range []string{"vcs", "buffer-phits"} {
		if f := flags.Lookup(name); f == nil || !f.Changed {
			continue
		}
		origin := config.Origin{Kind: config.FromFlag, Name: name}
		used := map[string]bool{}
		for _, router := range c.Routers {
			key := channelKeys[name][models.Base(router)]
			if key == "" || used[key] {
				continue
			}
			used[key] = true
			if layer, err = also(layer, key, flags.Lookup(name).Value.String(), origin); err != nil {
				return err
			}
		}
		if len(used) == 0 {
			return usagef("--%s: %s has no virtual channels; use it with base, base-mc or wormhole, or leave it out", name, strings.Join(c.Routers, ", "))
		}
		if name == "vcs" && !used["traffic.classes"] && !c.Given("traffic.classes") {
			if layer, err = also(layer, "traffic.classes", "1", config.Origin{Kind: config.FromKey, Name: "network.wormhole.virtual_channels"}); err != nil {
				return err
			}
		}
	}
	return c.Overlay(layer)
}

// hasWormhole reports whether a wormhole router, which has virtual channels of its own, is compared.
func hasWormhole(c *config.Effective) bool {
	return slices.ContainsFunc(c.Routers, func(router string) bool { return models.Base(router) == "wormhole" })
}

// addChipChannels gives --vcs to the wormhole routers of chips. The message classes of chips follow
// from the protocol, and so do the virtual channels of other routers.
func addChipChannels(c *config.Effective, flags *pflag.FlagSet) error {
	f := flags.Lookup("vcs")
	if !f.Changed {
		return nil
	}
	if !hasWormhole(c) {
		return usagef("--vcs: the virtual channels of %s follow from the protocol's message classes; use it with router wormhole, or leave it out", strings.Join(c.Routers, ", "))
	}
	layer, err := also(nil, "network.wormhole.virtual_channels", f.Value.String(), config.Origin{Kind: config.FromFlag, Name: "vcs"})
	if err != nil {
		return err
	}
	return c.Overlay(layer)
}

// keyFlags adds flags that set keys, with the defaults, meanings, units and choices of the keys.
func (a *app) keyFlags(command *cobra.Command, names ...string) {
	defaults, flags := config.Default(), command.Flags()
	for _, k := range config.Keys() {
		at := slices.IndexFunc(names, func(name string) bool { return boundFlags[name] == k.Name })
		if at < 0 {
			continue
		}
		name, value, usage := names[at], reflect.ValueOf(k.Value(defaults)), k.Doc
		if !strings.Contains(usage, k.Unit) {
			usage += " (" + k.Unit + ")"
		}
		switch {
		case value.Kind() == reflect.Bool:
			flags.Bool(name, value.Bool(), usage)
		case value.CanInt():
			flags.Int64(name, value.Int(), usage)
		case value.CanUint():
			flags.Uint64(name, value.Uint(), usage)
		case value.CanFloat():
			flags.Float64(name, value.Float(), usage)
		default:
			flags.String(name, config.Text(k.Value(defaults)), usage)
		}
		if choices := a.extra.Choices(k); len(choices) > 0 {
			complete(command, name, choices)
		}
	}
}

// tableFlags are --out and the formats of tables.
var tableFlags = []string{"out", "parquet", "csv", "compression"}

// formatsOf returns the formats of tables that a configuration asks for.
func formatsOf(c *config.Effective) tables.Formats {
	f := tables.Formats{Parquet: c.Parquet, CSV: c.CSV}
	if c.Compression == "none" {
		f.Compression = tables.Uncompressed
	}
	return f
}

func configShow(a *app) *cobra.Command {
	command := newCommand("config show", nil, func(command *cobra.Command, patterns []string) error {
		c, err := a.configuration(command)
		if err != nil {
			return err
		}
		if err := plan.Check(c); err != nil {
			return err
		}
		keys, err := config.Match(config.Keys(), patterns...)
		if err != nil {
			return err
		}
		type entry struct {
			Key    string        `json:"key" title:"key"`
			Value  any           `json:"value"`
			Text   string        `json:"-" title:"value"`
			Unit   string        `json:"unit" title:"unit"`
			Origin config.Origin `json:"origin" title:"origin"`
			Doc    string        `json:"doc" title:"what it is"`
		}
		var list []entry
		for _, k := range keys {
			v := k.Value(c.Config)
			list = append(list, entry{k.Name, v, config.Text(v), k.Unit, c.Origin(k.Name), k.Doc})
		}
		return printList(a, list)
	})
	command.ValidArgsFunction = offerKeys
	return command
}

// configSystem prints the simulated system. Its cores are those of the workload, which a finished study
// need not open again.
func configSystem(a *app) *cobra.Command {
	command := newCommand("config system", noArguments, func(command *cobra.Command, _ []string) error {
		c, err := a.networks(command, plan.Run, addChipChannels)
		if err != nil {
			return err
		}
		m := new(experiment.Manifest)
		if content, _, err := wholefile.ReadSealed(a.file, wholefile.TextBytes); err == nil {
			if read, err := experiment.ParseManifest(content); err == nil {
				m = read
			}
		}
		replays := func(s config.Setting) bool {
			section, _, _ := strings.Cut(s.Key.Name, ".")
			return s.Origin.Kind > config.FromFile && slices.Contains([]string{"workload", "trace", "program", "synthetic"}, section)
		}
		if len(m.Traces) == 0 || slices.ContainsFunc(c.Settings(), replays) {
			study, err := plan.Chips(command.Context(), c)
			if err != nil {
				return err
			}
			m.Traces = nil
			for i := range study.Workloads {
				m.Traces = append(m.Traces, study.Workloads[i].Identity())
			}
		}
		rows, err := system.Of(c, m)
		if err != nil {
			return err
		}
		return printList(a, rows)
	})
	a.chipFlags(command, "tech", "profile")
	return command
}

func configSchema(a *app) *cobra.Command {
	return newCommand("config schema", noArguments, func(*cobra.Command, []string) error { return a.printJSON(config.Schema()) })
}

func configValidate(a *app) *cobra.Command {
	return newCommand("config validate", oneFile, func(_ *cobra.Command, args []string) error {
		layer, err := config.ReadFile(args[0])
		if err != nil {
			return err
		}
		c, err := a.extra.New(layer)
		if err != nil {
			return err
		}
		if err := plan.Check(c); err != nil {
			return err
		}
		return printOne(a, struct {
			File  string `json:"file" title:"file"`
			Keys  int    `json:"keys" title:"keys"`
			Valid bool   `json:"valid" title:"valid"`
		}{args[0], len(layer), true})
	})
}
