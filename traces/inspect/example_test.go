package inspect_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/inspect"
)

// What a trace holds: two cores that write one block in turns.
func Example() {
	store := traces.Record{Kind: traces.Store, Address: 0x40, Instructions: 1, Size: 3}
	load := traces.Record{Kind: traces.Load, Address: 0x40, Instructions: 2, Size: 3}
	dir, err := os.MkdirTemp("", "carousel")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "turns.trace")
	source := traces.NewMemory([][]traces.Record{{store, load}, {load, store, load}}, nil)
	to, err := traces.CreateFile(path, traces.Metadata{Workload: "turns", Cores: 2}, traces.DefaultWriterConfig())
	if err == nil {
		err = traces.Copy(to, source)
	}
	if err == nil {
		err = to.Close()
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	file, err := traces.Open(path, traces.ReaderConfig{MemoryBytes: 1 << 32})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer file.Close()
	d, err := inspect.Of(path, file, false, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(d.Cores, "cores,", d.Loads, "loads,", d.Stores, "stores")
	for _, s := range d.Behaviour.Sharing {
		if s.Blocks > 0 {
			fmt.Println(s.Class, "blocks:", s.Blocks)
		}
	}
	// Output:
	// 2 cores, 3 loads, 2 stores
	// write-shared blocks: 1
}
