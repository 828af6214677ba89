// Package serial imports text traces whose lines name the accesses of one program, in program order: one
// file per core.
//
// There is one function for each format: [Lackey], [Din], [Pin], [Ramulator] and [DRAM]. A format is a
// function that turns a line into calls of a core; the loop is (*core).step.
//
// Rules:
//
//   - Every file is a program of its own address space; there are no edges. Virtual pages get
//     physical frames in order of first touch, file by file.
//   - A fetch is a record where its line differs from that of the fetch before. Up to the first fetch of a file,
//     every access counts as an instruction, so that a trace of data alone has a time.
//   - An access becomes as few aligned-by-line pieces of 1, 2, 4, ... 64 bytes as cover it exactly;
//     pieces after the first have Instructions 0.
//   - Files may be compressed in any way that package packed reads. Errors name the line and its
//     byte offset, decompressed.
//
// To add a format of this kind, write its function, and a line in traces/formats.
package serial

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/assemble"
	"github.com/carousel-sim/carousel/traces/packed"
)

// What is counted.
const (
	executed = iota
	fetches
	loads
	stores
	skips
	strangers
	others
)

var counts = []string{"instructions read", "fetches", "loads", "stores", "lines without an access", "lines of something else, left out", "flushes, copy-backs and the like, left out"}

// format is what a line means. It takes the line's words and returns what is wrong with them, or "".
type format func(c *core, words [][]byte) (problem string)

func importAs(version string, line format, paths []string, c traces.ImportConfig, to traces.Destination, notes ...string) (traces.Imported, error) {
	return assemble.Frame{Version: version, Notes: append([]string{"programs are independent: no edges"}, notes...), Counts: counts,
		Open: func(k *assemble.Core) (func() error, error) {
			own := &core{Core: k, lines: k.In.Lines(), line: line}
			return own.step, nil
		}}.Import(paths, c, to)
}

// core is a file that is read.
type core struct {
	*assemble.Core
	lines   packed.Lines
	line    format
	pc      uint64 // of the line before
	process string // that has written lines of its own
	counted bool   // an access has counted as an instruction
	valued  bool   // an access has a value
	ended   bool   // the format says that nothing follows
	over    bool   // the instruction beyond the limit has begun
	first   *traces.Error
	problem string // what the builder says first of an access
}

func (c *core) step() error {
	if c.over {
		return c.end(nil)
	}
	text, err := c.lines.Text()
	if err != nil || text == nil {
		return c.end(err)
	}
	words := bytes.Fields(text)
	if len(words) == 0 {
		c.skip()
		return nil
	}
	problem := c.line(c, words)
	if problem == "" {
		problem = c.problem
	}
	if problem != "" {
		return c.lines.Fault(traces.ErrIllegal, problem)
	}
	return nil
}

// end returns why the file ends: io.EOF, or what is wrong with it as a whole.
func (c *core) end(err error) error {
	taken := c.N[fetches] + c.N[loads] + c.N[stores]
	if n := c.N[strangers]; n > taken && (err == nil || errors.Is(err, traces.ErrHead)) {
		c.first.Hint = fmt.Sprintf("%d of %d lines are of something else; let the tool write to a file of its own, as valgrind --log-file does", n, n+taken)
		return c.first
	}
	if err != nil {
		return err
	}
	if c.valued {
		c.Note("values of accesses left out")
	}
	if c.counted {
		c.Note(fmt.Sprintf("no instructions in %s: every access counts as one", filepath.Base(c.In.Name)))
	}
	return io.EOF
}

// instruction counts an instruction; its accesses follow.
func (c *core) instruction() {
	if c.over = c.Full(); !c.over {
		c.N[executed] += c.Execute(1)
	}
}

// begins reports whether the address of an instruction differs from that of the line before.
func (c *core) begins(pc uint64) bool {
	before := c.pc
	c.pc = pc
	return c.N[fetches] == 0 || pc != before
}

// data takes a data access, or a load and a store, by one instruction.
func (c *core) data(address, size uint64, kinds ...traces.Kind) {
	if c.N[fetches] == 0 {
		c.instruction()
		c.counted = true
	}
	for _, kind := range kinds {
		c.access(kind, address, size)
	}
}

// skip counts a line that holds nothing to import.
func (c *core) skip() { c.N[skips]++ }

// foreign counts a line that something else has written, such as the traced program. problem says
// what is wrong with it. A file may have at most as many of them as lines of its format.
func (c *core) foreign(problem string) string {
	if c.N[strangers]++; c.first == nil {
		c.first = c.lines.Fault(traces.ErrIllegal, problem)
	}
	return ""
}

// fetch takes the fetch of an instruction's bytes.
func (c *core) fetch(address, size uint64) {
	if !c.over && c.problem == "" {
		c.N[fetches]++
		c.problem = c.Fetch(address, size)
	}
}

func (c *core) access(kind traces.Kind, address, size uint64) {
	if !c.over && c.problem == "" {
		if kind == traces.Store {
			c.N[stores]++
		} else {
			c.N[loads]++
		}
		c.problem = c.Access(traces.Record{Kind: kind, Address: address}, size)
	}
}

// place reads an address in hexadecimal, and a size in a base, of an access that a program can make. If both are
// hexadecimal, each may have 0x before it.
func place(where, length []byte, base int) (address, size uint64, problem string) {
	form := "%.40q is not a size from 1 to %d bytes that fits the address space"
	if base == 16 {
		where, length, form = digits(where), digits(length), "%.40q is not a size from 1 to %#x in hexadecimal that fits the address space"
	}
	address, err := strconv.ParseUint(string(where), 16, 64)
	if err != nil {
		return 0, 0, fmt.Sprintf("%.40q is not an address in hexadecimal", where)
	}
	size, err = strconv.ParseUint(string(length), base, 64)
	if err != nil || size == 0 || size > assemble.LimitBytes || address+size-1 < address {
		return 0, 0, fmt.Sprintf(form, length, assemble.LimitBytes)
	}
	return address, size, ""
}

// digits drops 0x from a number.
func digits(text []byte) []byte {
	return bytes.TrimPrefix(bytes.TrimPrefix(text, []byte("0x")), []byte("0X"))
}

// one reports whether a word is one of some letters.
func one(word []byte, letters string) bool {
	return len(word) == 1 && slices.Contains([]byte(letters), word[0])
}
