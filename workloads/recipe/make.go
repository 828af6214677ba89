package recipe

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/record"
)

// Config sizes a recording.
type Config struct {
	Records       uint64 // accesses and fetched lines of all cores; 0 is the recipe's own number
	Cores         int
	Turn          int           // as in record.Config
	Limit         time.Duration // for everything together
	Windows       int           // to draw, or RecipesWindows; 0 keeps everything
	WindowRecords uint64        // of a window, of all cores, on average over the recording; 0 is the recipe's own number
	// Environment is that of the program; OMP_NUM_THREADS and OMP_WAIT_POLICY are added.
	Environment []string
	Progress    func(record.Progress) // as in record.Config
}

// RecipesWindows in Config.Windows takes the recipe's number of windows; everything is kept where
// Records are given.
const RecipesWindows = -1

// Default returns a configuration with 16 cores, the recipe's windows and 20 minutes.
func Default() Config {
	return Config{Cores: 16, Windows: RecipesWindows, Turn: record.DefaultConfig().Turn, Limit: 20 * time.Minute}
}

// Validate checks the sizes.
func (c Config) Validate() error {
	switch {
	case c.Cores < 1 || c.Cores > 1024:
		return fmt.Errorf("cores is %d, and must be from 1 to 1024", c.Cores)
	case c.Records != 0 && c.Records < uint64(c.Cores):
		return fmt.Errorf("records is %d, and must be at least one per core", c.Records)
	case c.Limit <= 0:
		return fmt.Errorf("limit is %v, and must be above 0", c.Limit)
	}
	return nil
}

// ErrLimit: the recording was not done within Config.Limit; what there was by then is in the trace.
var ErrLimit = errors.New("the time limit was reached")

// Make records an application. Where something is not installed the error is a record.ErrMissing
// that names it.
func Make(ctx context.Context, r *Recipe, c Config, to traces.Destination) (record.Result, error) {
	if err := c.Validate(); err != nil {
		return record.Result{}, err
	}
	if err := r.check(); err != nil {
		return record.Result{}, err
	}
	// Of the same length every time: the name is among the program's arguments, which shift its
	// stack. Servers read their files when they have given up their privileges.
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

// processor is QEMU's model of the processor: what it can, but for fast strings. Where they are
// there, libraries and the kernel copy and clear memory by string instructions, which QEMU does
// byte by byte.
const processor = "max,-erms,-fsrm"

func (r *Recipe) record(ctx context.Context, w *workshop, c Config, command []string, to traces.Destination) (record.Result, error) {
	k := record.DefaultConfig()
	k.Program, k.Workload, k.Cores, k.Turn, k.Folder = command, r.Name, c.Cores, c.Turn, w.folder
	k.Origin = fmt.Sprintf("recipe %s (%s)", r.Name, r.Program) // the command line has names of temporary files
	k.Processor = processor
	k.SkipInstructions, k.Marker = r.Skip, r.Skip == 0
	r.size(&k, c)
	k.Notes = []string{"licence of what was recorded: " + r.Licence}
	if versions := r.versions(ctx); versions != "" {
		k.Notes = append(k.Notes, "versions: "+versions)
	}
	k.Environment = append(append([]string(nil), c.Environment...), "OMP_NUM_THREADS="+strconv.Itoa(c.Cores), "OMP_WAIT_POLICY=passive")
	if k.System = w.system; k.System != nil {
		k.Environment = nil // a machine knows nothing of this one
	}
	said := &tail{}
	k.Output, k.Errors, k.Progress = said, said, c.Progress
	done, err := record.Run(ctx, k, to)
	return done, said.explain(err)
}

// drawnFrom is how many times what windows hold is recorded to draw them from, at least.
const drawnFrom = 4

// size says how much is recorded: what the user wants, or else what the recipe has.
func (r *Recipe) size(k *record.Config, c Config) {
	k.Windows, k.WindowRecords, k.Compact = c.Windows, cmp.Or(c.WindowRecords, r.WindowRecords), true
	if k.Windows == RecipesWindows {
		if k.Windows = r.Windows; c.Records != 0 {
			k.Windows = 0
		}
	}
	k.Records = cmp.Or(c.Records, max(r.Records, drawnFrom*uint64(k.Windows)*k.WindowRecords))
	if r.PerCore {
		k.Instances = c.Cores
		k.Records /= uint64(c.Cores)
	}
}

//go:embed source config
var sources embed.FS

// workshop is where a recipe's inputs are made.
type workshop struct {
	folder string
	cores  int
	system *record.System // that runs the program, where a whole machine is recorded
}

func (w *workshop) path(name string) string { return filepath.Join(w.folder, name) }

func (w *workshop) write(name, text string) error {
	return os.WriteFile(w.path(name), []byte(text), 0o644)
}

// configure makes a file of one of the folder config, a format in which some values are missing.
func (w *workshop) configure(name, format string, values ...any) error {
	text, _ := sources.ReadFile("config/" + format) // it is embedded
	return w.write(name, fmt.Sprintf(string(text), values...))
}

func (w *workshop) unpack() error {
	list, _ := sources.ReadDir("source")
	for _, entry := range list {
		text, _ := sources.ReadFile("source/" + entry.Name())
		if err := w.write(entry.Name(), string(text)); err != nil {
			return err
		}
	}
	return nil
}

// compile builds one of the embedded C sources and gives the program's path.
func (w *workshop) compile(ctx context.Context, source string, options ...string) (string, error) {
	if err := w.unpack(); err != nil {
		return "", err
	}
	result := w.path(strings.TrimSuffix(source, ".c"))
	args := append([]string{"-O2", "-o", result, source}, options...) // libraries come after what uses them
	if err := w.run(ctx, nil, "gcc", args...); ctx.Err() != nil {
		return "", ctx.Err()
	} else if err != nil {
		return "", fmt.Errorf("%w: %w (are the C library's files there? on Debian: apt-get install gcc libc6-dev)", record.ErrMissing, err)
	}
	return result, nil
}

// run does a step natively in the workshop's folder. What the step says is shown when it fails.
func (w *workshop) run(ctx context.Context, input io.Reader, program string, args ...string) error {
	command := exec.CommandContext(ctx, program, args...)
	command.Dir, command.Stdin = w.folder, input
	if out, err := command.CombinedOutput(); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("%s: %w\n%s", strings.Join(command.Args, " "), err, bytes.TrimSpace(out))
	}
	return nil
}

// tail keeps the end of what a program says.
type tail struct{ text []byte }

const tailBytes = 2000

// Write never fails.
func (t *tail) Write(p []byte) (int, error) {
	t.text = append(t.text, p...)
	if extra := len(t.text) - tailBytes; extra > 0 {
		t.text = append(t.text[:0], t.text[extra:]...)
	}
	return len(p), nil
}

// explain adds what the program said to an error.
func (t *tail) explain(err error) error {
	if text := bytes.TrimSpace(t.text); err != nil && len(text) > 0 {
		return fmt.Errorf("%w; the last lines of the program's output:\n%s", err, text)
	}
	return err
}
