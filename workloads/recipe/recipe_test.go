package recipe

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/record"
	"github.com/carousel-sim/carousel/traces/tracetest"
	"github.com/carousel-sim/carousel/workloads"
)

// TestTable: there is one recipe per application, in the same order, and complete.
func TestTable(t *testing.T) {
	if len(Table) != len(workloads.Applications) {
		t.Fatalf("%d recipes", len(Table))
	}
	for i, p := range workloads.Applications {
		r, err := Find(p.Name)
		if err != nil || r != &Table[i] {
			t.Errorf("%s: %v, %v", p.Name, r, err)
			continue
		}
		if r.PerCore != (p.Suite == workloads.Multiprogrammed) {
			t.Errorf("%s: once per core is %v", p.Name, r.PerCore)
		}
		if r.Program == "" || r.Records < 1000000 || r.prepare == nil || len(r.Needs) < 2 {
			t.Errorf("%s is not complete", p.Name)
		}
		emulator := "qemu-user"
		if p.Suite == workloads.Commercial {
			emulator = "qemu-system-x86"
		}
		for _, always := range []string{"gcc", "libc6-dev", emulator} {
			if !slices.Contains(r.Packages(), always) {
				t.Errorf("%s: packages %v", p.Name, r.Packages())
			}
		}
	}
	if _, err := Find("ep"); err == nil {
		t.Error("ep has a recipe")
	}
}

func TestMissing(t *testing.T) {
	r := Recipe{Name: "x", Needs: []Need{{"sh", "dash"}, {"no-such-program", "b-package a-package"}, {"/no/such/file", "a-package"}}}
	if want := []string{"a-package", "b-package"}; !reflect.DeepEqual(r.Missing(), want) {
		t.Errorf("%v", r.Missing())
	}
	_, err := Make(t.Context(), &r, Default(), nil)
	if !errors.Is(err, record.ErrMissing) || !strings.Contains(err.Error(), "apt-get install --no-install-recommends a-package b-package") {
		t.Error(err)
	}
}

func TestConfig(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"cores is 0":    func(c *Config) { c.Cores = 0 },
		"cores is 1025": func(c *Config) { c.Cores = 1025 },
		"records is 3":  func(c *Config) { c.Records = 3 },
		"limit is 0s":   func(c *Config) { c.Limit = 0 },
	} {
		c := Default()
		change(&c)
		if err := c.Validate(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := Default().Validate(); err != nil {
		t.Error(err)
	}
}

// TestNetlists: circuits are the same every time, differ between instances, and every net that is
// read is driven.
func TestNetlists(t *testing.T) {
	for instance := range 3 {
		n := newNetlist(instance)
		if !reflect.DeepEqual(n, newNetlist(instance)) || n.text(instance) != newNetlist(instance).text(instance) || reflect.DeepEqual(n, newNetlist(instance+1)) {
			t.Errorf("circuit %d is not its own", instance)
		}
		driven := map[int]bool{}
		for _, net := range n.pads {
			driven[net] = driven[net] || net >= cells
		}
		short := 0
		for i, inputs := range n.inputs {
			sorted := slices.Sorted(slices.Values(inputs))
			if len(slices.Compact(sorted)) != len(inputs) || len(inputs) < 1 || len(inputs) > 4 || slices.Contains(inputs, i) {
				t.Errorf("circuit %d, cell %d reads %v", instance, i, inputs)
			}
			for _, net := range inputs {
				if net >= cells && !driven[net] {
					t.Errorf("circuit %d, cell %d: nobody drives %d", instance, i, net)
				}
				if net-i >= -5 && net-i <= 5 {
					short++
				}
			}
		}
		if short < cells/2 {
			t.Errorf("circuit %d: %d short wires", instance, short)
		}
	}
}

// native builds one of the sources, or skips the test; change may edit it first.
func native(t *testing.T, source string, change func(string) string, options ...string) string {
	t.Helper()
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("gcc is not installed")
	}
	w := &workshop{folder: t.TempDir()}
	path := must.Get(w.compile(t.Context(), source, append(options, "-Wall", "-Wextra", "-Werror")...))
	if change == nil {
		return path
	}
	text := must.Get(os.ReadFile(w.path(source)))
	edited := change(string(text))
	if edited == string(text) {
		t.Fatalf("%s: the change does not apply", source)
	}
	must.Do(errors.Join(os.WriteFile(w.path(source), []byte(edited), 0o644), w.run(t.Context(), nil, "gcc", append([]string{"-O2", "-o", path, source}, options...)...)))
	return path
}

// TestVerification: the kernels reproduce the values of the benchmarks with one and with several
// threads.
func TestVerification(t *testing.T) {
	for _, kernel := range []string{"is", "ft", "sp", "bt", "lu"} {
		t.Run(kernel, func(t *testing.T) {
			path := native(t, kernel+".c", nil, "-fopenmp", "-lm")
			for _, threads := range []string{"1", "5"} {
				command := exec.Command(path)
				command.Env = append(os.Environ(), "OMP_NUM_THREADS="+threads, "OMP_WAIT_POLICY=passive")
				if out, err := command.CombinedOutput(); err != nil || !strings.Contains(string(out), "; verified") {
					t.Errorf("%s threads: %v\n%s", threads, err, out)
				}
			}
		})
	}
	t.Run("mcf", func(t *testing.T) {
		path := native(t, "mcf.c", nil)
		if out, err := exec.Command(path, "3").CombinedOutput(); err != nil || !strings.Contains(string(out), "; verified") {
			t.Errorf("%v\n%s", err, out)
		}
	})
}

// TestVerificationFails: programs that compute something else say so.
func TestVerificationFails(t *testing.T) {
	for source, edit := range map[string][2]string{
		"is.c":  {"sum += histogram[t][v]", "sum += histogram[t][v] + (v == 1000)"},
		"mcf.c": {"MOST_PIVOTS = 10000000", "MOST_PIVOTS = 5000"}, // stops before the end
	} {
		path := native(t, source, func(text string) string { return strings.Replace(text, edit[0], edit[1], 1) }, "-fopenmp")
		if out, err := exec.Command(path).CombinedOutput(); err == nil || !strings.Contains(string(out), "NOT VERIFIED") {
			t.Errorf("%s: %v\n%s", source, err, out)
		}
	}
}

// made records with a recipe and reads the trace, which must be sound. It also gives the file's
// bytes.
func made(t *testing.T, r *Recipe, change func(*Config)) (record.Result, *traces.File, []byte) {
	t.Helper()
	if packages := r.Missing(); len(packages) > 0 {
		t.Skipf("%s are not installed", packages)
	}
	c := Default()
	c.Environment = os.Environ()
	change(&c)
	var out bytes.Buffer
	result := must.Get(Make(t.Context(), r, c, traces.ToStream(&out, traces.DefaultWriterConfig())))
	return result, tracetest.Open(t, out.Bytes()), out.Bytes()
}

// TestMake records a program with threads, and one that runs once per core, which repeats.
func TestMake(t *testing.T) {
	for _, name := range []string{"is", "mcf"} {
		t.Run(name, func(t *testing.T) {
			const cores, records = 3, 30000
			r := must.Get(Find(name))
			size := func(c *Config) { c.Cores, c.Records = cores, records }
			if r.PerCore { // instances side by side
				c := func(c *Config) { c.Cores, c.Records, c.Windows, c.WindowRecords = cores, records, 2, records/10 }
				_, f, first := made(t, r, c)
				if _, _, second := made(t, r, c); f.Windows() != 2 || !bytes.Equal(first, second) {
					t.Error("two recordings of windows differ")
				}
			}
			result, f, first := made(t, r, size)
			if r.PerCore {
				if _, _, second := made(t, r, size); !bytes.Equal(first, second) {
					t.Error("two recordings differ")
				}
			}
			if m := f.Metadata(); m.Workload != name || m.Cores != cores || strings.Contains(m.Origin, os.TempDir()) || result.Reason != record.RecordsReached {
				t.Errorf("%+v, %s", m, result.Reason)
			}
			// How threads share the beginning of a region is the host's choice; runs of their own
			// are exact.
			sum := uint64(0)
			for core, totals := range f.Totals() {
				n := totals.Accesses() + totals.Fetches
				if sum += n; r.PerCore && n != records/cores {
					t.Errorf("core %d has %d accesses", core, n)
				}
			}
			if sum < records-2 || sum > records+2 {
				t.Errorf("%d accesses", sum)
			}
		})
	}
}

// TestLimit: what does not end is ended.
func TestLimit(t *testing.T) {
	r := &Recipe{Name: "sleeper", Needs: []Need{needEmulator, needCompiler}, Skip: 1 << 50,
		prepare: func(context.Context, *workshop) ([]string, error) { return []string{"sleep", "100"}, nil }}
	if packages := r.Missing(); len(packages) > 0 {
		t.Skipf("%s are not installed", packages)
	}
	c := Default()
	c.Limit = 2 * time.Second
	_, err := Make(t.Context(), r, c, traces.ToStream(new(bytes.Buffer), traces.DefaultWriterConfig()))
	if !errors.Is(err, ErrLimit) {
		t.Error(err)
	}
}

// TestAll records all twelve, on as many cores as the paper.
func TestAll(t *testing.T) {
	if os.Getenv("CAROUSEL_LONG") == "" {
		t.Skip("set CAROUSEL_LONG=1 to record all twelve applications: 10 minutes")
	}
	for i := range Table {
		r := &Table[i]
		t.Run(r.Name, func(t *testing.T) {
			_, f, _ := made(t, r, func(c *Config) { c.Records = 1600000 })
			busy := 0
			for _, totals := range f.Totals() {
				if totals.Accesses() > 1000 {
					busy++
				}
			}
			if busy < 12 {
				t.Errorf("%d of 16 cores do something", busy)
			}
		})
	}
}

func TestTail(t *testing.T) {
	var said tail
	failure := errors.New("it failed")
	if err := said.explain(failure); err != failure {
		t.Error(err)
	}
	for range 1000 {
		if n, err := said.Write([]byte("abcde")); n != 5 || err != nil {
			t.Fatal(n, err)
		}
	}
	err := said.explain(failure)
	if !errors.Is(err, failure) || !strings.HasSuffix(err.Error(), strings.Repeat("abcde", tailBytes/5)) || len(err.Error()) > tailBytes+100 {
		t.Error(err)
	}
	if said.explain(nil) != nil {
		t.Error("nothing has failed")
	}
}

// TestSizeHoldsWindows: whatever the recipe, enough is recorded to draw 64 windows from, and no less
// than without.
func TestSizeHoldsWindows(t *testing.T) {
	for i := range Table {
		r := &Table[i]
		c := Default()
		own, many := record.DefaultConfig(), record.DefaultConfig()
		own.Program, many.Program = []string{"x"}, []string{"x"}
		r.size(&own, c)
		c.Windows = 64
		r.size(&many, c)
		if err := many.Validate(); err != nil || many.Windows != 64 || many.Records < own.Records || many.Records*uint64(many.Instances) < drawnFrom*64*r.WindowRecords {
			t.Errorf("%s: %v; %d records, %d without", r.Name, err, many.Records, own.Records)
		}
	}
}
