//go:build !linux

package program

import "os"

// together does nothing: this system chooses the processors of threads itself.
type together struct{}

func (*together) pair(int, *os.File) {}
func (*together) begin() bool        { return false }
func (*together) wait()              {}
func (*together) end()               {}
