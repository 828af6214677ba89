package twin

import (
	"embed"
	"fmt"
	"path"
	"strings"
)

// fits holds the parameters of recordings, each made by carousel workload fit.
//
//go:embed fits/*.json
var fits embed.FS

// Embedded lists the names of the twins whose parameters are part of the program.
func Embedded() []string {
	entries, err := fits.ReadDir("fits")
	if err != nil {
		panic(err) // the folder is part of the program
	}
	names := make([]string, 0, len(entries))
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".json"))
	}
	return names
}

// Lookup reads the parameters of an embedded twin.
func Lookup(name string) (*Parameters, error) {
	f, err := fits.Open(path.Join("fits", name+".json"))
	if err != nil {
		return nil, fmt.Errorf("there is no twin of %q; there are %s", name, strings.Join(Embedded(), ", "))
	}
	defer f.Close()
	p, err := Read(f)
	if err != nil {
		return nil, fmt.Errorf("embedded twin %s: %w", name, err)
	}
	return p, nil
}
