package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/carousel-sim/carousel/coherence/explore"
	"github.com/carousel-sim/carousel/coherence/verify"
)

// verifySubjects are what can be verified.
var verifySubjects = append(verify.Names(), "network", "all")

// verifyFlags are the command's own flags.
type verifyFlags struct {
	selfTest, quick, full bool
	memory                int // GiB
	jobs                  int
}

func verifyCommand(a *app) *cobra.Command {
	var f verifyFlags
	command := &cobra.Command{
		Use:   "verify " + strings.Join(verifySubjects, "|"),
		Short: "Check coherence protocols exhaustively and at random, and networks under random traffic",
		Long: `Explores small chips with the coherence controllers themselves: every order of messages, accesses,
evictions and timers, up to symmetry. In every state it checks that one core writes or many read,
that loads return the latest data, that tokens are conserved, that no message is unexpected, and
that everything can come to rest. A violation is printed with a shortest sequence of events that
leads to it. Searches that --memory or a number of states has ended are called bounded; they say
nothing about states that they have not reached. States are recognised by 128 bits of a hash.

Random tests with many cores and blocks follow; together, explorations and random tests must have
taken every cell of the protocol's transition tables. Random programs then run on whole chips with every
network, and litmus tests look for what the memory model forbids and for what it allows. Networks carry random traffic of all kinds,
every delivery audited, once skipping idle routers and once stepping each: the deliveries must agree.

--self-test also seeds defects into the protocols, one at a time, and requires each to be found; without
a subject it stands for all.
--quick (the default) takes about two minutes for all; --full takes hours, and is worth --memory 12.`,
		Example: "  carousel verify all\n  carousel verify directory --self-test\n  carousel verify token --full --memory 12",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 && f.selfTest {
				return nil // of all
			}
			if len(args) != 1 {
				return usagef("verify needs one of %s", strings.Join(verifySubjects, ", "))
			}
			for _, s := range verifySubjects {
				if args[0] == s {
					return nil
				}
			}
			return usagef("verify %s: there are %s%s", args[0], strings.Join(verifySubjects, ", "), didYouMean(args[0], verifySubjects))
		},
		ValidArgs: verifySubjects,
		RunE: func(command *cobra.Command, args []string) error {
			c, err := a.configuration(command)
			if err != nil {
				return err
			}
			if f.quick && f.full {
				return usagef("--quick and --full exclude each other; give one")
			}
			if f.memory < 1 || f.memory > 1024 {
				return usagef("--memory %d: 1 to 1024 GiB are allowed", f.memory)
			}
			if f.jobs = c.Jobs; f.jobs < 1 {
				f.jobs = runtime.GOMAXPROCS(0)
			}
			return a.verify(command.Context(), append(args, "all")[0], f)
		},
	}
	flags := command.Flags()
	flags.BoolVar(&f.selfTest, "self-test", false, "also seed defects, each of which must be found")
	flags.IntVar(&f.memory, "memory", 4, "GiB that an exploration may use")
	flags.BoolVar(&f.quick, "quick", false, "small chips only (the default)")
	flags.BoolVar(&f.full, "full", false, "also the larger chips, ten times the random tests and longer traffic")
	return command
}

// verify does all checks of a subject and prints what they found.
func (a *app) verify(ctx context.Context, subject string, f verifyFlags) error {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(int64(f.memory) << 30))
	v := &verification{ctx: ctx, flags: f, report: newVerifyReport(), line: a.statusLine()}
	defer v.line.clear()
	var err error
	for i := range verify.Protocols {
		if p := &verify.Protocols[i]; err == nil && (subject == p.Name || subject == "all") {
			err = v.protocol(p)
		}
	}
	if err == nil && (subject == "network" || subject == "all") {
		err = v.networks()
	}
	v.line.clear()
	v.report.Interrupted = err != nil
	if printed := a.print(&v.report, v.report.table()); printed != nil {
		return printed
	}
	switch {
	case errors.Is(err, context.Canceled):
		return interruptedError{"the checks that are finished are printed"}
	case err != nil:
		return err
	case !v.report.Passed:
		return wrongError{errors.New("something is wrong; see above")}
	}
	return nil
}

// verification is a run of the command.
type verification struct {
	ctx    context.Context
	flags  verifyFlags
	report verifyReport
	line   *statusLine
}

// options are those of every exploration. Half of the memory is left to the garbage collector and to
// tables that are being enlarged.
func (v *verification) options(name string) explore.Options {
	return explore.Options{Memory: int64(v.flags.memory) << 29, Workers: v.flags.jobs,
		Observe: func(p explore.Progress) { v.line.draw(false, func() string { return exploring(name, p) }) }}
}

// protocol does the checks of one protocol.
func (v *verification) protocol(p *verify.Protocol) error {
	protocol := p.Name
	var covered verify.Coverage
	for _, e := range p.Explorations("") {
		if e.Long && !v.flags.full {
			continue
		}
		o := v.options(protocol + " " + e.Name)
		o.States, o.SafetyOnly = e.States, e.SafetyOnly
		if err := v.exploration(e, o, &covered); err != nil {
			return err
		}
	}
	if err := v.random(p, &covered); err != nil {
		return err
	}
	v.coverage(protocol, &covered)
	if err := v.chips(protocol); err != nil {
		return err
	}
	if err := v.litmus(protocol); err != nil {
		return err
	}
	if !v.flags.selfTest {
		return nil
	}
	for _, d := range p.Defects() {
		found, err := p.Find(v.ctx, d, v.options(fmt.Sprintf("%s with %s", protocol, d.Name)))
		if err != nil {
			return err
		}
		v.report.defect(protocol, found)
	}
	return nil
}

// exploring is "token 2 L1s, T=2: depth 12, 1.2 M states, 64% of them expanded, 9.1 M transitions".
func exploring(name string, x explore.Progress) string {
	return fmt.Sprintf("%s: depth %d, %s states, %d%% of them expanded, %s transitions", name, x.Depth, rate(float64(x.States)),
		100*x.Expanded/max(x.States, 1), rate(float64(x.Transitions)))
}
