package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestOutside builds the module of testdata/outside, whose router passes the conformance suite, and
// gives its command lines that name what the module adds.
func TestOutside(t *testing.T) {
	if os.Getenv("CAROUSEL_LONG") == "" {
		t.Skip("builds another module, and verifies its protocol, with CAROUSEL_LONG=1, as .ci/run does")
	}
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "outside"))); err != nil {
		t.Fatal(err)
	}
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
	for _, row := range []string{"router,relay", "traffic pattern,half-way", "multicast scheme,ascending-doubling", "protocol,msi-mine", "workload,ping-pong"} {
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
	window := []string{"--cycles", "4000", "--warmup", "1000", "--load", "0.05", "--quiet"}
	run(program, append([]string{"traffic", "--router", "relay,mrr", "--pattern", "half-way"}, window...)...)
	run(program, append([]string{"traffic", "--router", "wormhole", "--topology", "mesh:4x4", "--scheme", "ascending-doubling", "--multicast-fraction", "0.1"}, window...)...)
	run(program, "multicast", "plan", "--scheme", "ascending-doubling", "--source", "3", "--destinations", "1,5,9")
	for name, plan := range map[string]string{
		"chips":    "kind: run\nset: {workload: ping-pong, chip: {protocol: msi-mine}}\naxes: {routers: [relay, ideal]}\n",
		"traffic":  "kind: traffic\nset: {traffic: {pattern: half-way, load: 0.05, warmup: 500, cycles: 2000}}\naxes: {routers: [relay, mrr]}\n",
		"messages": "kind: messages\nset: {topology: mesh:8x8, arrivals: alone, batches: 2, batch_messages: 20}\naxes: {scheme: [ascending-doubling, dual-path]}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name+".yaml"), []byte(plan), 0o600); err != nil {
			t.Fatal(err)
		}
		run(program, "sweep", name+".yaml", "--out", name, "--quiet")
		run(program, "report", name, "-o", name+".html")
	}
	run(program, "run", "--workload", "ping-pong", "--router", "wormhole", "--scheme", "ascending-doubling", "--quiet")
	checked := string(run(program, "verify", "msi-mine", "--self-test", "--format", "csv", "--quiet"))
	for _, row := range []string{"exploration,msi-mine,2 L1s,", "random tests,msi-mine,", "whole chips,msi-mine,", "litmus tests,msi-mine,", "seeded defect,msi-mine,"} {
		if !strings.Contains(checked, row) {
			t.Errorf("verify has no row %s in\n%s", row, checked)
		}
	}
	if offered := string(run(program, "__complete", "run", "--set", "routers=r")); !strings.Contains(offered, "routers=relay") {
		t.Errorf("completion offers %s", offered)
	}
}

// requireAsCarousel lets the module in dir require, in the same versions, all that Carousel
// requires, as go mod tidy would. With fewer requirements the go command would look for versions
// that nobody has downloaded.
func requireAsCarousel(t *testing.T, root, dir string) {
	t.Helper()
	read := func(names ...string) string {
		text, err := os.ReadFile(filepath.Join(names...))
		if err != nil {
			t.Fatal(err)
		}
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
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
