package recipe

import (
	"bytes"
	"context"
	"embed"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/carousel-sim/carousel/traces/record"
)

//go:embed source
var sources embed.FS

// workshop is where a recipe's inputs are made.
type workshop struct {
	folder string
	cores  int
	system *record.System // that runs the program, where a whole machine is recorded
}

// path is that of a file in the workshop.
func (w *workshop) path(name string) string { return filepath.Join(w.folder, name) }

// write makes a file.
func (w *workshop) write(name, text string) error {
	return os.WriteFile(w.path(name), []byte(text), 0o644)
}

// unpack writes the embedded sources into the workshop.
func (w *workshop) unpack() error {
	list, err := sources.ReadDir("source")
	if err != nil {
		return err
	}
	for _, entry := range list {
		text, err := sources.ReadFile("source/" + entry.Name())
		if err == nil {
			err = w.write(entry.Name(), string(text))
		}
		if err != nil {
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
