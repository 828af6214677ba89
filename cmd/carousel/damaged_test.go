package main

import (
	"bytes"
	"cmp"
	"context"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/cmd/carousel/cli"
	"github.com/carousel-sim/carousel/noc/leaf/must"
)

// TestDamagedStudies flips one bit of one file of a study's directory and reads the directory
// again: by the same command if the file is one of a finished point, the manifest or the plan,
// and else by a report. The command names the file and refuses it, or all tables and pages are as
// before. CAROUSEL_LONG takes ten times as many flips.
func TestDamagedStudies(t *testing.T) {
	pairs := must.Get(os.ReadFile(filepath.Join("testdata", "pairs.tra")))
	t.Chdir(t.TempDir())
	must.Do(writeTrace("t.trace", 4, 300))
	for name, text := range map[string]string{
		"pairs.tra":     string(pairs),
		"messages.yaml": "kind: messages\nset: {topology: mesh:4x4, flits: 8, destinations: 4, batches: 2, batch_messages: 5}\naxes: {scheme: [dual-path, qg]}\n",
		"sweep.yaml":    "kind: traffic\nset: {topology: \"torus:4x4\", traffic: {cycles: 1500, warmup: 200}}\naxes: {routers: [rr, mrr], traffic.load: [0.1, 0.2]}\n",
	} {
		must.Do(os.WriteFile(name, []byte(text), 0o644))
	}
	for _, s := range []struct {
		name string
		args []string
	}{
		{"run", []string{"run", "--trace", "t.trace", "--router", "base,mrr"}},
		{"traffic", []string{"traffic", "--topology", "torus:4x4", "--router", "base,mrr", "--cycles", "2000", "--warmup", "500"}},
		{"packets", []string{"traffic", "--packets", "pairs.tra", "--topology", "torus:8x8", "--router", "base"}},
		{"messages", []string{"sweep", "messages.yaml"}},
		{"sweep", []string{"sweep", "sweep.yaml"}},
	} {
		t.Run(s.name, func(t *testing.T) {
			command := append(slices.Clone(s.args), "--out", s.name, "--quiet")
			if code, message := carouselHere(command...); code != 0 {
				t.Fatalf("exit code %d: %s", code, message)
			}
			if code, message := carouselHere("report", s.name, "-o", s.name+".html"); code != 0 {
				t.Fatalf("exit code %d: %s", code, message)
			}
			flipBits(t, s.name, command)
		})
	}
}

// flipBits flips bits in the files of a study one by one.
func flipBits(t *testing.T, dir string, command []string) {
	flips, random, whole := 40, rand.New(rand.NewPCG(5, uint64(len(dir)))), contents(dir)
	if os.Getenv("CAROUSEL_LONG") != "" {
		flips *= 10
	}
	page := must.Get(os.ReadFile(dir + ".html"))
	var names []string
	for name, content := range whole {
		if len(content) > 0 {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int { // manifests and plans first
		return cmp.Or(cmp.Compare(filepath.Ext(b), filepath.Ext(a)), cmp.Compare(a, b))
	})
	refused := 0
	for i := range flips {
		name := names[random.IntN(len(names))]
		if filepath.Ext(names[i%len(names)]) == ".json" {
			name = names[i%len(names)]
		}
		flipped, bit := bytes.Clone(whole[name]), random.IntN(8*len(whole[name]))
		flipped[bit/8] ^= 1 << (bit % 8)
		must.Do(os.WriteFile(name, flipped, 0o644))
		code, message := 0, ""
		if strings.HasSuffix(name, ".json") || strings.Contains(name, "points") {
			code, message = carouselHere(command...)
		}
		if strings.HasSuffix(name, "plan.json") {
			must.Do(os.WriteFile(name, flipped, 0o644))
			code, message = carouselHere("merge", dir, "--out", dir+"-merged", "--force", "--quiet")
		}
		if code == 0 {
			code, message = carouselHere("report", dir, "-o", "again.html")
		}
		switch {
		case code == 0 && !bytes.Equal(must.Get(os.ReadFile("again.html")), page):
			t.Errorf("bit %d of %s: the page has changed", bit, name)
		case code != 0 && (code > 3 || !strings.Contains(message, name+": the checksum does not match") && !strings.Contains(message, name+" is damaged")):
			t.Errorf("bit %d of %s: exit code %d with the message %s", bit, name, code, message)
		case code != 0:
			refused++
		}
		for other, content := range contents(dir) {
			if code == 0 && strings.HasSuffix(other, ".arrow") && other != name && !bytes.Equal(content, whole[other]) {
				t.Errorf("bit %d of %s: %s has changed", bit, name, other)
			}
		}
		for name, content := range whole {
			must.Do(os.WriteFile(name, content, 0o644))
		}
	}
	// The cure of a damaged manifest: finished points are kept.
	for _, e := range must.Get(os.ReadDir(dir)) {
		if e.Name() != "points" {
			must.Do(os.RemoveAll(filepath.Join(dir, e.Name())))
		}
	}
	if code, message := carouselHere(command...); code != 0 {
		t.Errorf("points without a manifest end the command with code %d: %s", code, message)
	}
	if name := filepath.Join(dir, "latency.arrow"); !bytes.Equal(must.Get(os.ReadFile(name)), whole[name]) {
		t.Errorf("points without a manifest give other latencies")
	}
	t.Logf("%d of %d flips were refused", refused, flips)
	if refused == 0 {
		t.Error("nothing was refused")
	}
}

// carouselHere runs a command in this process.
func carouselHere(args ...string) (code int, message string) {
	var out bytes.Buffer
	code = cli.Execute(context.Background(), args, nil, &out, &out)
	return code, out.String()
}

// contents reads all files below a directory.
func contents(dir string) map[string][]byte {
	files := map[string][]byte{}
	must.Do(filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			files[path], err = os.ReadFile(path)
		}
		return err
	}))
	return files
}
