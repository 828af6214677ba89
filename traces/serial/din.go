package serial

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/carousel-sim/carousel/traces"
)

const dinBytes = 4

// Din imports the formats of the cache simulator Dinero.
//
// A line of the traditional format (d) is a label, 0 for a read, 1 for a write, 2 for an instruction
// fetch, 3 and 4 for an escape and a flush, which are left out, and an address in hexadecimal. One of
// the extended format (D) is a letter, r, w, i, m for a read of another kind, c and v for copy-back
// and invalidation, which are left out, an address and a size, both in hexadecimal (Dinero IV,
// dinfmt.c and xdinfmt.c). What follows is a comment.
//
// The traditional format has no sizes. Every access is taken as 4 bytes, Dinero's own word.
func Din(paths []string, c traces.ImportConfig, to traces.Destination) (traces.Imported, error) {
	return importAs("din 1", din, paths, c, to, "every access without a size is taken as 4 bytes")
}

func din(c *core, words [][]byte) string {
	size, extended := []byte(strconv.Itoa(dinBytes)), one(words[0], "rwimcv")
	if len(words) < 2 || !extended && !one(words[0], "01234") {
		return fmt.Sprintf("%.40q is not a label from 0 to 4 and an address, and not one of r, w, i, m, c, v with an address and a size", bytes.Join(words, []byte(" ")))
	}
	if extended {
		if len(words) < 3 {
			return fmt.Sprintf("%.40q has no size; the extended format is a letter, an address and a size", bytes.Join(words, []byte(" ")))
		}
		size = words[2]
	}
	address, bytes, problem := place(words[1], size, 16)
	if problem != "" {
		return problem
	}
	switch words[0][0] {
	case '0', 'r', 'm':
		c.data(address, bytes, traces.Load)
	case '1', 'w':
		c.data(address, bytes, traces.Store)
	case '2', 'i':
		c.instruction()
		c.fetch(address, bytes)
	default:
		c.N[others]++
	}
	return ""
}

// DinDoubt says why a file that begins like this may be a CPU trace of Ramulator instead, whose lines
// are a count and one or two addresses in decimal, usually of lines of 64 bytes. It returns "" where
// an address has a hexadecimal digit, or where few lines have other addresses than those of lines.
func DinDoubt(head []byte) string {
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
