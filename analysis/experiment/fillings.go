package experiment

import (
	"runtime"
	"slices"
	"sync"

	"github.com/carousel-sim/carousel/coherence/cmp"
)

// fillings are what the caches hold at the start of the windows that runs have begun last.
var fillings recent

// recent keeps so many fillings that all runs of a window find its one while others go on at the
// same time.
type recent struct {
	mutex sync.Mutex
	kept  []filling // the one asked for last at the end
}

// filling is one by a digest of what decides it.
type filling struct {
	key string
	*cmp.Filling
}

// of returns the filling of a run. Everything that decides where a chip's blocks are is in the key.
func (r *recent) of(p *run, chip *cmp.Config, nodes int) *cmp.Filling {
	key := Digest(struct {
		Trace         string
		Window, Nodes int
		Chip          *cmp.Config
	}{p.Workload.Digest, p.Window, nodes, chip})
	r.mutex.Lock()
	defer r.mutex.Unlock()
	found := filling{key, new(cmp.Filling)}
	if i := slices.IndexFunc(r.kept, func(f filling) bool { return f.key == key }); i >= 0 {
		found = r.kept[i]
		r.kept = slices.Delete(r.kept, i, i+1)
	} else if len(r.kept) > runtime.GOMAXPROCS(0) {
		r.kept = slices.Delete(r.kept, 0, 1)
	}
	r.kept = append(r.kept, found)
	return found.Filling
}
