package packets

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/traces/tracetest"
)

// mutable are files of each form to be damaged.
func mutable() map[string][]byte {
	g := traceOf{}
	g.add(0, 5, compute, 2, nil)
	g.add(0, 6, sends, 0, []uint64{5}, "comm_dst", 0, "comm_size", 300, "comm_tag", 1)
	g.add(0, 7, receives, 0, []uint64{5}, "comm_src", 0, "comm_size", 300, "comm_tag", 1)
	g.add(0, 8, collects, 0, []uint64{6, 7}, "comm_type", 0, "comm_size", 100, "pg_name", "dp")
	g.add(0, 9, compute, 1, []uint64{8})
	events := ""
	for i, e := range []string{transfer("READ", 1, 2, 300), transfer("READ_BARRIER_START", -1, -1, 0), transfer("READ_BARRIER_END", -1, -1, 0), transfer("WRITE", 1, 2, 100), transfer("FULL_BARRIER", -1, -1, 0)} {
		events += fmt.Sprintf(`,{"proc":"BRISC","noc":"NOC_0","vc":-1,"sx":1,"sy":1,"timestamp":%d,%s}`, 1000+50*i, e)
	}
	return map[string][]byte{"kernel": []byte("[" + events[1:] + "]"), "netrace": pairsOf(16, 12), "chakra": g[0],
		"csv": []byte("cycle,source,destinations,bytes,class,depends_on\n0,0,9,8,0,\n4,9,0,72,1,1\n# more\n4,9,1 2 12,8,0,\n20,12,9,72,1,2 3\n# end 4\n")}
}

// counted counts the packets or steps of an undamaged file in a second way.
func counted(form string, b []byte) (n uint64) {
	switch form {
	case "csv":
		return uint64(len(regexp.MustCompile(`(?m)^[^#\r\n].*$`).FindAll(b, -1))) - 1
	case "netrace": // behind a head of 72 bytes, notes and regions of 24, a packet has 21 bytes and 4 for each dependant
		b = b[72+binary.LittleEndian.Uint32(b[56:])+24*binary.LittleEndian.Uint32(b[60:]):]
		for ; len(b) > 20 && len(b) >= 21+4*int(b[20]); n++ {
			b = b[21+4*int(b[20]):]
		}
	}
	return n
}

// TestMutatedInputs: whatever is done to a file, it is refused with an error that names the file, or replayed with as
// many packets as a second counter finds. Memory is bounded by the size of buffers. CAROUSEL_LONG damages 20,000
// files of each form.
func TestMutatedInputs(t *testing.T) {
	n := 300
	if os.Getenv("CAROUSEL_LONG") != "" {
		n = 20_000
	}
	path := filepath.Join(t.TempDir(), "x.0.et")
	for form, content := range mutable() {
		r := rand.New(rand.NewPCG(2, uint64(len(form))))
		refused, stopped, done := 0, 0, 0
		for i := range n {
			b := tracetest.Mutate(r, content)
			must.Do(os.WriteFile(path, b, 0o600))
			s := study(path)
			s.Routers, s.PacketPhits, s.ClockGHz = []string{"ideal"}, 5, 2
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			head, err := s.Head(nil)
			runtime.ReadMemStats(&after)
			if took := after.TotalAlloc - before.TotalAlloc; took > 4<<20 {
				t.Errorf("%s, file %d: %d bytes of memory for a file of %d\n%q", form, i, took, len(b), b)
			}
			if err == nil {
				err = s.Check(head)
			}
			if err != nil {
				if refused++; strings.Contains(err.Error(), "runtime error") {
					t.Errorf("%s, file %d: %v\n%q", form, i, err, b)
				}
				continue
			}
			o := do(t, context.Background(), s, 1)[0]
			if o.Err != nil {
				if stopped++; strings.Contains(o.Err.Error(), "broken invariant") {
					t.Errorf("%s, file %d: %v\n%q", form, i, o.Err, b)
				}
				continue
			}
			done++
			if got, want := o.Rows.Traffic[0].PacketsGenerated.Value, counted(form, b); (form == "csv" || form == "netrace") && got != want {
				t.Errorf("%s, file %d: %d packets are replayed, and a second counter finds %d\n%q", form, i, got, want, b)
			}
		}
		t.Logf("%-8s %d refused, %d stopped, %d replayed", form, refused, stopped, done)
		if done == 0 {
			t.Errorf("%s: no file is replayed", form)
		}
	}
}
