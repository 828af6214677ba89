// Command carousel replays memory traces of real programs on simulated multi-core chips and compares
// their networks: execution time, latency and energy.
//
// main.go starts and ends the program; root.go has what all commands share, config.go how flags become
// configuration, output.go how results are printed; each command has a file of its own. What the commands do
// is in packages: analysis/config and analysis/plan make studies, analysis/experiment runs them, coherence/cmp
// is the chip.
//
// To add a command: write a file with a function that returns a *cobra.Command, and add one line to
// the list in root.go.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	go func() {
		<-ctx.Done()
		stop() // a second signal ends the program at once
	}()
	os.Exit(execute(ctx, os.Args[1:], os.Environ(), os.Stdout, os.Stderr))
}

// execute runs one command line and returns the exit code.
func execute(ctx context.Context, args, environment []string, stdout, stderr io.Writer) (code int) {
	defer func() {
		if broken := recover(); broken != nil {
			fmt.Fprintf(stderr, "carousel: internal error: %v\n\n%s\nThis is a defect of carousel; please report it with the command line and these lines.\n",
				broken, debug.Stack())
			code = exitWrong
		}
	}()
	a := &app{stdout: stdout, stderr: stderr, args: args, environment: environment}
	root := rootCommand(a)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err != nil {
		fmt.Fprintf(stderr, "carousel: %v\n", err)
	}
	return exitCode(err)
}
