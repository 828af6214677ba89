// Package din imports traces in the text format of the cache simulator Dinero: one file per
// program.
//
// A line is a label, 0 for a read, 1 for a write, 2 for an instruction fetch, 3 and 4 for an escape
// and a flush, which are left out, and an address in hexadecimal; what follows is a comment.
//
// The format has neither sizes nor instructions between accesses. Every access is taken as 4 bytes,
// Dinero's own word. A fetch is an instruction; up to the first fetch of a file, every access is
// one, so that a trace of data alone has a time.
//
// There is one function, [Import]; package serial has the loop and the rules.
package din

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/serial"
)

const accessBytes = 4

// Import reads one file per core.
func Import(paths []string, c traces.ImportConfig, to traces.Destination) (traces.Imported, error) {
	return serial.Import(format(), paths, c, to)
}

func format() serial.Format {
	return serial.Format{Version: "din 1", Line: line, Notes: []string{"every access is taken as 4 bytes: the format has no sizes"}}
}

func line(text []byte, c *serial.Core) string {
	if len(bytes.TrimSpace(text)) == 0 {
		c.Skip()
		return ""
	}
	label, address, problem := parse(text)
	if problem != "" {
		return problem
	}
	if label == '2' || label < '2' && !c.Fetched() {
		c.Instruction()
	}
	switch label {
	case '0':
		c.Access(traces.Load, address, accessBytes)
	case '1':
		c.Access(traces.Store, address, accessBytes)
	case '2':
		c.Fetch(address, accessBytes)
	default:
		c.Skip()
	}
	return ""
}

func parse(text []byte) (label byte, address uint64, problem string) {
	fields := bytes.Fields(text)
	if len(fields) < 2 || len(fields[0]) != 1 || fields[0][0] < '0' || fields[0][0] > '4' {
		return 0, 0, fmt.Sprintf("%.40q is not a label from 0 to 4 and an address", text)
	}
	digits := bytes.TrimPrefix(bytes.TrimPrefix(fields[1], []byte("0x")), []byte("0X"))
	address, err := strconv.ParseUint(string(digits), 16, 64)
	if err != nil || address+accessBytes-1 < address {
		return 0, 0, fmt.Sprintf("%.40q is not an address in hexadecimal", fields[1])
	}
	return fields[0][0], address, ""
}

// Sniff reports whether a file that begins like this, decompressed, may be of this format: at least
// two whole lines, and all are.
func Sniff(head []byte) bool {
	lines := 0
	for text := range bytes.Lines(head) {
		if _, _, problem := parse(text); bytes.HasSuffix(text, []byte("\n")) && problem != "" {
			return false
		}
		lines += bytes.Count(text, []byte("\n"))
	}
	return lines >= 2
}
