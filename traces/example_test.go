package traces_test

import (
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"

	"github.com/carousel-sim/carousel/traces"
)

// Example writes a trace of two cores and reads it again. Core 1 reads what core 0 has written,
// so an edge orders the two.
func Example() {
	folder, err := os.MkdirTemp("", "example-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "two.trace")
	if err := writeTwo(path); err != nil {
		log.Fatal(err)
	}

	file, err := traces.Open(path, traces.DefaultReaderConfig())
	if err != nil {
		log.Fatal(err)
	}
	defer file.Close()
	if _, err := file.Verify(); err != nil { // every block, and that it can be replayed
		log.Fatal(err)
	}
	records := make([]traces.Record, 1024)
	for core := range file.Cores() {
		for {
			n, err := file.ReadRecords(core, records)
			if errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				log.Fatal(err)
			}
			for _, r := range records[:n] {
				fmt.Printf("core %d: +%d %s %#x\n", core, r.Instructions, r.Kind, r.Address)
			}
		}
	}
	// Output:
	// core 0: +3 store 0x1000
	// core 0: +1 end 0x0
	// core 1: +2 load 0x1000
	// core 1: +1 load 0x2040
	// core 1: +5 end 0x0
}

// writeTwo writes a file that appears under its name when it is complete.
func writeTwo(path string) error {
	w, err := traces.CreateFile(path, traces.DefaultMetadata("two", 2), traces.DefaultWriterConfig())
	if err != nil {
		return err
	}
	defer w.Abort() // does nothing after Close
	streams := [][]traces.Record{
		{{Kind: traces.Store, Address: 0x1000, Size: 3, Instructions: 3}, {Kind: traces.End, Instructions: 1}},
		{{Kind: traces.Load, Address: 0x1000, Size: 3, Instructions: 2},
			{Kind: traces.Load, Address: 0x2040, Size: 3, Instructions: 1, Dependence: 1}, // its address was loaded just before
			{Kind: traces.End, Instructions: 5}},
	}
	for core, records := range streams {
		if err := w.WriteRecords(core, records); err != nil {
			return err
		}
	}
	if err := w.WriteEdges(1, []traces.Edge{{At: 0, Producer: 0, Position: 0}}); err != nil {
		return err
	}
	return w.Close()
}
