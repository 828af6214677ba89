package serial

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/assemble"
)

// The formats below list accesses, one or two in a line.
//
//	pinatrace   0x401000: R 0x7ffd1000        instruction, R or W, address; "#eof" ends the file
//	pinatrace   0x401000: R 0x7ffd1000 8 0x5  the same with a size and, but for prefetches, the value, in hexadecimal
//	ramulator   3 20734016 20841280           instructions without access, then a load, perhaps a write-back; decimal
//	dramtrace   0x12345680 R                  Ramulator's DRAM trace: address, R or W
//	dramtrace   0x7d00 P_MEM_WR 60            DRAMSim2's: address, kind, and a cycle or data
//
// Accesses of pinatrace without a size are taken as 8 bytes, those of the others as lines of 64.

const pinBytes = 8

// Pin imports the output of Pin's example pinatrace: without sizes that of source/tools/ManualExamples, with sizes that
// of source/tools/SimpleExamples. An instruction begins where the address differs from that of the line before. A file
// has one process, and its threads without a mark.
func Pin(paths []string, c traces.ImportConfig, to traces.Destination) (traces.Imported, error) {
	return importAs("pinatrace 1", pin, paths, c, to, "every access without a size is taken as 8 bytes")
}

func pin(c *core, words [][]byte) string {
	if words[0][0] == '#' {
		c.ended = c.ended || string(words[0]) == "#eof"
		c.skip()
		return ""
	}
	instruction, found := bytes.CutSuffix(words[0], []byte(":"))
	switch {
	case c.ended:
		return `an access follows "#eof": the file holds several recordings; import each from a file of its own`
	case len(words) < 3 || len(words) > 5 || !found || !one(words[1], "RW"):
		return fmt.Sprintf("%.60q is not an instruction's address with a colon, R or W, an address, and perhaps a size and a value", bytes.Join(words, []byte(" ")))
	}
	size := uint64(pinBytes)
	if len(words) > 3 {
		n, err := strconv.ParseUint(string(words[3]), 10, 64)
		if err != nil || n == 0 || n > assemble.LimitBytes {
			return fmt.Sprintf("%.40q is not a size from 1 to %d bytes", words[3], assemble.LimitBytes)
		}
		size = n
	}
	if len(words) > 4 && strings.Trim(string(digits(words[4])), "0123456789abcdefABCDEF") != "" {
		return fmt.Sprintf("%.40q is not a value in hexadecimal", words[4])
	}
	c.valued = c.valued || len(words) > 4
	pc, problem := prefixed(instruction, 1)
	if problem != "" {
		return problem
	}
	address, problem := prefixed(words[2], size)
	if problem != "" {
		return problem
	}
	if c.begins(pc) {
		c.instruction()
		c.fetch(pc, 1)
	}
	kind := traces.Load
	if words[1][0] == 'W' {
		kind = traces.Store
	}
	c.access(kind, address, size)
	return ""
}

// prefixed reads the address, in hexadecimal after 0x, of an access of some bytes. Null pointers are 0 or (nil).
func prefixed(text []byte, bytes uint64) (address uint64, problem string) {
	if s := string(text); s == "(nil)" || s == "0" {
		return 0, ""
	}
	address, err := strconv.ParseUint(string(digits(text)), 16, 64)
	if len(digits(text)) == len(text) || err != nil || address+bytes-1 < address {
		return 0, fmt.Sprintf("%.40q is not an address in hexadecimal after 0x", text)
	}
	return address, ""
}

const lineNote = "every access is taken as a line of 64 bytes: the format has no sizes"

// Ramulator imports CPU traces of Ramulator (README.md of CMU-SAFARI/ramulator).
func Ramulator(paths []string, c traces.ImportConfig, to traces.Destination) (traces.Imported, error) {
	return importAs("ramulator 1", ramulator, paths, c, to, lineNote)
}

func ramulator(c *core, words [][]byte) string {
	var numbers [3]uint64
	for i, w := range words {
		v, err := strconv.ParseUint(string(w), 10, 64)
		if err != nil || len(words) < 2 || len(words) > 3 || i == 0 && v > 1<<31 {
			return fmt.Sprintf("%.60q is not a count of instructions and one or two addresses in decimal", bytes.Join(words, []byte(" ")))
		}
		numbers[i] = v
	}
	c.N[executed] += c.Execute(numbers[0])
	c.instruction()
	c.access(traces.Load, numbers[1]&^(traces.LineBytes-1), traces.LineBytes)
	if len(words) == 3 {
		c.access(traces.Store, numbers[2]&^(traces.LineBytes-1), traces.LineBytes)
	}
	return ""
}

// RamulatorDoubt says that any table of two or three numbers can be read as a CPU trace of Ramulator.
func RamulatorDoubt([]byte) string {
	return "its lines can be those of a CPU trace of Ramulator (--from ramulator), but also other numbers"
}

// DRAM imports DRAM traces of Ramulator and of DRAMSim2, which has kinds of its own in each of its three
// sorts of traces (TraceBasedSim.cpp of umd-memsys/DRAMSim2). What follows a kind, a cycle or data, is
// left out. Every access counts as an instruction.
func DRAM(paths []string, c traces.ImportConfig, to traces.Destination) (traces.Imported, error) {
	return importAs("dramtrace 1", dram, paths, c, to, lineNote, "times of accesses left out")
}

// dramKinds are the kinds of Ramulator, and those of the traces mase, k6 and misc of DRAMSim2. It reads
// memory for P_LOCK_WR, too.
var dramKinds = map[string]traces.Kind{
	"R": traces.Load, "W": traces.Store,
	"READ": traces.Load, "WRITE": traces.Store, "IFETCH": traces.Fetch,
	"P_MEM_RD": traces.Load, "P_MEM_WR": traces.Store, "P_FETCH": traces.Fetch, "BOFF": traces.Store,
	"P_LOCK_RD": traces.Load, "P_LOCK_WR": traces.Load,
	"read": traces.Load, "write": traces.Store,
}

func dram(c *core, words [][]byte) string {
	if len(words) < 2 || len(words) > 3 {
		return fmt.Sprintf("%.60q is not an address, a kind and perhaps a cycle or data", bytes.Join(words, []byte(" ")))
	}
	kind, known := dramKinds[string(words[1])]
	if !known {
		return fmt.Sprintf("%.40q is none of the kinds %s", words[1], strings.Join(slices.Sorted(maps.Keys(dramKinds)), ", "))
	}
	what, digits := "a cycle", "0123456789"
	if k := string(words[1]); k == "read" || k == "write" {
		what, digits = "data in hexadecimal", "0123456789abcdefABCDEF"
	}
	if len(words) == 3 && strings.Trim(string(words[2]), digits) != "" {
		return fmt.Sprintf("%.40q is not %s", words[2], what)
	}
	address, problem := prefixed(words[0], 1)
	if problem != "" {
		return problem
	}
	c.instruction()
	if address &^= traces.LineBytes - 1; kind == traces.Fetch {
		c.fetch(address, traces.LineBytes)
	} else {
		c.access(kind, address, traces.LineBytes)
	}
	return ""
}
