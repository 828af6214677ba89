package figures

import (
	"fmt"
	"image/color"
	"slices"
	"strings"
)

// hue is a colour on white paper and on a dark screen.
type hue struct{ light, dark string }

// palette can be told apart by people who see colours differently (after Okabe and Ito) and, for
// the most part, by its grey levels.
var palette = []hue{
	{"#999999", "#a8a8a8"}, {"#0072b2", "#4aa8e8"}, {"#e69f00", "#f0b429"}, {"#d55e00", "#ff7f3a"}, {"#009e73", "#2cc79a"},
	{"#cc79a7", "#e79ac6"}, {"#56b4e9", "#86d0ff"}, {"#222222", "#f0f0f0"}, {"#6a51a3", "#b09ce6"}, {"#8c6d31", "#c9a65c"},
}

// shades are the colours of the parts of a stack, which are no series.
var shades = []hue{
	{"#3b5b8c", "#7ea6e0"}, {"#8fb3d9", "#4f76a8"}, {"#c9a227", "#d8b64a"}, {"#8a4f7d", "#c487b6"}, {"#5d8f5a", "#8cc488"},
	{"#d98e73", "#e3a48d"}, {"#6b6b6b", "#9a9a9a"}, {"#b7c66b", "#a4b356"}, {"#4fa3a5", "#6cc5c7"}, {"#c7bfb2", "#6e675c"},
	{"#a33b3b", "#e07a7a"}, {"#e3e6ea", "#30363d"}, {"#7b4fc9", "#b79bf0"}, {"#d5dfc4", "#46543a"},
}

// heat are the levels of a heat map, from nothing to the most.
var heat = []hue{
	{"#f3f0e8", "#23262c"}, {"#fdeabc", "#352d45"}, {"#fedc8c", "#4a2f60"}, {"#febf5a", "#662f6d"}, {"#fd9f3c", "#87306b"},
	{"#f67b28", "#a93a5e"}, {"#e4541f", "#c94e4c"}, {"#c6311c", "#e36d36"}, {"#9c1a1e", "#f59722"}, {"#6b0d22", "#fcd34d"},
}

// plain are the colours of everything else.
var plain = map[string]hue{
	"ink": {"#1b1f24", "#e8eaed"}, "soft": {"#57606a", "#a5adb7"}, "grid": {"#e2e5e9", "#33383f"}, "paper": {"#ffffff", "#16191d"}, "warn": {"#b34700", "#ffa657"},
}

// own are the names that have a colour of the palette to themselves, in whatever picture they are:
// router models, then multicast schemes.
var own = map[string]int{
	"base": 0, "base-mc": 1, "rr": 2, "mrr": 3, "ideal": 4, "rr-tree": 5, "rr-path": 6, "wormhole": 7, "wormhole-ideal": 8,
	"unicast": 0, "dual-path": 1, "multi-path": 2, "qg": 3, "ocms": 4, "otms": 5, "column-path": 6, "atbm": 3, "umin": 1, "cmin": 2,
	"postorder-doubling": 8, "tree": 9, "path": 5, "adaptive": 3,
}

// ownShades are the names of parts that have a shade to themselves in all pictures: where cycles go,
// then where energy goes.
var ownShades = map[string]int{
	"retiring": 0, "L1": 1, "interface": 2, "flight": 3, "contention": 10, "L2": 5, "memory": 6, "protocol": 7,
	"synchronisation": 8, "recorded order": 9, "dependence": 4, "ended before others": 11, "timeouts": 12, "idle": 13,
	"clock": 0, "leakage": 1, "buffers": 2, "crossbar": 3, "rings": 4, "arbitration": 5, "headers": 6, "links": 7,
}

// coloured gives each name one of some colours: its own, if it has one that no name before it has
// taken, or else the first one that is left. More names than colours share them.
func coloured(names []string, own map[string]int, colours int) (places []int) {
	taken := make([]bool, colours)
	places = make([]int, len(names))
	for i, name := range names {
		place, ok := own[name]
		if places[i] = -1; ok && !taken[place] {
			places[i], taken[place] = place, true
		}
	}
	for i := range places {
		if places[i] < 0 {
			if places[i] = slices.Index(taken, false); places[i] < 0 {
				places[i] = i % colours
			}
			taken[places[i]] = true
		}
	}
	return places
}

// hues lists all colours by role: s0 to s9 for series, p0 to p12 for parts, h0 to h9 for heat, and
// the plain ones, in a fixed order.
func hues() (roles []string, of map[string]hue) {
	of = map[string]hue{}
	for _, list := range []struct {
		letter string
		hues   []hue
	}{{"s", palette}, {"p", shades}, {"h", heat}} {
		for i, h := range list.hues {
			role := fmt.Sprint(list.letter, i)
			roles, of[role] = append(roles, role), h
		}
	}
	for _, role := range []string{"ink", "soft", "grid", "paper", "warn"} {
		roles, of[role] = append(roles, role), plain[role]
	}
	return roles, of
}

// Style returns the rules that colour pictures inside a page, whose own rules may use the
// variables: --ink, --soft, --grid, --paper, --warn, and those of series (--s0), parts (--p0) and
// heat (--h0). They follow the reader's choice between light and dark; paper is always light.
func Style() string {
	roles, of := hues()
	var light, dark, backgrounds strings.Builder
	for _, role := range roles {
		fmt.Fprintf(&light, "--%s:%s;", role, of[role].light)
		fmt.Fprintf(&dark, "--%s:%s;", role, of[role].dark)
		fmt.Fprintf(&backgrounds, ".b%s{background:var(--%s)}", role, role)
	}
	return fmt.Sprintf(":root{color-scheme:light dark;%s}\n@media screen and (prefers-color-scheme:dark){:root{%s}}\n%s\n%s", light.String(), dark.String(), backgrounds.String(),
		rules(func(role string) string { return "var(--" + role + ")" }))
}

// rules are those of shapes, with the colours of roles.
func rules(colour func(role string) string) string {
	roles, _ := hues()
	var b strings.Builder
	for _, role := range roles {
		fmt.Fprintf(&b, ".%s{fill:%s}.l%s{stroke:%s;fill:none}", role, colour(role), role, colour(role))
	}
	return b.String() + "svg text{font-family:\"Liberation Sans\",Arial,Helvetica,sans-serif;stroke:none}.o{fill:" + colour("paper") + "}\n"
}

// ink returns a role's colour on paper.
func ink(role string) color.RGBA {
	_, of := hues()
	var r, g, b uint8
	fmt.Sscanf(of[role].light, "#%02x%02x%02x", &r, &g, &b)
	return color.RGBA{r, g, b, 0xff}
}

// level returns the role of a value on the scale of a heat map whose end is top.
func level(v, top float64) int {
	if !(top > 0) || v <= 0 {
		return 0
	}
	return min(int(v/top*float64(len(heat)-1)+0.5), len(heat)-1)
}
