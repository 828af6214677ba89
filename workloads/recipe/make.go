package recipe

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/record"
)

// Config sizes a recording.
type Config struct {
	Records uint64 // accesses and fetched lines of all cores; 0 is the recipe's own number
	Cores   int
	Turn    int           // as in record.Config
	Limit   time.Duration // for everything together
	// Environment is that of the program; OMP_NUM_THREADS and OMP_WAIT_POLICY are added.
	Environment []string
	// Values: what accesses read and write is recorded, too.
	Values   bool
	Progress func(record.Progress) // as in record.Config
}

// Default returns a configuration with 16 cores and 20 minutes.
func Default() Config {
	return Config{Cores: 16, Turn: record.DefaultConfig().Turn, Limit: 20 * time.Minute}
}

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
	// Of the same length every time: the name is among the program's arguments, which shift its stack. Servers read
	// their files when they have given up their privileges.
	folder := filepath.Join(os.TempDir(), fmt.Sprintf("carousel-recipe-%016x", rand.Uint64()))
	if err := errors.Join(os.Mkdir(folder, 0o755), os.Chmod(folder, 0o755)); err != nil {
		return record.Result{}, err
	}
	defer os.RemoveAll(folder)
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
	k.Program, k.Workload, k.Cores, k.Turn, k.Folder, k.Values = command, r.Name, c.Cores, c.Turn, w.folder, c.Values
	k.Origin = fmt.Sprintf("recipe %s (%s)", r.Name, r.Program) // the command line has names of temporary files
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
	running, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		err := r.client(running, w)
		if err == nil || running.Err() != nil {
			return
		}
		// A client fails, too, when the server stops at the end of the region: then Run is about to return.
		select {
		case <-running.Done():
		case <-time.After(grace):
			stop(clientError{err})
		}
	}()
	done, err := record.Run(running, k, to)
	stop(nil)
	<-ended
	var failed clientError
	if errors.As(context.Cause(running), &failed) {
		if err == nil {
			return done, failed
		}
		err = fmt.Errorf("%w: %w", failed, err)
	}
	return done, said.explain(err)
}

// grace is how long a recording goes on after its client has failed.
const grace = 4 * time.Second

// clientError: a server had nothing to do, because its client failed.
type clientError struct{ error }

func (e clientError) Error() string { return "the server's client failed: " + e.error.Error() }
func (e clientError) Unwrap() error { return e.error }
