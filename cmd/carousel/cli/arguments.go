package cli

import "github.com/spf13/cobra"

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

// someArguments asks for at least one argument; needs says what the command takes.
func someArguments(needs string) cobra.PositionalArgs {
	return func(command *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usagef("%s %s (see %s --help)", command.CommandPath(), needs, command.CommandPath())
		}
		return nil
	}
}
