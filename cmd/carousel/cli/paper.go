package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/paper"
	"github.com/carousel-sim/carousel/analysis/paper/claim"
	"github.com/carousel-sim/carousel/analysis/results"
	"github.com/carousel-sim/carousel/noc/leaf/suggest"
)

// paperEntry is an entry in carousel paper list.
type paperEntry struct {
	ID     string   `json:"id" title:"id"`
	Paper  string   `json:"paper"`
	Figure string   `json:"figure" title:"in the paper"`
	Title  string   `json:"title" title:"what it shows"`
	Plan   string   `json:"plan"` // YAML, as carousel sweep takes it; "" for none
	Charts []string `json:"charts"`
	Claims []string `json:"claims" title:"claims"`
}

func paperListCommand(a *app) *cobra.Command {
	return newCommand("paper list", noArguments, func(*cobra.Command, []string) error {
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
		}
		return printList(a, list)
	})
}

func paperRunCommand(a *app) *cobra.Command {
	var quick, full bool
	command := newCommand("paper run", nil, func(command *cobra.Command, args []string) error {
		if quick && full {
			return usagef("--quick and --full are given; choose one")
		}
		entries, err := chosenEntries(command, args)
		if err != nil {
			return err
		}
		return a.paperRun(command, entries, !full)
	})
	command.ValidArgsFunction = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return append(entryNames(), "all"), cobra.ShellCompDirectiveNoFileComp
	}
	command.Flags().BoolVar(&quick, "quick", false, "use short runs (the default)")
	command.Flags().BoolVar(&full, "full", false, "use the paper's run lengths")
	a.keyFlags(command, append(tableFlags, "plain")...)
	command.Flags().Lookup("out").Usage = "directory for figures, tables and claims (default results/paper-quick or results/paper-full)"
	studyFlags(command)
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
func chosenEntries(command *cobra.Command, args []string) (list []claim.Entry, err error) {
	if len(args) == 1 && args[0] == "all" {
		return paper.Entries(), nil
	}
	// The names are made when they are asked for: all commands would pay for them otherwise.
	if err := someArguments("takes the names of figures, or all: "+strings.Join(entryNames(), ", "))(command, args); err != nil {
		return nil, err
	}
	for i, id := range args {
		if slices.Contains(args[:i], id) {
			return nil, usagef("%s is given twice", id)
		}
		e, err := paper.Lookup(id)
		if err != nil {
			return nil, usageError{fmt.Errorf("%w%s", err, suggest.Text(id, entryNames()))}
		}
		list = append(list, e)
	}
	return list, nil
}

// paperRun does the points of all entries, each once, and then draws and judges figure by figure.
func (a *app) paperRun(command *cobra.Command, entries []claim.Entry, quick bool) error {
	c, err := a.configuration(command)
	if err != nil {
		return err
	}
	below, above, err := a.layers(command)
	if err != nil {
		return err
	}
	papers, err := results.NewPapers(entries, quick, a.commandLine(), below, above)
	if err != nil {
		return err
	}
	out := c.Out
	if out == "" {
		out = filepath.Join("results", "paper")
	}
	root := a.describe(experiment.Paper, c)
	root.Configuration, root.Given = nil, nil // of each entry, in its own directory
	how := claiming(command)
	how.Force, how.Extend = false, true // --force is about figures
	d, err := claimDirectory(c, out, root, papers.Points, how)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := papers.Place(d, isSet(command, "force")); err != nil {
		return outError(c.Origin("out"), out, err)
	}
	a.does(command, d, c.Jobs, "points")
	outcomes, err := d.Do(papers.Points)
	if err != nil {
		return results.Unsaved(out, err)
	}
	if err := papers.Analyse(d, outcomes); err != nil {
		return err
	}
	table := papers.Sheet(out)
	table.Note(d.EarlierNote(outcomes, "points", "another --out")...)
	if a.format == "csv" {
		table = papers.Spreadsheet()
	}
	if err := a.print(papers.Document(out), table); err != nil {
		return err
	}
	finished := verdict(command.Context().Err(), outcomes, "points", out, papers.Replaced...)
	refuted := papers.Refuted()
	if len(refuted) == 0 || errors.As(finished, new(interruptedError)) {
		return finished
	}
	return wrongError{errors.Join(finished, fmt.Errorf("not confirmed: %s", strings.Join(refuted, ", ")))}
}
