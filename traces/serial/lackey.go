package serial

import (
	"bytes"
	"fmt"

	"github.com/carousel-sim/carousel/traces"
)

// Lackey imports the output of Valgrind's tool lackey with --trace-mem=yes.
//
// A line is a letter, an address in hexadecimal, a comma and a size in bytes: "I 04001000,3" an
// instruction, " L 1ffeff7e0,8" a load, " S" a store, " M" a load and a store of the same place by
// one instruction. An instruction's line precedes those of its accesses. Lines that begin with ==12==
// or --12-- are those of Valgrind itself in process 12, and "SB 4001000" names a superblock
// (--trace-superblocks=yes); both are left out. Lines of anything else, such as what the program prints, are
// counted and left out, up to half of the lines. Threads are one after another without a mark, so that a file is
// one core. Processes have no mark either: a file with lines of several is refused.
func Lackey(paths []string, c traces.ImportConfig, to traces.Destination) (traces.Imported, error) {
	return importAs("lackey 1", lackey, paths, c, to, "threads of a program are one core's stream, as Valgrind ran them")
}

func lackey(c *core, words [][]byte) string {
	if process := valgrinds(words[0]); process != "" {
		if c.skip(); c.process != "" && process != c.process && !c.Anyway {
			return fmt.Sprintf("a line of process %s in the file of process %s; record each into a file of its own, as valgrind --log-file=NAME.%%p does", process, c.process)
		}
		c.process = process
		return ""
	}
	if len(words) == 2 && string(words[0]) == "SB" || bytes.HasPrefix(words[0], []byte("==")) || bytes.HasPrefix(words[0], []byte("--")) {
		c.skip()
		return ""
	}
	if len(words) != 2 || !one(words[0], "ILSM") {
		return c.foreign(fmt.Sprintf("%.40q is not I, L, S or M with an address and a size", bytes.Join(words, []byte(" "))))
	}
	where, length, _ := bytes.Cut(words[1], []byte(","))
	address, size, problem := place(where, length, 10)
	if problem != "" {
		return problem
	}
	switch words[0][0] {
	case 'I':
		c.instruction()
		c.fetch(address, size)
	case 'L':
		c.data(address, size, traces.Load)
	case 'S':
		c.data(address, size, traces.Store)
	case 'M':
		c.data(address, size, traces.Load, traces.Store)
	}
	return ""
}

// valgrinds returns the number of the process in a word such as ==12==, or "".
func valgrinds(word []byte) string {
	for _, mark := range []string{"==", "--"} {
		number, found := bytes.CutPrefix(word, []byte(mark))
		if number, ends := bytes.CutSuffix(number, []byte(mark)); found && ends && len(bytes.Trim(number, "0123456789")) == 0 {
			return string(number)
		}
	}
	return ""
}
