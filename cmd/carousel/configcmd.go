package main

import (
	"encoding/json"
	"reflect"

	"github.com/spf13/cobra"
)

func configCommand(a *app) *cobra.Command {
	command := &cobra.Command{
		Use:   "config",
		Short: "Show, describe and check the configuration",
		Long: `Values come from the defaults, then the file of --config or CAROUSEL_CONFIG (YAML), then
environment variables (chip.core.window is CAROUSEL_CHIP_CORE_WINDOW), then --set key=value, then
flags; the later win. The configuration in a manifest.json is such a file. Keys that do not exist and values of the wrong type are errors.`,
		Example: "  carousel config show --set chip.core.window=128",
	}
	command.AddCommand(configShow(a), configSchema(a), configValidate(a))
	return group(command)
}

func configShow(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "show",
		Short:   "Print every effective value with its unit and origin",
		Example: "  carousel config show\n  carousel config show --format json",
		Args:    noArguments,
		RunE: func(command *cobra.Command, _ []string) error {
			c, err := a.configuration(command)
			if err != nil {
				return err
			}
			type entry struct {
				Key    string `json:"key"`
				Value  any    `json:"value"`
				Unit   string `json:"unit"`
				Origin Origin `json:"origin"`
				Doc    string `json:"doc"`
			}
			var list []entry
			s := &sheet{header: []string{"key", "value", "unit", "origin"}}
			values := reflect.ValueOf(c.Settings)
			for _, k := range settingKeys() {
				v := values.FieldByIndex(k.field).Interface()
				about := keyFacts[k.name]
				list = append(list, entry{k.name, v, about.unit, c.Origins[k.name], about.doc})
				s.add(k.name, plain(v), about.unit, string(c.Origins[k.name]))
			}
			return a.print(list, s)
		},
	}
}

func configSchema(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "schema",
		Short:   "Print the JSON schema of configuration files",
		Example: "  carousel config schema > carousel.schema.json",
		Args:    noArguments,
		RunE: func(*cobra.Command, []string) error {
			e := json.NewEncoder(a.stdout)
			e.SetIndent("", "  ")
			return e.Encode(configurationSchema())
		},
	}
}

func configValidate(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "validate FILE",
		Short:   "Check a configuration file",
		Example: "  carousel config validate study.yaml",
		Args:    oneFile,
		RunE: func(_ *cobra.Command, args []string) error {
			c, err := load(sources{file: args[0]})
			if err != nil {
				return err
			}
			if err := c.Check(); err != nil {
				return err
			}
			given := 0
			for _, k := range settingKeys() {
				if c.Given(k.name) {
					given++
				}
			}
			s := &sheet{header: []string{"file", "keys", "valid"}}
			s.add(args[0], plain(given), "yes")
			return a.print(struct {
				File  string `json:"file"`
				Keys  int    `json:"keys"`
				Valid bool   `json:"valid"`
			}{args[0], given, true}, s)
		},
	}
}
