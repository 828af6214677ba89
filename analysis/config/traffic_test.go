package config

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestLoadsOfASweep(t *testing.T) {
	for text, want := range map[string][]float64{
		"0.1:0.3:0.1": {0.1, 0.2, 0.3}, "0.05:0.2:0.1": {0.05, 0.15}, "0.5:0.5:1": {0.5}, "0.1:0.7:0.3": {0.1, 0.4, 0.7},
	} {
		if got, err := ParseLoads(text); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s is %v (%v), want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "0.1", "0.1:0.2", "0.1:0.2:0", "0:1:0.1", "0.2:0.1:0.1", "0.1:0.2:0.1:1", "NaN:1:1", "0.1:Inf:0.1", "1e-300:1e-300:1e-300"} {
		if got, err := ParseLoads(text); err == nil {
			t.Errorf("%q is %v", text, got)
		}
	}
}

// TestAnySweep: a sweep is short, above 0, ascending and within its ends, or an error.
func TestAnySweep(t *testing.T) {
	number := rapid.OneOf(rapid.Float64(), rapid.Float64Range(0, 1), rapid.SampledFrom([]float64{0, 1e-300, 1e-9, 1e-6, 0.1, 5}))
	rapid.Check(t, func(t *rapid.T) {
		first, last, step := number.Draw(t, "first"), number.Draw(t, "last"), number.Draw(t, "step")
		list, err := ParseLoads(fmt.Sprintf("%g:%g:%g", first, last, step))
		if err != nil {
			return
		}
		if len(list) == 0 || len(list) > maxLoads || list[0] <= 0 || list[len(list)-1] > last+1e-9 {
			t.Fatalf("%d loads: %v", len(list), list)
		}
		for i := range list[1:] {
			if !(list[i+1] > list[i]) {
				t.Fatalf("%g before %g", list[i], list[i+1])
			}
		}
	})
}

// TestTheStrongestWayOfLoadingCounts: of load, loads and saturation.
func TestTheStrongestWayOfLoadingCounts(t *testing.T) {
	for _, c := range []struct {
		origins    map[string]Origin
		loads      string
		saturation bool
		want       []float64 // nil searches
		wrong      bool
	}{
		{nil, "", false, []float64{0.3}, false},
		{map[string]Origin{"load": {Kind: FromFlag, Name: "load"}}, "", false, []float64{0.3}, false},
		{map[string]Origin{"load": {Kind: FromFile, Name: "a"}, "loads": {Kind: FromFlag, Name: "loads"}}, "0.1:0.2:0.1", false, []float64{0.1, 0.2}, false},
		{map[string]Origin{"load": {Kind: FromFlag, Name: "load"}, "loads": {Kind: FromFile, Name: "a"}}, "0.1:0.2:0.1", false, []float64{0.3}, false},
		{map[string]Origin{"load": {Kind: FromFile, Name: "a"}, "loads": {Kind: FromFile, Name: "a"}}, "0.1:0.2:0.1", false, []float64{0.1, 0.2}, false},
		{map[string]Origin{"load": {Kind: FromFile, Name: "a"}, "loads": {Kind: FromFile, Name: "a"}, "saturation": {Kind: FromFile, Name: "a"}}, "", true, nil, false},
		{map[string]Origin{"load": {Kind: FromFlag, Name: "load"}, "saturation": {Kind: FromFile, Name: "a"}}, "", true, []float64{0.3}, false},
		{map[string]Origin{"load": {Kind: FromSet}, "saturation": {Kind: FromFlag, Name: "saturation"}}, "", true, nil, false},
		{map[string]Origin{"load": {Kind: FromSet}, "loads": {Kind: FromSet}}, "0.1:0.2:0.1", false, nil, true},
		{map[string]Origin{"loads": {Kind: FromFile, Name: "a"}, "saturation": {Kind: FromFile, Name: "a"}}, "0.1:0.2:0.1", true, nil, true},
		{map[string]Origin{"loads": {Kind: FromFlag, Name: "loads"}, "saturation": {Kind: FromFlag, Name: "saturation"}}, "0.1:0.2:0.1", true, nil, true},
		{map[string]Origin{"load": {Kind: FromFlag, Name: "load"}, "loads": {Kind: FromFile, Name: "a"}, "saturation": {Kind: FromFile, Name: "a"}}, "0.1:0.2:0.1", true, []float64{0.3}, false},
	} {
		config := &Effective{Config: Default(), origins: map[string]Origin{}}
		config.Traffic.Loads, config.Traffic.Saturation = c.loads, c.saturation
		for name, origin := range c.origins {
			config.origins["traffic."+name] = origin
		}
		got, err := config.Loads()
		if (err != nil) != c.wrong || !slices.Equal(got, c.want) {
			t.Errorf("%v: loads %v, %v; want %v", c.origins, got, err, c.want)
		}
		if err == nil && config.Traffic.Saturation != (got == nil) {
			t.Errorf("%v: saturation is %v", c.origins, config.Traffic.Saturation)
		}
	}
}
