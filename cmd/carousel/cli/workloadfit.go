package cli

import (
	"bytes"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/wholefile"
	"github.com/carousel-sim/carousel/workloads"
	"github.com/carousel-sim/carousel/workloads/twin"
)

func workloadFit(a *app) *cobra.Command {
	config := twin.DefaultFit()
	name, origin, out := "", "", ""
	command := &cobra.Command{
		Use:   "fit TRACE -o FILE",
		Short: "Measure a recording and write the parameters of its synthetic twin",
		Long: `Measures a trace, or an embedded recording by its name, and writes the parameters of a generator that
behaves alike: instruction mix, reuse distances, footprints, who shares which lines and how, what
waits for what, and how all that changes over time. carousel run --twin FILE replays the generator,
carousel workload compare says how good it is.`,
		Example: "  carousel workload fit nas-is-s -o is.json\n  carousel run --twin is.json",
		Args:    oneFile,
		RunE: func(command *cobra.Command, args []string) error {
			if out == "" {
				return usagef("name the parameter file to write with -o, such as -o fit.json")
			}
			source, m, err := a.openRecording(command, args[0])
			if err != nil {
				return err
			}
			defer source.Close()
			if name != "" {
				m.Workload = name
			}
			if origin != "" {
				m.Origin = origin
			}
			p, err := twin.Fit(source, m, config)
			if err != nil {
				return inputError{fmt.Errorf("%s: %w", args[0], err)}
			}
			return a.writeFit(p, out)
		},
	}
	flags := command.Flags()
	fileFlag(flags, &out, "the parameter file to write")
	flags.IntVar(&config.Slices, "slices", config.Slices, "parts of equal estimated time into which the recording is cut")
	flags.IntVar(&config.Behaviours, "behaviours", config.Behaviours, "groups of similar slices, at most")
	flags.StringVar(&name, "name", "", "name of the twin's workload (default: that of the recording)")
	flags.StringVar(&origin, "origin", "", "a sentence about the recording (default: from its metadata)")
	return command
}

// recordingSource is a recording that can be read again.
type recordingSource interface {
	traces.Source
	Rewind()
	Close() error
}

// openRecording opens a trace file, or a recording of the catalogue by its name.
func (a *app) openRecording(command *cobra.Command, name string) (recordingSource, traces.Metadata, error) {
	if w, err := workloads.Find(name); err == nil && w.Kind == workloads.Recording {
		o, err := w.Open(workloads.Default())
		if err != nil {
			return nil, traces.Metadata{}, inputError{err}
		}
		return o, o.Info.Metadata, nil
	}
	f, err := a.openFile(command, name, nil)
	if err != nil {
		return nil, traces.Metadata{}, err
	}
	return f, f.Metadata(), nil
}

// writeFit writes the parameter file and reports what is in it.
func (a *app) writeFit(p *twin.Parameters, out string) error {
	var text bytes.Buffer
	if err := p.Write(&text); err != nil {
		return err
	}
	if err := wholefile.WriteBytes(out, text.Bytes()); err != nil {
		return usagef("-o %s: %w; choose a place that can be written", out, err)
	}
	entry := struct {
		File       string `json:"file"`
		Workload   string `json:"workload"`
		Cores      int    `json:"cores"`
		Records    uint64 `json:"records"`
		Slices     int    `json:"slices"`
		Behaviours int    `json:"behaviours"`
		Chains     int    `json:"chains"`
		Events     int    `json:"events"`
		Waits      int    `json:"waits"`
		Bytes      int    `json:"bytes"`
	}{out, p.Workload, p.Cores, p.Records, p.Slices, len(p.Behaviours), p.Chains, rowsOf(p.Events), rowsOf(p.Waits), text.Len()}
	s := &sheet{header: []string{"what", "value"}, after: []string{"parameters: " + out}}
	for _, row := range []struct {
		what  string
		value any
	}{
		{"workload", p.Workload}, {"cores", p.Cores}, {"records measured", p.Records}, {"slices", p.Slices},
		{"behaviours", len(p.Behaviours)}, {"chains", p.Chains}, {"events", rowsOf(p.Events)}, {"waits", rowsOf(p.Waits)}, {"bytes", text.Len()},
	} {
		s.add(row.what, fmt.Sprint(row.value))
	}
	return a.print(entry, s)
}

// rowsOf counts what all cores have together.
func rowsOf(list [][][3]uint64) (n int) {
	for _, rows := range list {
		n += len(rows)
	}
	return n
}
