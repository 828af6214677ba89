package formats_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/formats"
)

// Example imports a foreign trace, whose format is found from its content.
func Example() {
	folder, err := os.MkdirTemp("", "example-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	foreign := filepath.Join(folder, "program.out")
	if err := os.WriteFile(foreign, []byte("I  04001000,3\n L 1ffeff7e0,8\nI  04001003,4\n S 1ffeff7e8,4\n"), 0o600); err != nil {
		log.Fatal(err)
	}

	format, err := formats.Recognise(foreign)
	if err != nil {
		log.Fatal(err)
	}
	done, err := format.Import([]string{foreign}, traces.ImportConfig{Workload: formats.WorkloadOf([]string{foreign})},
		traces.ToFile(filepath.Join(folder, "program.trace"), traces.DefaultWriterConfig()))
	if err != nil {
		log.Fatal(err)
	}
	sum := done.Sum()
	fmt.Printf("%s, a trace by %s: %d instructions, %d loads, %d stores\n", done.Metadata.Workload, format.Name, sum.Instructions, sum.Loads, sum.Stores)
	// Output: program, a trace by lackey: 2 instructions, 1 loads, 1 stores
}
