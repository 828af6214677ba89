package packets

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc/leaf/must"
)

// events writes a file of NoC events of one processor at node (1,1), each a time and further keys.
func events(t *testing.T, list ...string) *Study {
	t.Helper()
	var all []string
	for _, e := range list {
		time, rest, _ := strings.Cut(e, " ")
		all = append(all, fmt.Sprintf(`{"proc":"BRISC","noc":"NOC_0","vc":-1,"sx":1,"sy":1,"timestamp":%s,%s}`, time, rest))
	}
	path := filepath.Join(t.TempDir(), "kernel.json")
	must.Do(os.WriteFile(path, []byte("\n ["+strings.Join(all, ",\n")+"]"), 0o600))
	s := study(path)
	s.Routers, s.PacketPhits = []string{"base"}, 5
	return s
}

func transfer(kind string, x, y, bytes int) string {
	return fmt.Sprintf(`"dx":%d,"dy":%d,"num_bytes":%d,"type":%q`, x, y, bytes, kind)
}

// TestKernel: a processor computes as long as in the recording, and waits at a barrier as long as the network takes:
// for the request and the data of a read, and for a write and its acknowledgement.
func TestKernel(t *testing.T) {
	path := func(from, to uint64, bytes uint32) uint64 {
		p := &program{}
		p.add(step(uint32(from), 0, bytes, []uint64{to}))
		return uint64(lengthOf(t, p, 5).Cycles)
	}
	const here, there = 1 + 8*1, 1 + 8*2
	s := events(t, "1000 "+transfer("READ", 1, 2, 300), `1010 "dx":-1,"dy":-1,"num_bytes":0,"type":"READ_BARRIER_START"`, `1900 "dx":-1,"dy":-1,"num_bytes":0,"type":"READ_BARRIER_END"`,
		"2000 "+transfer("WRITE", 1, 2, 100), `2000 "dx":-1,"dy":-1,"num_bytes":0,"type":"WRITE_BARRIER_END"`, "2050 "+transfer("SEMAPHORE_SET", -1, -1, 0))
	o := do(t, context.Background(), s, 1)[0]
	want := max(10, path(here, there, 0)+path(there, here, 300)) + 100 + path(here, there, 100) + path(there, here, 0) + 50
	if o.Err != nil || o.Rows.Traffic[0].Cycles != want || o.Rows.Traffic[0].PacketsGenerated.Value != 1+5+2+1 || o.Rows.Traffic[0].Classes != 2 {
		t.Errorf("%v: the kernel takes %d cycles, %d packets of %d classes; want %d cycles", o.Err, o.Rows.Traffic[0].Cycles, o.Rows.Traffic[0].PacketsGenerated.Value, o.Rows.Traffic[0].Classes, want)
	}
	for want, s := range map[string]*Study{
		"processor BRISC of node (1,1): node (9,2) is outside torus:8x8; choose a larger topology, such as torus:10x12": events(t, "0 "+transfer("READ", 9, 2, 300), "100 "+transfer("SEMAPHORE_SET", -1, -1, 0)),
		"node (17,2) is not on a chip of 10 columns and 12 rows":                                                        events(t, "0 "+transfer("READ", 17, 2, 300), "100 "+transfer("SEMAPHORE_SET", -1, -1, 0)),
	} {
		if _, err := s.Head(nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
