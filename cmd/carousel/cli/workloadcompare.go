package cli

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/plan"
	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/workloads"
	"github.com/carousel-sim/carousel/workloads/twin"
)

func workloadCompare(a *app) *cobra.Command {
	recording, parameters := "", ""
	command := &cobra.Command{
		Use:   "compare NAME",
		Short: "Print how well a synthetic twin stands for its recording",
		Long: `Replays a recording and its synthetic twin on the same chips and compares what they did: lines by the
number of cores that touch them, miss rates, messages by class and kind, and execution time, also
relative to the first router. NAME is an application with a recording in recordings/NAME.trace, an
embedded recording, or any name together with --recording and --parameters.`,
		Example:           "  carousel workload compare nas-is-s --router base,mrr",
		Args:              a.oneWorkload,
		ValidArgsFunction: a.offerWorkloads,
		RunE: func(command *cobra.Command, args []string) error {
			return a.compareTwin(command, args[0], recording, parameters)
		},
	}
	flags := command.Flags()
	flags.StringVar(&recording, "recording", "", "trace file of the recording (default: where carousel workload make puts it)")
	flags.StringVar(&parameters, "parameters", "", "parameter file of the twin (default: the one that is part of the program)")
	flags.String("router", "base,mrr", "router models, separated by commas")
	flags.String("topology", "torus:8x8", "torus or mesh with its sizes")
	flags.String("protocol", "token", "coherence protocol")
	complete(command, "router", a.extra.Models().Names())
	complete(command, "protocol", a.extra.ProtocolNames())
	return command
}

// comparison is the document of workload compare.
type comparison struct {
	Workload  string          `json:"workload"`
	Recording string          `json:"recording"` // its origin
	Twin      string          `json:"twin"`
	Rows      []comparisonRow `json:"rows"`
}

// comparisonRow is one measure of both. Ratio is the twin's value over the recording's, null without one.
type comparisonRow struct {
	Router    string   `json:"router"` // empty for what does not depend on it
	Measure   string   `json:"measure"`
	Recording float64  `json:"recording"`
	Twin      float64  `json:"twin"`
	Ratio     *float64 `json:"ratio"`
}

func (c *comparison) add(router, measure string, recording, twin float64) {
	row := comparisonRow{Router: router, Measure: measure, Recording: recording, Twin: twin}
	if recording != 0 {
		ratio := twin / recording
		row.Ratio = &ratio
	}
	c.Rows = append(c.Rows, row)
}

// compareTwin does the whole command.
func (a *app) compareTwin(command *cobra.Command, name, recording, parameters string) error {
	c, err := a.configuration(command)
	if err != nil {
		return err
	}
	if err := c.Check(); err != nil {
		return err
	}
	p, err := twinOf(name, parameters)
	if err != nil {
		return err
	}
	if recording == "" {
		if recording = name; isApplication(name) {
			recording = workloads.RecordingFile(name)
			if _, err := os.Stat(recording); err != nil {
				return usagef("there is no recording of %s to compare with: make it with carousel workload make %s, or name one with --recording", name, name)
			}
		}
	}
	source, m, err := a.openRecording(command, recording)
	if err != nil {
		return err
	}
	defer source.Close()
	made, err := workloads.OpenParameters(p, c.Synthetic)
	if err != nil {
		return usageError{err}
	}
	result := &comparison{Workload: name, Recording: m.Origin, Twin: made.Info.Metadata.Origin}
	if err := result.addDegrees(source, made); err != nil {
		return inputError{err}
	}
	both, err := a.openBoth(c, name, recording, p)
	if err != nil {
		return err
	}
	if err := a.compareRuns(command.Context(), c, both, result); err != nil {
		return err
	}
	return a.print(result, result.sheet())
}

func isApplication(name string) bool {
	_, err := workloads.FindApplication(name)
	return err == nil
}

// twinOf reads a twin's parameters from a file, or those of a name that are part of the program.
func twinOf(name, file string) (*twin.Parameters, error) {
	if file != "" {
		return plan.ReadTwin(file)
	}
	p, err := twin.Lookup(name)
	if err != nil {
		return nil, usageError{err}
	}
	return p, nil
}

// addDegrees compares how many cores touch a line.
func (c *comparison) addDegrees(recording, made twin.Rewindable) error {
	of, err := twin.Degrees(recording)
	if err != nil {
		return err
	}
	with, err := twin.Degrees(made)
	if err != nil {
		return err
	}
	low := 1
	for class := range of {
		high := 1 << class
		if of[class] > 0 || with[class] > 0 {
			cores := fmt.Sprintf("%d to %d cores", low, high)
			if low == high {
				cores = fmt.Sprintf("%d cores", low)
			}
			c.add("", "lines of "+cores, float64(of[class]), float64(with[class]))
		}
		low = high + 1
	}
	return nil
}

// openBoth makes workloads of the recording and the twin.
func (a *app) openBoth(c *config.Effective, name, recording string, p *twin.Parameters) ([]experiment.Workload, error) {
	var both [2]experiment.Workload
	var err error
	if w, missing := workloads.Find(recording); missing == nil && w.Kind == workloads.Recording {
		both[0], err = plan.OpenSource(recording, func() (*workloads.Opened, error) { return w.Open(workloads.Default()) })
	} else {
		both[0], err = plan.OpenTrace(recording, c.Chip.Memory.Bytes)
	}
	if err != nil {
		return nil, err
	}
	both[1], err = plan.OpenSource(name, func() (*workloads.Opened, error) { return workloads.OpenParameters(p, c.Synthetic) })
	return both[:], err
}

// compareRuns replays both on every router.
func (a *app) compareRuns(ctx context.Context, c *config.Effective, both []experiment.Workload, result *comparison) error {
	study, err := plan.ChipsWith(c, both[0])
	if err != nil {
		return err
	}
	study.Workloads = both
	points, err := study.Points()
	if err != nil {
		return err
	}
	outcomes, err := a.doPoints(ctx, nil, points, c.Jobs, "runs")
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		return interruptedError{"a comparison needs all of its runs, and keeps none"}
	}
	for i := range outcomes {
		if o := &outcomes[i]; o.State != tables.Finished {
			return wrongError{fmt.Errorf("%s: %w", o.Label, o.Err)}
		}
	}
	rows := func(workload, router int) *tables.Rows {
		return &outcomes[(workload*len(c.Routers)+router)*c.Runs].Rows
	}
	cycles := func(workload, router int) uint64 { return rows(workload, router).Runs[0].Cycles.Value }
	for i, router := range c.Routers {
		for _, m := range comparedMeasures {
			result.add(router, m.name, m.of(&rows(0, i).Runs[0]), m.of(&rows(1, i).Runs[0]))
		}
		if i > 0 {
			result.add(router, "time relative to "+c.Routers[0], quotient(cycles(0, i), cycles(0, 0)), quotient(cycles(1, i), cycles(1, 0)))
		}
		for k := range rows(0, i).Classes {
			of, with := &rows(0, i).Classes[k], &rows(1, i).Classes[k]
			for _, cast := range []struct {
				name     string
				of, with uint64
			}{{"unicast", of.Unicast, with.Unicast}, {"multicast", of.Multicast, with.Multicast}, {"broadcast", of.Broadcast, with.Broadcast}} {
				if cast.of > 0 || cast.with > 0 {
					result.add(router, of.Class+" "+cast.name, float64(cast.of), float64(cast.with))
				}
			}
		}
	}
	return nil
}

// comparedMeasures are those of a run, the most important first.
var comparedMeasures = []struct {
	name string
	of   func(*tables.Run) float64
}{
	{"cycles", func(r *tables.Run) float64 { return float64(r.Cycles.Value) }},
	{"instructions", func(r *tables.Run) float64 { return float64(r.Instructions.Value) }},
	{"L1 miss rate", func(r *tables.Run) float64 { return quotient(r.L1Misses.Value, r.L1Hits.Value+r.L1Misses.Value) }},
	{"L2 miss rate", func(r *tables.Run) float64 { return quotient(r.L2Misses.Value, r.L2Hits.Value+r.L2Misses.Value) }},
	{"memory reads", func(r *tables.Run) float64 { return float64(r.MemoryReads.Value) }},
	{"miss latency", func(r *tables.Run) float64 { return r.MissLatencyMean.Value }},
	{"packet latency", func(r *tables.Run) float64 { return r.PacketLatencyMean.Value }},
}

// quotient is one number over another, 0 over nothing.
func quotient(part, whole uint64) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

func (c *comparison) sheet() *sheet {
	s := &sheet{header: []string{"router", "measure", "recording", "twin", "twin/recording"},
		before: []string{"workload " + c.Workload + ": " + plan.Recorded + " against its synthetic twin"},
		after:  []string{"recording: " + c.Recording, "twin: " + c.Twin}}
	for i := range c.Rows {
		r := &c.Rows[i]
		router := r.Router
		if router == "" {
			router = "-"
		}
		ratio := "-"
		if r.Ratio != nil {
			ratio = fmt.Sprintf("%.3f", *r.Ratio)
		}
		s.add(router, r.Measure, cell(&r.Recording, 1), cell(&r.Twin, 1), ratio)
	}
	return s
}
