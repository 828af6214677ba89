package recipe

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/traces/record"
	"github.com/carousel-sim/carousel/workloads"
)

// Recipe says how an application is recorded.
type Recipe struct {
	Name    string // of the application in workloads.Applications
	Program string // what is recorded, in a phrase
	Needs   []Need
	Licence string // of what is recorded
	// What is recorded unless the user says otherwise: accesses and fetched lines of all cores, how
	// many windows of them are kept, and how many each of these has on average over the recording.
	Records       uint64
	Windows       int
	WindowRecords uint64
	// Skip is the number of instructions of all threads before the region; 0 where the program has
	// marks.
	Skip uint64
	// PerCore: the program runs once per core, one run after the other, with Skip and its share of
	// Records each.
	PerCore bool
	// prepare makes the inputs and gives the command line; {} in it is the number of the run.
	prepare func(ctx context.Context, w *workshop) ([]string, error)
}

// Need is a program that a recipe uses, and the Debian package that has it.
type Need struct{ Program, Package string }

var (
	needEmulator = Need{"qemu-x86_64", "qemu-user"}
	needMachine  = Need{record.SystemEmulator, "qemu-system-x86"}
	needBusybox  = Need{"busybox", "busybox-static"}
	needCompiler = Need{"gcc", "gcc libc6-dev"}
	needBench    = Need{"ab", "apache2-utils"}
)

// Table has the twelve recipes in the order of workloads.Applications.
var Table = []Recipe{
	machine("apache", "Apache 2.4, event module, small files for ApacheBench", "Apache-2.0", 3, 38000, prepareApache, Need{"/usr/sbin/apache2", "apache2-bin"}, needBench),
	machine("jbb", "own Java program in place of SPECjbb: warehouses, orders and payments on OpenJDK", "GPL-2.0 with classpath exception (OpenJDK), MIT (the program)", 3, 36000, prepareJava, needCompiler,
		Need{"javac", "openjdk-17-jdk-headless"}, Need{"java", "openjdk-17-jre-headless"}),
	machine("zeus", "nginx in place of Zeus: an event-driven server, small files for ApacheBench", "BSD-2-Clause", 3, 16000, prepareEvents, Need{"/usr/sbin/nginx", "nginx-light"}, needBench),
	machine("oltp", "MariaDB with the transactions of TPC-B", "GPL-2.0", 5, 36000, prepareDatabase,
		Need{"/usr/sbin/mariadbd", "mariadb-server-core"}, Need{"mariadb-slap", "mariadb-client"}),
	numerical("ft", "A", "256 x 256 x 128 points", 200000000, 12, 80000),
	numerical("is", "W", "1,048,576 keys, ten rankings", 24000000, 5, 144000),
	numerical("sp", "A", "64 x 64 x 64 points", 220000000, 3, 64000),
	numerical("bt", "W", "24 x 24 x 24 points", 64000000, 7, 52000),
	numerical("lu", "W", "33 x 33 x 33 points", 64000000, 3, 56000),
	{Name: "twolf", Program: "TimberWolfSC of graywolf, the successor of 300.twolf, places 100 standard cells", Licence: "GPL-2.0", Records: 16000000, Windows: 4, WindowRecords: 40000, Skip: 100000000, PerCore: true,
		Needs: []Need{needEmulator, needCompiler, {graywolf, "graywolf"}}, prepare: prepareNetlists},
	{Name: "gcc", Program: "cc1 of the installed GCC compiles a large C program of our own with -O2; its first passes, later ones miss less", Licence: "GPL-3.0", Records: 16000000, Windows: 4, WindowRecords: 32000, Skip: 100000000, PerCore: true,
		Needs: []Need{needEmulator, needCompiler}, prepare: prepareSources},
	{Name: "mcf", Program: "own code in place of 181.mcf: network simplex method, 10,000 nodes and 80,000 arcs", Licence: "MIT (written for Carousel)", Records: 16000000, Windows: 2, WindowRecords: 45000, PerCore: true,
		Needs: []Need{needEmulator, needCompiler}, prepare: prepareFlow},
}

// machine returns the recipe of what is recorded with the kernel below it.
func machine(name, program, licence string, windows int, windowRecords uint64, prepare func(context.Context, *workshop) ([]string, error), needs ...Need) Recipe {
	return Recipe{Name: name, Program: program + ", with Linux", Licence: licence + "; GPL-2.0 (Linux)", Records: 8000000, Windows: windows, WindowRecords: windowRecords, prepare: prepare,
		Needs: append([]Need{needMachine, needBusybox, needCompiler}, needs...)}
}

// numerical returns the recipe of a kernel of the NAS Parallel Benchmarks; its source has marks.
func numerical(name, class, size string, records uint64, windows int, windowRecords uint64) Recipe {
	return Recipe{Name: name, Program: "own code in C with OpenMP after the specification of the NAS Parallel Benchmarks, class " + class + ": " + size, Licence: "MIT (written for Carousel from the specification)", Records: records, Windows: windows, WindowRecords: windowRecords, Needs: []Need{needEmulator, needCompiler},
		prepare: func(ctx context.Context, w *workshop) ([]string, error) {
			path, err := w.compile(ctx, name+".c", "-DCLASS_"+class, "-fopenmp", "-lm")
			return []string{path}, err
		}}
}

// Find returns the recipe of an application.
func Find(name string) (*Recipe, error) {
	if _, err := workloads.FindApplication(name); err != nil {
		return nil, err
	}
	i := slices.IndexFunc(Table, func(r Recipe) bool { return r.Name == name })
	return &Table[i], nil // a test finds an application without one
}

// Packages lists the Debian packages of all that a recipe needs.
func (r *Recipe) Packages() []string { return packages(r.Needs) }

// Missing lists those of what the machine has not.
func (r *Recipe) Missing() []string {
	var missing []Need
	for _, n := range r.Needs {
		if _, err := exec.LookPath(n.Program); err != nil {
			missing = append(missing, n)
		}
	}
	return packages(missing)
}

// versions returns the versions of a recipe's packages, where dpkg-query knows them.
func (r *Recipe) versions(ctx context.Context) string {
	out, err := exec.CommandContext(ctx, "dpkg-query", append([]string{"--show", "--showformat=${Package} ${Version}, "}, r.Packages()...)...).Output()
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(string(out), ", ")
}

func packages(needs []Need) []string {
	list := []string{}
	for _, n := range needs {
		list = append(list, strings.Fields(n.Package)...)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// check returns what is missing, as a record.ErrMissing.
func (r *Recipe) check() error {
	packages := r.Missing()
	if len(packages) == 0 {
		return nil
	}
	list := strings.Join(packages, " ")
	return fmt.Errorf("%w: %s needs %s; on Debian: apt-get install --no-install-recommends %s", record.ErrMissing, r.Name, list, list)
}

// Description says how an application is recorded, and what is missing for it on this computer.
type Description struct {
	Name     string   `json:"name"`
	Doc      string   `json:"doc"`
	Program  string   `json:"program"`
	Licence  string   `json:"licence"`
	Packages []string `json:"packages"`
	Missing  []string `json:"missing"` // packages that are not installed
	Records  uint64   `json:"records"`
	Windows  int      `json:"windows"`           // that are kept of them
	Each     uint64   `json:"window_records"`    // in each
	Skip     uint64   `json:"skip_instructions"` // 0: the program marks its region
	PerCore  bool     `json:"per_core"`
	File     string   `json:"file"`
	Recorded bool     `json:"recorded"` // the file is there
}

// Describe looks at this computer for what a recipe needs.
func Describe(r *Recipe) Description {
	p, _ := workloads.FindApplication(r.Name) // as every row of the table
	d := Description{Name: r.Name, Doc: p.Paper + ": " + p.Doc, Program: r.Program, Licence: r.Licence, Packages: r.Packages(), Missing: r.Missing(),
		Records: r.Records, Windows: r.Windows, Each: r.WindowRecords, Skip: r.Skip, PerCore: r.PerCore, File: workloads.RecordingFile(r.Name)}
	_, err := os.Stat(d.File)
	d.Recorded = err == nil
	return d
}
