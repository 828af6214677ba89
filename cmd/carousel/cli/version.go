package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/sheet"
)

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
	command := &cobra.Command{
		Use:     "version",
		Short:   "Print the version of the program, its models and its tables",
		Long:    "Prints the version of the program, its models and its tables, or, with --sbom, the modules that it or another\nGo program was built from (CycloneDX).",
		Example: "  carousel version --format json\n  carousel version --sbom > sbom.json",
		Args: func(command *cobra.Command, args []string) error {
			if materials && len(args) == 1 {
				return nil
			}
			return noArguments(command, args)
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if materials {
				return writeMaterials(a.stdout, strings.Join(args, ""))
			}
			p := experiment.Program()
			revision := "unknown"
			if p.Revision != nil {
				revision = *p.Revision
			}
			if p.Modified != nil && *p.Modified {
				revision += " (modified)"
			}
			s := sheet.New("what", "version")
			s.Add("carousel", p.Version)
			s.Add("revision", revision)
			s.Add("models", p.ModelVersion)
			s.Add("tables", p.SchemaVersion)
			s.Add("go", p.GoVersion)
			s.Add("platform", p.Platform)
			return a.print(struct {
				Version       string  `json:"version"`
				Revision      *string `json:"vcs_revision"`
				Modified      *bool   `json:"vcs_modified"`
				ModelVersion  string  `json:"model_version"`
				SchemaVersion string  `json:"schema_version"`
				GoVersion     string  `json:"go_version"`
				Platform      string  `json:"platform"`
			}{p.Version, p.Revision, p.Modified, p.ModelVersion, p.SchemaVersion, p.GoVersion, p.Platform}, s)
		},
	}
	command.Flags().BoolVar(&materials, "sbom", false, "print a bill of materials of this program, or of the one named")
	return command
}

// noArguments refuses arguments in our words.
func noArguments(command *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef("%s takes no arguments, but got %q (see %s --help)", command.CommandPath(), args, command.CommandPath())
	}
	return nil
}

// oneFile asks for exactly one argument.
func oneFile(command *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usagef("%s takes one file, but got %d (see %s --help)", command.CommandPath(), len(args), command.CommandPath())
	}
	return nil
}
