package experiment

import (
	"debug/buildinfo"
	"os"
	"runtime/debug"
	"strings"
)

// component is a part of a program in a bill of materials (CycloneDX 1.5).
type component struct {
	Type       string     `json:"type"`
	Name       string     `json:"name"`
	Version    string     `json:"version"`
	Purl       string     `json:"purl"` // package URL
	Properties []property `json:"properties,omitempty"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Materials lists the modules that a Go program was built from as a CycloneDX document, to be
// written as JSON. The path "" is this program.
func Materials(path string) (document any, err error) {
	if path == "" {
		if path, err = os.Executable(); err != nil {
			return nil, err
		}
	}
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return nil, err
	}
	type metadata struct {
		Component component `json:"component"`
	}
	d := struct {
		Format      string      `json:"bomFormat"`
		SpecVersion string      `json:"specVersion"`
		Version     int         `json:"version"`
		Metadata    metadata    `json:"metadata"`
		Components  []component `json:"components"`
	}{"CycloneDX", "1.5", 1, metadata{componentOf("application", &info.Main)}, nil}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		d.Components = append(d.Components, componentOf("library", m))
	}
	d.Components = append(d.Components, component{Type: "library", Name: "std", Version: strings.TrimPrefix(info.GoVersion, "go"),
		Purl: "pkg:golang/std@" + strings.TrimPrefix(info.GoVersion, "go")})
	return d, nil
}

func componentOf(kind string, m *debug.Module) component {
	c := component{Type: kind, Name: m.Path, Version: m.Version, Purl: "pkg:golang/" + m.Path + "@" + m.Version}
	if m.Sum != "" {
		c.Properties = []property{{"go.sum", m.Sum}}
	}
	return c
}
