package cli

import (
	"bytes"
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// conditional are the command lines in which something other than a flag leaves the last flag without
// effect.
var conditional = []struct{ line, because string }{
	{"run --workload producer-consumer --threads=2", "without --program"}, {"run --workload producer-consumer --files=x", "without --program"},
	{"run --workload producer-consumer --windows=2", "on a workload of one window"}, {"run --workload producer-consumer --until=1%", "on a workload of one window"},
	{"run --workload lu --router mrr --until=1%", "on one router"}, {"run --workload lu --router mrr --band", "on one router"},
	{"run --workload lu --router mrr --baseline=router=mrr", "on one router with one workload"},
	{"traffic --multicast-destinations=3", "without --multicast-fraction"}, {"traffic --router base --packets p.csv --vcs=2", "with --packets"},
	{"report x --pdf", "without --out"}, {"report x --parquet", "without --out"}, {"report x --csv", "without --out"}, {"report x --compression=none", "without --out"}, {"report x --force", "without --out"},
	{"workload make producer-consumer --turn=7", "on a synthetic workload"}, {"workload make producer-consumer --windows=4", "on a synthetic workload"},
	{"workload make producer-consumer --window-records=9", "on a synthetic workload"}, {"workload make producer-consumer --limit=1ms", "on a synthetic workload"},
	{"workload make nas-is-s --cores=4", "on a recording"}, {"workload make nas-is-s --records=4", "on a recording"}, {"workload make nas-is-s --seed=4", "on a recording"},
	{"workload make lu --seed=7", "on an application"}, {"workload make all --seed=7", "on an application"},
	{"multicast plan --destinations 3 --ports=free", "with --scheme dual-path"}, {"multicast plan --destinations 3 --threshold=0.2", "with --scheme dual-path"},
	{"multicast plan --destinations 3 --scheme qg-unicast --step1=multi", "with --scheme qg-unicast"}, {"multicast plan --destinations 3 --scheme ocms --step2=multi", "with --scheme ocms"},
	{"multicast plan --destinations 3 --scheme otms --injection=2", "with --scheme otms"}, {"multicast plan --destinations 3 --scheme tree --consumption=2", "with --scheme tree"},
	{"run --workload lu --windows 1 --until=1%", "with one window"},
	{"workload make lu --windows=0 --window-records=9", "without --windows"}, {"workload make all --records=9 --window-records=9", "without --windows"},
}

// always are the flags that have an effect, or that are refused for what they say, on every command line.
var always = map[string]string{
	"run":               "workload trace program router topology protocol runs cold until-instructions until-cycles plain scheme vcs bound hot-blocks wide verbose monitor out parquet csv compression force reuse-builds",
	"traffic":           "topology router plain scheme buffer-phits packets collective packet-phits monitor out parquet csv compression force reuse-builds",
	"report":            "output title out tech profile baseline",
	"multicast plan":    "topology scheme source destinations flits startup preparation start svg",
	"paper run":         "quick full out parquet csv compression plain force reuse-builds monitor",
	"trace sample":      "windows records warm-up l1 l2 output force small",
	"trace import":      "from anyway output force small name origin instructions times",
	"trace record":      "program system output force small name turn windows records begin end markers instructions no-fetches cpu qemu program-output",
	"workload make":     "output out force",
	"validate silicon":  "open plain replicas",
	"validate replay":   "router protocol runs topology threads rounds seed jobs",
	"validate hand-off": "router protocol topology threads rounds seed jobs",
}

// runLine executes a command line in an empty folder.
func runLine(t *testing.T, args []string) (code int, errs string) {
	t.Helper()
	t.Chdir(t.TempDir())
	var out, said bytes.Buffer
	code = Execute(context.Background(), args, nil, &out, &said)
	return code, said.String()
}

// flagOf finds a flag of a command.
func flagOf(t *testing.T, command, name string) *pflag.Flag {
	t.Helper()
	c, _, err := rootCommand(new(app)).Find(strings.Fields(command))
	if err != nil {
		t.Fatal(err)
	}
	f := c.Flags().Lookup(name)
	if f == nil {
		t.Fatalf("%s has no flag --%s", command, name)
	}
	return f
}

// given is a flag with a value.
func given(f *pflag.Flag) string {
	switch f.Value.Type() {
	case "bool":
		return "--" + f.Name
	case "string", "stringArray":
		return "--" + f.Name + "=x"
	case "duration":
		return "--" + f.Name + "=1s"
	}
	return "--" + f.Name + "=1"
}

// TestFlagsWithoutEffect: a flag that has no effect on a command line is refused, and nothing is written.
func TestFlagsWithoutEffect(t *testing.T) {
	for _, e := range effects {
		list := strings.Fields(e.flags)
		if but, all := strings.CutPrefix(e.flags, "!"); all {
			list = nil
			c, _, _ := rootCommand(new(app)).Find(strings.Fields(e.command))
			c.LocalFlags().VisitAll(func(f *pflag.Flag) {
				if !slices.Contains(append(strings.Fields(but), "help"), f.Name) {
					list = append(list, f.Name)
				}
			})
		}
		for _, name := range list {
			args := append(strings.Fields(e.command), given(flagOf(t, e.command, name)))
			if e.with != "" {
				args = append(args, given(flagOf(t, e.command, e.with)))
			}
			for _, other := range strings.Fields(e.without) {
				flagOf(t, e.command, other)
			}
			if e.command == "trace record" {
				args = append(args, "-o", "new.trace", "--", "true")
			}
			if code, errs := runLine(t, args); code != exitUsage || !strings.Contains(errs, "--"+name+" has no effect with") {
				t.Errorf("%s: code %d, %s", strings.Join(args, " "), code, errs)
			}
		}
	}
	for _, c := range conditional {
		args := strings.Fields(c.line)
		name, _, _ := strings.Cut(args[len(args)-1], "=")
		code, errs := runLine(t, args)
		if want := name + " has no effect " + c.because; code != exitUsage || !strings.Contains(errs, want) {
			t.Errorf("%s: code %d, %swant %q", c.line, code, errs, want)
		}
		if left, _ := filepath.Glob("*"); left != nil {
			t.Errorf("%s: left %v", c.line, left)
		}
	}
}

// TestEveryFlagIsDecided: of each flag of the commands above it is known when it has no effect.
func TestEveryFlagIsDecided(t *testing.T) {
	for path, names := range always {
		known := append(strings.Fields(names), "help")
		for _, e := range effects {
			if e.command == path && !strings.HasPrefix(e.flags, "!") {
				known = append(known, strings.Fields(e.flags)...)
			}
		}
		for _, c := range conditional {
			if flags := strings.Fields(c.line); strings.HasPrefix(c.line, path) {
				name, _, _ := strings.Cut(flags[len(flags)-1], "=")
				known = append(known, strings.TrimPrefix(name, "--"))
			}
		}
		c, _, err := rootCommand(new(app)).Find(strings.Fields(path))
		if err != nil {
			t.Fatal(err)
		}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if !slices.Contains(known, f.Name) {
				t.Errorf("%s --%s: say where it has no effect, or that it always has one", path, f.Name)
			}
		})
	}
}
