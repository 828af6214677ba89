// Package din imports traces in the text format of the cache simulator Dinero: one file per
// program.
//
// A line of the traditional format (d) is a label, 0 for a read, 1 for a write, 2 for an instruction
// fetch, 3 and 4 for an escape and a flush, which are left out, and an address in hexadecimal. One of
// the extended format (D) is a letter, r, w, i, m for a read of another kind, c and v for copy-back
// and invalidation, which are left out, an address and a size, both in hexadecimal (Dinero IV,
// dinfmt.c and xdinfmt.c). What follows is a comment.
//
// The traditional format has no sizes. Every access is taken as 4 bytes, Dinero's own word. A fetch
// is an instruction; up to the first fetch of a file, every access is one, so that a trace of data
// alone has a time.
//
// There is one function, [Import]; package serial has the loop and the rules.
package din

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/assemble"
	"github.com/carousel-sim/carousel/traces/serial"
)

const accessBytes = 4

// Import reads one file per core.
func Import(paths []string, c traces.ImportConfig, to traces.Destination) (traces.Imported, error) {
	return serial.Import(format(), paths, c, to)
}

func format() serial.Format {
	return serial.Format{Version: "din 1", Line: line, Notes: []string{"every access without a size is taken as 4 bytes"}}
}

func line(text []byte, c *serial.Core) string {
	fields := bytes.Fields(text)
	if len(fields) == 0 {
		c.Skip()
		return ""
	}
	label := fields[0][0]
	extended := bytes.IndexByte([]byte("rwimcv"), label) >= 0
	if len(fields) < 2 || len(fields[0]) != 1 || !extended && (label < '0' || label > '4') {
		return fmt.Sprintf("%.40q is not a label from 0 to 4 and an address, and not one of r, w, i, m, c, v with an address and a size", text)
	}
	address, err := hexadecimal(fields[1])
	if err != nil {
		return fmt.Sprintf("%.40q is not an address in hexadecimal", fields[1])
	}
	size := uint64(accessBytes)
	if extended {
		if len(fields) < 3 {
			return fmt.Sprintf("%.40q has no size; the extended format is a letter, an address and a size", text)
		}
		if size, err = hexadecimal(fields[2]); err != nil || size == 0 || size > assemble.LimitBytes {
			return fmt.Sprintf("%.40q is not a size from 1 to %#x in hexadecimal", fields[2], assemble.LimitBytes)
		}
	}
	if address+size-1 < address {
		return fmt.Sprintf("%.40q is not an address in hexadecimal of %d bytes", fields[1], size)
	}
	switch label {
	case '0', 'r', 'm':
		c.Data(address, size, traces.Load)
	case '1', 'w':
		c.Data(address, size, traces.Store)
	case '2', 'i':
		c.Instruction()
		c.Fetch(address, size)
	default:
		c.Skip()
	}
	return ""
}

// hexadecimal reads a number, perhaps after 0x.
func hexadecimal(text []byte) (uint64, error) {
	digits := bytes.TrimPrefix(bytes.TrimPrefix(text, []byte("0x")), []byte("0X"))
	return strconv.ParseUint(string(digits), 16, 64)
}

// Doubt says why a file that begins like this may be a CPU trace of Ramulator instead, whose lines
// are a count and one or two addresses in decimal, usually of lines of 64 bytes. It returns "" where
// an address has a hexadecimal digit, or where few lines have other addresses than those of lines.
func Doubt(head []byte) string {
	const many = 16 // lines in hexadecimal have a digit above 9 somewhere
	lines, other, pairs := 0, false, false
	for text := range bytes.Lines(head) {
		fields := bytes.Fields(text)
		if len(fields) < 2 || !bytes.HasSuffix(text, []byte("\n")) {
			continue
		}
		lines++
		pairs = pairs || len(fields) == 3
		for i, f := range fields[1:] {
			address, err := strconv.ParseUint(string(f), 10, 64)
			if err != nil || i > 1 {
				return ""
			}
			other = other || address%traces.LineBytes != 0
		}
	}
	if lines == 0 || other && !pairs && lines < many {
		return ""
	}
	return "its lines can be those of din, with addresses in hexadecimal, or of a CPU trace of Ramulator, with counts and addresses in decimal (--from ramulator)"
}
