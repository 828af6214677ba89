package plan

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"slices"
	"sync"

	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/analysis/experiment"
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
	list, errs := make([]experiment.Workload, len(names)), make([]error, len(names))
	var all sync.WaitGroup
	for i, name := range names {
		one := *c
		one.Workload = name
		all.Go(func() { list[i], errs[i] = OpenWorkload(&one) })
	}
	all.Wait()
	if i := slices.IndexFunc(errs, func(err error) bool { return err != nil }); i >= 0 {
		return nil, errs[i]
	}
	return list, nil
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
	application, err := workloads.FindApplication(c.Workload)
	if err != nil {
		return openCatalogue(c)
	}
	path := workloads.RecordingFile(application.Name)
	if _, err := os.Stat(path); err == nil {
		w, err := OpenTrace(path, c.Chip.Memory.Bytes)
		w.Name = application.Name
		return w, err
	}
	return openCatalogue(c)
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

// openCatalogue opens a workload of the catalogue.
func openCatalogue(c *config.Effective) (experiment.Workload, error) {
	return OpenSource(c.Workload, func() (*workloads.Opened, error) { return workloads.Open(c.Workload, c.Synthetic, c.Workloads...) })
}

// OpenSource makes a workload of something that can be opened again and again.
func OpenSource(name string, open func() (*workloads.Opened, error)) (experiment.Workload, error) {
	opened, err := open()
	if err != nil {
		return experiment.Workload{}, fmt.Errorf("workload %s: %w", name, err)
	}
	defer opened.Close()
	digest, records, err := digestAll(opened)
	if err != nil {
		return experiment.Workload{}, &config.InputError{Err: fmt.Errorf("workload %s: %w", name, err)}
	}
	source := string(opened.Info.Kind)
	if opened.Info.Kind == workloads.Recording {
		source = Recorded
	}
	return experiment.Workload{
		Name: name, Source: source, Digest: digest, Cores: opened.Cores(), Records: records, Windows: windowsIn(opened),
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

// windowsIn returns the number of windows of a workload.
func windowsIn(opened *workloads.Opened) int {
	if f, ok := opened.Source.(*traces.File); ok {
		return f.Windows()
	}
	return 1
}

// digestAll identifies a workload by the content of all its windows, and counts its records.
func digestAll(opened *workloads.Opened) (string, uint64, error) {
	h := sha256.New()
	f, ok := opened.Source.(*traces.File)
	if !ok {
		total, err := digestSource(h, opened)
		return hex.EncodeToString(h.Sum(nil)), total, err
	}
	total := uint64(0)
	for window := range f.Windows() {
		one, err := f.Window(window)
		if err != nil {
			return "", 0, err
		}
		n, err := digestSource(h, one)
		if err == nil {
			err = digestTimestamps(h, one)
		}
		if err = errors.Join(err, one.Close()); err != nil {
			return "", 0, err
		}
		total += n
	}
	return hex.EncodeToString(h.Sum(nil)), total, nil
}

// digestTimestamps adds what a window knows of the caches to a digest.
func digestTimestamps(h hash.Hash, f *traces.File) error {
	t, _, err := f.ReadTimestamps()
	if err != nil || t == nil {
		return err
	}
	var bytes []byte
	for _, e := range t.Entries {
		bytes = binary.LittleEndian.AppendUint32(bytes, e.Block)
		bytes = binary.LittleEndian.AppendUint16(bytes, e.Cache)
		bytes = append(bytes, byte(e.Flags))
	}
	for _, d := range t.Depths {
		bytes = binary.LittleEndian.AppendUint32(bytes, d.Entry)
		bytes = append(bytes, d.Sets, d.Ways)
	}
	h.Write(bytes)
	return nil
}

// digestSource adds the records and edges of a source to a digest, and counts its records.
func digestSource(h hash.Hash, source traces.Source) (uint64, error) {
	total := uint64(0)
	for core := range source.Cores() {
		n, err := digestAs(h, core, source.ReadRecords, func(bytes []byte, r *traces.Record) []byte {
			bytes = binary.LittleEndian.AppendUint64(bytes, r.Address)
			bytes = binary.LittleEndian.AppendUint32(bytes, r.Instructions)
			bytes = binary.LittleEndian.AppendUint16(bytes, r.Dependence)
			bytes = binary.LittleEndian.AppendUint16(bytes, r.Count)
			return append(bytes, r.Size, byte(r.Kind))
		})
		if err == nil {
			_, err = digestAs(h, core, source.ReadEdges, func(bytes []byte, e *traces.Edge) []byte {
				bytes = binary.LittleEndian.AppendUint64(bytes, e.At)
				bytes = binary.LittleEndian.AppendUint64(bytes, e.Position)
				return binary.LittleEndian.AppendUint16(bytes, e.Producer)
			})
		}
		if err != nil {
			return 0, err
		}
		total += n
	}
	return total, nil
}

// digestAs adds what can be read of a core to a digest, each as bytes, and counts it.
func digestAs[T any](h hash.Hash, core int, read func(core int, into []T) (int, error), add func(bytes []byte, one *T) []byte) (total uint64, err error) {
	var bytes []byte
	for list := make([]T, 1024); ; {
		n, err := read(core, list)
		bytes = bytes[:0]
		for i := range list[:n] {
			bytes = add(bytes, &list[i])
		}
		h.Write(bytes)
		total += uint64(n)
		if errors.Is(err, io.EOF) {
			return total, nil
		} else if err != nil {
			return 0, err
		}
	}
}
