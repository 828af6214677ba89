package plan

import (
	"context"
	"fmt"
	"os"

	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/noc/leaf/parallel"
	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/workloads"
)

// OpenWorkloads opens all that the configuration asks to replay, at the same time, because each is read
// as a whole for its digest. The error is that of the first one that has one.
func OpenWorkloads(c *config.Effective) ([]experiment.Workload, error) {
	if c.Trace != "" || c.Program.Path != "" {
		w, err := OpenWorkload(c)
		return []experiment.Workload{w}, err
	}
	names := c.WorkloadList()
	list := make([]experiment.Workload, len(names))
	err := parallel.Until(context.Background(), len(names), 0, nil, func(i int) (err error) {
		one := *c
		one.Workload = names[i]
		list[i], err = OpenWorkload(&one)
		return err
	})
	return list, err
}

// OpenWorkload finds the workload that the configuration names: a trace file, the user's recording
// of an application, or a workload of the catalogue. A bad file is a *config.InputError.
func OpenWorkload(c *config.Effective) (experiment.Workload, error) {
	if err := oneInput(c); err != nil {
		return experiment.Workload{}, err
	}
	if c.Program.Path != "" {
		return OpenProgram(c.Program)
	}
	if c.Trace != "" {
		return OpenTrace(c.Trace, c.Chip.Memory.Bytes)
	}
	if application, err := workloads.FindApplication(c.Workload); err == nil {
		path := workloads.RecordingFile(application.Name)
		if _, err := os.Stat(path); err == nil {
			w, err := OpenTrace(path, c.Chip.Memory.Bytes)
			w.Name = application.Name
			return w, err
		}
	}
	return OpenSource(c.Workload, func() (*workloads.Opened, error) { return workloads.Open(c.Workload, c.Synthetic, c.Workloads...) })
}

// oneInput checks that only one thing is asked for.
func oneInput(c *config.Effective) error {
	given := ""
	for _, in := range []struct{ key, value string }{{"workload", c.Workload}, {"trace", c.Trace}, {"program.path", c.Program.Path}} {
		switch {
		case in.value == "":
		case given != "":
			return fmt.Errorf("%s and %s is %q (given by %s); choose one", given, in.key, in.value, c.Origin(in.key))
		default:
			given = fmt.Sprintf("%s is %q (given by %s)", in.key, in.value, c.Origin(in.key))
		}
	}
	return nil
}

// OpenSource makes a workload of something that can be opened again and again.
func OpenSource(name string, open func() (*workloads.Opened, error)) (experiment.Workload, error) {
	opened, err := open()
	if err != nil {
		return experiment.Workload{}, fmt.Errorf("workload %s: %w", name, err)
	}
	defer opened.Close()
	digest, records, err := traces.Digest(opened.Source)
	if err != nil {
		return experiment.Workload{}, &config.InputError{Err: fmt.Errorf("workload %s: %w", name, err)}
	}
	source, windows := string(opened.Info.Kind), 1
	if f, ok := opened.Source.(*traces.File); ok {
		windows = f.Windows()
	}
	if opened.Info.Kind == workloads.Recording {
		source = Recorded
	}
	return experiment.Workload{
		Name: name, Source: source, Digest: digest, Cores: opened.Cores(), Records: records, Windows: windows,
		Open: func(window int) (traces.Source, func() error, error) {
			again, err := open()
			if err != nil {
				return nil, nil, err
			}
			if f, ok := again.Source.(*traces.File); ok {
				return windowsOf(func() (*traces.File, error) { return f, nil })(window)
			}
			return again, again.Close, nil
		},
	}, nil
}
