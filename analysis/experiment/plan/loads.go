package plan

import (
	"fmt"

	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/analysis/experiment/openloop"
)

// loadsOf returns the points of a sweep over the load; none stands for a search for saturation. Of
// the three keys that say which points to do, the one with the highest precedence counts, and the
// others are cleared.
func loadsOf(c *config.Effective) ([]float64, error) {
	t := &c.Traffic
	key, err := loadKey(c)
	if err != nil {
		return nil, err
	}
	if key != "traffic.loads" {
		t.Loads = ""
	}
	if t.Saturation = key == "traffic.saturation"; t.Saturation {
		return nil, nil
	}
	if t.Loads == "" {
		return []float64{t.Load}, nil
	}
	list, err := openloop.ParseLoads(t.Loads)
	if err != nil {
		return nil, fmt.Errorf("traffic.loads is %q: %w (given by %s)", t.Loads, err, c.Origin("traffic.loads"))
	}
	return list, nil
}

// loadKey returns the key that says which points to do. A file, such as that of a manifest, may
// hold a single load beside one of the others.
func loadKey(c *config.Effective) (string, error) {
	key, strength, also := "traffic.load", config.FromDefault, ""
	for _, k := range []struct {
		name string
		used bool
	}{{"traffic.load", true}, {"traffic.loads", c.Traffic.Loads != ""}, {"traffic.saturation", c.Traffic.Saturation}} {
		at := c.Origin(k.name).Kind
		switch {
		case !k.used || at < config.FromFile || at < strength:
		case at == strength && (at != config.FromFile || key != "traffic.load"):
			also = k.name
		default:
			key, strength, also = k.name, at, ""
		}
	}
	if also != "" {
		return "", fmt.Errorf("%s and %s are given; choose one of --load, --loads and --saturation", key, also)
	}
	return key, nil
}
