// Package accesslist imports text traces that list accesses, one or two in a line: those of Pin's
// example pinatrace, and the inputs of the memory simulators Ramulator and DRAMSim. Each file is a
// program.
//
//	pinatrace   0x401000: R 0x7ffd1000        instruction, R or W, address; "#eof" ends the file
//	ramulator   3 20734016 20841280           instructions without access, then a load, perhaps a write-back; decimal
//	dramtrace   0x12345680 R                  Ramulator's DRAM trace: address, R or W
//	dramtrace   0x7d00 P_MEM_WR 60            DRAMSim2's: address, kind, and a cycle or data
//
// DRAMSim2 has kinds of its own in each of its three sorts of traces; dramKinds takes them as its
// TraceBasedSim.cpp does. What follows a kind, a cycle or data, is left out. (Pin's pinatrace.cpp;
// README.md of CMU-SAFARI/ramulator; TraceBasedSim.cpp of umd-memsys/DRAMSim2.)
//
// None of the formats has sizes: accesses of pinatrace are taken as 8 bytes, those of the others as
// lines of 64. Of pinatrace, an instruction begins where the address differs from that of the line
// before. In a DRAM trace every access counts as an instruction.
//
// There is a function for each format; package serial has the loop and the rules.
package accesslist

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/serial"
)

const pinBytes = 8

// ImportPin reads one file of pinatrace per core.
func ImportPin(paths []string, c traces.ImportConfig, to traces.Destination) (traces.Imported, error) {
	return serial.Import(serial.Format{Version: "pinatrace 1", Line: pin, Notes: []string{"every access is taken as 8 bytes: the format has no sizes"}}, paths, c, to)
}

func pin(text []byte, c *serial.Core) string {
	fields := bytes.Fields(text)
	if len(fields) == 0 || text[0] == '#' {
		c.Skip()
		return ""
	}
	instruction, found := bytes.CutSuffix(fields[0], []byte(":"))
	if len(fields) != 3 || !found || len(fields[1]) != 1 || fields[1][0] != 'R' && fields[1][0] != 'W' {
		return fmt.Sprintf("%.60q is not an instruction's address with a colon, R or W, and an address", text)
	}
	pc, problem := prefixed(instruction, 1)
	if problem != "" {
		return problem
	}
	address, problem := prefixed(fields[2], pinBytes)
	if problem != "" {
		return problem
	}
	if c.Begins(pc) {
		c.Instruction()
		c.Fetch(pc, 1)
	}
	kind := traces.Load
	if fields[1][0] == 'W' {
		kind = traces.Store
	}
	c.Access(kind, address, pinBytes)
	return ""
}

// prefixed reads the address, in hexadecimal after 0x, of an access of some bytes.
func prefixed(text []byte, bytes uint64) (address uint64, problem string) {
	address, err := strconv.ParseUint(string(text), 0, 64)
	if len(text) < 3 || string(text[:2]) != "0x" || err != nil || address+bytes-1 < address {
		return 0, fmt.Sprintf("%.40q is not an address in hexadecimal after 0x", text)
	}
	return address, ""
}

const lineNote = "every access is taken as a line of 64 bytes: the format has no sizes"

// ImportRamulator reads one CPU trace of Ramulator per core.
func ImportRamulator(paths []string, c traces.ImportConfig, to traces.Destination) (traces.Imported, error) {
	return serial.Import(serial.Format{Version: "ramulator 1", Line: ramulator, Notes: []string{lineNote}}, paths, c, to)
}

func ramulator(text []byte, c *serial.Core) string {
	fields := bytes.Fields(text)
	if len(fields) == 0 {
		c.Skip()
		return ""
	}
	var numbers [3]uint64
	for i, f := range fields {
		v, err := strconv.ParseUint(string(f), 10, 64)
		if err != nil || len(fields) < 2 || len(fields) > 3 || i == 0 && v > 1<<31 {
			return fmt.Sprintf("%.60q is not a count of instructions and one or two addresses in decimal", text)
		}
		numbers[i] = v
	}
	c.Execute(numbers[0])
	c.Instruction()
	c.Access(traces.Load, numbers[1]&^(traces.LineBytes-1), traces.LineBytes)
	if len(fields) == 3 {
		c.Access(traces.Store, numbers[2]&^(traces.LineBytes-1), traces.LineBytes)
	}
	return ""
}

// Doubt says that any table of two or three numbers can be read as a CPU trace of Ramulator.
func Doubt([]byte) string {
	return "its lines can be those of a CPU trace of Ramulator (--from ramulator), but also other numbers"
}

// ImportDRAM reads one DRAM trace of Ramulator or DRAMSim per core.
func ImportDRAM(paths []string, c traces.ImportConfig, to traces.Destination) (traces.Imported, error) {
	return serial.Import(serial.Format{Version: "dramtrace 1", Line: dram, Notes: []string{lineNote, "times of accesses left out"}}, paths, c, to)
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

func dram(text []byte, c *serial.Core) string {
	fields := bytes.Fields(text)
	if len(fields) == 0 {
		c.Skip()
		return ""
	}
	if len(fields) < 2 || len(fields) > 3 {
		return fmt.Sprintf("%.60q is not an address, a kind and perhaps a cycle or data", text)
	}
	kind, known := dramKinds[string(fields[1])]
	if !known {
		return fmt.Sprintf("%.40q is none of the kinds %s", fields[1], strings.Join(slices.Sorted(maps.Keys(dramKinds)), ", "))
	}
	what, digits := "a cycle", "0123456789"
	if k := string(fields[1]); k == "read" || k == "write" {
		what, digits = "data in hexadecimal", "0123456789abcdefABCDEF"
	}
	if len(fields) == 3 && strings.Trim(string(fields[2]), digits) != "" {
		return fmt.Sprintf("%.40q is not %s", fields[2], what)
	}
	address, problem := prefixed(fields[0], 1)
	if problem != "" {
		return problem
	}
	if address &^= traces.LineBytes - 1; kind == traces.Fetch {
		c.Instruction()
		c.Fetch(address, traces.LineBytes)
	} else {
		c.Instruction()
		c.Access(kind, address, traces.LineBytes)
	}
	return ""
}
