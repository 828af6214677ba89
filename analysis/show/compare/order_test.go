package compare

import (
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/analysis/result"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// TestEqualRouters: two routers that only differ in multicasts do the same where none was sent, and the sentence says
// why.
func TestEqualRouters(t *testing.T) {
	for broadcasts, want := range map[uint64]string{0: "mrr and rr do the same, because no multicast was sent.", 3: "No number of windows would tell mrr from rr."} {
		rows := study("w", true, times{"mrr", []uint64{100, 101}}, times{"rr", []uint64{100, 101}})
		for i := range rows.Runs {
			rows.Runs[i].PacketsUnicast, rows.Runs[i].PacketsBroadcast = tables.Some(uint64(7)), tables.Some(broadcasts)
		}
		if got := said(rows, &result.Rank(rows, nil)[0], (*findings).order, Answer); !strings.Contains(got, want) {
			t.Errorf("with %d broadcasts it says %q", broadcasts, got)
		}
	}
}

// TestManyUsersOfABlock: cores that use the same bytes are named together.
func TestManyUsersOfABlock(t *testing.T) {
	b := HotBlock{Cores: []HotCore{{0, "0-63", "0-63"}, {1, "0-63", "0-63"}, {2, "0-63", "0-63"}}}
	if got := b.bytes(3); got != "all 3 cores read and write bytes 0-63" {
		t.Errorf("it says %q", got)
	}
	b.Cores = append(b.Cores, HotCore{3, "0-7", ""})
	if got := b.bytes(3); got != "3 cores read and write bytes 0-63, core 3 reads bytes 0-7" {
		t.Errorf("it says %q", got)
	}
}
