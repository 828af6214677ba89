// Package lackey imports the output of Valgrind's tool lackey with --trace-mem=yes: one file per
// program.
//
// A line is a letter, an address in hexadecimal, a comma and a size in bytes: "I 04001000,3" an
// instruction, " L 1ffeff7e0,8" a load, " S" a store, " M" a load and a store of the same place by
// one instruction. An instruction's line precedes those of its accesses. Lines that begin with ==
// or -- are Valgrind's own, and "SB 4001000" names a superblock (--trace-superblocks=yes); both are
// left out. Lines of anything else, such as what the program prints, are counted and left out, up to half
// of the lines. Threads are one after another without a mark, so that a file is one core. A file
// without instructions has one for each access.
//
// There is one function, [Import]; package serial has the loop and the rules.
package lackey

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/assemble"
	"github.com/carousel-sim/carousel/traces/serial"
)

// Import reads one file per core.
func Import(paths []string, c traces.ImportConfig, to traces.Destination) (traces.Imported, error) {
	return serial.Import(format(), paths, c, to)
}

func format() serial.Format {
	return serial.Format{Version: "lackey 1", Line: line, Notes: []string{"threads of a program are one core's stream, as Valgrind ran them"}}
}

func line(text []byte, c *serial.Core) string {
	fields := bytes.Fields(text)
	if len(fields) == 0 || bytes.HasPrefix(text, []byte("==")) || bytes.HasPrefix(text, []byte("--")) || len(fields) == 2 && string(fields[0]) == "SB" {
		c.Skip()
		return ""
	}
	if len(fields) != 2 || len(fields[0]) != 1 || bytes.IndexByte([]byte("ILSM"), fields[0][0]) < 0 {
		c.Foreign(fmt.Sprintf("%.40q is not I, L, S or M with an address and a size", text))
		return ""
	}
	address, size, problem := place(fields[1])
	if problem != "" {
		return problem
	}
	switch fields[0][0] {
	case 'I':
		c.Instruction()
		c.Fetch(address, size)
	case 'L':
		c.Data(address, size, traces.Load)
	case 'S':
		c.Data(address, size, traces.Store)
	case 'M':
		c.Data(address, size, traces.Load, traces.Store)
	}
	return ""
}

// place reads an address and a size.
func place(text []byte) (address, size uint64, problem string) {
	where, length, _ := bytes.Cut(text, []byte(","))
	address, err := strconv.ParseUint(string(where), 16, 64)
	if err != nil {
		return 0, 0, fmt.Sprintf("%.40q is not an address in hexadecimal", where)
	}
	size, err = strconv.ParseUint(string(length), 10, 64)
	if err != nil || size == 0 || size > assemble.LimitBytes || address+size-1 < address {
		return 0, 0, fmt.Sprintf("%.40q is not a size from 1 to %d bytes that fits the address space", length, assemble.LimitBytes)
	}
	return address, size, ""
}
