package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/analysis/experiment/messages"
	"github.com/carousel-sim/carousel/noc/leaf/suggest"
)

// messageKeys are the keys of plans of kind messages, which belong to messages.Config.
var messageKeys = config.KeysOf[messages.Config]()

// IsMessageKey reports whether plans of kind messages have a key of this name.
func IsMessageKey(name string) bool {
	return slices.ContainsFunc(messageKeys, func(k config.Key) bool { return k.Name == name })
}

// AxisKeys lists the keys that an axis of a plan of any kind may have.
func AxisKeys() []string {
	return append(slices.Concat(config.KeyNames(config.Keys()), config.KeyNames(messageKeys)), VariantAxis)
}

// messageConfig lays settings over the defaults of a message passing study.
func (p *Plan) messageConfig(chosen []Setting) (messages.Config, map[string]string, error) {
	c := messages.Default()
	c.More = p.Extra.Schemes
	for _, s := range chosen {
		if !IsMessageKey(s.Key) {
			names := config.KeyNames(messageKeys)
			return c, nil, fmt.Errorf("%s:%d: unknown key %q%s; a plan of kind messages has %s",
				p.Name, s.Line, s.Key, suggest.Text(s.Key, names), strings.Join(names, ", "))
		}
	}
	layer, err := p.layer(messageKeys, chosen)
	if err != nil {
		return c, nil, err
	}
	given := map[string]string{}
	for _, s := range layer {
		s.Key.Set(&c, s.Value)
		given[s.Key.Name] = s.Origin.String()
	}
	if err := c.Validate(); err != nil {
		return c, nil, fmt.Errorf("%s: %w", p.Name, err)
	}
	return c, given, nil
}

// messageValues returns the values of all keys, for a manifest.
func messageValues(c *messages.Config) map[string]any {
	values := map[string]any{}
	for _, k := range messageKeys {
		values[k.Name] = k.Value(*c)
	}
	return values
}
