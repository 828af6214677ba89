package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/carousel-sim/carousel/analysis/experiment"
)

// offerVersion gives the program its flag --version. A version template of cobra would do so too, but it
// refers to text/template, whose calls by name make the linker keep every method of every type: 5 MB.
func offerVersion(root *cobra.Command) {
	version := root.Flags().BoolP("version", "v", false, "version for carousel")
	run := root.RunE
	root.RunE = func(c *cobra.Command, args []string) error {
		if *version {
			_, err := fmt.Fprintln(c.OutOrStdout(), versionLine())
			return err
		}
		return run(c, args)
	}
}

// versionLine is what carousel --version prints.
func versionLine() string {
	p := experiment.Program()
	line := "carousel " + p.Version
	if p.Revision != nil {
		line += " (" + *p.Revision + ")"
	}
	return line
}

func versionCommand(a *app) *cobra.Command {
	var materials bool
	command := newCommand("version", func(command *cobra.Command, args []string) error {
		if materials && len(args) == 1 {
			return nil
		}
		return noArguments(command, args)
	}, func(_ *cobra.Command, args []string) error {
		if materials {
			document, err := experiment.Materials(strings.Join(args, ""))
			if err != nil {
				return inputError{err}
			}
			return a.printJSON(document)
		}
		p := experiment.Program()
		return printFacts(a, struct {
			Version       string  `json:"version" title:"carousel"`
			Revision      *string `json:"vcs_revision" title:"revision"`
			Modified      *bool   `json:"vcs_modified" title:"modified"`
			ModelVersion  string  `json:"model_version" title:"models"`
			SchemaVersion string  `json:"schema_version" title:"tables"`
			GoVersion     string  `json:"go_version" title:"go"`
			Platform      string  `json:"platform" title:"platform"`
		}{p.Version, p.Revision, p.Modified, p.ModelVersion, p.SchemaVersion, p.GoVersion, p.Platform})
	})
	command.Flags().BoolVar(&materials, "sbom", false, "print a software bill of materials (CycloneDX) of this program, or of the Go program FILE")
	return command
}
