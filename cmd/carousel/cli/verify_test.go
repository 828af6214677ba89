package cli

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/coherence/verify"
)

// TestVerifyInterrupted: an interrupted command prints what it has.
func TestVerifyInterrupted(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	var out, errs bytes.Buffer
	a := &app{stdout: &out, stderr: &errs, format: "json"}
	err := a.verify(ctx, "all", verify.Protocols, verifyFlags{memory: 1, jobs: 1})
	if exitCode(err) != exitInterrupted || !errors.As(err, new(interruptedError)) || !strings.Contains(out.String(), `"interrupted": true`) {
		t.Errorf("%v, %s", err, out.String())
	}
}
