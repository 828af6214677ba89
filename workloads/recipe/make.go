package recipe

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/record"
)

// Config sizes a recording.
type Config struct {
	Records uint64 // accesses and fetched lines of all cores; 0 is the recipe's own number
	Cores   int
	Limit   time.Duration // for everything together
	// Environment is that of the program; OMP_NUM_THREADS and OMP_WAIT_POLICY are added.
	Environment []string
	Progress    func(record.Progress) // as in record.Config
}

// Default gives 16 cores and 20 minutes.
func Default() Config { return Config{Cores: 16, Limit: 20 * time.Minute} }

// Validate checks the sizes.
func (c Config) Validate() error {
	switch {
	case c.Cores < 1 || c.Cores > 256:
		return fmt.Errorf("cores is %d, and must be from 1 to 256", c.Cores)
	case c.Records != 0 && c.Records < uint64(c.Cores):
		return fmt.Errorf("records is %d, and must be at least one per core", c.Records)
	case c.Limit <= 0:
		return fmt.Errorf("limit is %v, and must be above 0", c.Limit)
	}
	return nil
}

// ErrLimit: the recording was not done within Config.Limit; what there was by then is in the trace.
var ErrLimit = errors.New("the time limit was reached")

// Make records an application. Where something is not installed the error is a record.ErrMissing that names it.
func Make(ctx context.Context, r *Recipe, c Config, to traces.Destination) (record.Result, error) {
	if err := c.Validate(); err != nil {
		return record.Result{}, err
	}
	if err := r.check(); err != nil {
		return record.Result{}, err
	}
	folder, err := os.MkdirTemp("", "carousel-recipe-")
	if err != nil {
		return record.Result{}, err
	}
	defer os.RemoveAll(folder)
	if err := os.Chmod(folder, 0o755); err != nil { // servers give up their privileges
		return record.Result{}, err
	}
	w := &workshop{folder: folder, cores: c.Cores}
	limited, stop := context.WithTimeout(ctx, c.Limit)
	defer stop()
	command, err := r.prepare(limited, w)
	if err == nil {
		var done record.Result
		if done, err = r.record(limited, w, c, command, to); err == nil && done.Interrupted && ctx.Err() == nil {
			return done, fmt.Errorf("%s: %w after %v (%s)", r.Name, ErrLimit, c.Limit, done.Reason)
		} else if err == nil {
			return done, nil
		}
	}
	if limited.Err() != nil && ctx.Err() == nil {
		err = fmt.Errorf("%w after %v: %w", ErrLimit, c.Limit, err)
	}
	return record.Result{}, fmt.Errorf("%s: %w", r.Name, err)
}

// record runs the program under the recorder, and beside it the client.
func (r *Recipe) record(ctx context.Context, w *workshop, c Config, command []string, to traces.Destination) (record.Result, error) {
	k := record.DefaultConfig()
	k.Program, k.Workload, k.Cores, k.Folder = command, r.Name, c.Cores, w.folder
	k.SkipInstructions, k.Marker = r.Skip, r.Skip == 0
	k.Records = c.Records
	if k.Records == 0 {
		k.Records = r.Records
	}
	if r.PerCore {
		k.Instances = c.Cores
		k.Records /= uint64(c.Cores)
	}
	k.Environment = append(append([]string(nil), c.Environment...), "OMP_NUM_THREADS="+strconv.Itoa(c.Cores), "OMP_WAIT_POLICY=passive")
	said := &tail{}
	k.Output, k.Errors, k.Progress = said, said, c.Progress
	if r.client == nil {
		done, err := record.Run(ctx, k, to)
		return done, said.explain(err)
	}
	serving, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- r.client(serving, w) }()
	done, err := record.Run(ctx, k, to)
	stop()
	// A client that failed explains why a server had nothing to do; one whose server is gone failed rightly.
	if problem := <-ended; problem != nil && errors.Is(err, record.ErrNothing) {
		err = fmt.Errorf("%w; the client: %w", err, problem)
	}
	return done, said.explain(err)
}
