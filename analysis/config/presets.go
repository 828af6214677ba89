package config

import (
	"embed"
	"fmt"
	"strings"

	"github.com/carousel-sim/carousel/noc/leaf/suggest"
)

// presetFiles are configuration files with the sources of their values. The first line says what a preset is.
//
//go:embed presets
var presetFiles embed.FS

// Presets lists the names of the presets.
func Presets() (list []string) {
	entries, err := presetFiles.ReadDir("presets")
	if err != nil {
		panic(err) // the folder is embedded
	}
	for _, e := range entries {
		list = append(list, strings.TrimSuffix(e.Name(), ".yaml"))
	}
	return list
}

// PresetText is the file of a preset; "" if there is none of that name.
func PresetText(name string) string {
	content, _ := presetFiles.ReadFile("presets/" + name + ".yaml")
	return string(content)
}

// PresetDoc says what a preset is.
func PresetDoc(name string) string {
	first, _, _ := strings.Cut(PresetText(name), "\n")
	return strings.TrimPrefix(first, "# ")
}

// Preset returns the settings of a preset, as weak as those of a file.
func Preset(name string) (Layer, error) {
	text := PresetText(name)
	if text == "" {
		return nil, fmt.Errorf("preset is %q; choose from %s%s", name, strings.Join(Presets(), ", "), suggest.Text(name, Presets()))
	}
	return Parse("preset "+name, []byte(text))
}
