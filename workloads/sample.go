package workloads

import (
	_ "embed" // of the recording
	"fmt"
	"strings"

	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/raw"
)

//go:embed sample/nas-is-s.trace
var sample string

// sampleUntil is the order stamp at which all threads have finished their second ranking.
const sampleUntil = 1743724

const sampleOrigin = "NPB 3.0 OpenMP C, IS class S, 16 threads, passive waiting, static x86-64; qemu-x86_64 7.2 user mode, -cpu max, one host core; " +
	"region from the first entry of rank; order stamps below 1743724"

// MakeSample imports the embedded recording anew from the folder of the raw one.
func MakeSample(folder string, to traces.Destination) (traces.Imported, error) {
	return raw.Import([]string{folder}, raw.Config{Workload: "nas-is-s", Origin: sampleOrigin, ToStamp: sampleUntil}, to)
}

func openSample(w *Workload, c Config) (*Opened, error) {
	f, err := traces.OpenReader(strings.NewReader(sample), int64(len(sample)), traces.DefaultReaderConfig())
	if err != nil {
		return nil, fmt.Errorf("embedded recording %s: %w", w.Name, err)
	}
	if c.Cores != 0 && c.Cores != f.Cores() {
		f.Close()
		return nil, fmt.Errorf("workload cores is %d, and %s is a recording of %d; leave it at 0, or take a synthetic workload", c.Cores, w.Name, f.Cores())
	}
	return &Opened{Source: f, Info: Info{Name: w.Name, Doc: w.Doc, Kind: w.Kind, Metadata: f.Metadata(), Totals: f.Totals(), Bytes: f.Size()}}, nil
}
