package compare

import (
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/analysis/tables"
)

// TestFalseSharingIsTold: a block that is shared falsely in all runs is named with the bytes of its
// cores, if it has enough of all misses; one that is shared truly in one run is not.
func TestFalseSharingIsTold(t *testing.T) {
	row := func(run, block, sharing string, misses, core uint64, bytes string) tables.HotBlock {
		return tables.HotBlock{RunKey: run, Block: block, Sharing: sharing, BlockMisses: misses, Core: core, Misses: misses / 2, Read: bytes, Written: bytes}
	}
	rows := &tables.Rows{HotBlocks: []tables.HotBlock{
		row("a", "0x40", tables.FalseSharing, 30, 0, "0-7"), row("a", "0x40", tables.FalseSharing, 30, 1, "8-15"),
		row("b", "0x40", tables.FalseSharing, 20, 0, "0-7"), row("b", "0x40", tables.FalseSharing, 20, 1, "8-15"),
		row("a", "0x80", tables.TrueSharing, 90, 0, "0-7"), row("b", "0x80", tables.FalseSharing, 1, 1, "8-15"),
	}}
	told := func(misses uint64) string {
		rows.Runs = []tables.Run{{RunKey: "a", Workload: "x", L1Misses: tables.Some(misses)}, {RunKey: "b", Workload: "x"}}
		return strings.Join(falseSharing(rows), "\n")
	}
	if got := told(1000); !strings.Contains(got, "x: false sharing causes 5 % of all misses") || !strings.Contains(got, "block 0x40") ||
		!strings.Contains(got, "core 0 reads and writes bytes 0-7, core 1 reads and writes bytes 8-15") {
		t.Errorf("%q", got)
	}
	if got := told(1001); got != "" {
		t.Errorf("below a twentieth of the misses: %q", got)
	}
	hot := hotBlocks(rows, nil)
	if len(hot) != 2 || hot[0].Block != "0x80" || hot[0].Misses != 91 || hot[0].FalseSharing || hot[1].Misses != 50 || len(hot[1].Cores) != 2 {
		t.Errorf("%+v", hot)
	}
}
