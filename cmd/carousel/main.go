// Command carousel replays memory traces of real programs on simulated multi-core chips and compares
// their networks: execution time, latency and energy.
//
// main.go starts and ends the program; root.go has what all commands share; each command has a file of
// its own. settings.go says what can be configured, config.go where values come from. The simulation is
// in package coherence/cmp, the runner in analysis/experiment.
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
			fmt.Fprintf(stderr, "carousel: internal error: %v\nThis is a defect of carousel; please report it with the command line.\n", broken)
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
