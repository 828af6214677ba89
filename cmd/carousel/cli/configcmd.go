package cli

import (
	"github.com/spf13/cobra"

	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/analysis/experiment/plan"
)

func configCommand(a *app) *cobra.Command {
	command := &cobra.Command{
		Use:   "config",
		Short: "Show, describe and check the configuration",
		Long: `Values come from the defaults, the file of --config or CAROUSEL_CONFIG, environment variables, --set
key=value, and flags. A later one in this list overrides an earlier one. The environment variable of
chip.core.window is CAROUSEL_CHIP_CORE_WINDOW.

The file is YAML with nested or dotted keys, or a manifest.json, which holds the configuration of its
study. A key that does not exist and a value of the wrong type are errors.

Results do not depend on the options --format, --quiet and --log-level, so these are not keys. They
have environment variables too: CAROUSEL_FORMAT and so on.`,
		Example: "  carousel config show --set chip.core.window=128\n  carousel config show 'chip.core.*'",
	}
	command.AddCommand(configShow(a), configSchema(a), configValidate(a))
	return group(command)
}

func configShow(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "show [KEY|SECTION|PATTERN...]",
		Short: "Print effective values with unit, origin and meaning",
		Long: `Prints the effective values of all keys, or of those that match an argument, with unit, origin and meaning.
A section matches all of its keys, and * in a pattern matches any text. A value that carousel run would
refuse is an error.`,
		Example: "  carousel config show\n  carousel config show chip.core power.tech_nm\n  carousel config show '*.source_queue' --format json",
		RunE: func(command *cobra.Command, patterns []string) error {
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
			return a.showKeys(c, keys)
		},
		ValidArgsFunction: offerKeys,
	}
}

// showKeys prints keys of a configuration.
func (a *app) showKeys(c *config.Effective, keys []config.Key) error {
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
}

func configSchema(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "schema",
		Short:   "Print the JSON schema of configuration files",
		Example: "  carousel config schema > carousel.schema.json",
		Args:    noArguments,
		RunE:    func(*cobra.Command, []string) error { return a.printJSON(config.Schema()) },
	}
}

func configValidate(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "validate FILE",
		Short:   "Check a configuration file",
		Example: "  carousel config validate study.yaml",
		Args:    oneFile,
		RunE: func(_ *cobra.Command, args []string) error {
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
		},
	}
}
