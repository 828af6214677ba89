package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/carousel-sim/carousel/analysis/experiment/sweep"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// killedStudies are the commands that keep what is finished, with the directory of their tables
// below --out.
var killedStudies = []struct {
	name, tables string
	args         []string
}{
	{"run", ".", []string{"run", "--trace", "t.trace", "--router", "rr,mrr", "--runs", "3"}},
	{"traffic", ".", []string{"traffic", "--topology", "torus:4x4", "--router", "rr,mrr", "--loads", "0.1:0.4:0.1", "--cycles", "40000", "--warmup", "1000"}},
	{"sweep", ".", []string{"sweep", "plan.yaml"}},
	{"paper", "mrr.sec1/quick", []string{"paper", "run", "mrr.sec1", "--set", "traffic.cycles=6000", "--set", "traffic.warmup=500", "--set", "traffic.step=0.1"}},
}

// TestKilledStudiesContinue kills or interrupts each command at random moments and gives it again
// until it ends. The results are those of a command that nobody stopped, and no finished point is
// done twice. CAROUSEL_LONG takes twenty moments of each command instead of one.
func TestKilledStudiesContinue(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs signals")
	}
	moments := 1
	if os.Getenv("CAROUSEL_LONG") != "" {
		moments = 20
	}
	work := t.TempDir()
	if err := writeTrace(filepath.Join(work, "t.trace"), 4, 3000); err != nil {
		t.Fatal(err)
	}
	plan := "kind: traffic\nset: {topology: \"torus:4x4\", traffic: {cycles: 40000, warmup: 1000}}\n" +
		"axes:\n  routers: [rr, mrr]\n  traffic.load: [0.1, 0.2, 0.3]\n"
	if err := os.WriteFile(filepath.Join(work, "plan.yaml"), []byte(plan), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, s := range killedStudies {
		t.Run(s.name, func(t *testing.T) {
			command := func(out string) *exec.Cmd {
				c := exec.Command("carousel", append([]string{"--out", out, "--jobs", "1", "--quiet"}, s.args...)...)
				c.Dir = work
				c.Env = slices.DeleteFunc(os.Environ(), func(entry string) bool { return strings.HasPrefix(entry, "CAROUSEL_") })
				return c
			}
			begun := time.Now()
			command(s.name + "-whole").Run() // a claim that is not confirmed is no failure here
			length := time.Since(begun)
			want := studyTables(t, filepath.Join(work, s.name+"-whole", s.tables))
			random := rand.New(rand.NewPCG(1, uint64(len(s.name))))
			for i := range moments {
				out := fmt.Sprint(s.name, i)
				finished := map[string]time.Time{}
				for stop := time.Duration(random.Float64() * float64(length)); ; stop *= 2 {
					signal, c := os.Interrupt, command(out)
					if random.IntN(2) == 0 {
						signal = os.Kill
					}
					if err := c.Start(); err != nil {
						t.Fatal(err)
					}
					timer := time.AfterFunc(stop, func() { c.Process.Signal(signal) })
					err := c.Wait()
					timer.Stop()
					notDoneAgain(t, filepath.Join(work, out), finished)
					exit, failed := err.(*exec.ExitError)
					if !failed || exit.ExitCode() == 1 {
						break
					}
					if code := exit.ExitCode(); code != -1 && code != 130 {
						t.Fatalf("exit code %d, which is neither of a command that was stopped nor of one that ended", code)
					}
				}
				if len(finished) == 0 {
					t.Error("no point was kept")
				}
				if got := studyTables(t, filepath.Join(work, out, s.tables)); !reflect.DeepEqual(got, want) {
					t.Errorf("stopped at moment %d and continued, the results differ", i)
				}
			}
		})
	}
}

// studyTables are the tables of a study without the host's time.
func studyTables(t *testing.T, dir string) tables.Rows {
	t.Helper()
	rows, _, err := tables.ReadRows(dir)
	if err != nil {
		t.Fatal(err)
	}
	rows.DropHostTime()
	return rows
}

// notDoneAgain demands that the points which were finished before are the same files, and adds
// those that are new.
func notDoneAgain(t *testing.T, out string, finished map[string]time.Time) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(out, sweep.PointsName))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	there := 0
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || e.Name()[0] == '.' {
			continue // half written when the command was killed
		}
		if before, known := finished[e.Name()]; known {
			if there++; !before.Equal(info.ModTime()) {
				t.Errorf("point %s was done again", e.Name())
			}
		}
	}
	if there != len(finished) {
		t.Errorf("%d of %d finished points are left", there, len(finished))
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && e.Name()[0] != '.' {
			finished[e.Name()] = info.ModTime()
		}
	}
}
