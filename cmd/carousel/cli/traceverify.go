package cli

import (
	"github.com/spf13/cobra"
)

func traceVerify(a *app) *cobra.Command {
	return newCommand("trace verify", oneFile, func(command *cobra.Command, args []string) error {
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
	})
}
