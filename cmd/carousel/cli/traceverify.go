package cli

import (
	"context"
	"fmt"

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
			if err := followed.end(err, unread); err != nil {
				return err
			}
			sum := survey.Sum()
			return printOne(a, struct {
				File    string `json:"file" title:"file"`
				Cores   int    `json:"cores" title:"cores"`
				Records uint64 `json:"records" title:"records"`
				Edges   uint64 `json:"edges" title:"edges"`
				Valid   bool   `json:"valid" title:"valid"`
			}{args[0], file.Cores(), sum.Records, sum.Edges, true})
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
	type kept struct {
		Core    int    `json:"core" title:"core"`
		Records uint64 `json:"records" title:"records kept"`
		Cut     bool   `json:"cut" title:"cut"`
		Lost    uint64 `json:"records_lost" title:"records lost"`
		Edges   uint64 `json:"edges_lost" title:"edges lost"`
		Unlocks uint64 `json:"unlocks_added" title:"unlocks added"`
	}
	var list []kept
	for core, loss := range report.Lost {
		list = append(list, kept{core, report.Totals[core].Records, loss.Cut, loss.Records, loss.Edges, loss.Unlocks})
	}
	s := sheet.Of(list)
	s.Note(fmt.Sprintf("%d damaged bytes were passed over; the repaired trace is %s", report.SkippedBytes, to))
	return a.print(struct {
		File         string `json:"file"`
		Repaired     string `json:"repaired"`
		SkippedBytes int64  `json:"skipped_bytes"`
		Cores        []kept `json:"cores"`
	}{from, to, report.SkippedBytes, list}, s)
}
