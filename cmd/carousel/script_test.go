package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/carousel-sim/carousel/analysis/experiment/sweep"
	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/cmd/carousel/cli"
	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/workloads/riscv/kernels"
)

// TestMain runs twice as many scripts at a time as there are processors: results are forced to the
// disk, and scripts wait for that about as long as they compute, unless their folders are in memory. The
// flag -parallel is stronger.
func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", strconv.Itoa(2*runtime.GOMAXPROCS(0))); err != nil {
		panic(err)
	}
	testscript.Main(m, map[string]func(){"carousel": main})
}

// TestScripts runs the scripts of testdata/script against the built program.
func TestScripts(t *testing.T) {
	folder := memoryFolder()
	if folder != "" {
		t.Cleanup(func() { os.RemoveAll(folder) })
	}
	testscript.Run(t, testscript.Params{
		Dir:         filepath.Join("testdata", "script"),
		WorkdirRoot: folder,
		Condition: func(name string) (bool, error) {
			if name == "root" {
				return os.Geteuid() == 0, nil
			}
			if name == "smalldisk" { // a file system of its own for a command
				return exec.Command("unshare", "-rm", "mount", "-t", "tmpfs", "none", os.TempDir()).Run() == nil, nil
			}
			if name == "cc" {
				_, noCompiler := exec.LookPath("cc")
				return noCompiler == nil, nil
			}
			if name == "recorder" {
				_, noEmulator := exec.LookPath("qemu-x86_64")
				_, noCompiler := exec.LookPath("cc")
				return noEmulator == nil && noCompiler == nil, nil
			}
			if name == "machine" {
				_, noEmulator := exec.LookPath("qemu-system-x86_64")
				_, noCompiler := exec.LookPath("cc")
				kernels, _ := filepath.Glob("/boot/vmlinuz-*")
				return noEmulator == nil && noCompiler == nil && len(kernels) > 0, nil
			}
			if name == "chromium" {
				return exec.Command("chromium", "--version").Run() == nil, nil
			}
			if name == "cluster" {
				return haveCluster(), nil
			}
			return false, fmt.Errorf("unknown condition %q", name)
		},
		// RECORDINGS is where a few kernels of a real chip lie, RANKS a Chakra trace, and PACKETS a file of the
		// netrace library's form with 64 nodes, 200 requests and their answers; kernels.elf is a program for RISC-V. Short programs
		// spend much of their time on garbage, and have no need to save memory.
		Setup: func(e *testscript.Env) error {
			e.Setenv("GOGC", "400")
			recordings, err := filepath.Abs(filepath.Join("..", "..", "analysis", "experiment", "silicon", "testdata"))
			e.Setenv("RECORDINGS", recordings)
			packets, other := filepath.Abs(filepath.Join("testdata", "pairs.tra"))
			e.Setenv("PACKETS", packets)
			e.Setenv("RANKS", filepath.Join(filepath.Dir(packets), "ranks"))
			return errors.Join(err, other, os.WriteFile(filepath.Join(e.WorkDir, "kernels.elf"), kernels.Executable, 0o777))
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"code": code, "maketrace": makeTrace, "damage": damage, "mode": mode, "rebuild": rebuild, "await": await, "json": checkJSON, "runs": checkRuns,
			"quotients": quotients, "sametable": sameTable,
			"sametables": sameTables, "awaitpoints": awaitPoints,
			"startcluster": startCluster, "awaitjobs": awaitJobs, "unusedaddress": unusedAddress, "fetch": fetch, "browse": browse,
		},
	})
}

// code runs a command line and compares its exit code: code 2 carousel run --runs 0. With 0/1 both
// are right.
func code(ts *testscript.TestScript, _ bool, args []string) {
	first, second, either := strings.Cut(args[0], "/")
	want, err := strconv.Atoi(first)
	ts.Check(err)
	other := want
	if either {
		other, err = strconv.Atoi(second)
		ts.Check(err)
	}
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want && got != other {
		ts.Fatalf("exit code %d; want %s", got, args[0])
	}
}

// makeTrace writes a small trace: maketrace FILE CORES ROUNDS.
func makeTrace(ts *testscript.TestScript, _ bool, args []string) {
	cores, err := strconv.Atoi(args[1])
	ts.Check(err)
	rounds, err := strconv.Atoi(args[2])
	ts.Check(err)
	ts.Check(writeTrace(ts.MkAbs(args[0]), cores, rounds))
}

// writeTrace makes a trace in which cores take turns at three blocks and read blocks of their own.
func writeTrace(path string, cores, rounds int) error {
	w, err := traces.CreateFile(path, traces.DefaultMetadata("turns", cores), traces.WriterConfig{BlockRecords: 64})
	if err != nil {
		return err
	}
	for core := range cores {
		var records []traces.Record
		for i := range rounds {
			records = append(records,
				traces.Record{Kind: traces.Load, Address: uint64(64 * (i % 3)), Instructions: 3, Size: 3},
				traces.Record{Kind: traces.Store, Address: uint64(64 * ((i + core) % 3)), Instructions: 2, Size: 3},
				traces.Record{Kind: traces.Load, Address: uint64(0x10000*(core+1) + 64*(i%500)), Instructions: 5, Size: 3})
		}
		if err := w.WriteRecords(core, append(records, traces.Record{Kind: traces.End, Instructions: 1})); err != nil {
			return err
		}
	}
	return w.Close()
}

// damage cuts a file or changes one byte of it: damage FILE cut|flip BYTE; a negative byte counts
// from the end.
func damage(ts *testscript.TestScript, _ bool, args []string) {
	path := ts.MkAbs(args[0])
	content, err := os.ReadFile(path)
	ts.Check(err)
	at, err := strconv.Atoi(args[2])
	ts.Check(err)
	if at < 0 {
		at += len(content)
	}
	if args[1] == "cut" {
		content = content[:at]
	} else {
		content[at] ^= 0x40
	}
	ts.Check(os.WriteFile(path, content, 0o644))
}

// mode compares a file's permissions: mode FILE 0600.
func mode(ts *testscript.TestScript, _ bool, args []string) {
	info, err := os.Stat(ts.MkAbs(args[0]))
	ts.Check(err)
	if got := fmt.Sprintf("0%o", info.Mode().Perm()); got != args[1] && runtime.GOOS != "windows" {
		ts.Fatalf("%s has mode %s, want %s", args[0], got, args[1])
	}
}

// rebuild makes the finished points of a study those of another build: rebuild DIR.
func rebuild(ts *testscript.TestScript, _ bool, args []string) {
	points, err := filepath.Glob(filepath.Join(ts.MkAbs(args[0]), sweep.PointsName, "*-*"))
	ts.Check(err)
	if len(points) == 0 {
		ts.Fatalf("%s has no finished points", args[0])
	}
	for _, path := range points {
		key, _, _ := strings.Cut(filepath.Base(path), "-")
		ts.Check(os.Rename(path, filepath.Join(filepath.Dir(path), key+"-other")))
	}
}

// await waits for a file to appear.
func await(ts *testscript.TestScript, _ bool, args []string) {
	awaitFor(ts, args[0], func() bool { _, err := os.Stat(ts.MkAbs(args[0])); return err == nil })
}

// checkJSON demands that standard output, or a file, is one JSON document, and compares parts of
// it: json stdout summary.0.router=base. A part without a value must exist; one with a value of *
// must not be null.
func checkJSON(ts *testscript.TestScript, _ bool, args []string) {
	var document any
	d := json.NewDecoder(strings.NewReader(ts.ReadFile(args[0])))
	d.UseNumber()
	ts.Check(d.Decode(&document))
	if d.More() {
		ts.Fatalf("there is more than one document")
	}
	for _, arg := range args[1:] {
		path, want, compare := strings.Cut(arg, "=")
		at := document
		for _, part := range strings.Split(path, ".") {
			switch node := at.(type) {
			case map[string]any:
				next, ok := node[part]
				if !ok {
					ts.Fatalf("%s: no %q", path, part)
				}
				at = next
			case []any:
				i, err := strconv.Atoi(part)
				if err != nil || i >= len(node) {
					ts.Fatalf("%s: no element %s of %d", path, part, len(node))
				}
				at = node[i]
			default:
				ts.Fatalf("%s: %q of a value", path, part)
			}
		}
		got, err := json.Marshal(at)
		ts.Check(err)
		text := strings.Trim(string(got), `"`)
		if compare && (want == "*" && text == "null" || want != "*" && text != want) {
			ts.Fatalf("%s is %s; want %s", path, text, want)
		}
	}
}

// checkRuns compares routers and exit states of a runs table: runs out/runs.arrow base:finished.
func checkRuns(ts *testscript.TestScript, _ bool, args []string) {
	rows, _, err := tables.Runs.ReadArrow(ts.MkAbs(args[0]))
	ts.Check(err)
	var got []string
	for _, r := range rows {
		got = append(got, r.Router+":"+r.ExitState)
	}
	if want := strings.Join(args[1:], " "); strings.Join(got, " ") != want {
		ts.Fatalf("runs are %v; want %s", got, want)
	}
}

// sameTables demands that all tables of two studies have the same rows, but for the host's time:
// sametables one two.
func sameTables(ts *testscript.TestScript, _ bool, args []string) {
	one, _, err := tables.ReadRows(ts.MkAbs(args[0]))
	ts.Check(err)
	two, _, err := tables.ReadRows(ts.MkAbs(args[1]))
	ts.Check(err)
	one.DropHostTime()
	two.DropHostTime()
	if len(one.Routers) == 0 || !reflect.DeepEqual(one, two) {
		ts.Fatalf("the tables of %s and %s differ", args[0], args[1])
	}
}

// awaitPoints waits until a sweep has finished some points: awaitpoints DIR NUMBER.
func awaitPoints(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[1])
	ts.Check(err)
	awaitFor(ts, args[1]+" finished points in "+args[0], func() bool {
		n, _, err := sweep.Spent(ts.MkAbs(args[0]), sweep.Builds{Any: true}, nil)
		return err == nil && n >= want
	})
}

// unusedAddress puts an address of this machine where nobody listens into a variable: unusedaddress
// NAME. Where all of 127.0.0.0/8 is this machine's, the address is of this process alone, so that no
// other one can take its port in the meantime.
func unusedAddress(ts *testscript.TestScript, _ bool, args []string) {
	own := fmt.Sprintf("127.%d.%d.2", 1+os.Getpid()>>8&0x7f, os.Getpid()&0xff)
	listener, err := net.Listen("tcp", own+":0")
	if err != nil {
		listener, err = net.Listen("tcp", "127.0.0.1:0")
	}
	ts.Check(err)
	ts.Setenv(args[0], listener.Addr().String())
	ts.Check(listener.Close())
}

// fetch asks for a page until somebody answers, and keeps it: fetch URL FILE.
func fetch(ts *testscript.TestScript, _ bool, args []string) {
	awaitFor(ts, args[0], func() bool {
		answer, err := http.Get(args[0])
		if err != nil {
			return false
		}
		content, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		ts.Check(err)
		ts.Check(os.WriteFile(ts.MkAbs(args[1]), content, 0o644))
		return true
	})
}

// BenchmarkList measures the start of the program: every table is built, nothing is opened.
func BenchmarkList(b *testing.B) {
	for b.Loop() {
		if cli.Execute(context.Background(), []string{"list"}, nil, &bytes.Buffer{}, &bytes.Buffer{}) != 0 {
			b.Fatal("list fails")
		}
	}
}
