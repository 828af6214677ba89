package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
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
	"github.com/carousel-sim/carousel/cmd/carousel/cli"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/workloads/riscv/kernels"
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

// moments is at how many random moments each command is stopped.
func moments() int {
	if os.Getenv("CAROUSEL_LONG") != "" {
		return 20
	}
	return 1
}

// carouselIn is a command line in a folder, without the environment of the tests.
func carouselIn(dir string, args ...string) *exec.Cmd {
	c := exec.Command("carousel", append([]string{"--quiet"}, args...)...)
	c.Dir = dir
	c.Env = slices.DeleteFunc(os.Environ(), func(entry string) bool { return strings.HasPrefix(entry, "CAROUSEL_") })
	return c
}

// TestKilledStudiesContinue kills or interrupts each command at random moments and gives it again
// until it ends. The results are those of a command that nobody stopped, and no finished point is
// done twice. CAROUSEL_LONG takes twenty moments of each command instead of one.
func TestKilledStudiesContinue(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs signals")
	}
	t.Parallel()
	work := t.TempDir()
	must.Do(writeTrace(filepath.Join(work, "t.trace"), 4, 1200))
	plan := "kind: traffic\nset: {topology: \"torus:4x4\", traffic: {cycles: 40000, warmup: 1000}}\n" +
		"axes:\n  routers: [rr, mrr]\n  traffic.load: [0.1, 0.2, 0.3]\n"
	must.Do(os.WriteFile(filepath.Join(work, "plan.yaml"), []byte(plan), 0o600))
	for _, s := range killedStudies {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			command := func(out string) *exec.Cmd {
				return carouselIn(work, append([]string{"--out", out, "--jobs", "1"}, s.args...)...)
			}
			begun := time.Now()
			command(s.name + "-whole").Run() // a claim that is not confirmed is no failure here
			length := time.Since(begun)
			want := studyTables(t, filepath.Join(work, s.name+"-whole", s.tables))
			random := rand.New(rand.NewPCG(1, uint64(len(s.name))))
			for i := range moments() {
				out := fmt.Sprint(s.name, i)
				finished := map[string]time.Time{}
				for stop := time.Duration(random.Float64() * float64(length)); ; stop *= 2 {
					signal, c := os.Interrupt, command(out)
					if random.IntN(2) == 0 {
						signal = os.Kill
					}
					must.Do(c.Start())
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

// killedWriters are the commands that write one file, which is the last argument.
var killedWriters = [][]string{
	{"workload", "make", "producer-consumer", "--cores", "4", "--records", "10000", "-o", "made.trace"},
	{"trace", "export", "t.trace", "-o", "exported.csv"},
	{"trace", "import", "t.csv", "-o", "imported.trace"},
	{"trace", "slice", "t.trace", "--cores", "0-1", "-o", "sliced.trace"},
	{"trace", "sample", "t.trace", "--windows", "4", "--records", "500", "-o", "sampled.trace"},
	{"trace", "record", "--program", "kernels.elf", "--cores", "4", "--output", "recorded.trace", "--", "counter", "4", "20"},
	{"multicast", "plan", "--source", "0", "--destinations", "3", "--svg", "plan.svg"},
	{"report", "study", "-o", "page.html"},
}

// TestKilledWriters kills each command that writes a file at a random moment: the file is there whole
// or not at all, and nothing else is left. CAROUSEL_LONG takes twenty moments instead of one.
func TestKilledWriters(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("where files have a name before they are complete, a killed writer may leave one")
	}
	t.Parallel()
	work := t.TempDir()
	command := func(args ...string) *exec.Cmd { return carouselIn(work, args...) }
	if err := errors.Join(writeTrace(filepath.Join(work, "t.trace"), 4, 20000), os.WriteFile(filepath.Join(work, "kernels.elf"), kernels.Executable, 0o700),
		command("trace", "export", "t.trace", "-o", "t.csv").Run(),
		command("traffic", "--topology", "torus:4x4", "--router", "ideal,mrr", "--cycles", "3000", "--warmup", "100", "--out", "study").Run()); err != nil {
		t.Fatal(err)
	}
	given := folderOf(t, work)
	random := rand.New(rand.NewPCG(2, 3))
	for _, args := range killedWriters {
		begun := time.Now()
		if said, err := command(args...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, said)
		}
		length := time.Since(begun)
		whole := folderOf(t, work)
		for name := range given {
			delete(whole, name)
		}
		if len(whole) != 1 {
			t.Fatalf("%v writes %d files", args, len(whole))
		}
		for range moments() {
			for name := range whole {
				if err := os.Remove(filepath.Join(work, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
					t.Fatal(err)
				}
			}
			c := command(args...)
			must.Do(c.Start())
			timer := time.AfterFunc(time.Duration(random.Float64()*float64(length)), func() { c.Process.Kill() })
			c.Wait()
			timer.Stop()
			for name, text := range folderOf(t, work) {
				if given[name] != text && whole[name] != text {
					t.Errorf("%v, killed, leaves %s with %d bytes", args, name, len(text))
				}
			}
		}
		for name := range whole {
			os.Remove(filepath.Join(work, name))
		}
	}
}

// folderOf reads the files of a folder, but not of those in it.
func folderOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries := must.Get(os.ReadDir(dir))
	files := map[string]string{}
	for _, e := range entries {
		if e.IsDir() {
			continue
		}
		content := must.Get(os.ReadFile(filepath.Join(dir, e.Name())))
		files[e.Name()] = string(content)
	}
	return files
}

// TestInterruptedReaders: whatever reads files of the user ends when it is interrupted, says so, and
// leaves neither a part of a file nor another file than there was.
func TestInterruptedReaders(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	in, text := filepath.Join(dir, "in.trace"), filepath.Join(dir, "in.csv")
	packets, plan := filepath.Join(dir, "packets.csv"), filepath.Join(dir, "plan.yaml")
	must.Do(os.WriteFile(packets, []byte("cycle,source,destinations,phits\n0,0,1,5\n"), 0o600))
	must.Do(os.WriteFile(plan, []byte("kind: run\nset: {trace: "+in+"}\naxes: {routers: [base, mrr]}\n"), 0o600))
	must.Do(writeTrace(in, 2, 500))
	var problems bytes.Buffer
	if code := cli.Execute(context.Background(), []string{"trace", "export", in, "-o", text}, nil, &bytes.Buffer{}, &problems); code != 0 {
		t.Fatal(problems.String())
	}
	stopped, stop := context.WithCancel(context.Background())
	stop()
	out := filepath.Join(dir, "out")
	for _, args := range [][]string{
		{"trace", "import", text, "--force", "-o", out}, {"trace", "export", in, "--force", "-o", out}, {"trace", "slice", in, "--cores", "1", "--force", "-o", out},
		{"workload", "make", "producer-consumer", "--records", "250", "--force", "-o", out},
		{"trace", "verify", in}, {"trace", "info", in}, {"trace", "cat", in},
		{"validate", "silicon", "../../analysis/experiment/silicon/testdata"}, {"multicast", "check", "../../noc/multicast/vectors/testdata/qg.json"},
		{"run", "--trace", in}, {"traffic", "--packets", packets}, {"sweep", plan},
	} {
		writes := args[len(args)-1] == out
		for _, there := range []string{"", "before"} {
			if there != "" && os.WriteFile(out, []byte(there), 0o600) != nil {
				t.Fatal("cannot write")
			}
			problems.Reset()
			code := cli.Execute(stopped, args, nil, &bytes.Buffer{}, &problems)
			says := "nothing was written"
			if there != "" {
				says = out + " is what it was before"
			}
			if code != 130 || !strings.HasPrefix(problems.String(), "carousel: interrupted; ") || writes && !strings.Contains(problems.String(), says) {
				t.Errorf("%v: code %d, %s", args, code, problems.String())
			}
			if got, _ := os.ReadFile(out); string(got) != there {
				t.Errorf("%v: %q is left", args, got)
			}
			if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
				t.Errorf("%v leaves %v", args, left)
			}
		}
		os.Remove(out)
	}
}

// TestInterruptedReplacement: a figure that was to replace another one, and was interrupted, says
// where the other one is, also when it is continued and interrupted again. When it is complete, the
// other one is gone.
func TestInterruptedReplacement(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	run := func(ctx context.Context, cycles string, flags ...string) (int, string) {
		var problems bytes.Buffer
		code := cli.Execute(ctx, append([]string{"paper", "run", "mrr.sec1", "--set", "traffic.cycles=" + cycles, "--set", "traffic.warmup=100",
			"--set", "traffic.step=0.5", "--out", out}, flags...), nil, &bytes.Buffer{}, &problems)
		return code, problems.String()
	}
	hidden := func() []string {
		kept, _ := filepath.Glob(filepath.Join(out, "mrr.sec1", ".quick.replaced-*"))
		return kept
	}
	if code, problems := run(context.Background(), "600"); code > 1 || strings.Contains(problems, "was there before") {
		t.Fatalf("code %d, %s", code, problems)
	}
	stopped, stop := context.WithCancel(context.Background())
	stop()
	code, problems := run(stopped, "700", "--force")
	kept := hidden()
	if len(kept) != 1 || code != 130 || !strings.Contains(problems, "; the study that was there before is in "+kept[0]+"; give the command again") {
		t.Fatalf("code %d, %v, %s", code, kept, problems)
	}
	if _, err := os.Stat(filepath.Join(kept[0], "claims.arrow")); err != nil {
		t.Error(err)
	}
	if _, problems := run(stopped, "700"); !strings.Contains(problems, kept[0]) || len(hidden()) != 1 {
		t.Errorf("continued and interrupted: %v, %s", hidden(), problems)
	}
	if code, problems := run(context.Background(), "700"); code > 1 || len(hidden()) > 0 {
		t.Errorf("complete: code %d, %v is left; %s", code, hidden(), problems)
	}
}
