package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/analysis/experiment/plan"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/leaf/printable"
)

// find returns a command of the program by its path.
func find(t *testing.T, a *app, path ...string) *cobra.Command {
	t.Helper()
	command, _, err := rootCommand(a).Find(path)
	if err != nil {
		t.Fatal(err)
	}
	return command
}

// configured returns what a command line of run or traffic configures.
func configured(t *testing.T, environment []string, args ...string) (*config.Effective, error) {
	t.Helper()
	a := &app{environment: environment, stdout: &printable.Writer{}}
	command := find(t, a, args[0])
	must.Do(command.ParseFlags(args[1:]))
	if err := a.readOptions(); err != nil {
		return nil, err
	}
	if args[0] == "run" {
		return a.networks(command, plan.Run, addChipChannels)
	}
	return a.networks(command, plan.Traffic, addChannels)
}

// TestBoundFlagsSetKeys: each flag that stands for a key has the name of one, and a command has the
// flag.
func TestBoundFlagsSetKeys(t *testing.T) {
	flags := map[string]bool{}
	var visit func(*cobra.Command)
	visit = func(c *cobra.Command) {
		for name := range boundFlags {
			flags[name] = flags[name] || c.Flag(name) != nil
		}
		for _, sub := range c.Commands() {
			visit(sub)
		}
	}
	visit(rootCommand(&app{}))
	for name, key := range boundFlags {
		if !slices.ContainsFunc(config.Keys(), func(k config.Key) bool { return k.Name == key }) {
			t.Errorf("--%s sets %s, which does not exist", name, key)
		}
		if !flags[name] {
			t.Errorf("no command has --%s", name)
		}
	}
}

func TestFlagsAreStrongest(t *testing.T) {
	file := filepath.Join(t.TempDir(), "c.yaml")
	os.WriteFile(file, []byte("seed: 5\nruns: 5\njobs: 5\n"), 0o644)
	c, err := configured(t, []string{"CAROUSEL_SEED=6", "CAROUSEL_RUNS=6"}, "run", "--config", file, "--set", "seed=7", "--seed", "9", "--quiet")
	if err != nil || c.Seed != 9 || c.Runs != 6 || c.Jobs != 5 || c.Origin("seed").String() != "--seed" {
		t.Errorf("seed %d, runs %d, jobs %d (%v)", c.Seed, c.Runs, c.Jobs, err)
	}
}

// TestChannelFlags: --vcs and --buffer-phits set the keys of the routers that are compared, and no
// others.
func TestChannelFlags(t *testing.T) {
	usual := config.Default()
	for _, c := range []struct {
		args             string
		classes, virtual int
		base, worm, deep int // depths of base, wormhole and wormhole-ideal
		wrong            string
	}{
		{"traffic --vcs 4 --router base", 4, 0, 10, 8, 1, ""},
		{"traffic --vcs 4 --router wormhole", 1, 4, 10, 8, 1, ""},
		{"traffic --vcs 4 --router wormhole --set traffic.classes=2", 2, 4, 10, 8, 1, ""},
		{"traffic --vcs 4 --router base,wormhole", 4, 4, 10, 8, 1, ""},
		{"traffic --buffer-phits 20 --router base,wormhole-ideal", 6, 0, 20, 8, 20, ""},
		{"traffic --buffer-phits 20 --router wormhole", 6, 0, 10, 20, 1, ""},
		{"traffic --vcs 4 --router mrr", 0, 0, 0, 0, 0, "--vcs: mrr has no virtual channels"},
		{"run --vcs 4 --router wormhole", 6, 4, 10, 8, 1, ""},
		{"run --vcs 4 --router base", 0, 0, 0, 0, 0, "follow from the protocol's message classes"},
	} {
		got, err := configured(t, nil, strings.Fields(c.args)...)
		if c.wrong != "" {
			if err == nil || !strings.Contains(err.Error(), c.wrong) {
				t.Errorf("%s: error %v; want %s", c.args, err, c.wrong)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.args, err)
			continue
		}
		n := got.Network
		if got.Traffic.Classes != c.classes || n.Wormhole.VirtualChannels != c.virtual || n.Buffered.ChannelPhits != c.base ||
			n.Wormhole.BufferPhits != c.worm || n.WormholeIdeal.BufferPhits != c.deep {
			t.Errorf("%s: %d classes, %d virtual channels, depths %d, %d, %d; want %+v", c.args, got.Traffic.Classes,
				n.Wormhole.VirtualChannels, n.Buffered.ChannelPhits, n.Wormhole.BufferPhits, n.WormholeIdeal.BufferPhits, c)
		}
	}
	if usual.Traffic.Classes != 6 {
		t.Error("the table above is for six classes")
	}
}

// spoilt is an output that panics.
type spoilt struct{}

func (spoilt) Write([]byte) (int, error) { panic("spoilt output") }

// TestInternalErrorKeepsItsPlace: the message about a defect says where in the program it is.
func TestInternalErrorKeepsItsPlace(t *testing.T) {
	var stderr bytes.Buffer
	code := Execute(context.Background(), []string{"list"}, nil, spoilt{}, &stderr)
	if text := stderr.String(); code != exitWrong || !strings.Contains(text, "internal error: spoilt output") || !strings.Contains(text, "spoilt.Write") {
		t.Errorf("exit code %d: %s", code, text)
	}
}

// TestProgramOptions: options of the program come from their flags, or else from the environment.
func TestProgramOptions(t *testing.T) {
	run := func(args ...string) (string, int) {
		var stdout, stderr bytes.Buffer
		code := Execute(context.Background(), args, os.Environ(), &stdout, &stderr)
		return stdout.String() + stderr.String(), code
	}
	t.Setenv("CAROUSEL_FORMAT", "csv")
	if text, _ := run("list"); !strings.HasPrefix(text, "kind,name,") {
		t.Errorf("CAROUSEL_FORMAT=csv prints %.40q", text)
	}
	if text, _ := run("list", "--format", "json"); !strings.HasPrefix(text, "[") {
		t.Errorf("--format json prints %.40q", text)
	}
	t.Setenv("CAROUSEL_QUIET", "perhaps")
	if text, code := run("list"); code != exitUsage || !strings.Contains(text, "CAROUSEL_QUIET") {
		t.Errorf("exit code %d: %s", code, text)
	}
}

// TestCompletion asks for what a shell would offer.
func TestCompletion(t *testing.T) {
	for _, c := range []struct {
		words []string
		want  []string
		never string
	}{
		{[]string{"run", "--set", "chip.core.wi"}, []string{"chip.core.width=", "chip.core.window="}, "chip.l1"},
		{[]string{"run", "--set", "chip.l1.policy="}, []string{"chip.l1.policy=lru", "chip.l1.policy=tree-plru"}, "chip.l2"},
		{[]string{"traffic", "--topology", ""}, []string{"torus:", "mesh:", "bimin:butterfly:", "graph:"}, "AxB"},
		{[]string{"multicast", "plan", "--topology", "la"}, []string{"lattice:"}, "torus:"},
		{[]string{"workload", "make", "a"}, []string{"apache"}, "zeus"},
		{[]string{"config", "show", "power.t"}, []string{"power.tech_nm"}, "power.alpha"},
		{[]string{"run", "--protocol", ""}, []string{"token", "directory"}, ""},
		{[]string{"help", "tu"}, []string{"tutorial"}, ""},
	} {
		var stdout, stderr bytes.Buffer
		if code := Execute(context.Background(), append([]string{"__complete"}, c.words...), nil, &stdout, &stderr); code != exitDone {
			t.Fatalf("%v: exit code %d: %s", c.words, code, stderr.String())
		}
		for _, want := range c.want {
			if !strings.Contains("\n"+stdout.String(), "\n"+want) {
				t.Errorf("%v: %s is not offered in\n%s", c.words, want, stdout.String())
			}
		}
		if c.never != "" && strings.Contains(stdout.String(), c.never) {
			t.Errorf("%v: %s is offered in\n%s", c.words, c.never, stdout.String())
		}
	}
}
