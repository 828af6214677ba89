package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/cmd/carousel/cli"
)

// TestInterruptedTraceCommands: whatever reads a trace ends when it is interrupted, says so, and
// leaves neither a part of a file nor another file than there was.
func TestInterruptedTraceCommands(t *testing.T) {
	dir := t.TempDir()
	in, text := filepath.Join(dir, "in.trace"), filepath.Join(dir, "in.txt")
	if err := writeTrace(in, 2, 500); err != nil {
		t.Fatal(err)
	}
	var problems bytes.Buffer
	if code := cli.Execute(context.Background(), []string{"trace", "export", in, "--to", "text", "-o", text}, nil, &bytes.Buffer{}, &problems); code != 0 {
		t.Fatal(problems.String())
	}
	stopped, stop := context.WithCancel(context.Background())
	stop()
	out := filepath.Join(dir, "out")
	for _, args := range [][]string{
		{"trace", "import", text, "--force", "-o", out}, {"trace", "export", in, "--force", "-o", out}, {"trace", "slice", in, "--cores", "1", "--force", "-o", out},
		{"workload", "make", "producer-consumer", "--records", "4000", "--force", "-o", out},
		{"trace", "verify", in}, {"trace", "info", in}, {"trace", "cat", in},
	} {
		writes := args[len(args)-1] == out
		for _, there := range []string{"", "before"} {
			if there != "" && os.WriteFile(out, []byte(there), 0o600) != nil {
				t.Fatal("cannot write")
			}
			problems.Reset()
			code := cli.Execute(stopped, args, nil, &bytes.Buffer{}, &problems)
			says := "nothing was written"
			if there != "" {
				says = out + " is what it was before"
			}
			if code != 130 || !strings.HasPrefix(problems.String(), "carousel: interrupted; ") || writes && !strings.Contains(problems.String(), says) {
				t.Errorf("%v: code %d, %s", args, code, problems.String())
			}
			if got, _ := os.ReadFile(out); string(got) != there {
				t.Errorf("%v: %q is left", args, got)
			}
			if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
				t.Errorf("%v leaves %v", args, left)
			}
		}
		os.Remove(out)
	}
}
