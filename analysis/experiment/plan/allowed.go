package plan

import (
	"cmp"
	"reflect"
	"regexp"
	"strings"

	"github.com/carousel-sim/carousel/analysis/config"
)

// sectionNeeds is what a configuration needs so that the keys of a section of networks are read.
var sectionNeeds = map[string]string{"network.buffered": "routers=base", "network.rotary": "routers=mrr", "network.ideal": "routers=ideal", "network.wormhole": "routers=wormhole",
	"network.wormhole_ideal": "routers=wormhole-ideal", "network.link.z": "topology=torus:4x4x4"}

// limits is what an error says about the values that are allowed.
var limits = regexp.MustCompile(`; (?:use )?([^;]*?)(?: (?:are|is) allowed)?(?: \([^()]*given by[^()]*\))?$`)

// Allowed says which values a key takes, by its names or by the checks of a study; "" where every value passes.
func Allowed(k config.Key) string {
	v := k.Value(config.Default())
	switch reflect.ValueOf(v).Kind() {
	case reflect.Bool:
		return "true, false"
	case reflect.String, reflect.Slice:
		return strings.Trim(strings.Join(k.Choices(), ", "), ", ")
	}
	const large, small = "10000000000000", "-1"
	if found := limits.FindStringSubmatch(cmp.Or(complaint(k, large), complaint(k, small))); found != nil {
		return strings.Replace(found[1], " are allowed", "", 1)
	} else if strings.Contains(complaint(k, small), "negative") {
		return "0 or more"
	}
	return ""
}

// Example is a value of a key that is not its default, and allowed; "" where there is no simple one.
func Example(k config.Key) string {
	v := k.Value(config.Default())
	switch n := reflect.ValueOf(v); {
	case k.IsList():
	case n.Kind() == reflect.Bool:
		return config.Text(!n.Bool())
	case n.Kind() == reflect.String:
		for _, name := range k.Choices() {
			if name != "" && name != n.String() {
				return name
			}
		}
	case n.CanInt():
		return allowedOf(k, 2*n.Int(), n.Int()/2, n.Int()+1)
	case n.CanUint():
		return allowedOf(k, 2*n.Uint(), n.Uint()/2, n.Uint()+1)
	case n.CanFloat():
		return allowedOf(k, 2*n.Float(), n.Float()/2, n.Float()+1)
	}
	return ""
}

// allowedOf is the first of some values that is allowed and not the default.
func allowedOf[T any](k config.Key, values ...T) string {
	for _, v := range values {
		text := config.Text(v)
		if text != config.Text(k.Value(config.Default())) && complaint(k, text) == "" {
			return text
		}
	}
	return ""
}

// complaint is what is wrong with a value of a key in the default configuration; "" for nothing.
func complaint(k config.Key, value string) string {
	set := []string{k.Name + "=" + value}
	needs := sectionNeeds[k.Name[:max(strings.LastIndex(k.Name, "."), 0)]]
	if needs != "" {
		set = append(set, needs)
	}
	if k.Name == "chip.token.timeout" || k.Name == "chip.token.jitter" {
		set = append(set, "chip.token.adaptive=false")
	}
	layer, err := config.Assignments(set)
	var c *config.Effective
	if err == nil {
		c, err = config.New(layer)
	}
	switch {
	case err != nil:
	case strings.HasPrefix(k.Name, "traffic."):
		_, err = NetworksAlone(c)
	case needs != "":
		err = Check(c)
	default:
		err = c.Check()
	}
	if err != nil {
		return err.Error()
	}
	return ""
}
