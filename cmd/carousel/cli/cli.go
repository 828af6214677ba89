// Package cli is the command carousel.
//
// cli.go starts and ends the program and prints results; root.go has what all commands share and the
// list of commands, commands.md their help texts, config.go how flags become configuration. What the
// commands do is in packages: analysis/config and analysis/experiment/plan make studies,
// analysis/experiment runs them, coherence/cmp is the chip. The tests of whole command lines are in
// cmd/carousel, with the scripts of its testdata.
//
// To add a command: write a function that returns a *cobra.Command, add one line to the list in
// root.go, and a section to commands.md.
package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/term"

	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/analysis/results"
	"github.com/carousel-sim/carousel/analysis/show/sheet"
	"github.com/carousel-sim/carousel/coherence/cmp"
	"github.com/carousel-sim/carousel/coherence/verify"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/printable"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/noc/multicast"
	"github.com/carousel-sim/carousel/noc/traffic"
	"github.com/carousel-sim/carousel/workloads"
)

// Main runs the command line of the program and ends it with its exit code. A program that adds a
// router is
//
//	func main() { cli.Main(cli.Extra{Routers: []models.Model{mine}}) }
func Main(extra ...Extra) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	go func() {
		<-ctx.Done()
		stop() // a second signal ends the program at once
	}()
	os.Exit(Execute(ctx, os.Args[1:], os.Environ(), os.Stdout, os.Stderr, extra...))
}

// Execute runs one command line and returns the exit code: 0 done, 1 something wrong was found, 2
// bad usage or configuration, 3 bad input file, 130 interrupted.
func Execute(ctx context.Context, args, environment []string, stdout, stderr io.Writer, extra ...Extra) (code int) {
	streams := onScreen(stdout, stderr)
	a := &app{stdout: &printable.Writer{To: streams[0]}, stderr: &printable.Writer{To: streams[1]}, args: args, environment: environment}
	defer a.stderr.Close()
	defer func() {
		broken := recover()
		if failure, is := broken.(*noc.Failure); is {
			fmt.Fprintf(a.stderr, "carousel: %v\n", failure)
			if code = exitWrong; errors.Is(failure, context.Canceled) {
				code = exitInterrupted
			}
		} else if broken != nil {
			fmt.Fprintf(a.stderr, "carousel: internal error: %v\n\n%s\nThis is a defect of carousel; please report it with the command line and these lines.\n",
				broken, debug.Stack())
			code = exitWrong
		}
	}()
	models.EndPrograms(ctx)
	if err := a.add(extra...); err != nil {
		fmt.Fprintf(a.stderr, "carousel: %v\n", err)
		return exitUsage
	}
	root := rootCommand(a)
	root.SetArgs(args)
	err := errors.Join(root.ExecuteContext(ctx), a.stdout.Close())
	if err != nil {
		fmt.Fprintf(a.stderr, "carousel: %s\n", a.oneLine(err.Error()))
	}
	return exitCode(err)
}

// lineBreaks are line breaks in an argument, with the characters around them.
var lineBreaks = regexp.MustCompile(`[^\n]?\n+[^\n]?`)

// oneLine escapes the line breaks of arguments in a text: the name of a file must not look like a line that
// this program prints.
func (a *app) oneLine(text string) string {
	for _, arg := range a.args {
		for _, part := range lineBreaks.FindAllString(arg, -1) {
			if strings.Trim(part, "\n") != "" {
				text = strings.ReplaceAll(text, part, printable.Name(part))
			}
		}
	}
	return text
}

// The exit codes.
const (
	exitDone        = 0
	exitWrong       = 1 // the simulation or a check found something wrong, or a file system took no file
	exitUsage       = 2
	exitInput       = 3
	exitInterrupted = 130
)

// usageError is a mistake in the command line or the configuration.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// inputError is a bad input file.
type inputError struct{ error }

func (e inputError) Unwrap() error { return e.error }

// wrongError is something wrong that a simulation or a check has found.
type wrongError struct{ error }

func (e wrongError) Unwrap() error { return e.error }

// interruptedError tells what was saved when the user stopped a command.
type interruptedError struct{ saved string }

func (e interruptedError) Error() string { return "interrupted; " + e.saved }

func usagef(format string, parts ...any) error { return usageError{fmt.Errorf(format, parts...)} }

// refused returns the part of an error that says that a file system did not take a file, because it is full
// or broken, or nil. A place that cannot be written at all is a mistake in the command line.
func refused(err error) (part *fs.PathError) {
	if !errors.As(err, &part) || !slices.Contains([]string{"write", "chmod", "sync", "rename"}, part.Op) &&
		!errors.Is(part, syscall.ENOSPC) && !errors.Is(part, syscall.EDQUOT) {
		return nil
	}
	return part
}

// unwritten returns the error about a new file that a file system did not take, or nil.
func unwritten(err error) error {
	part := refused(err)
	if part == nil {
		return nil
	}
	return wrongError{fmt.Errorf("the new file in %s could not be written, and nothing is left of it: %w; make room, or choose another place",
		filepath.Dir(part.Path), part.Err)}
}

// exitCode classifies an error. An error without a class comes from the parser of the command line
// or is about a place that cannot be written: the user can correct both.
func exitCode(err error) int {
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, context.Canceled), errors.As(err, new(interruptedError)):
		return exitInterrupted
	case errors.As(err, new(inputError)), errors.As(err, new(*config.InputError)):
		return exitInput
	case errors.As(err, new(wrongError)), errors.As(err, new(*results.Error)), refused(err) != nil:
		return exitWrong
	}
	return exitUsage
}

// The output formats.
var outputFormats = []string{"table", "json", "csv", "markdown", "latex"}

// print writes a result to standard output: the document as JSON, or the sheet.
func (a *app) print(document any, s *sheet.Sheet) error {
	switch a.format {
	case "json":
		return a.printJSON(document)
	case "csv":
		for _, warning := range s.Doubts() {
			fmt.Fprintf(a.stderr, "warning: %s\n", a.oneLine(warning))
		}
		return s.WriteCSV(a.stdout)
	case "markdown":
		return s.WriteMarkdown(a.stdout)
	case "latex":
		return s.WriteLaTeX(a.stdout)
	}
	for _, notes := range [][]string{s.Incomplete, s.Warnings, s.Before, s.After} {
		for i := range notes {
			notes[i] = a.oneLine(notes[i])
		}
	}
	return s.Write(a.stdout, widthOf(a.stdout.To))
}

// printJSON writes a document whatever the format is.
func (a *app) printJSON(document any) error {
	e := json.NewEncoder(a.stdout.To)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(document)
}

// printList writes structures, one per row; the tags title of their fields name the columns.
func printList[T any](a *app, list []T, notes ...string) error {
	s := sheet.Of(list)
	s.Note(notes...)
	return a.print(list, s)
}

// printOne writes a structure as the only row.
func printOne[T any](a *app, document T, notes ...string) error {
	s := sheet.Of([]T{document})
	s.Note(notes...)
	return a.print(document, s)
}

// printFacts writes a structure with a row for each of its fields.
func printFacts(a *app, document any, notes ...string) error {
	s := sheet.Facts(document)
	s.Note(notes...)
	return a.print(document, s)
}

// widthOf returns the columns of a terminal, and 0 for everything else, where lines are never
// wrapped.
func widthOf(w io.Writer) int {
	f, ok := w.(terminal)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return 0
	}
	columns, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return columns
}

// Extra is what a program of another module adds to the command.
type Extra struct {
	Routers   []models.Model
	Patterns  []traffic.Pattern
	Schemes   []multicast.Scheme // for the routers whose scheme can be chosen, and for plans
	Protocols []cmp.ProtocolEntry
	Workloads []workloads.Workload
	// Checks are what is verified of Protocols, by name, beside programs on whole chips. They are
	// apart from what configurations can name, whose readers do not need the checks.
	Checks []verify.Protocol
}

// add takes what a program adds, unless it is incomplete or has the name of something else.
func (a *app) add(extra ...Extra) error {
	all := &a.extra
	for _, x := range extra {
		all.Routers, all.Patterns, all.Schemes = append(all.Routers, x.Routers...), append(all.Patterns, x.Patterns...), append(all.Schemes, x.Schemes...)
		all.Protocols, all.Workloads = append(all.Protocols, x.Protocols...), append(all.Workloads, x.Workloads...)
		a.checks = append(a.checks, x.Checks...)
	}
	for _, c := range a.checks {
		if !slices.ContainsFunc(all.Protocols, func(p cmp.ProtocolEntry) bool { return p.Name == c.Name }) {
			return fmt.Errorf("Extra.Checks has checks of protocol %q, which Extra.Protocols does not have; add the protocol", c.Name)
		}
	}
	return checkExtra(all)
}

// checkExtra goes through the tables with what is added to them.
func checkExtra(x *config.Extra) (wrong error) {
	known := map[string]bool{}
	check := func(family, name string, complete bool, needs string) {
		switch {
		case wrong != nil:
		case !complete:
			wrong = fmt.Errorf("%s %q is incomplete; set %s", family, name, needs)
		case name == "" || known[family+name]:
			wrong = fmt.Errorf("two %ss are called %q, or one has no name; give each a name of its own", family, name)
		}
		known[family+name] = true
	}
	for _, m := range x.Models() {
		check("router", m.Name, m.New != nil && m.SourceQueue != nil && m.MaxPhits != nil, "New, SourceQueue and MaxPhits")
	}
	for _, p := range slices.Concat(traffic.Patterns, x.Patterns) {
		check("pattern", p.Name, p.Target != nil, "Target")
	}
	for _, s := range slices.Concat(multicast.Schemes, x.Schemes) {
		check("scheme", s.Name, s.Worms != nil, "Worms")
	}
	for _, p := range slices.Concat(cmp.Protocols, x.Protocols) {
		check("protocol", p.Name, p.New != nil && p.Validate != nil, "New and Validate")
	}
	for _, w := range slices.Concat(workloads.Table, x.Workloads) {
		check("workload", w.Name, w.New != nil, "New")
	}
	return wrong
}
