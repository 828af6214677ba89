// Package lackey imports the output of Valgrind's tool lackey with --trace-mem=yes: one file per
// program.
//
// A line is a letter, an address in hexadecimal, a comma and a size in bytes: "I 04001000,3" an
// instruction, " L 1ffeff7e0,8" a load, " S" a store, " M" a load and a store of the same place by
// one instruction. An instruction's line precedes those of its accesses. Lines that begin with ==
// or -- are Valgrind's own and are left out, wherever they are. Threads are one after another
// without a mark, so that a file is one core.
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
	if noise(text) {
		c.Skip()
		return ""
	}
	letter, address, size, problem := parse(text)
	if problem != "" {
		return problem
	}
	switch letter {
	case 'I':
		c.Instruction()
		c.Fetch(address, size)
	case 'L':
		c.Access(traces.Load, address, size)
	case 'S':
		c.Access(traces.Store, address, size)
	case 'M':
		c.Access(traces.Load, address, size)
		c.Access(traces.Store, address, size)
	}
	return ""
}

func noise(text []byte) bool {
	return len(bytes.TrimSpace(text)) == 0 || bytes.HasPrefix(text, []byte("==")) || bytes.HasPrefix(text, []byte("--"))
}

func parse(text []byte) (letter byte, address, size uint64, problem string) {
	fields := bytes.Fields(text)
	if len(fields) != 2 || len(fields[0]) != 1 || bytes.IndexByte([]byte("ILSM"), fields[0][0]) < 0 {
		return 0, 0, 0, fmt.Sprintf("%.40q is not I, L, S or M with an address and a size", text)
	}
	where, length, _ := bytes.Cut(fields[1], []byte(","))
	address, err := strconv.ParseUint(string(where), 16, 64)
	if err != nil {
		return 0, 0, 0, fmt.Sprintf("%.40q is not an address in hexadecimal", where)
	}
	size, err = strconv.ParseUint(string(length), 10, 64)
	if err != nil || size == 0 || size > assemble.LimitBytes || address+size-1 < address {
		return 0, 0, 0, fmt.Sprintf("%.40q is not a size from 1 to %d bytes that fits the address space", length, assemble.LimitBytes)
	}
	return fields[0][0], address, size, ""
}

// Sniff reports whether a file that begins like this, decompressed, may be of this format: all
// whole lines are, and at least one is an access.
func Sniff(head []byte) bool {
	found := false
	for text := range bytes.Lines(head) {
		if noise(text) || !bytes.HasSuffix(text, []byte("\n")) {
			continue
		}
		if _, _, _, problem := parse(text); problem != "" {
			return false
		}
		found = true
	}
	return found
}
