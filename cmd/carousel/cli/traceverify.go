package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/carousel-sim/carousel/analysis/sheet"
	"github.com/carousel-sim/carousel/traces"
)

func traceVerify(a *app) *cobra.Command {
	var repair bool
	var out string
	command := &cobra.Command{
		Use:   "verify FILE",
		Short: "Check every block of a trace and that it can be replayed",
		Long: `Reads a whole trace and checks blocks and checksums, totals, addresses, locks, barriers and the
order between cores. With --repair everything that is complete in a damaged file is copied to a
new one; the damaged file stays as it is.`,
		Example: "  carousel trace verify my.trace\n  carousel trace verify my.trace --repair -o saved.trace",
		Args:    oneFile,
		RunE: func(command *cobra.Command, args []string) error {
			if out != "" && !repair {
				return usagef("-o names the repaired file; give --repair too")
			}
			if repair {
				if out == "" {
					out = args[0] + ".repaired"
				}
				return a.repair(command.Context(), args[0], out)
			}
			followed := a.follow(command.Context(), "verifying", args[0])
			file, err := a.openFile(command, args[0], followed.passed)
			if err != nil {
				return err
			}
			defer file.Close()
			survey, err := file.Verify()
			if err := followed.end(err, "the trace has not been read to its end"); err != nil {
				return err
			}
			sum := survey.Sum()
			s := sheet.New("file", "cores", "records", "edges", "valid")
			s.Add(args[0], fmt.Sprint(file.Cores()), fmt.Sprint(sum.Records), fmt.Sprint(sum.Edges), "yes")
			return a.print(struct {
				File    string `json:"file"`
				Valid   bool   `json:"valid"`
				Cores   int    `json:"cores"`
				Records uint64 `json:"records"`
				Edges   uint64 `json:"edges"`
			}{args[0], true, file.Cores(), sum.Records, sum.Edges}, s)
		},
	}
	command.Flags().BoolVar(&repair, "repair", false, "copy what is complete to a new file")
	command.Flags().StringVarP(&out, "output", "o", "", "the repaired file (default FILE.repaired)")
	return command
}

// repair saves what is left of a damaged file.
func (a *app) repair(ctx context.Context, from, to string) error {
	if err := distinct(from, to); err != nil {
		return err
	}
	if err := creatable("-o", to); err != nil {
		return err
	}
	followed := a.follow(ctx, "repairing", from)
	report, err := traces.Repair(from, to, traces.DefaultWriterConfig(), followed.passed)
	if err := followed.end(err, nothingWritten(to)); err != nil {
		return err
	}
	type coreEntry struct {
		Core    int    `json:"core"`
		Records uint64 `json:"records"`
		Cut     bool   `json:"cut"`
		Lost    uint64 `json:"records_lost"`
		Edges   uint64 `json:"edges_lost"`
		Unlocks uint64 `json:"unlocks_added"`
	}
	var list []coreEntry
	s := sheet.New("core", "records kept", "cut", "records lost", "edges lost", "unlocks added")
	for core, loss := range report.Lost {
		e := coreEntry{core, report.Totals[core].Records, loss.Cut, loss.Records, loss.Edges, loss.Unlocks}
		list = append(list, e)
		s.Add(fmt.Sprint(core), fmt.Sprint(e.Records), fmt.Sprint(e.Cut), fmt.Sprint(e.Lost), fmt.Sprint(e.Edges), fmt.Sprint(e.Unlocks))
	}
	s.After = []string{fmt.Sprintf("%d damaged bytes were passed over; the repaired trace is %s", report.SkippedBytes, to)}
	return a.print(struct {
		File         string      `json:"file"`
		Repaired     string      `json:"repaired"`
		SkippedBytes int64       `json:"skipped_bytes"`
		Cores        []coreEntry `json:"cores"`
	}{from, to, report.SkippedBytes, list}, s)
}

// distinct refuses to write a file over one that is read.
func distinct(from, to string) error {
	a, errA := os.Stat(from)
	b, errB := os.Stat(to)
	if errA == nil && errB == nil && os.SameFile(a, b) || filepath.Clean(from) == filepath.Clean(to) {
		return usagef("-o %s is the input itself; name another file", to)
	}
	if errA != nil && errors.Is(errA, os.ErrNotExist) {
		return inputError{errA}
	}
	return nil
}
