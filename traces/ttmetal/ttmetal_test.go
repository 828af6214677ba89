package ttmetal

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/traces"
)

// begin is a kernel's start, event one of a network, in the shape of the files.
func begin(proc string, x, y int, time uint64) string {
	return fmt.Sprintf(`{"proc":%q,"zone":"%s-KERNEL","zone_phase":"begin","sx":%d,"sy":%d,"timestamp":%d}`, proc, proc, x, y, time)
}

func event(proc string, x, y int, time uint64, rest string) string {
	return fmt.Sprintf(`{"proc":%q,"noc":"NOC_0","vc":-1,"sx":%d,"sy":%d,"timestamp":%d,"kernel_start_delta":0,%s}`, proc, x, y, time, rest)
}

func to(kind string, x, y, bytes int) string {
	return fmt.Sprintf(`"dx":%d,"dy":%d,"num_bytes":%d,"type":%q`, x, y, bytes, kind)
}

func kernel(t *testing.T, events ...string) *Trace {
	t.Helper()
	trace := must.Get(Parse("folder/kernel.json", strings.NewReader("["+strings.Join(events, ",\n")+"]")))
	return trace
}

// TestKernel reads a worker that fetches from DRAM and from another worker: times count from the
// first event, and the kernel took the span of all events less the allowance for its end.
func TestKernel(t *testing.T) {
	k := kernel(t, begin("NCRISC", 2, 3, 5000), event("NCRISC", 2, 3, 5240, to("READ", 0, 5, 2048)),
		event("NCRISC", 2, 3, 5365, to("READ", 1, 3, 4096)), event("NCRISC", 2, 3, 5465, to("READ_BARRIER_START", -1, -1, 0)),
		event("NCRISC", 2, 3, 5900, to("READ_BARRIER_END", -1, -1, 0)))
	if k.Name != "kernel" || k.Cycles != 880 || len(k.Processes) != 1 || k.Ignored != 0 {
		t.Fatalf("%+v", k)
	}
	p := k.Processes[0]
	if p.Node != (Node{2, 3}) || p.Processor != "NCRISC" || p.Start != 0 {
		t.Errorf("process %+v", p)
	}
	want := []struct {
		kind  Kind
		peer  Node
		bytes uint32
		time  uint64
	}{{Local, Node{}, 0, 0}, {Read, Node{0, 5}, 2048, 240}, {Read, Node{1, 3}, 4096, 365}, {ReadBarrierStart, nowhere, 0, 465}, {ReadBarrierEnd, nowhere, 0, 900}}
	for i, w := range want {
		if e := p.Events[i]; e.Kind != w.kind || e.Peer != w.peer && w.kind.Transfer() || e.Bytes != w.bytes || e.Time != w.time {
			t.Errorf("event %d is %+v, want %+v", i, e, w)
		}
	}
}

// TestRecorder: what the recorder does to itself counts for nothing: events without a processor,
// however early, and a kernel's start that is written again. Events out of order are sorted.
func TestRecorder(t *testing.T) {
	k := kernel(t, `{"proc":"","zone":"PROFILER-NOC-QUICK-SEND","zone_phase":"begin","sx":1,"sy":1,"timestamp":10}`,
		begin("NCRISC", 1, 1, 100), event("NCRISC", 1, 1, 400, to("READ_BARRIER_END", -1, -1, 0)), begin("NCRISC", 1, 1, 100),
		event("NCRISC", 1, 1, 300, to("READ_BARRIER_START", -1, -1, 0)), begin("BRISC", 1, 1, 90), `{"timestamp":1}`)
	if k.Cycles != 290 || k.Ignored != 3 || len(k.Processes) != 2 || k.Processes[0].Processor != "BRISC" || k.Processes[1].Start != 10 {
		t.Fatalf("%+v", k)
	}
	if e := k.Processes[1].Events; len(e) != 3 || e[1].Kind != ReadBarrierStart || e[2].Time != 310 {
		t.Errorf("%+v", e)
	}
}

// TestZones: zones in the newer spelling and of the user's own, nested and repeated, take time and
// send nothing.
func TestZones(t *testing.T) {
	zone := func(name, phase string, time uint64) string {
		return fmt.Sprintf(`{"proc":"TRISC_0","zone":%q,"zone_phase":%q,"sx":1,"sy":1,"timestamp":%d}`, name, phase, time)
	}
	k := kernel(t, zone("TRISC_0-KERNEL", "ZONE_START", 0), zone("mine", "ZONE_START", 20), zone("mine", "ZONE_END", 40), zone("mine", "ZONE_START", 60),
		zone("mine", "ZONE_END", 80), zone("TRISC_0-KERNEL", "ZONE_END", 100))
	if k.Cycles != 80 || len(k.Processes[0].Events) != 6 {
		t.Errorf("%+v", k)
	}
}

// TestEveryKind reads every type of the format: what it sends, and what a state completes.
func TestEveryKind(t *testing.T) {
	at := uint64(0)
	one := func(rest string) string { at += 10; return event("BRISC", 1, 1, at, rest) }
	events := []string{begin("BRISC", 1, 1, 0),
		one(to("READ_SET_STATE", 5, 1, 512)), one(to("READ_WITH_STATE", -1, -1, 0)), one(to("READ_WITH_STATE_AND_TRID", -1, -1, 1024)),
		one(to("READ_SET_TRID", 4, 4, 0)), one(to("READ_WITH_STATE", -1, -1, 0)), one(to("READ_WITH_TRID", 2, 2, 64)),
		one(to("READ_DRAM_SHARDED_SET_STATE", 0, 11, 256)), one(to("READ_DRAM_SHARDED_WITH_STATE", -1, -1, 0)),
		one(to("WRITE_", 3, 3, 2)), one(to("WRITE", 3, 3, 16384)), one(to("WRITE_WITH_TRID", 3, 3, 32)), one(to("WRITE_INLINE", 3, 3, 0)),
		one(to("WRITE_SET_STATE", 6, 6, 96)), one(to("WRITE_WITH_STATE", -1, -1, 0)), one(to("WRITE_WITH_TRID_SET_STATE", 7, 7, 128)),
		one(to("WRITE_WITH_TRID_WITH_STATE", -1, -1, 0)), one(to("SEMAPHORE_INC", 2, 3, 0)), one(to("SEMAPHORE_WAIT", -1, -1, 0)), one(to("SEMAPHORE_SET", -1, -1, 0)),
		one(`"mcast_start_x":1,"mcast_start_y":2,"mcast_end_x":3,"mcast_end_y":4,"num_bytes":64,"type":"WRITE_MULTICAST"`),
		one(to("READ_BARRIER_START", -1, -1, 0)), one(to("READ_BARRIER_END", -1, -1, 0)), one(to("WRITE_BARRIER_START", -1, -1, 0)), one(to("WRITE_BARRIER_END", -1, -1, 0)),
		one(to("WRITE_FLUSH", -1, -1, 0)), one(to("READ_BARRIER_WITH_TRID", -1, -1, 0)), one(to("WRITE_BARRIER_WITH_TRID", -1, -1, 0)),
		one(to("FULL_BARRIER", -1, -1, 0)), one(to("ATOMIC_BARRIER", -1, -1, 0))}
	k := kernel(t, events...)
	var got strings.Builder
	for _, e := range k.Processes[0].Events[1:] {
		fmt.Fprintf(&got, "%s", e.Kind)
		if e.Kind.Transfer() {
			fmt.Fprintf(&got, " %s %d", e.Peer, e.Bytes)
		}
		got.WriteString("\n")
	}
	if want, err := os.ReadFile("testdata/kinds.txt"); err != nil || got.String() != string(want) {
		t.Errorf("%v; got\n%s", err, got.String())
	}
}

// TestSecondNetwork: the corners of a multicast on the second network are the other way round.
func TestSecondNetwork(t *testing.T) {
	k := kernel(t, begin("BRISC", 1, 1, 0), `{"proc":"BRISC","noc":"NOC_1","sx":1,"sy":1,"timestamp":50,"mcast_start_x":3,"mcast_start_y":4,`+
		`"mcast_end_x":1,"mcast_end_y":2,"num_bytes":64,"type":"WRITE_MULTICAST"}`)
	if e := k.Processes[0].Events[1]; e.Network != 1 || e.Peer != (Node{1, 2}) || e.Corner != (Node{3, 4}) {
		t.Errorf("%+v", e)
	}
}

// mistakes are files with the message that each must give.
var mistakes = map[string]string{
	``:                                 "not a trace file: it does not start with",
	`{"proc":"BRISC"}`:                 "not a trace file",
	`[`:                                "cut off",
	`[{"proc":"BRISC"`:                 "cut off",
	`[]`:                               "there is no event of a processor",
	`[{"proc":"BRISC","sx":1,"sy":1}]`: "event 1: it has no timestamp",
	`[{"proc":"BRISC","sx":-1,"sy":1,"timestamp":1}]`:                                                                                                "at no node: sx is -1",
	`[{"proc":"BRISC","sx":1,"sy":1,"timestamp":1}]`:                                                                                                 "neither a type nor a zone",
	`[{"proc":"BRISC","sx":1,"sy":1,"timestamp":-1}]`:                                                                                                "timestamp is a number -1",
	`[{"proc":"BRISC","sx":1,"sy":1,"timestamp":1,"zone":"Z"},]`:                                                                                     "byte 56: illegal record: event 1: this is not JSON",
	`[{"proc":"BRISC","sx":1,"sy":1,"timestamp":1,"zone":"Z"}] x`:                                                                                    "illegal record",
	`[{"proc":"BRISC","sx":1,"sy":1,"timestamp":1,"zone":"Z"}]`:                                                                                      "all events are within 20 cycles",
	"[" + begin("B", 1, 1, 0) + "," + event("B", 1, 1, 9, to("DANCE", 1, 1, 1)) + "]":                                                                `event 2: type "DANCE" is not known`,
	"[" + event("B", 1, 1, 9, to("FABRIC_UNICAST_WRITE", 1, 1, 1)) + "]":                                                                             "goes over Ethernet",
	"[" + event("B", 1, 1, 9, to("WRITE_", 1, 1, 1)+`,"fabric_send":{"path":[]}`) + "]":                                                              "goes over Ethernet",
	"[" + event("B", 1, 1, 9, to("READ", -1, -1, 1)) + "]":                                                                                           "READ goes to no node",
	"[" + event("B", 1, 1, 9, to("READ_WITH_STATE", -1, -1, 1)) + "]":                                                                                "uses a state that was not set",
	"[" + event("B", 1, 1, 9, to("READ_SET_STATE", -1, -1, 1)) + "," + event("B", 1, 1, 19, to("READ_WITH_STATE", -1, -1, 1)) + "]":                  "goes to no node",
	"[" + event("B", 1, 1, 9, to("READ", 1, 1, -5)) + "]":                                                                                            "num_bytes is -5",
	"[" + event("B", 1, 1, 9, to("WRITE_MULTICAST", 1, 1, 5)) + "]":                                                                                  "rectangle of a multicast is incomplete",
	`[{"proc":"B","sx":1,"sy":1,"timestamp":1,"type":"READ","noc":"NOC_7"}]`:                                                                         `noc is "NOC_7"`,
	`[{"proc":"B","sx":1,"sy":1,"timestamp":1,"type":"READ"}]`:                                                                                       "noc is \"\"; NOC_0 and NOC_1",
	`[{"proc":"B","sx":1,"sy":1,"timestamp":1,"zone":"Z","src_device_id":0},{"proc":"B","sx":1,"sy":1,"timestamp":91,"zone":"Y","src_device_id":1}]`: "of a second chip",
}

func TestMistakes(t *testing.T) {
	for text, want := range mistakes {
		_, err := Parse("k.json", strings.NewReader(text))
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "k.json: byte ") || !errors.As(err, new(*traces.Error)) {
			t.Errorf("%.90s: got %v, want %q", text, err, want)
		}
	}
}

// TestOpen reads a file, a folder and an archive, by the names of what is in them, and refuses what
// holds no trace.
func TestOpen(t *testing.T) {
	dir := t.TempDir()
	text := "[" + begin("B", 1, 1, 0) + "," + begin("C", 1, 1, 90) + "]"
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		must.Do(os.MkdirAll(filepath.Dir(path), 0o755))
		must.Do(os.WriteFile(path, []byte(content), 0o644))
		return path
	}
	var archive bytes.Buffer
	w := tar.NewWriter(&archive)
	for _, name := range []string{"fit/a.json", "fit/LICENSE", "fit/b.json"} {
		must.Do(w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(text))}))
		w.Write([]byte(text))
	}
	w.Close()
	file, tape := write("one.json", text), write("two.tar", archive.String())
	write("folder/deep/three.json", text)
	write("folder/README", "no trace")
	empty := filepath.Dir(write("empty/README", "no trace"))
	all := must.Get(Open([]string{file, tape, filepath.Join(dir, "folder")}, nil))
	var names []string
	for _, k := range all {
		names = append(names, k.Name)
	}
	if got := strings.Join(names, " "); got != "one a b three" {
		t.Errorf("traces %s", got)
	}
	for path, want := range map[string]string{empty: "no file that ends in .json", filepath.Join(dir, "none"): "no such file",
		write("cut.tar", archive.String()[:560]): "cut off", write("bad.json", "x"): "bad.json: byte"} {
		if _, err := Open([]string{path}, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", path, err, want)
		}
	}
}

// fill repeats one byte, and counts how often it was read.
type fill struct {
	with byte
	read int
}

func (f *fill) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = f.with
	}
	f.read += len(b)
	return len(b), nil
}

// TestLongFilesAreRefused: a small compressed file may stand for any number of blanks, for a text of any
// length, or for any number of events. Only a few megabytes of it are read.
func TestLongFilesAreRefused(t *testing.T) {
	for text, with := range map[string]byte{"[": ' ', `[{"proc":"`: 'A', `[{"proc":"B","more":[1`: '9', "[" + begin("B", 1, 1, 0) + ",": '\n'} {
		f := &fill{with: with}
		_, err := Parse("k.json", io.MultiReader(strings.NewReader(text), io.LimitReader(f, 64<<20)))
		if err == nil || !strings.Contains(err.Error(), "is longer than 65536 bytes") || f.read > 1<<20 {
			t.Errorf("%s and %q: %v after %d bytes", text, with, err, f.read)
		}
	}
	long := strings.Repeat("x", 257)
	for _, text := range []string{begin(long, 1, 1, 0), event("B", 1, 1, 0, `"zone":"`+long+`"`)} {
		if _, err := Parse("k.json", strings.NewReader("["+text+"]")); err == nil || !strings.Contains(err.Error(), "a name of more than 256 bytes") {
			t.Errorf("%.60s: %v", text, err)
		}
	}
	many := []string{begin("B", 1, 1, 0), begin("B", 1, 1, 10), begin("B", 1, 1, 20), begin("B", 1, 1, 30)}
	if _, err := parse("k.json", strings.NewReader("["+strings.Join(many, ",")+"]"), 3); err == nil || !strings.Contains(err.Error(), "event 4: more than 3 events") {
		t.Error(err)
	}
}

// TestReadingCanBeStopped: who follows the reading can end it, in a file and between files.
func TestReadingCanBeStopped(t *testing.T) {
	path, stop := filepath.Join(t.TempDir(), "k.json"), errors.New("stop")
	must.Do(os.WriteFile(path, []byte("["+begin("B", 1, 1, 0)+"]"), 0o644))
	if _, err := Open([]string{path}, func(int) error { return stop }); err == nil || !strings.Contains(err.Error(), "stop") {
		t.Error(err)
	}
}

// FuzzParse: any bytes give a trace whose times are in order and within the kernel, or an error of
// the package.
func FuzzParse(f *testing.F) {
	for text := range mistakes {
		f.Add([]byte(text))
	}
	f.Add([]byte("[" + begin("B", 1, 1, 0) + "," + event("B", 1, 1, 50, to("READ_SET_STATE", 5, 1, 512)) + "," + event("B", 1, 1, 99, to("READ_WITH_STATE", -1, -1, 0)) + "]"))
	f.Fuzz(func(t *testing.T, content []byte) {
		k, err := Parse("file", bytes.NewReader(content))
		if err != nil {
			if !errors.As(err, new(*traces.Error)) {
				t.Fatalf("%v is no error of a trace", err)
			}
			return
		}
		last := uint64(0)
		for _, p := range k.Processes {
			for i, e := range p.Events {
				if e.Time < p.Start || i > 0 && e.Time < p.Events[i-1].Time || e.Kind.Transfer() && e.Peer.X < 0 {
					t.Fatalf("event %+v of %+v", e, p.Node)
				}
				last = max(last, e.Time)
			}
		}
		if last != k.Cycles+Tail {
			t.Fatalf("the last event is in cycle %d of %d", last, k.Cycles)
		}
	})
}
