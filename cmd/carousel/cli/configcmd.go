package cli

import (
	"github.com/spf13/cobra"

	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/analysis/experiment/plan"
)

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
		return a.showKeys(c, keys)
	})
	command.ValidArgsFunction = offerKeys
	return command
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
