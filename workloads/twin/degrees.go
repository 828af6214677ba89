package twin

import (
	"errors"
	"io"
	"math/bits"

	"github.com/carousel-sim/carousel/traces"
)

// Degrees counts the lines of data of a source by how many of its first 64 cores touch them: 1, 2, 3 to 4, 5 to 8,
// 9 to 16, 17 to 32, and 33 to 64.
func Degrees(source Rewindable) ([]uint64, error) {
	source.Rewind()
	table := newLineTable()
	batch := make([]traces.Record, replayBatch)
	for core := range min(source.Cores(), limitCores) {
		for {
			n, err := source.ReadRecords(core, batch)
			for i := range batch[:n] {
				if r := &batch[i]; r.Kind.IsAccess() && r.Kind != traces.Fetch {
					table.lines[table.find(r.Address)].data |= 1 << core
				}
			}
			if errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return nil, err
			}
		}
	}
	degrees := make([]uint64, degreeClasses)
	for i := range table.lines {
		if n := bits.OnesCount64(table.lines[i].data); n > 0 {
			degrees[degreeClass(n)]++
		}
	}
	return degrees, nil
}
