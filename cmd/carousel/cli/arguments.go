package cli

import (
	"strings"

	"github.com/spf13/cobra"
)

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
		_, wanted, _ := strings.Cut(command.Use, " ")
		return usagef("%s needs one argument, but got %d: %s %s", command.CommandPath(), len(args), command.CommandPath(), wanted)
	}
	return nil
}

// someArguments asks for at least one argument; needs says what the command takes.
func someArguments(needs string) cobra.PositionalArgs {
	return func(command *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usagef("%s %s (see %s --help)", command.CommandPath(), needs, command.CommandPath())
		}
		return nil
	}
}
