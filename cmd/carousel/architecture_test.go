package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
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

// The first law whose group matches a package holds for it.
var laws = []law{
	{"noc/random", nil, nil, "random streams are a leaf that every package may use"},
	{"coherence/parallel", nil, nil, "doing things at the same time is a leaf that every package may use"},
	{"traces/wholefile", nil, nil, "writing whole files is a leaf that every package may use"},
	{"noc/noctest/stories", []string{"noc!", "noc/topology!"}, []string{"github.com/cockroachdb/datadriven"},
		"scenarios are read by tests only"},
	{"noc", []string{"noc"}, nil, "the network is detachable: it knows nothing of its clients"},
	{"cache", nil, nil, "caches are state only"},
	{"traces", []string{"traces", "noc/random!"}, []string{"github.com/klauspost/compress", "github.com/ulikunitz/xz"}, "traces are data for anybody"},
	{"workloads", []string{"workloads", "traces", "noc/random!"}, nil, "workloads are traces with a name"},
	{"power", []string{"power", "noc"}, nil, "energy is a pure function of counts"},
	{"coherence/cohtest/stories", []string{"coherence/cohtest!"}, []string{"github.com/cockroachdb/datadriven"},
		"scenarios are read by tests only"},
	{"coherence/cohtest", []string{"coherence!", "noc!"}, nil, "the test bench of protocols runs them without a network"},
	{"coherence/explore", []string{"coherence!", "coherence/cohtest!", "cache", "noc!"}, nil,
		"the explorer knows no protocol and runs them without a network"},
	{"coherence", []string{"coherence", "cache", "traces", "noc!", "noc/random!"}, nil, "controllers and the chip see the network's contract only"},
	{"analysis/tables", []string{"analysis/tables", "noc!", "power", "traces/wholefile!"}, []string{"github.com/apache/arrow/go/v15"},
		"the only importer of arrow knows counters and energies, and nobody else"},
	{"analysis/sheet", []string{"analysis/metrics"}, nil, "tables of texts know nothing of what they show"},
	{"analysis/metrics", []string{"analysis/metrics"}, []string{"gonum.org/v1/gonum"}, "statistics are pure functions"},
	{"analysis/figures", nil, []string{"gonum.org/v1/plot", "codeberg.org/go-fonts/liberation", "codeberg.org/go-pdf/fpdf", "golang.org/x/image/font/opentype"}, "pictures show values, whatever they are of"},
	{"analysis/config", []string{"analysis/metrics", "traces/wholefile!", "coherence/cmp", "noc", "power", "workloads!"}, []string{"go.yaml.in/yaml/v3"},
		"a configuration is a value made of those of the packages that use it"},
	{"analysis/plan", []string{"analysis/config", "analysis/experiment", "noc", "traces", "workloads"}, []string{"go.yaml.in/yaml/v3"},
		"a plan turns configurations into studies and their points"},
	{"analysis/chart", []string{"analysis/experiment", "analysis/figures", "analysis/metrics", "analysis/sheet", "analysis/tables", "power"}, nil,
		"charts and means are made of tables, below papers and reports"},
	{"analysis/checks", []string{"analysis/sheet", "coherence", "noc", "power"}, nil, "checks give protocols and networks each other's parts"},
	{"analysis/compare", []string{"analysis", "noc/multicast!", "traces!", "workloads!"}, nil, "documents are made of tables"},
	{"analysis/results", []string{"analysis", "noc", "power"}, nil, "a directory joins points, tables and what is made of them"},
	{"analysis/report", []string{"analysis", "traces/wholefile!"}, nil, "a page is made of tables"},
	{"analysis/monitor", []string{"analysis/figures"}, nil, "a page about points under way does not know what they compute"},
	{"analysis/paper", []string{"analysis", "workloads"}, []string{"go.yaml.in/yaml/v3"}, "claims are data, and judged on tables"},
	{"analysis/experiment", []string{"analysis", "coherence", "noc", "power", "traces", "workloads", "cache"},
		[]string{"github.com/rs/zerolog"}, "the runner joins everything"},
	{"cmd", []string{""}, []string{"github.com/spf13/", "github.com/rs/zerolog", "golang.org/x/term", "go.yaml.in/yaml/v3", "github.com/cpuguy83/go-md2man"},
		"the command line is the only user of cobra and viper"},
}

// TestReadersOfConfigurationsLinkNoChecks: the C library and whatever reads configurations do not
// contain the explorer, the litmus tests and the random stress tests.
func TestReadersOfConfigurationsLinkNoChecks(t *testing.T) {
	list, err := exec.Command("go", "list", "-deps", module+"/cmd/libcarousel", module+"/analysis/plan").Output()
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
	checked := 0
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
			if complaint := judge(filepath.ToSlash(dir), imported); complaint != "" {
				t.Errorf("%s imports %s: %s", path, imported, complaint)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if checked < 100 {
		t.Fatalf("only %d imports were found: the walk does not see the module", checked)
	}
}

func importsOf(t *testing.T, path string) []string {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, spec := range file.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
	return list
}

// engines are the fast forms of routers, and onlyModels may import them: everybody else gets a
// network from there.
const (
	engines    = "/engine"
	onlyModels = "noc/models"
)

// judge returns why a package may not import another, or "".
func judge(dir, imported string) string {
	if strings.HasPrefix(imported, module+"/noc/") && strings.HasSuffix(imported, engines) && dir != onlyModels {
		return "not allowed, because the fast form of a router is got from " + onlyModels
	}
	for _, l := range laws {
		if dir != l.group && !strings.HasPrefix(dir, l.group+"/") {
			continue
		}
		local, inside := strings.CutPrefix(imported, module+"/")
		switch {
		case inside:
			for _, p := range l.inside {
				if exact, only := strings.CutSuffix(p, "!"); only && local == exact {
					return ""
				} else if !only && (p == "" || local == p || strings.HasPrefix(local, p+"/")) {
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
		{"coherence/cmp", module + "/noc/random", true},
		{"noc/random", module + "/noc", false},
		{"analysis/tables", module + "/traces/wholefile", true},
		{"analysis/tables", module + "/traces", false},
		{"cache", module + "/traces", false},
		{"power", module + "/noc", true},
		{"analysis/metrics", "github.com/apache/arrow/go/v15/arrow", false},
		{"analysis/experiment", "github.com/spf13/viper", false},
		{"analysis/figures", module + "/analysis/tables", false},
		{"analysis/figures", "gonum.org/v1/plot/vg", true},
		{"analysis/paper", "gonum.org/v1/plot", false},
		{"analysis/report", module + "/noc", false},
		{"analysis/config", "go.yaml.in/yaml/v3", true},
		{"analysis/config", "github.com/spf13/viper", false},
		{"analysis/config", module + "/analysis/experiment", false},
		{"analysis/plan", module + "/analysis/paper", false},
		{"analysis/monitor", module + "/analysis/experiment/sweep", false},
		{"cmd/carousel", "github.com/spf13/viper", true},
		{"elsewhere", "fmt", false},
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
	entries, err := os.ReadDir(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if name := e.Name(); !strings.HasPrefix(name, ".") && !allowed[name] && name != "results" {
			t.Errorf("%s does not belong at the top level", name)
		}
	}
}
