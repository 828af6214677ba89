package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc/leaf/must"
)

const module = "github.com/carousel-sim/carousel"

// law says which packages a group of packages may import. Within the module, only the listed
// prefixes are allowed; foreign modules only where foreign says so. The standard library is always
// allowed.
type law struct {
	group   string   // packages this law is for: the path and everything below it
	inside  []string // prefixes of packages of this module that it may import; nil forbids all
	foreign []string // prefixes of other modules that it may import
	why     string
}

// Every package may import a leaf, and a leaf imports nothing of the module.
const leaves = "noc/leaf"

// aRouter is why a router may not import something.
const aRouter = "a router knows the parts that routers share, no other router, and nothing of its clients"

// The first law whose group matches a package holds for it.
var laws = []law{
	{leaves, nil, []string{"golang.org/x/sys"}, "leaves import nothing of the module"},

	// Networks.
	{"noc/topology", []string{"noc!"}, nil, "topologies know no routers"},
	{"noc/multicast", []string{"noc!", "noc/topology!"}, nil, "plans are made before any router carries them out"},
	{"noc/routing", []string{"noc!", "noc/topology!", "noc/multicast!"}, nil, "routes are functions of the topology, whatever router takes them"},
	{"noc/fabric", []string{"noc!"}, nil, "what routers share knows no topology"},
	{"noc/dispatch", []string{"noc!", "noc/fabric!", "noc/multicast!"}, nil, "nodes send worms without knowing the routers"},
	{"noc/ideal", []string{"noc!", "noc/fabric!", "noc/routing!", "noc/topology!"}, nil, aRouter},
	{"noc/buffered", []string{"noc!", "noc/buffered", "noc/fabric", "noc/topology!"}, nil, aRouter},
	{"noc/rotary", []string{"noc!", "noc/rotary", "noc/fabric", "noc/topology!"}, nil, aRouter},
	{"noc/wormhole", []string{"noc!", "noc/wormhole", "noc/dispatch!", "noc/fabric", "noc/routing!", "noc/topology!"}, nil, aRouter},
	{"noc/papers/wormholeideal", []string{"noc!", "noc/dispatch!", "noc/fabric", "noc/multicast!", "noc/routing!", "noc/topology!"}, nil, aRouter},
	{"noc/papers/vectors", []string{"noc!", "noc/multicast!", "noc/topology!"}, nil, "worked cases are about plans, not about networks that run"},
	{"noc/models", []string{"noc"}, nil, "the table of networks knows all of them, and nothing else"},
	{"noc/audit", []string{"noc!"}, nil, "an audit knows the contract of networks only"},
	{"noc/traffic", []string{"noc!", "noc/fabric!", "noc/topology!"}, nil, "traffic is for any network"},
	{"noc/noctest/stories", []string{"noc!", "noc/topology!"}, []string{"github.com/cockroachdb/datadriven"},
		"scenarios are read by tests only"},
	{"noc/noctest", []string{"noc!", "noc/audit!", "noc/fabric!", "noc/multicast!", "noc/topology!", "noc/traffic!"}, nil, "the conformance suite knows no router"},
	{"noc/soak", []string{"noc!", "noc/audit!", "noc/models!", "noc/topology!"}, nil, "programs audit networks by name"},
	{"noc/program", []string{"noc!", "noc/fabric!", "noc/topology!"}, []string{"golang.org/x/sys"}, "a network that is a program is made of what all networks share"},
	{"noc", nil, nil, "the contract of networks knows none of them, nor their clients"},
	{"power", []string{"power", "noc"}, nil, "energy is a pure function of counts"},

	// Traces and workloads.
	{"traces/tickets", []string{"traces!"}, nil, "tickets are given out whatever chip asks"},
	{"traces/order", nil, nil, "the order of accesses is found whatever they come from"},
	{"traces/record/initramfs", nil, nil, "the archive of a machine's files knows no traces"},
	{"traces/record", []string{"traces!", "traces/record/initramfs!", "traces/order!", "traces/sample!", "traces/frames!"},
		[]string{"github.com/klauspost/compress"}, "the recorder writes traces and reads no other formats"},
	{"traces/sample", []string{"traces!", "traces/timestamps!"}, nil, "windows are drawn from traces of any origin"},
	{"traces/formats", []string{"traces!", "traces/packed!", "traces/chakra!", "traces/champsim!", "traces/csv!", "traces/drmemtrace!",
		"traces/elastic!", "traces/serial!", "traces/synchrotrace!"}, nil, "the table of formats knows all importers, and nothing else does"},
	{"traces", []string{"traces!", "traces/packed!", "traces/assemble!", "traces/frames!", "traces/timestamps!", "traces/wire!"},
		[]string{"github.com/klauspost/compress", "github.com/ulikunitz/xz", "google.golang.org/protobuf/encoding/protowire"}, "formats know the shared parts of importers, and not each other"},
	{"workloads/riscv", []string{"workloads/riscv", "traces!", "traces/order!", "traces/record!", "traces/sample!", "traces/timestamps!"}, nil,
		"programs are executed without a chip, or by any chip"},
	{"workloads/recipe", []string{"workloads!", "traces!", "traces/record!"}, nil, "recipes say how applications are recorded"},
	{"workloads", []string{"traces!"}, nil, "workloads are traces with a name"},

	// Caches, protocols and the chip.
	{"cache", nil, nil, "caches are state only"},
	{"coherence/cohtest", []string{"coherence!", "noc!"}, nil, "the test bench of protocols runs them without a network"},
	{"coherence/explore", []string{"coherence!", "coherence/cohtest!", "cache", "noc!"}, nil,
		"the explorer knows no protocol and runs them without a network"},
	{"coherence/controller", []string{"coherence!", "cache", "noc!"}, nil, "what all controllers are made of knows no protocol"},
	{"coherence/token", []string{"coherence!", "coherence/controller!", "cache", "noc!"}, nil, "a protocol knows no other, nor the chip"},
	{"coherence/directory", []string{"coherence!", "coherence/controller!", "cache", "noc!"}, nil, "a protocol knows no other, nor the chip"},
	{"coherence/msi", []string{"coherence!", "coherence/controller!", "cache", "noc!"}, nil, "a protocol knows no other, nor the chip"},
	{"coherence/cmp", []string{"coherence!", "coherence/token!", "coherence/directory!", "coherence/msi!", "cache", "noc!", "traces!", "traces/tickets!", "traces/timestamps!"}, nil,
		"the chip sees the network's contract only, and no checks"},
	{"coherence/stress", []string{"coherence!", "coherence/cmp!", "cache", "noc!", "traces!", "traces/csv!"}, nil, "random programs run on the chip as it is"},
	{"coherence/litmus", []string{"coherence!", "coherence/cmp!", "coherence/stress!", "noc!", "traces!"}, nil, "litmus tests run on the chip as it is"},
	{"coherence/verify", []string{"coherence", "cache", "noc!"}, nil, "the catalogue of checks knows all protocols"},
	{"coherence", []string{"cache!", "noc!"}, nil, "the contract between controllers and the chip knows neither"},

	// Analysis: data, then what runs, then what shows.
	{"analysis/tables", []string{"analysis/metrics!", "noc!", "power"}, []string{"github.com/apache/arrow/go/v15"},
		"the only importer of arrow knows counters, energies and statistics only"},
	{"analysis/result", []string{"analysis/experiment!", "analysis/metrics!", "analysis/tables!"}, nil, "what a study says is computed from its tables, and shown by others"},
	{"analysis/metrics", nil, []string{"gonum.org/v1/gonum"}, "statistics are pure functions"},
	{"analysis/config", []string{"analysis/metrics!", "coherence/cmp!", "noc", "power", "workloads!"}, []string{"go.yaml.in/yaml/v3"},
		"a configuration is a value made of those of the packages that use it"},
	{"analysis/checks", []string{"analysis/metrics!", "analysis/result!", "analysis/show/sheet!", "analysis/tables!", "coherence", "noc"}, nil, "checks give protocols and networks each other's parts"},
	{"analysis/experiment/plan", []string{"analysis/config!", "analysis/experiment!", "analysis/experiment/messages!", "analysis/experiment/openloop!",
		"noc", "traces", "workloads"}, []string{"go.yaml.in/yaml/v3"}, "a plan turns configurations into studies and their points"},
	{"analysis/experiment/sweep", []string{"analysis/experiment!", "analysis/tables!"}, []string{"github.com/gofrs/flock"}, "a store of points does not know what they compute"},
	{"analysis/experiment/slurm", nil, []string{"al.essio.dev/pkg/shellescape"}, "a job array does not know what its tasks do"},
	{"analysis/experiment/closedloop", []string{"noc"}, nil, "processors that wait for answers know networks only"},
	{"analysis/experiment/openloop", []string{"analysis/experiment!", "analysis/metrics!", "analysis/tables!", "noc", "power"}, nil, "what runs knows nothing of what shows"},
	{"analysis/experiment/messages", []string{"analysis/experiment!", "analysis/metrics!", "analysis/tables!", "noc"}, nil, "what runs knows nothing of what shows"},
	{"analysis/experiment/packets", []string{"analysis/experiment!", "analysis/tables!",
		"noc", "power", "traces"}, nil, "what runs knows nothing of what shows"},
	{"analysis/experiment/silicon", []string{"analysis/experiment/closedloop!", "analysis/show/sheet!", "noc", "traces/ttmetal!"}, nil,
		"the comparison with a chip is a study of its own"},
	{"analysis/experiment", []string{"analysis/metrics!", "analysis/tables!", "coherence!", "coherence/cmp!", "noc", "power", "traces!"},
		[]string{"github.com/rs/zerolog"}, "what runs knows nothing of what shows"},
	{"analysis/show/sheet", []string{"analysis/metrics!"}, nil, "tables of texts know nothing of what they show"},
	{"analysis/show/figures", nil, []string{"gonum.org/v1/plot", "codeberg.org/go-fonts/liberation", "codeberg.org/go-pdf/fpdf", "golang.org/x/image/font/opentype"},
		"pictures show values, whatever they are of"},
	{"analysis/show/drawing", []string{"analysis/show/figures!", "noc!", "noc/multicast!", "noc/topology!"}, nil, "a picture of a plan shows nothing that was measured"},
	{"analysis/show/chart", []string{"analysis/experiment!", "analysis/metrics!", "analysis/result!", "analysis/tables!", "analysis/show/figures!", "analysis/show/sheet!"}, nil,
		"charts and means are made of tables, below papers and reports"},
	{"analysis/show/compare", []string{"analysis/config!", "analysis/experiment!", "analysis/experiment/openloop!", "analysis/experiment/packets!", "analysis/metrics!",
		"analysis/result!", "analysis/tables!", "analysis/show/chart!", "analysis/show/sheet!", "traces!", "workloads!"}, nil, "findings are made of tables"},
	{"analysis/show/report", []string{"analysis/experiment!", "analysis/metrics!", "analysis/result!", "analysis/tables!", "analysis/paper!", "analysis/show/chart!", "analysis/show/compare!",
		"analysis/show/figures!", "analysis/show/sheet!", "noc/topology!"}, nil, "a page is made of tables"},
	{"analysis/show/system", []string{"analysis/config!", "analysis/experiment!", "analysis/show/sheet!", "cache!", "coherence!", "coherence/cmp!", "noc!"}, nil, "a system follows from its configuration"},
	{"analysis/show/monitor", []string{"analysis/show/figures!", "analysis/show/sheet!"}, []string{"golang.org/x/net/netutil"}, "a page about points under way does not know what they compute"},
	{"analysis/paper/plans", nil, nil, "plans and claims of the papers are data"},
	{"analysis/paper/claim", []string{"analysis/experiment!", "analysis/config!", "analysis/experiment/plan!", "analysis/metrics!", "analysis/result!", "analysis/tables!", "analysis/paper/plans!",
		"analysis/show/chart!", "analysis/show/figures!"}, []string{"go.yaml.in/yaml/v3"}, "claims are data, and judged on tables"},
	{"analysis/paper", []string{"analysis/experiment!", "analysis/experiment/plan!", "analysis/paper", "analysis/show/chart!", "analysis/tables!", "workloads!"}, nil, "papers are charts and claims"},
	{"analysis/results", []string{"analysis", "noc", "power"}, []string{"al.essio.dev/pkg/shellescape"}, "a directory joins points, tables and what is made of them"},

	{"cmd", []string{""}, []string{"github.com/spf13/", "github.com/rs/zerolog", "golang.org/x/term", "go.yaml.in/yaml/v3", "github.com/cpuguy83/go-md2man"},
		"the command line is the only user of cobra and viper"},
}

// TestReadersOfConfigurationsLinkNoChecks: the C library and whatever reads configurations do not
// contain the explorer, the litmus tests and the random stress tests.
func TestReadersOfConfigurationsLinkNoChecks(t *testing.T) {
	list, err := exec.Command("go", "list", "-deps", module+"/cmd/libcarousel", module+"/analysis/experiment/plan").Output()
	if err != nil {
		t.Skip("needs the go command: ", err)
	}
	for _, check := range []string{"verify", "explore", "litmus", "stress"} {
		if strings.Contains(string(list), module+"/coherence/"+check+"\n") {
			t.Errorf("coherence/%s is linked", check)
		}
	}
}

// TestImportLaws reads the imports of every package and holds them to the laws above. Test files
// are free: they may put parts together that must not know each other.
func TestImportLaws(t *testing.T) {
	root := filepath.Join("..", "..")
	checked, ofRouters := 0, 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && path != root || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		dir, _ := filepath.Rel(root, filepath.Dir(path))
		for _, imported := range importsOf(t, path) {
			checked++
			if routerOf(strings.TrimPrefix(imported, module+"/")) != "" {
				ofRouters++
			}
			if complaint := judge(filepath.ToSlash(dir), imported); complaint != "" {
				t.Errorf("%s imports %s: %s", path, imported, complaint)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if checked < 100 || ofRouters < 10 {
		t.Fatalf("only %d imports were found, and %d of routers: the walk does not see the module", checked, ofRouters)
	}
}

func importsOf(t *testing.T, path string) []string {
	file := must.Get(parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly))
	var list []string
	for _, spec := range file.Imports {
		p := must.Get(strconv.Unquote(spec.Path.Value))
		list = append(list, p)
	}
	return list
}

// routers are the packages of networks, and what only they are made of. Their fast forms are the
// packages called engine below them, which only noc/models imports: everybody else gets a network from
// there.
var routers = []string{"noc/rotary", "noc/buffered", "noc/wormhole", "noc/papers/wormholeideal", "noc/dispatch", "noc/ideal", "noc/program"}

// routerUsers are the packages outside noc that import routers, and why. No other client does, so that
// a network can be replaced without touching one.
var routerUsers = map[string]struct {
	routers []string
	why     string
}{
	"analysis/experiment/messages": {[]string{"noc/papers/wormholeideal", "noc/dispatch"}, "it measures times of the interfaces that its plans vary"},
}

// below reports whether a package is a folder or is in it.
func below(folder, p string) bool { return p == folder || strings.HasPrefix(p, folder+"/") }

// routerOf returns the router that a package belongs to, or "".
func routerOf(p string) string {
	for _, r := range routers {
		if below(r, p) {
			return r
		}
	}
	return ""
}

// judgeRouter returns why a package may not import an engine or, outside noc, a router; or "". Within noc
// the laws say who imports which router.
func judgeRouter(dir, imported string) string {
	switch {
	case routerOf(imported) == "" || dir == "noc/models":
		return ""
	case path.Base(imported) == "engine":
		return "only noc/models imports engines"
	case below("noc", dir) || slices.Contains(routerUsers[dir].routers, routerOf(imported)):
		return ""
	}
	return "only noc/models imports routers, and those that routerUsers names"
}

// judge returns why a package may not import another, or "".
func judge(dir, imported string) string {
	local, inside := strings.CutPrefix(imported, module+"/")
	if complaint := judgeRouter(dir, local); complaint != "" {
		return "not allowed, because " + complaint
	}
	for _, l := range laws {
		if !below(l.group, dir) {
			continue
		}
		switch {
		case strings.HasPrefix(local, leaves+"/") && l.group != leaves:
			return ""
		case inside:
			for _, p := range l.inside {
				if exact, only := strings.CutSuffix(p, "!"); only && local == exact {
					return ""
				} else if !only && (p == "" || below(p, local)) {
					return ""
				}
			}
		case !strings.Contains(strings.Split(imported, "/")[0], "."):
			return "" // the standard library
		default:
			for _, p := range l.foreign {
				if strings.HasPrefix(imported, p) {
					return ""
				}
			}
		}
		return "not allowed, because " + l.why
	}
	return "no law covers this package; add one"
}

// TestLawsBite shows that the laws can fail.
func TestLawsBite(t *testing.T) {
	for _, c := range []struct {
		dir, imported string
		allowed       bool
	}{
		{"noc/rotary", module + "/noc/fabric", true},
		{"noc/rotary", module + "/coherence", false},
		{"noc/rotary", "github.com/rs/zerolog", false},
		{"noc/rotary", module + "/noc/rotary/engine", false},
		{"noc/models", module + "/noc/rotary/engine", true},
		{"coherence/cmp", module + "/noc", true},
		{"coherence/cmp", module + "/noc/rotary", false},
		{"coherence/cmp", module + "/noc/leaf/random", true},
		{"noc/leaf/random", module + "/noc", false},
		{"analysis/tables", module + "/noc/leaf/wholefile", true},
		{"analysis/tables", module + "/traces", false},
		{"cache", module + "/traces", false},
		{"power", module + "/noc", true},
		{"analysis/metrics", "github.com/apache/arrow/go/v15/arrow", false},
		{"analysis/experiment", "github.com/spf13/viper", false},
		{"analysis/show/figures", module + "/analysis/tables", false},
		{"analysis/show/figures", "gonum.org/v1/plot/vg", true},
		{"analysis/paper", "gonum.org/v1/plot", false},
		{"analysis/show/report", module + "/noc", false},
		{"analysis/config", "go.yaml.in/yaml/v3", true},
		{"analysis/config", "github.com/spf13/viper", false},
		{"analysis/config", module + "/analysis/experiment", false},
		{"analysis/experiment/plan", module + "/analysis/paper", false},
		{"analysis/show/monitor", module + "/analysis/experiment/sweep", false},
		{"analysis/experiment", module + "/analysis/show/report", false},
		{"analysis/experiment/openloop", module + "/analysis/show/chart", false},
		{"analysis/show/compare", module + "/analysis/show/report", false},
		{"coherence/token", module + "/coherence/directory", false},
		{"coherence/cmp", module + "/coherence/verify", false},
		{"traces", module + "/traces/record", false},
		{"traces/csv", module + "/traces/champsim", false},
		{"workloads/riscv", module + "/coherence/cmp", false},
		{"cmd/carousel", "github.com/spf13/viper", true},
		{"elsewhere", "fmt", false},
		{"noc/buffered/engine", module + "/noc/buffered", true},
		{"noc/wormhole/engine", module + "/noc/dispatch", true},
		{"noc/buffered", module + "/noc/buffered/engine", false},
		{"analysis/experiment/messages", module + "/noc/buffered", false},
		{"analysis/experiment/messages", module + "/noc/papers/wormholeideal", true},
		{"analysis/experiment/messages", module + "/noc/models", true},
		{"noc/rotary", module + "/noc/buffered", false},
		{"cmd/carousel", module + "/noc/rotary/engine", false},
		{"noc/routing", module + "/noc/papers/vectors", false},
		{"noc/models", module + "/noc/papers/wormholeideal", true},
		{"noc/papers/vectors", module + "/noc/multicast", true},
		{"noc/fabric", module + "/noc/topology", false},
		{"noc/ideal", module + "/noc/dispatch", false},
		{"noc/noctest", module + "/noc/models", false},
		{"noc", module + "/noc/fabric", false},
		{"cmd/carousel/cli", module + "/noc/papers/vectors", true},
	} {
		if got := judge(c.dir, c.imported) == ""; got != c.allowed {
			t.Errorf("%s importing %s: allowed is %v, want %v", c.dir, c.imported, got, c.allowed)
		}
	}
}

// TestTopLevel holds the layout: newcomers find everything under the same few names.
func TestTopLevel(t *testing.T) {
	allowed := map[string]bool{"cmd": true, "coherence": true, "cache": true, "noc": true, "traces": true,
		"workloads": true, "power": true, "analysis": true, "go.mod": true, "go.sum": true,
		"README.md": true, "LICENSE": true, "CONTRIBUTING.md": true}
	entries := must.Get(os.ReadDir(filepath.Join("..", "..")))
	for _, e := range entries {
		if name := e.Name(); !strings.HasPrefix(name, ".") && !allowed[name] && name != "results" {
			t.Errorf("%s does not belong at the top level", name)
		}
	}
}

// TestIgnoredFilesAreNotCommitted: files that .gitignore names are results of builds and tests, such
// as the failures that property tests record.
func TestIgnoredFilesAreNotCommitted(t *testing.T) {
	git := exec.Command("git", "ls-files", "--cached", "--ignored", "--exclude-standard")
	git.Dir = filepath.Join("..", "..")
	list, err := git.Output()
	if err != nil {
		t.Skip("needs git and a clone: ", err)
	}
	for _, file := range strings.Fields(string(list)) {
		t.Errorf("%s is committed, although .gitignore names it: git rm --cached %[1]s", file)
	}
}

// TestEstimatesAreMadeInFewPlaces: what a study says is estimated by package result, and by
// messages, which judges while it runs.
func TestEstimatesAreMadeInFewPlaces(t *testing.T) {
	estimate := regexp.MustCompile(`\bmetrics\.((Mean|Total)Ratio|Ratio|MeanOf|MeanValue|MeanOfEach|GeometricMean\w*|PairedRatios|Quotient)\b`)
	allowed := []string{"analysis/result", "analysis/experiment/messages"}
	found := map[string]bool{}
	must.Do(filepath.WalkDir("../../analysis", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		dir := filepath.ToSlash(strings.TrimPrefix(filepath.Dir(path), "../../"))
		if estimate.Match(must.Get(os.ReadFile(path))) {
			if found[dir] = true; !slices.Contains(allowed, dir) {
				t.Errorf("%s estimates by itself; ask package result", path)
			}
		}
		return nil
	}))
	if len(found) != len(allowed) {
		t.Errorf("only %v estimate; shorten the list", found)
	}
}
