//go:build !linux

package wholefile

import "os"

// openUnnamed returns nil: every file has a name here.
func openUnnamed(string) *os.File { return nil }

func unnamedPath(f *os.File) string { return f.Name() }

func link(*os.File, string) error { return os.ErrInvalid }
