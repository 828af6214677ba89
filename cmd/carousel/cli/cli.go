// Package cli is the command carousel.
//
// cli.go starts and ends the program; root.go has what all commands share and the list of commands,
// commands.md their help texts, config.go how flags become configuration, output.go how results are
// printed. What the commands do is in packages: analysis/config and analysis/experiment/plan make
// studies, analysis/experiment runs them, coherence/cmp is the chip. The tests of whole command lines
// are in cmd/carousel, with the scripts of its testdata.
//
// To add a command: write a function that returns a *cobra.Command, add one line to the list in
// root.go, and a section to commands.md.
package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
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
	defer func() {
		if broken := recover(); broken != nil {
			fmt.Fprintf(stderr, "carousel: internal error: %v\n\n%s\nThis is a defect of carousel; please report it with the command line and these lines.\n",
				broken, debug.Stack())
			code = exitWrong
		}
	}()
	streams := onScreen(stdout, stderr)
	a := &app{stdout: streams[0], stderr: streams[1], args: args, environment: environment}
	if err := a.add(extra...); err != nil {
		fmt.Fprintf(stderr, "carousel: %v\n", err)
		return exitUsage
	}
	root := rootCommand(a)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err != nil {
		fmt.Fprintf(stderr, "carousel: %v\n", err)
	}
	return exitCode(err)
}
