package main

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/cmd/carousel/cli"
	"github.com/carousel-sim/carousel/noc/leaf/must"
)

// TestOutside builds the module of testdata/outside, whose router passes the conformance suite, and
// gives its command lines that name what the module adds.
func TestOutside(t *testing.T) {
	if os.Getenv("CAROUSEL_LONG") == "" {
		t.Skip("builds another module, and verifies its protocol, with CAROUSEL_LONG=1, as .ci/run does")
	}
	root := must.Get(filepath.Abs(filepath.Join("..", "..")))
	dir := t.TempDir()
	must.Do(os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "outside"))))
	requireAsCarousel(t, root, dir)
	run := func(name string, args ...string) []byte {
		t.Helper()
		command := exec.Command(name, args...)
		command.Dir = dir
		// Whatever it needs is in the module cache: Carousel needs it, too.
		command.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "CAROUSEL_") }),
			"GOPROXY=off", "GOWORK=off", "GOFLAGS=")
		var problems strings.Builder
		command.Stderr = &problems
		out, err := command.Output()
		if err != nil {
			t.Fatalf("%s %v: %v\n%s%s", name, args, err, out, problems.String())
		}
		return out
	}
	run("go", "mod", "edit", "-replace", "github.com/carousel-sim/carousel="+root)
	run("go", "build", "-o", "outside", ".")
	run("go", "vet", "./...")
	run("go", "test", "-count=1", "./...")

	program := filepath.Join(dir, "outside")
	list := string(run(program, "list", "--format", "csv"))
	for _, row := range []string{"router,relay", "router,crossbar", "traffic pattern,half-way", "multicast scheme,ascending-doubling", "protocol,msi-mine", "workload,ping-pong"} {
		if !strings.Contains(list, row) {
			t.Errorf("list has no row %s", row)
		}
	}
	var compared struct {
		Runs []struct{ Router, Workload, Protocol, Digest string }
	}
	out := run(program, "run", "--workload", "ping-pong", "--protocol", "msi-mine", "--router", "relay,base", "--format", "json", "--quiet")
	if err := json.Unmarshal(out, &compared); err != nil || len(compared.Runs) != 2 || compared.Runs[0].Router != "relay" ||
		compared.Runs[0].Workload != "ping-pong" || compared.Runs[0].Protocol != "msi-mine" || compared.Runs[0].Digest == "" {
		t.Errorf("run gives %s (%v)", out, err)
	}
	run(program, "run", "--workload", "ping-pong", "--router", "crossbar,mrr", "--out", "shared", "--quiet")
	run(program, "report", "shared", "-o", "shared.html")
	if rows, _, err := tables.ReadRows(filepath.Join(dir, "shared")); err != nil || len(rows.Routers) != 1+64 || rows.Routers[0].Cores.Value != 2 ||
		rows.Routers[0].X.Known || rows.Runs[0].PhitHops.Known || rows.Runs[0].Rules != "wiring star:64" || rows.Links[0].RunKey != rows.Runs[1].RunKey {
		t.Errorf("tables of a router for all nodes: %+v, %d routers (%v)", rows.Runs, len(rows.Routers), err)
	}
	window := []string{"--cycles", "4000", "--warmup", "1000", "--load", "0.05", "--quiet"}
	run(program, append([]string{"traffic", "--router", "relay,crossbar,mrr", "--pattern", "half-way"}, window...)...)
	run(program, append([]string{"traffic", "--router", "wormhole", "--topology", "mesh:4x4", "--scheme", "ascending-doubling", "--multicast-fraction", "0.1"}, window...)...)
	run(program, "multicast", "plan", "--scheme", "ascending-doubling", "--source", "3", "--destinations", "1,5,9")
	for name, plan := range map[string]string{
		"chips":    "kind: run\nset: {workload: ping-pong, chip: {protocol: msi-mine}}\naxes: {routers: [relay, crossbar, ideal]}\n",
		"traffic":  "kind: traffic\nset: {traffic: {pattern: half-way, load: 0.05, warmup: 500, cycles: 2000}}\naxes: {routers: [relay, mrr]}\n",
		"messages": "kind: messages\nset: {topology: mesh:8x8, arrivals: alone, batches: 2, batch_messages: 20}\naxes: {scheme: [ascending-doubling, dual-path]}\n",
	} {
		must.Do(os.WriteFile(filepath.Join(dir, name+".yaml"), []byte(plan), 0o600))
		run(program, "sweep", name+".yaml", "--out", name, "--quiet")
		run(program, "report", name, "-o", name+".html")
	}
	run(program, "run", "--workload", "ping-pong", "--router", "wormhole", "--scheme", "ascending-doubling", "--quiet")
	run(program, "verify", "network", "--router", "relay,crossbar", "--quiet")
	checked := string(run(program, "verify", "msi-mine", "--self-test", "--format", "csv", "--quiet"))
	for _, row := range []string{"exploration,msi-mine,2 L1s,", "random tests,msi-mine,", "whole chips,msi-mine,", "litmus tests,msi-mine,", "seeded defect,msi-mine,"} {
		if !strings.Contains(checked, row) {
			t.Errorf("verify has no row %s in\n%s", row, checked)
		}
	}
	sameInC(t, root, dir, func(args ...string) []byte { return run(program, args...) })
	if offered := string(run(program, "__complete", "run", "--set", "routers=r")); !strings.Contains(offered, "routers=relay") {
		t.Errorf("completion offers %s", offered)
	}
}

// TestAkita builds the module of testdata/akita, a connection of Akita over a network of Carousel. It runs
// the tests and examples, and finds the simulated times of these in the manual.
func TestAkita(t *testing.T) {
	if os.Getenv("CAROUSEL_LONG") == "" {
		t.Skip("builds Akita for a minute: set CAROUSEL_LONG=1, as .ci/run does")
	}
	dir := t.TempDir()
	must.Do(os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "akita"))))
	run := func(limit time.Duration, name string, args ...string) (string, error) {
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		defer cancel()
		command := exec.CommandContext(ctx, name, args...)
		command.Dir, command.Env = dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
		out, err := command.CombinedOutput()
		return string(out), err
	}
	must.Get(run(time.Minute, "go", "mod", "edit", "-replace", "github.com/carousel-sim/carousel="+must.Get(filepath.Abs("../.."))))
	if out, err := run(2*time.Minute, "go", "mod", "download"); err != nil {
		t.Skipf("Akita, or what it needs, cannot be downloaded: %v\n%s", err, out)
	}
	for _, args := range [][]string{{"vet", "./..."}, {"test", "-count=1", "./..."}, {"build", "-o", "akita", "."}} {
		if out, err := run(8*time.Minute, "go", args...); err != nil {
			t.Fatalf("go %v: %v\n%s", args, err, out)
		}
	}
	out, err := run(5*time.Minute, filepath.Join(dir, "akita"))
	times := regexp.MustCompile(`simulates +([0-9]+) ns|[0-9]{4,} ps`).FindAllString(out, -1)
	if err != nil || len(times) != 7 {
		t.Fatalf("the examples end with %v\n%s", err, out)
	}
	page := string(must.Get(os.ReadFile("manual/library.md")))
	for _, line := range times {
		if !strings.Contains(page, line) {
			t.Errorf("the manual has no %q", line)
		}
	}
}

// sameInC compares the router relay in Go with the same in C, which is a program: all deliveries of an
// application and of traffic are the same, in one study.
func sameInC(t *testing.T, root, dir string, carousel func(args ...string) []byte) {
	t.Helper()
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Log("there is no C compiler named cc: the router in C is not compared")
		return
	}
	source := filepath.Join(root, "noc", "program", "source")
	compile := exec.Command(cc, "-O2", "-o", filepath.Join(dir, "relay-in-c"), filepath.Join(source, "relay.c"), filepath.Join(source, "carousel_router_main.c"))
	if out, err := compile.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	routers := []string{"--router", "relay,program:./relay-in-c", "--format", "json", "--quiet"}
	for _, args := range [][]string{
		{"run", "--windows", "2", "--workload", "lu"},
		{"run", "--windows", "1", "--workload", "lu", "--topology", "mesh:4x4", "--set", "chip.interface_slots=2"},
		{"traffic", "--load", "0.3", "--multicast-fraction", "0.1", "--cycles", "5000", "--warmup", "1000"},
	} {
		var study struct {
			Runs, Points []struct{ Router, Digest string }
		}
		out := carousel(append(args, routers...)...)
		must.Do(json.Unmarshal(out, &study))
		rows := append(study.Runs, study.Points...)
		half := len(rows) / 2
		if half == 0 {
			t.Fatalf("%v gives %s", args, out)
		}
		for i := range half {
			if a, b := rows[i], rows[half+i]; a.Router == b.Router || a.Digest != b.Digest || a.Digest == "" {
				t.Errorf("%v: %+v and %+v", args, a, b)
			}
		}
	}
}

// requireAsCarousel lets the module in dir require, in the same versions, all that Carousel
// requires, as go mod tidy would. With fewer requirements the go command would look for versions
// that nobody has downloaded.
func requireAsCarousel(t *testing.T, root, dir string) {
	t.Helper()
	read := func(names ...string) string {
		text := must.Get(os.ReadFile(filepath.Join(names...)))
		return string(text)
	}
	_, required, found := strings.Cut(read(root, "go.mod"), "\nrequire ")
	if !found {
		t.Fatal("go.mod requires nothing")
	}
	for name, text := range map[string]string{
		"go.mod": read(dir, "go.mod") + "\nrequire " + required,
		"go.sum": read(root, "go.sum"),
	} {
		must.Do(os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
}

// TestRTL: under Verilator the router BASE in SystemVerilog has the digests of base on torus:8x8, on
// uniform traffic and multicasts up to saturation, and on one window of an application, also with network
// interfaces of finite size.
func TestRTL(t *testing.T) {
	if os.Getenv("CAROUSEL_LONG") == "" {
		t.Skip("compiles for half a minute: set CAROUSEL_LONG=1, as .ci/run does")
	}
	if _, err := exec.LookPath("verilator"); err != nil {
		t.Skip("verilator is not installed")
	}
	dir, source := t.TempDir(), must.Get(filepath.Abs("../../noc/program"))
	build := exec.Command("verilator", "--cc", "--exe", "--build", "-j", "2", "-O3", "-fno-gate", "-CFLAGS", "-I"+source+"/source", "--top-module", "top", "--Mdir", dir, "-o", "base-rtl",
		source+"/source/router.sv", source+"/source/torus.sv", source+"/source/verilator.cpp", source+"/source/carousel_router_main.c")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	routers := []string{"--router", "base,program:" + filepath.Join(dir, "base-rtl"), "--format", "json", "--quiet"}
	for _, args := range [][]string{
		{"traffic", "--load", "0.05", "--cycles", "5000", "--warmup", "500", "--multicast-fraction", "0.1", "--multicast-destinations", "64"},
		{"traffic", "--load", "0.5", "--cycles", "5000", "--warmup", "500"},
		{"traffic", "--load", "1", "--cycles", "5000", "--warmup", "500"},
		{"run", "--windows", "1", "--bound=false"},
		{"run", "--windows", "1", "--bound=false", "--set", "chip.interface_slots=2"},
	} {
		var out strings.Builder
		if code := cli.Execute(context.Background(), append(args, routers...), nil, &out, os.Stderr); code != 0 {
			t.Fatalf("%v: exit code %d", args, code)
		}
		digests := regexp.MustCompile(`"digest": "([0-9a-f]{16})"`).FindAllStringSubmatch(out.String(), -1)
		if len(digests) != 2 || digests[0][1] != digests[1][1] {
			t.Errorf("%v: digests %v", args, digests)
		}
	}
}

// TestReaders lets other people's readers of Arrow and Parquet read the tables of a run.
// CAROUSEL_NODE_MODULES is the folder node_modules in which the packages of
// testdata/readers/package.json are installed.
func TestReaders(t *testing.T) {
	modules := os.Getenv("CAROUSEL_NODE_MODULES")
	node, missing := exec.LookPath("node")
	if modules == "" || missing != nil {
		t.Skip("needs node, and CAROUSEL_NODE_MODULES with apache-arrow, nodejs-polars and @duckdb/node-api")
	}
	dir := t.TempDir()
	trace := filepath.Join(dir, "t.trace")
	must.Do(writeTrace(trace, 4, 400))
	folders := map[string]string{"none": filepath.Join(dir, "plain"), "zstd": filepath.Join(dir, "zstd")}
	for compression, out := range folders {
		if code := cli.Execute(context.Background(), []string{"run", "--trace", trace, "--router", "base,mrr", "--out", out, "--parquet",
			"--compression", compression, "--quiet"}, nil, io.Discard, os.Stderr); code != 0 {
			t.Fatalf("exit code %d", code)
		}
	}
	rows, _, err := tables.ReadRows(folders["zstd"])
	if err != nil {
		t.Fatal(err)
	}
	wanted := uint64(0)
	for i := range rows.Links {
		wanted += rows.Links[i].Phits
	}
	for _, c := range []struct{ reader, compression string }{{"arrow", "none"}, {"polars", "zstd"}, {"polars", "none"}, {"duckdb", "zstd"}, {"duckdb", "none"}} {
		t.Run(c.reader+"/"+c.compression, func(t *testing.T) {
			command := exec.Command(node, filepath.Join("testdata", "readers", "read.js"), c.reader, folders[c.compression])
			out, err := command.Output()
			if err != nil {
				if exit, ok := err.(*exec.ExitError); ok {
					t.Fatalf("%v\n%s", err, exit.Stderr)
				}
				t.Fatal(err)
			}
			var found struct {
				Columns map[string][]string
				Runs    [][2]any
				Phits   uint64
			}
			if err := json.Unmarshal(out, &found); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			for _, d := range tables.Descriptions() {
				if have, read := found.Columns[d.Name]; read && len(have) != len(d.Columns) {
					t.Errorf("%s has %d columns, want %d", d.Name, len(have), len(d.Columns))
				} else if read && slices.ContainsFunc(d.Columns, func(c tables.ColumnDescription) bool { return !slices.Contains(have, c.Name) }) {
					t.Errorf("%s has the columns %q", d.Name, have)
				}
			}
			if len(found.Runs) != 2 || found.Runs[0] != [2]any{"base", float64(rows.Runs[0].Cycles.Value)} || found.Phits != wanted {
				t.Errorf("found the runs %v and %d phits, want %d", found.Runs, found.Phits, wanted)
			}
		})
	}
}
