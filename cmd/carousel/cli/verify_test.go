package cli

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/analysis/checks"
	"github.com/carousel-sim/carousel/coherence/verify"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/leaf/printable"
)

// TestVerifyInterrupted: an interrupted command prints what it has.
func TestVerifyInterrupted(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	var out, errs bytes.Buffer
	a := &app{stdout: &printable.Writer{To: &out}, stderr: &printable.Writer{To: &errs}, format: "json"}
	err := a.verify(verify.Options{Memory: 1 << 30, Jobs: 1}, func(o verify.Options) (*checks.Report, error) {
		return checks.Run(ctx, "all", verify.Protocols, nil, o)
	})
	if exitCode(err) != exitInterrupted || !errors.As(err, new(interruptedError)) || !strings.Contains(out.String(), `"interrupted": true`) {
		t.Errorf("%v, %s", err, out.String())
	}
}

// TestSweepInterrupted: a sweep that is interrupted before its first point, even before its points are
// made, prints what it has not measured, as a run does.
func TestSweepInterrupted(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	dir := t.TempDir()
	for kind, text := range map[string]string{
		"run":     "kind: run\nset: {workload: producer-consumer}\naxes: {routers: [base, mrr]}\n",
		"traffic": "kind: traffic\nset: {topology: \"torus:2x2\"}\naxes: {routers: [base, mrr], traffic.load: [0.1, 0.2]}\n",
	} {
		plan := filepath.Join(dir, kind+".yaml")
		must.Do(os.WriteFile(plan, []byte(text), 0o666))
		var out, errs bytes.Buffer
		code := Execute(ctx, []string{"sweep", plan, "--out", filepath.Join(dir, kind)}, nil, &out, &errs)
		row := regexp.MustCompile(`(?m)^mrr +(0\.2 +0 +-|-  .*-)`)
		if code != exitInterrupted || !row.MatchString(out.String()) || strings.Contains(out.String(), "0.000") || !strings.Contains(out.String(), "incomplete: 0 of ") {
			t.Errorf("%s: code %d, %s%s", kind, code, out.String(), errs.String())
		}
	}
}
