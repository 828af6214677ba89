package main

import (
	"fmt"
	"math"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/carousel-sim/carousel/analysis/tables"
)

// quotients compares the table that the last command printed with the file runs.arrow that it wrote:
// quotients DIR. Every ratio must be the quotient of the totals of two routers or protocols over the runs that both
// have finished, and every mean the geometric mean of these, to the last digit printed.
func quotients(ts *testscript.TestScript, _ bool, args []string) {
	rows, _, err := tables.ReadRows(ts.MkAbs(args[0]))
	ts.Check(err)
	var header []string
	checked := 0
	for line := range strings.Lines(ts.ReadFile("stdout")) {
		cells := regexp.MustCompile(`  +`).Split(strings.TrimSpace(line), -1)
		if cells[0] == "router" || cells[0] == "protocol" || cells[0] == "application" {
			header = cells
			continue
		}
		if len(cells) < len(header)-1 || header == nil {
			continue
		}
		if strings.HasPrefix(cells[0], "mean ") { // it has no windows
			cells = slices.Insert(cells, 1, "")
		}
		for i, cell := range cells {
			if i == 0 || i >= len(header) || !strings.Contains(header[i], " / ") || cell == "-" || cell == "not known" {
				continue
			}
			text := strings.Fields(cell)[0]
			_, digits, _ := strings.Cut(text, ".")
			if got := strconv.FormatFloat(quotientOf(&rows, header, cells, header[i]), 'f', len(digits), 64); got != text {
				ts.Fatalf("%s of %s is %s; the totals in %s/runs.arrow say %s", header[i], cells[0], text, args[0], got)
			}
			checked++
		}
	}
	if checked == 0 {
		ts.Fatalf("the table has no quotients")
	}
}

// quotientOf computes what a cell of a printed table says.
func quotientOf(rows *tables.Rows, header, cells []string, title string) float64 {
	over, under, _ := strings.Cut(title, " / ")
	workload, what := rows.Runs[0].Workload, "time"
	if header[0] == "application" {
		if name, mean := strings.CutPrefix(cells[0], "mean "); mean {
			return geometric(rows, strings.TrimPrefix(name, "network "), over, under)
		}
		return ratioOf(rows, cells[0], what, over, under)
	}
	return ratioOf(rows, workload, strings.TrimPrefix(over, "network "), cells[0], under)
}

// geometric is the geometric mean of a ratio over the workloads.
func geometric(rows *tables.Rows, what, over, under string) float64 {
	seen, sum := map[string]bool{}, 0.0
	for i := range rows.Runs {
		if w := rows.Runs[i].Workload; !seen[w] {
			seen[w] = true
			sum += math.Log(ratioOf(rows, w, what, over, under))
		}
	}
	return math.Exp(sum / float64(len(seen)))
}

// ratioOf divides the totals of two routers or protocols over the pairs of seed and window that both have.
func ratioOf(rows *tables.Rows, workload, what, over, under string) float64 {
	type pair struct{ seed, window uint64 }
	finished := func(name string) map[pair]*tables.Run {
		of := map[pair]*tables.Run{}
		for i := range rows.Runs {
			if r := &rows.Runs[i]; r.Workload == workload && (r.Router == name || r.Protocol == name) && r.ExitState == tables.Finished {
				of[pair{r.Seed, r.Window}] = r
			}
		}
		return of
	}
	a, b := finished(over), finished(under)
	var cycles, energy [2]float64
	for p, r := range a {
		if o := b[p]; o != nil {
			cycles[0], cycles[1] = cycles[0]+float64(r.Cycles.Value), cycles[1]+float64(o.Cycles.Value)
			energy[0], energy[1] = energy[0]+r.Energy.Value, energy[1]+o.Energy.Value
		}
	}
	time, spent := cycles[0]/cycles[1], energy[0]/energy[1]
	return map[string]float64{"time": time, "energy": spent, "ED2P": spent * time * time}[what]
}

// sameTable compares the tables that two commands printed: sametable FILE, which holds what an earlier
// one printed. The notes below them may differ.
func sameTable(ts *testscript.TestScript, _ bool, args []string) {
	table := func(file string) (lines []string) {
		for line := range strings.Lines(ts.ReadFile(file)) {
			if strings.Contains(line, "  ") {
				lines = append(lines, line)
			}
		}
		return lines
	}
	if now, before := table("stdout"), table(args[0]); len(now) < 2 || !slices.Equal(now, before) {
		ts.Fatalf("the tables differ:\n%s\n%s", strings.Join(before, ""), strings.Join(now, ""))
	}
}

// clusterPrograms are those of a whole Slurm: Debian's slurm-wlm and munge.
var clusterPrograms = []string{"munged", "slurmctld", "slurmd", "sbatch", "squeue", "sinfo"}

// haveCluster reports whether a Slurm of one node can be started here.
func haveCluster() bool {
	for _, name := range clusterPrograms {
		if _, err := exec.LookPath(name); err != nil {
			return false
		}
	}
	return os.Geteuid() == 0
}

// startCluster starts a Slurm of one node with two processors, for the script that asks for it.
// What sbatch and squeue have to know is in SLURM_CONF.
func startCluster(ts *testscript.TestScript, _ bool, _ []string) {
	dir, err := os.MkdirTemp("", "cluster") // paths of sockets must be short
	ts.Check(err)
	ts.Defer(func() { os.RemoveAll(dir) })
	ts.Check(os.Chmod(dir, 0o711)) // munged and slurmctld refuse directories that others may write to
	host, err := os.Hostname()
	ts.Check(err)
	host, _, _ = strings.Cut(host, ".")
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, name := range []string{"state", "spool", "munge"} {
		ts.Check(os.Mkdir(at(name), 0o711))
	}
	ts.Check(os.WriteFile(at("munge/key"), []byte(strings.Repeat("a key for one test, on one computer; ", 4)), 0o400))
	text, err := os.ReadFile(filepath.Join("testdata", "slurm.conf"))
	ts.Check(err)
	ts.Check(os.WriteFile(at("slurm.conf"), []byte(strings.NewReplacer("HOST", host, "DIR", dir,
		"PORT1", freePort(ts), "PORT2", freePort(ts)).Replace(string(text))), 0o600))
	ts.Setenv("SLURM_CONF", at("slurm.conf"))

	inBackground(ts, dir, "munged", "--foreground", "--force", "--socket="+at("munge/socket"), "--key-file="+at("munge/key"),
		"--pid-file="+at("munge/pid"), "--seed-file="+at("munge/seed"), "--log-file="+at("munge/log"))
	awaitFor(ts, "munged", func() bool { _, err := os.Stat(at("munge/socket")); return err == nil })
	inBackground(ts, dir, "slurmctld", "-D")
	inBackground(ts, dir, "slurmd", "-D")
	awaitFor(ts, "a node", func() bool {
		out, err := clusterCommand(dir, "sinfo", "-h", "-o", "%T").Output()
		return err == nil && strings.TrimSpace(string(out)) == "idle"
	})
}

// awaitJobs waits until no job is left.
func awaitJobs(ts *testscript.TestScript, _ bool, _ []string) {
	dir := filepath.Dir(ts.Getenv("SLURM_CONF"))
	awaitFor(ts, "the jobs", func() bool {
		out, err := clusterCommand(dir, "squeue", "-h").Output()
		return err == nil && len(strings.TrimSpace(string(out))) == 0
	})
}

// clusterCommand is a command of the Slurm in a directory.
func clusterCommand(dir, name string, args ...string) *exec.Cmd {
	c := exec.Command(name, args...)
	c.Env = append(os.Environ(), "SLURM_CONF="+filepath.Join(dir, "slurm.conf"))
	return c
}

// inBackground starts a daemon that the script's end stops.
func inBackground(ts *testscript.TestScript, dir, name string, args ...string) {
	c := clusterCommand(dir, name, args...)
	ts.Check(c.Start())
	ts.Defer(func() {
		c.Process.Signal(syscall.SIGTERM)
		c.Wait()
	})
}

// awaitFor waits for something that takes seconds, or, on a busy computer, a minute or two.
func awaitFor(ts *testscript.TestScript, what string, done func() bool) {
	for range 10000 {
		if done() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	ts.Fatalf("waited for %s in vain", what)
}

// freePort is an unused port of this computer.
func freePort(ts *testscript.TestScript) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	defer l.Close()
	return fmt.Sprint(l.Addr().(*net.TCPAddr).Port)
}
