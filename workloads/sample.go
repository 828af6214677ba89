package workloads

import (
	_ "embed" // of the recordings
	"fmt"
	"strings"

	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/raw"
)

//go:embed sample/nas-is-s.trace
var integerSort string

//go:embed sample/nas-sp-s.trace
var pentadiagonal string

// recording is an embedded recording and how it was made.
type recording struct {
	name   string
	data   string
	origin string
	until  uint64 // order stamp at which all threads are cut; 0 keeps the whole recording
}

const recordedBy = "16 threads, passive waiting, static x86-64; qemu-x86_64 7.2 user mode, -cpu max, one host core; region from the first entry of "

// recordings lists what is embedded.
var recordings = []recording{
	// At this stamp all threads have finished their second ranking.
	{"nas-is-s", integerSort, "NPB 3.0 OpenMP C, IS class S, " + recordedBy + "rank; order stamps below 1743724", 1743724},
	{"nas-sp-s", pentadiagonal, "NPB 3.0 OpenMP C, SP class S, " + recordedBy + "adi; 250000 instructions per thread", 0},
}

func findRecording(name string) (*recording, error) {
	for i := range recordings {
		if recordings[i].name == name {
			return &recordings[i], nil
		}
	}
	return nil, fmt.Errorf("there is no embedded recording %q", name)
}

// MakeSample imports an embedded recording anew from the folder of the raw one.
func MakeSample(name, folder string, to traces.Destination) (traces.Imported, error) {
	r, err := findRecording(name)
	if err != nil {
		return traces.Imported{}, err
	}
	return raw.Import([]string{folder}, traces.ImportConfig{Workload: r.name, Origin: r.origin, ToStamp: r.until}, to)
}

func openRecording(w *Workload, c Config) (*Opened, error) {
	r, err := findRecording(w.Name)
	if err != nil {
		return nil, err
	}
	return openEmbedded(w, c, strings.NewReader(r.data), int64(len(r.data)))
}
