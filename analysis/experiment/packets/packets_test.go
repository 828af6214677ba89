package packets

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/power"
	"github.com/carousel-sim/carousel/traces"
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
	quiet := func(int, noc.Cycle, uint64) {}
	first := s.Run(context.Background(), 1, quiet)
	for i := range first {
		o := &first[i]
		// A request is one phit of 16 bytes, an answer of 72 bytes has five.
		if o.Err != nil || o.Packets != 1000 || o.Phits != 500+5*500 || o.Waited != 500 || o.Last < o.Recorded || o.Router != s.Routers[i] {
			t.Errorf("%+v", o)
		}
		if o.Router != "ideal" && o.Energy.Total() <= 0 {
			t.Errorf("%s: %g J", o.Router, o.Energy.Total())
		}
	}
	again := s.Run(context.Background(), 3, quiet)
	for i := range again {
		if first[i].Wall, again[i].Wall = 0, 0; !reflect.DeepEqual(first[i], again[i]) {
			t.Errorf("%s: not the same with three workers", first[i].Router)
		}
	}
	if s.Limit = 10; s.Run(context.Background(), 1, quiet)[1].Packets != 10 {
		t.Error("the limit is not kept")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if o := s.Run(ctx, 1, quiet); !o[0].Interrupted() {
		t.Error(o[0].Err)
	}
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
	if o := s.Run(context.Background(), 1, func(int, noc.Cycle, uint64) {}); !errors.Is(o[1].Err, traces.ErrTruncated) {
		t.Error(o[1].Err)
	}
}
