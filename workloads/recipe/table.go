package recipe

import (
	"context"
	"fmt"

	"github.com/carousel-sim/carousel/workloads"
)

// Recipe says how an application is recorded.
type Recipe struct {
	Name    string // of the application in workloads.Applications
	Program string // what is recorded, in a phrase
	Needs   []Need
	Records uint64 // accesses and fetched lines of all cores, unless the user says otherwise
	// Skip is the number of instructions of all threads before the region; 0 where the program has marks.
	Skip uint64
	// PerCore: the program runs once per core, one run after the other, with Skip and its share of Records each.
	PerCore bool
	// prepare makes the inputs and gives the command line; {} in it is the number of the run.
	prepare func(ctx context.Context, w *workshop) ([]string, error)
	// client keeps a server busy until the context ends; nil where the program is no server.
	client func(ctx context.Context, w *workshop) error
}

// Need is a program that a recipe uses, and the Debian package that has it.
type Need struct{ Program, Package string }

var (
	needEmulator = Need{"qemu-x86_64", "qemu-user"}
	needCompiler = Need{"gcc", "gcc libc6-dev"}
	needBench    = Need{"ab", "apache2-utils"}
)

// Table has the twelve recipes in the order of workloads.Applications.
var Table = []Recipe{
	{Name: "apache", Program: "Apache 2.4, event module, small files for ApacheBench", Records: 3000000, Skip: 300000000,
		Needs: []Need{needEmulator, needCompiler, {"/usr/sbin/apache2", "apache2-bin"}, needBench}, prepare: prepareApache, client: fetchPages},
	{Name: "jbb", Program: "warehouses, orders and payments on OpenJDK", Records: 3000000,
		Needs: []Need{needEmulator, needCompiler, {"javac", "openjdk-17-jdk-headless"}, {"java", "openjdk-17-jre-headless"}}, prepare: prepareJava},
	{Name: "zeus", Program: "h2o, an event-driven server, small files for ApacheBench", Records: 3000000, Skip: 200000000,
		Needs: []Need{needEmulator, needCompiler, {"h2o", "h2o"}, needBench}, prepare: prepareEvents, client: fetchPages},
	{Name: "oltp", Program: "MariaDB, the transactions of TPC-B", Records: 3000000, Skip: 2000000000,
		Needs:   []Need{needEmulator, needCompiler, {"/usr/sbin/mariadbd", "mariadb-server-core"}, {"mariadb-slap", "mariadb-client"}},
		prepare: prepareDatabase, client: callTransactions},
	numerical("ft", "64 x 64 x 64 points, class S", 10000000),
	numerical("is", "1,048,576 keys, class W, ten rankings", 4000000),
	numerical("sp", "36 x 36 x 36 points, class W", 3000000),
	numerical("bt", "24 x 24 x 24 points, class W", 6000000),
	numerical("lu", "33 x 33 x 33 points, class W", 6000000),
	{Name: "twolf", Program: "TimberWolfSC of graywolf places 100 standard cells", Records: 3200000, Skip: 100000000, PerCore: true,
		Needs: []Need{needEmulator, needCompiler, {graywolf, "graywolf"}}, prepare: prepareNetlists},
	{Name: "gcc", Program: "cc1 of the installed GCC compiles C with -O2", Records: 3200000, Skip: 100000000, PerCore: true,
		Needs: []Need{needEmulator, needCompiler}, prepare: prepareSources},
	{Name: "mcf", Program: "network simplex method, 6,000 nodes and 72,000 arcs", Records: 3200000, PerCore: true,
		Needs: []Need{needEmulator, needCompiler}, prepare: prepareFlow},
}

// numerical returns the recipe of a kernel of the NAS Parallel Benchmarks; its source has marks.
func numerical(name, size string, records uint64) Recipe {
	return Recipe{Name: name, Program: "OpenMP in C, " + size, Records: records, Needs: []Need{needEmulator, needCompiler},
		prepare: func(ctx context.Context, w *workshop) ([]string, error) {
			path, err := w.compile(ctx, name+".c", "-DCLASS_W", "-fopenmp", "-lm")
			return []string{path}, err
		}}
}

// Find returns the recipe of an application.
func Find(name string) (*Recipe, error) {
	if _, err := workloads.FindApplication(name); err != nil {
		return nil, err
	}
	for i := range Table {
		if Table[i].Name == name {
			return &Table[i], nil
		}
	}
	return nil, fmt.Errorf("application %q has no recipe", name)
}
