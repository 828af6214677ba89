package formats

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/packed"
	"github.com/carousel-sim/carousel/traces/tracetest"
)

// TestMutatedContainers: whatever is done to a compressed file or an archive, reading it ends with what it
// held, or with an error that has a place, in bounded memory. Formats with checksums never give other
// bytes. CAROUSEL_LONG damages 20,000 files of each kind.
func TestMutatedContainers(t *testing.T) {
	n := 100
	if os.Getenv("CAROUSEL_LONG") != "" {
		n = 20_000
	}
	plain := []byte(strings.Repeat("I  04001000,3\n L 1ffeff7e0,8\n S 1ffeff7e8,4\n", 40))
	path := filepath.Join(t.TempDir(), "x")
	for name, file := range map[string][]byte{"gzip": zipped(t, plain), "zstd": toZstd(plain), "xz": toXZ(plain), "zip": zipOf(t, plain), "tar": tarOf(t, plain),
		"gzip in tar in zstd": toZstd(tarOf(t, zipped(t, plain)))} {
		r := rand.New(rand.NewPCG(3, uint64(len(name))))
		whole, other := 0, 0
		for range n {
			b := tracetest.Mutate(r, file)
			must.Do(os.WriteFile(path, b, 0o600))
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			got, err := readAll(path)
			runtime.ReadMemStats(&after)
			if took := after.TotalAlloc - before.TotalAlloc; took > 192<<20 {
				t.Errorf("%s: %d bytes of memory for a file of %d: %.200q", name, took, len(b), b)
			}
			switch {
			case err != nil && !errors.As(err, new(*traces.Error)):
				t.Errorf("%s: %v has no place: %.200q", name, err, b)
			case err == nil && bytes.Equal(got, plain):
				whole++
			case err == nil && bytes.Equal(got, b): // it is not recognised any more
				other++
			case err == nil && name != "tar": // which has no checksums of contents
				t.Errorf("%s: %d other bytes of %d without an error: %.30q", name, len(got), len(plain), got)
			}
		}
		t.Logf("%-20s %d whole, %d not recognised", name, whole, other)
	}
}

func readAll(path string) ([]byte, error) {
	from, err := packed.OpenFor(path, traces.ImportConfig{})
	if err != nil {
		return nil, err
	}
	defer from.Close()
	b, err := io.ReadAll(from)
	if err != nil {
		problem, condition := packed.Condition(err)
		err = &traces.Error{File: path, Core: -1, Err: condition, Problem: problem}
	}
	return b, err
}
