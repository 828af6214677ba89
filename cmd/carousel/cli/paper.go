package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/analysis/paper"
	"github.com/carousel-sim/carousel/analysis/paper/claim"
)

func paperCommand(a *app) *cobra.Command {
	command := &cobra.Command{
		Use:   "paper",
		Short: "Do the figures of the papers behind Carousel, and judge what they claim",
	}
	command.AddCommand(paperListCommand(a), paperRunCommand(a))
	return group(command)
}

// paperEntry is an entry in carousel paper list.
type paperEntry struct {
	ID     string   `json:"id"`
	Paper  string   `json:"paper"`
	Figure string   `json:"figure"`
	Title  string   `json:"title"`
	Plan   string   `json:"plan"` // YAML, as carousel sweep takes it; "" for none
	Charts []string `json:"charts"`
	Claims []string `json:"claims"`
}

func paperListCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "Print the figures and tables that can be done, with their claims",
		Example: "  carousel paper list\n  carousel paper list --format json",
		Args:    noArguments,
		RunE: func(*cobra.Command, []string) error {
			s := &sheet{header: []string{"id", "in the paper", "what it shows", "claims"}}
			list := []paperEntry{}
			for _, e := range paper.Entries() {
				text, err := e.ReadPlan()
				if err != nil {
					return err
				}
				one := paperEntry{ID: e.ID, Paper: e.Paper, Figure: e.Figure, Title: e.Title, Plan: string(text), Charts: []string{}, Claims: []string{}}
				for i := range e.Charts {
					one.Charts = append(one.Charts, e.Charts[i].Name)
				}
				for i := range e.Claims {
					one.Claims = append(one.Claims, e.Claims[i].ID)
				}
				list = append(list, one)
				s.add(e.ID, e.Figure, e.Title, strings.Join(one.Claims, ", "))
			}
			return a.print(list, s)
		},
	}
}

func paperRunCommand(a *app) *cobra.Command {
	var quick, full bool
	command := &cobra.Command{
		Use:   "run ID...",
		Short: "Do figures: their plans, pictures, and a verdict on every claim",
		Long: `Does the plan of each figure, draws it, and judges the paper's claims by the criteria printed
beside them: confirmed, not confirmed, or open where the measurements do not decide. all does
every figure of carousel paper list.

--quick, the default, takes short runs: a minute or two for a figure on two processors. --full
takes the paper's: 200,000 cycles of which 20,000 are warm-up, and at least three seeds.

Below --out, or else results/paper, each figure has a directory ID/quick or ID/full with its tables
(Arrow), its pictures (SVG and PNG), the table figure with the values that they show, and the
table claims. Finished points are kept in points, shared by all figures: a command that was
stopped continues when it is given again, and another figure uses what is there. No claim is
decided before all points of its figure are finished. A figure done with other settings is
refused; --force replaces it.

The exit code is 1 when a claim is not confirmed or a point has failed.`,
		Example: "  carousel paper run mrr.rules\n  carousel paper run mrr.fig7 --out study\n  carousel paper run all --full",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("say which figures, or all: %s", strings.Join(entryNames(), ", "))
			}
			return nil
		},
		ValidArgs: append(entryNames(), "all"),
		RunE: func(command *cobra.Command, args []string) error {
			if quick && full {
				return usagef("--quick and --full are given; choose one")
			}
			entries, err := chosenEntries(args)
			if err != nil {
				return err
			}
			return a.paperRun(command, entries, !full)
		},
	}
	command.Flags().BoolVar(&quick, "quick", false, "short runs (the default)")
	command.Flags().BoolVar(&full, "full", false, "the paper's run lengths")
	plainFlag(command.Flags())
	tableFlags(command.Flags())
	command.Flags().Lookup("out").Usage = "directory for figures, tables and claims (default results/paper-quick or results/paper-full)"
	forceFlag(command)
	a.monitorFlag(command)
	return command
}

func entryNames() (names []string) {
	for _, e := range paper.Entries() {
		names = append(names, e.ID)
	}
	return names
}

// chosenEntries finds the entries of a command line.
func chosenEntries(args []string) (list []claim.Entry, err error) {
	if len(args) == 1 && args[0] == "all" {
		return paper.Entries(), nil
	}
	for i, id := range args {
		for _, before := range args[:i] {
			if before == id {
				return nil, usagef("%s is given twice", id)
			}
		}
		e, err := paper.Lookup(id)
		if err != nil {
			return nil, usageError{fmt.Errorf("%w%s", err, config.Suggestion(id, entryNames()))}
		}
		list = append(list, e)
	}
	return list, nil
}
