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

// TestInterruptedReplacement: a figure that was to replace another one, and was interrupted, says
// where the other one is, also when it is continued and interrupted again. When it is complete, the
// other one is gone.
func TestInterruptedReplacement(t *testing.T) {
	out := t.TempDir()
	run := func(ctx context.Context, cycles string, flags ...string) (int, string) {
		var problems bytes.Buffer
		code := cli.Execute(ctx, append([]string{"paper", "run", "mrr.sec1", "--set", "traffic.cycles=" + cycles, "--set", "traffic.warmup=100",
			"--set", "traffic.step=0.5", "--out", out}, flags...), nil, &bytes.Buffer{}, &problems)
		return code, problems.String()
	}
	hidden := func() []string {
		kept, _ := filepath.Glob(filepath.Join(out, "mrr.sec1", ".quick.replaced-*"))
		return kept
	}
	if code, problems := run(context.Background(), "600"); code > 1 || strings.Contains(problems, "was there before") {
		t.Fatalf("code %d, %s", code, problems)
	}
	stopped, stop := context.WithCancel(context.Background())
	stop()
	code, problems := run(stopped, "700", "--force")
	kept := hidden()
	if len(kept) != 1 || code != 130 || !strings.Contains(problems, "; the study that was there before is in "+kept[0]+"; give the command again") {
		t.Fatalf("code %d, %v, %s", code, kept, problems)
	}
	if _, err := os.Stat(filepath.Join(kept[0], "claims.arrow")); err != nil {
		t.Error(err)
	}
	if _, problems := run(stopped, "700"); !strings.Contains(problems, kept[0]) || len(hidden()) != 1 {
		t.Errorf("continued and interrupted: %v, %s", hidden(), problems)
	}
	if code, problems := run(context.Background(), "700"); code > 1 || len(hidden()) > 0 {
		t.Errorf("complete: code %d, %v is left; %s", code, hidden(), problems)
	}
}
