package cli

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/carousel-sim/carousel/analysis/checks"
	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/experiment/plan"
	"github.com/carousel-sim/carousel/analysis/experiment/silicon"
	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/coherence/verify"
	"github.com/carousel-sim/carousel/noc/leaf/suggest"
	"github.com/carousel-sim/carousel/traces/ttmetal"
	"github.com/carousel-sim/carousel/workloads/riscv/kernels"
)

func validateSilicon(a *app) *cobra.Command {
	o := silicon.DefaultOptions()
	command := newCommand("validate silicon", someArguments("needs recordings: files, folders or tar archives"), func(command *cobra.Command, args []string) error {
		c, err := a.configuration(command)
		if err != nil {
			return err
		}
		if o.Replicas < 1 || o.Replicas > 1000 {
			return usagef("--replicas %d: 1 to 1000 are allowed", o.Replicas)
		}
		followed := a.follow(command.Context(), "reading", args...)
		traces, err := ttmetal.Open(args, followed.passed)
		if err := followed.end(err, unread); err != nil {
			return err
		}
		return a.validateSilicon(command.Context(), traces, o, c.Jobs)
	})
	flags := command.Flags()
	flags.BoolVar(&o.Open, "open", false, "issue each read at its recorded time, independently of the network")
	flags.BoolVar(&o.Plain, "plain", false, "use the plain form of the routers, their readable specification; same results, slower")
	flags.IntVar(&o.Replicas, "replicas", o.Replicas, "replays of each kernel, each with other start cycles of its processors")
	return command
}

// validateSilicon compares recordings with their simulation.
func (a *app) validateSilicon(ctx context.Context, traces []*ttmetal.Trace, o silicon.Options, jobs int) error {
	line := a.statusLine()
	defer line.clear()
	r, err := silicon.Run(ctx, traces, o, jobs, func(done int) {
		line.draw(false, func() string { return fmt.Sprintf("%d of %d kernels", done, len(traces)) })
	})
	line.clear()
	switch {
	case err == nil:
		return a.print(r, r.Sheet())
	case errors.Is(err, context.Canceled):
		return interruptedError{"nothing is saved: run it again"}
	case errors.As(err, new(silicon.ForeignKernel)):
		return inputError{err}
	}
	return wrongError{err}
}

func validateReplay(a *app) *cobra.Command {
	rounds := 1
	command := newCommand("validate replay", noArguments, func(command *cobra.Command, _ []string) error {
		c, err := a.configuration(command)
		if err != nil {
			return err
		}
		most := c.Runs
		if !c.Given("runs") {
			c.Runs, most = checks.LeastSeeds, checks.MostSeeds
		}
		if rounds < 1 || rounds > 1000 {
			return usagef("--rounds %d: 1 to 1000 are allowed", rounds)
		}
		return a.validateReplay(command.Context(), c, rounds, most)
	})
	a.keyFlags(command, "router", "protocol", "runs", "topology", "threads", "seed", "jobs")
	command.Flags().Lookup("runs").DefValue = "5 to 20"
	command.Flags().IntVar(&rounds, "rounds", rounds, "rounds of work of each program")
	return command
}

// validateReplay compares both forms of all kernels. Kernels with wide intervals run again with other seeds.
func (a *app) validateReplay(ctx context.Context, c *config.Effective, rounds, most int) error {
	list, err := plan.Kernels(ctx, c.Program.Threads, rounds)
	if err != nil {
		return wrongError{err}
	}
	var names []string
	for _, k := range kernels.Table {
		names = append(names, k.Name)
	}
	var runs []tables.Run
	var result []checks.Fidelity
	for ; len(list) > 0; c.Seed += uint64(c.Runs) {
		rows, err := a.runAll(ctx, c, list)
		if err != nil {
			return err
		}
		runs = append(runs, rows.Runs...)
		result = checks.Fidelities(names, c.Routers, plan.LiveForm, plan.ReplayForm, runs)
		wide := checks.Wide(result, most)
		list = slices.DeleteFunc(list, func(w experiment.Workload) bool {
			return !slices.ContainsFunc(wide, func(name string) bool { return w.Name == name+plan.LiveForm || w.Name == name+plan.ReplayForm })
		})
	}
	table := checks.FidelitySheet(result)
	table.Before = []string{fmt.Sprintf("%d threads, %s, protocol %s", c.Program.Threads, c.Topology, c.Chip.Protocol)}
	return a.print(result, table)
}

// runAll runs workloads on all routers, and saves nothing.
func (a *app) runAll(ctx context.Context, c *config.Effective, list []experiment.Workload) (rows tables.Rows, err error) {
	study := plan.ChipsWith(c, list)
	if err := plan.CheckChips(study); err != nil {
		return rows, err
	}
	points, err := study.Points()
	if err != nil {
		return rows, err
	}
	p := &progress{statusLine: a.statusLine(), noun: "runs", begun: time.Now()}
	outcomes, err := experiment.Run(ctx, points, experiment.Options{Jobs: c.Jobs, Observe: p.observe})
	p.clear()
	if ctx.Err() != nil {
		return rows, interruptedError{"nothing is saved: run it again"}
	}
	for i := range outcomes {
		err = errors.Join(err, outcomes[i].Err)
	}
	if err != nil {
		return rows, wrongError{err}
	}
	return experiment.Collect(nil, outcomes)
}

// handOffDefaults is the chip on which hand-offs are timed unless the user says otherwise.
var handOffDefaults = []string{"topology=mesh:8x8", "routers=wormhole", "chip.protocol=directory", "program.threads=64"}

func validateHandOff(a *app) *cobra.Command {
	rounds := 40
	command := newCommand("validate hand-off", noArguments, func(command *cobra.Command, _ []string) error {
		below, above, err := a.layers(command)
		if err != nil {
			return err
		}
		defaults, err := config.Assignments(handOffDefaults)
		for i := range defaults {
			defaults[i].Origin = config.Origin{Kind: config.FromKey, Name: "validate hand-off"}
		}
		if err != nil {
			return err
		}
		c, err := a.extra.New(defaults, below, above)
		if err == nil {
			err = plan.Check(c)
		}
		switch threads := c.Program.Threads; {
		case err != nil:
			return err
		case threads < 2 || threads > 64:
			return usagef("--threads %d: 2 to 64 are allowed", threads)
		case rounds < 1 || rounds > 10_000:
			return usagef("--rounds %d: 1 to 10000 are allowed", rounds)
		}
		program, err := plan.HandOff(command.Context(), c.Program.Threads, rounds)
		if err != nil {
			return wrongError{err}
		}
		rows, err := a.runAll(command.Context(), c, []experiment.Workload{program})
		if err != nil {
			return err
		}
		list, err := checks.HandOffs(rows.Runs, rounds, c.Chip.ClockGHz)
		if err != nil {
			return wrongError{err}
		}
		table := checks.HandOffSheet(list)
		table.Before = []string{fmt.Sprintf("%d cores, %s, protocol %s, %d round trips of each pair", c.Program.Threads, c.Topology, c.Chip.Protocol, rounds)}
		return a.print(list, table)
	})
	a.keyFlags(command, "router", "protocol", "topology", "threads", "seed", "jobs")
	command.Flags().IntVar(&rounds, "rounds", rounds, "round trips of each pair that are timed")
	for _, set := range handOffDefaults { // the help shows them
		key, value, _ := strings.Cut(set, "=")
		for flag, of := range boundFlags {
			if f := command.Flags().Lookup(flag); of == key && f != nil {
				f.DefValue = value
			}
		}
	}
	return command
}

func verifyCommand(a *app) *cobra.Command {
	var quick bool
	var memory int64 // GiB
	o := verify.Options{More: a.extra.Protocols}
	protocols := verify.With(a.extra.Protocols, a.checks)
	subjects := checks.Subjects(protocols)
	command := newCommand("verify", func(_ *cobra.Command, args []string) error {
		if len(args) == 0 && o.SelfTest {
			return nil // of all
		}
		if len(args) != 1 {
			return usagef("verify needs one of %s", strings.Join(subjects, ", "))
		}
		if slices.Contains(subjects, args[0]) {
			return nil
		}
		return usagef("verify %s: there are %s%s", args[0], strings.Join(subjects, ", "), suggest.Text(args[0], subjects))
	}, func(command *cobra.Command, args []string) error {
		c, err := a.configuration(command)
		if err != nil {
			return err
		}
		if quick && o.Full {
			return usagef("--quick and --full exclude each other; give one")
		}
		if memory < 1 || memory > 1024 {
			return usagef("--memory %d: 1 to 1024 GiB are allowed", memory)
		}
		if o.Memory, o.Jobs = memory<<30, c.Jobs; o.Jobs < 1 {
			o.Jobs = runtime.GOMAXPROCS(0)
		}
		subject := append(args, checks.All)[0]
		if !command.Flags().Changed("router") {
			if err := noEffect(command, "without --router", "topology"); err != nil {
				return err
			}
			return a.verify(o, func(o verify.Options) (*checks.Report, error) {
				return checks.Run(command.Context(), subject, protocols, a.extra.Models(), o)
			})
		}
		if subject != checks.Network {
			return usagef("--router chooses routers for carousel verify %s; leave it out for %s", checks.Network, subject)
		}
		if err := c.Check(); err != nil {
			return err
		}
		return a.verify(o, func(o verify.Options) (*checks.Report, error) {
			return checks.Routers(command.Context(), c.Models(), c.Routers, c.Network, o)
		})
	})
	a.keyFlags(command, "router", "topology")
	command.Use += " " + strings.Join(subjects, "|")
	command.ValidArgs = subjects
	flags := command.Flags()
	routers := flags.Lookup("router")
	routers.Usage, routers.DefValue = "routers of verify network, separated by commas; program:FILE is one of your own. Without this flag, all routers are checked", ""
	flags.Lookup("topology").Usage = "network of --router; carousel list shows all forms"
	flags.BoolVar(&o.SelfTest, "self-test", false, "also insert defects, and check that each is found")
	flags.Int64Var(&memory, "memory", 4, "memory of an exploration in GiB")
	flags.BoolVar(&quick, "quick", false, "check small chips only (the default)")
	flags.BoolVar(&o.Full, "full", false, "check larger chips too, with ten times the random tests and longer traffic")
	return command
}

// verify runs checks and prints what they found.
func (a *app) verify(o verify.Options, run func(verify.Options) (*checks.Report, error)) error {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(o.Memory))
	line := a.statusLine()
	defer line.clear()
	o.Progress = func(text func() string) { line.draw(false, text) }
	report, err := run(o)
	line.clear()
	if report == nil {
		return err
	}
	if printed := a.print(report, report.Sheet()); printed != nil {
		return printed
	}
	switch {
	case errors.Is(err, context.Canceled):
		return interruptedError{"the checks that are finished are printed"}
	case err != nil:
		return err
	case !report.Passed:
		return wrongError{errors.New("a check failed; see above")}
	}
	return nil
}
