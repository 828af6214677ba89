package packets

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/power"
	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/packetlist"
)

// pairsOf is a netrace file of requests of 8 bytes and of the answers of 72 bytes that wait for them,
// four pairs per cycle.
func pairsOf(nodes byte, pairs int) []byte {
	le := binary.LittleEndian
	b := le.AppendUint32(nil, 0x484A5455)
	b = le.AppendUint32(b, math.Float32bits(1))
	b = append(b, append([]byte("pairs"), make([]byte, 25)...)...)
	b = append(b, nodes, 0)
	b = le.AppendUint64(b, uint64(pairs))
	b = le.AppendUint64(b, 2*uint64(pairs))
	b = append(b, make([]byte, 16)...)
	for i := range pairs {
		src, dst := byte(i*7)%nodes, byte(i*11+5)%nodes
		b = le.AppendUint64(b, uint64(i/4))
		b = le.AppendUint32(b, uint32(2*i))
		b = append(b, 0, 0, 0, 0, 1, src, dst, 0x02, 1)
		b = le.AppendUint32(b, uint32(2*i+1))
		b = le.AppendUint64(b, uint64(i/4))
		b = le.AppendUint32(b, uint32(2*i+1))
		b = append(b, 0, 0, 0, 0, 2, dst, src, 0x20, 0)
	}
	return b
}

// file is a made-up packet trace.
func file(t *testing.T, nodes byte, pairs int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.tra")
	must.Do(os.WriteFile(path, pairsOf(nodes, pairs), 0o600))
	return path
}

func study(path string) *Study {
	return &Study{Path: path, Routers: []string{"ideal", "base", "mrr"}, Seed: 1, Network: models.DefaultOptions(), Power: power.Default()}
}

func TestRun(t *testing.T) {
	s := study(file(t, 64, 500))
	head, err := s.Head(nil)
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
	head := must.Get(s.Head(nil))
	points := must.Get(s.Points(head))
	outcomes := must.Get(experiment.Run(ctx, points, experiment.Options{Jobs: jobs, Log: zerolog.Nop()}))
	return outcomes
}

// checked checks a study of a file whose head can be read.
func checked(t *testing.T, s *Study) error {
	t.Helper()
	head := must.Get(s.Head(nil))
	return s.Check(head)
}

func TestMistakes(t *testing.T) {
	s := study(file(t, 65, 10))
	if err := checked(t, s); err == nil || !strings.Contains(err.Error(), "65 nodes, and torus:8x8 has 64") {
		t.Error(err)
	}
	s = study(file(t, 16, 10))
	s.Network.Grid = topology.Torus(4, 4)
	if err := checked(t, s); err != nil {
		t.Error(err)
	}
	must.Do(os.Truncate(s.Path, 200))
	if o := do(t, context.Background(), s, 1); !errors.Is(o[1].Err, traces.ErrTruncated) {
		t.Error(o[1].Err)
	}
}

// listOf writes a plain list.
func listOf(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	must.Do(os.WriteFile(path, []byte(text), 0o600))
	return path
}

// TestList: packets of a plain list are replayed with their classes, destinations and dependences,
// and those of a netrace file written as a list give its digests.
func TestList(t *testing.T) {
	s := study(listOf(t, "x.y.csv", "cycle,source,destinations,phits,class,depends_on\n0,1,2 3 40,3,1,\n7,2,1,1,2,1\n"))
	s.Routers = []string{"base", "base-mc", "mrr"}
	head, err := s.Head(nil)
	if err != nil || head.Name != "x" || head.Head != (packetlist.Head{Nodes: 41, Classes: 3, Cycles: 8, Packets: 2, Phits: 3}) ||
		!slices.Equal(head.Notes, []string{"no end mark: the file may be cut off (x.y.csv)"}) {
		t.Fatalf("%+v, %v", head, err)
	}
	for _, o := range do(t, context.Background(), s, 1) {
		row := &o.Rows.Traffic[0]
		if o.Err != nil || row.PacketsDelivered.Value != 4 || row.PacketsGenerated.Value != 2 || row.PhitsDelivered.Value != 10 || row.PacketsDelayed.Value != 1 ||
			row.Classes != 3 || row.MulticastLatencyMean.Value < row.MulticastCopyLatencyMean.Value || row.UnicastLatencyMean.Value <= 0 {
			t.Errorf("%+v: %v", row, o.Err)
		}
	}
	netrace, text := study(file(t, 64, 300)), "cycle,source,destinations,bytes,class,depends_on\n"
	for i := range 300 {
		src, dst := i*7%256%64, (i*11+5)%256%64
		text += fmt.Sprintf("%d,%d,%d,8,0,\n%d,%d,%d,72,1,%d\n", i/4, src, dst, i/4, dst, src, 2*i+1)
	}
	list := study(listOf(t, "pairs.csv", text))
	want, got := do(t, context.Background(), netrace, 1), do(t, context.Background(), list, 1)
	for i := range want {
		a, b := &want[i].Rows.Traffic[0], &got[i].Rows.Traffic[0]
		if a.Cycles != b.Cycles || a.LatencyMean != b.LatencyMean || a.PacketsDelayed != b.PacketsDelayed || a.PhitHops != b.PhitHops || a.Pattern != b.Pattern {
			t.Errorf("%+v\n%+v", a, b)
		}
	}
}

// TestListMistakes: mistakes of a list, and lists that a network cannot carry, are told.
func TestListMistakes(t *testing.T) {
	const names = "cycle,source,destinations,phits,class,depends_on\n"
	for says, text := range map[string]string{
		"the file contains no packet":                              names,
		"line 2: cycle is \"x\"; a whole number":                   names + "x,0,1,1,0,\n",
		"the trace has 4097 nodes, and torus:8x8 has 64":           names + "0,4096,1,1,0,\n",
		"there are packets of class 8; classes 0 to 7 are allowed": names + "0,1,1,1,8,\n",
		"a packet has 70 phits, but router base":                   names + "0,1,1,70,0,\n",
		"not a trace file":                                         "\x89PNG\r\n",
	} {
		s := study(listOf(t, "x", text))
		s.Routers = []string{"base"}
		head, err := s.Head(nil)
		if err == nil {
			err = s.Check(head)
		}
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v", says, err)
		}
	}
}
