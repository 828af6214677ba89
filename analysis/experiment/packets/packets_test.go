package packets

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/power"
	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/netrace"
	"github.com/carousel-sim/carousel/traces/netrace/netracetest"
)

// file is a made-up packet trace.
func file(t *testing.T, nodes byte, pairs int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.tra")
	if err := os.WriteFile(path, netracetest.Pairs(nodes, pairs), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func study(path string) *Study {
	return &Study{Path: path, Routers: []string{"ideal", "base", "mrr"}, Seed: 1, Network: models.DefaultOptions(), Power: power.Default()}
}

func TestRun(t *testing.T) {
	s := study(file(t, 64, 500))
	head, err := s.Check()
	if err != nil || head.Packets != 1000 {
		t.Fatal(err)
	}
	first := do(t, context.Background(), s, 1)
	for i := range first {
		o := &first[i]
		row := &o.Rows.Traffic[0]
		// A request is one phit of 16 bytes, an answer of 72 bytes has five.
		if o.Err != nil || row.PacketsDelivered.Value != 1000 || row.PhitsDelivered.Value != 500+5*500 || row.PacketsDelayed.Value != 500 ||
			row.Cycles < row.CyclesRecorded.Value || row.Router != s.Routers[i] {
			t.Errorf("%+v: %v", row, o.Err)
		}
		if row.Router != "ideal" && row.Energy.Value <= 0 {
			t.Errorf("%s: %g pJ", row.Router, row.Energy.Value)
		}
	}
	again := do(t, context.Background(), s, 3)
	for i := range again {
		first[i].Rows.DropHostTime()
		again[i].Rows.DropHostTime()
		if !reflect.DeepEqual(first[i].Rows, again[i].Rows) {
			t.Errorf("%s: not the same with three workers", first[i].Label)
		}
	}
	if s.Limit = 10; do(t, context.Background(), s, 1)[1].Rows.Traffic[0].PacketsDelivered.Value != 10 {
		t.Error("the limit is not kept")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if o := do(t, ctx, s, 1); o[0].State != tables.Interrupted {
		t.Error(o[0].Err)
	}
}

// do replays a trace on every router.
func do(t *testing.T, ctx context.Context, s *Study, jobs int) []experiment.Outcome {
	t.Helper()
	points, err := s.Points(netrace.Head{Benchmark: "made up"})
	if err != nil {
		t.Fatal(err)
	}
	outcomes, err := experiment.Run(ctx, points, experiment.Options{Jobs: jobs, Log: zerolog.Nop()})
	if err != nil {
		t.Fatal(err)
	}
	return outcomes
}

func TestMistakes(t *testing.T) {
	s := study(file(t, 65, 10))
	if _, err := s.Check(); err == nil || !strings.Contains(err.Error(), "65 nodes, and torus:8x8 has 64") {
		t.Error(err)
	}
	s = study(file(t, 16, 10))
	s.Network.Grid = topology.Torus(4, 4)
	if _, err := s.Check(); err != nil {
		t.Error(err)
	}
	if err := os.Truncate(s.Path, 200); err != nil {
		t.Fatal(err)
	}
	if o := do(t, context.Background(), s, 1); !errors.Is(o[1].Err, traces.ErrTruncated) {
		t.Error(o[1].Err)
	}
}
