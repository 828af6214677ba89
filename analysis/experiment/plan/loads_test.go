package plan

import (
	"fmt"
	"slices"
	"testing"

	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/noc/leaf/must"
)

// TestTheStrongestWayOfLoadingCounts: of load, loads and saturation.
func TestTheStrongestWayOfLoadingCounts(t *testing.T) {
	for _, c := range []struct {
		origins    map[string]config.Origin
		loads      string
		saturation bool
		want       []float64 // nil searches
		wrong      bool
	}{
		{nil, "", false, []float64{0.3}, false},
		{map[string]config.Origin{"load": {Kind: config.FromFlag, Name: "load"}}, "", false, []float64{0.3}, false},
		{map[string]config.Origin{"load": {Kind: config.FromFile, Name: "a"}, "loads": {Kind: config.FromFlag, Name: "loads"}}, "0.1:0.2:0.1", false, []float64{0.1, 0.2}, false},
		{map[string]config.Origin{"load": {Kind: config.FromFlag, Name: "load"}, "loads": {Kind: config.FromFile, Name: "a"}}, "0.1:0.2:0.1", false, []float64{0.3}, false},
		{map[string]config.Origin{"load": {Kind: config.FromFile, Name: "a"}, "loads": {Kind: config.FromFile, Name: "a"}}, "0.1:0.2:0.1", false, []float64{0.1, 0.2}, false},
		{map[string]config.Origin{"load": {Kind: config.FromFile, Name: "a"}, "loads": {Kind: config.FromFile, Name: "a"}, "saturation": {Kind: config.FromFile, Name: "a"}}, "", true, nil, false},
		{map[string]config.Origin{"load": {Kind: config.FromFlag, Name: "load"}, "saturation": {Kind: config.FromFile, Name: "a"}}, "", true, []float64{0.3}, false},
		{map[string]config.Origin{"load": {Kind: config.FromSet}, "saturation": {Kind: config.FromFlag, Name: "saturation"}}, "", true, nil, false},
		{map[string]config.Origin{"load": {Kind: config.FromSet}, "loads": {Kind: config.FromSet}}, "0.1:0.2:0.1", false, nil, true},
		{map[string]config.Origin{"loads": {Kind: config.FromFile, Name: "a"}, "saturation": {Kind: config.FromFile, Name: "a"}}, "0.1:0.2:0.1", true, nil, true},
		{map[string]config.Origin{"loads": {Kind: config.FromFlag, Name: "loads"}, "saturation": {Kind: config.FromFlag, Name: "saturation"}}, "0.1:0.2:0.1", true, nil, true},
		{map[string]config.Origin{"load": {Kind: config.FromFlag, Name: "load"}, "loads": {Kind: config.FromFile, Name: "a"}, "saturation": {Kind: config.FromFile, Name: "a"}}, "0.1:0.2:0.1", true, []float64{0.3}, false},
	} {
		var layer config.Layer
		for name, origin := range c.origins {
			text := map[string]string{"load": "0.3", "loads": c.loads, "saturation": fmt.Sprint(c.saturation)}[name]
			s := must.Get(config.ParseText("traffic."+name, text, origin))
			layer = append(layer, s)
		}
		e := must.Get(config.New(layer))
		got, err := loadsOf(e)
		if (err != nil) != c.wrong || !slices.Equal(got, c.want) {
			t.Errorf("%v: loads %v, %v; want %v", c.origins, got, err, c.want)
		}
		if err == nil && e.Traffic.Saturation != (got == nil) {
			t.Errorf("%v: saturation is %v", c.origins, e.Traffic.Saturation)
		}
	}
}
