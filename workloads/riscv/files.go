package riscv

import (
	"encoding/binary"
	"fmt"
	"io/fs"
	"math"
	"strings"
)

// file is what a descriptor stands for. Descriptors that are copies of each other share one.
type file struct {
	*node
	at     uint64
	writes bool
}

// mostOpen is how many descriptors a program may have.
const mostOpen = 1024

// mostBytes is how many bytes one call reads or writes.
const mostBytes = math.MaxInt32 &^ (pageBytes - 1)

// standardFiles are standard input, which is empty, standard output and standard error.
func standardFiles() map[uint64]*file {
	terminal := &node{mode: fs.ModeDevice | fs.ModeCharDevice}
	return map[uint64]*file{0: {node: terminal}, 1: {node: terminal, writes: true}, 2: {node: terminal, writes: true}}
}

// find returns what a path leads to, from the folder that a descriptor stands for, and an error of
// Linux otherwise. "/" is the folder of the program's files, and so is the current folder.
func (m *Machine) find(number, address uint64, follow bool) (*node, int64) {
	const current = -100
	text, failed := m.memory.text(address)
	from := "."
	switch f := m.files[number]; {
	case failed != 0:
		return nil, failed
	case strings.HasPrefix(text, "/") || int32(number) == current || text == "":
	case f == nil:
		return nil, badFile
	case !f.mode.IsDir():
		return nil, noFolder
	default:
		from = f.path
	}
	return m.program.files.find(from, text, follow)
}

// Flags of open.
const (
	openWrites   = 3
	openCreates  = 0x40
	openNew      = 0x80
	openEmpties  = 0x200
	openFolders  = 0x10000
	openNoLink   = 0x20000
	accessWrites = 2
	accessRuns   = 1
)

// open opens a file or a folder for reading.
func (m *Machine) open(h *hart, number, address, flags uint64) uint64 {
	n, failed := m.find(number, address, flags&openNoLink == 0)
	switch {
	case failed == noEntry && flags&openCreates != 0:
		return errno(readOnlyDisk)
	case failed != 0:
		return errno(failed)
	case flags&(openCreates|openNew) == openCreates|openNew:
		return errno(exists)
	case n.mode&fs.ModeSymlink != 0:
		return errno(tooManyLinks)
	case n.mode.IsDir() && flags&(openCreates|openWrites) != 0:
		return errno(isFolder)
	case !n.mode.IsDir() && flags&openFolders != 0:
		return errno(noFolder)
	case flags&(openWrites|openEmpties) != 0:
		return errno(readOnlyDisk)
	case !n.mode.IsDir() && !n.mode.IsRegular():
		m.fail(h, "replace it by a file", "it opens %q of its folder, which is neither a file nor a folder", n.path)
		return 0
	}
	return m.number(&file{node: n}, 0)
}

// number gives a file the lowest descriptor that is free, from one on.
func (m *Machine) number(f *file, from uint64) uint64 {
	for ; from < mostOpen; from++ {
		if m.files[from] == nil {
			m.files[from] = f
			return from
		}
	}
	return errno(tooManyFiles)
}

// access answers whether a program may read, write or execute something.
func (m *Machine) access(number, address, how uint64) uint64 {
	n, failed := m.find(number, address, true)
	switch {
	case failed != 0:
		return errno(failed)
	case how&accessWrites != 0:
		return errno(readOnlyDisk)
	case how&accessRuns != 0 && !n.mode.IsDir():
		return errno(noAccess)
	}
	return 0
}

func (m *Machine) close(number uint64) uint64 {
	if m.files[number] == nil {
		return errno(badFile)
	}
	delete(m.files, number)
	return 0
}

// duplicate makes another descriptor of a file, with a number of the program's choice.
func (m *Machine) duplicate(number, other uint64) uint64 {
	f := m.files[number]
	switch {
	case f == nil || other >= mostOpen:
		return errno(badFile)
	case number == other:
		return errno(badArgument)
	}
	m.files[other] = f
	return other
}

// control answers fcntl.
func (m *Machine) control(h *hart, number, command, argument uint64) uint64 {
	const duplicates, closes, setCloses, flags, setFlags, duplicateCloses = 0, 1, 2, 3, 4, 1030
	const large = 0x8000 // as Linux says of all files
	f := m.files[number]
	if f == nil {
		return errno(badFile)
	}
	switch command {
	case duplicates, duplicateCloses:
		if argument >= mostOpen {
			return errno(badArgument)
		}
		return m.number(f, argument)
	case closes, setCloses, setFlags: // for programs that this one starts, or of no effect
		return 0
	case flags:
		return large | truth(f.writes)
	}
	m.fail(h, "leave it out", "fcntl with command %d is not supported", command)
	return 0
}

// readNode reads a part of a file that is inside it, or ends the program.
func (m *Machine) readNode(n *node, into []byte, at uint64) {
	if err := m.program.files.read(n, into, at); err != nil {
		m.fail(nil, "start the command again", "its file %q cannot be read: %v", n.path, err)
	}
}

// someBytes is how many bytes are copied at once.
const someBytes = 64 << 10

// readFile reads from a file, at its position or at another one. Standard input is empty.
func (m *Machine) readFile(number, address, bytes uint64, position *uint64) (n uint64) {
	f := m.files[number]
	switch {
	case f == nil || f.writes:
		return errno(badFile)
	case position != nil && f.mode&fs.ModeDevice != 0:
		return errno(seekPipe)
	case position != nil && int64(*position) < 0:
		return errno(badArgument)
	case int64(bytes) < 0:
		return errno(badAddress)
	case f.mode.IsDir():
		return errno(isFolder)
	}
	at := &f.at
	if position != nil {
		at = new(uint64)
		*at = *position
	}
	bytes = min(bytes, mostBytes, f.size-min(*at, f.size))
	part := make([]byte, min(bytes, someBytes))
	for n < bytes && m.fault == nil {
		part = part[:min(bytes-n, someBytes)]
		m.readNode(f.node, part, *at)
		done := m.copyIn(address+n, part)
		n, *at = n+done, *at+done
		if done < uint64(len(part)) {
			break
		}
	}
	if n == 0 && bytes > 0 {
		return errno(badAddress)
	}
	return n
}

// writeFile writes to standard output or standard error.
func (m *Machine) writeFile(number, address, bytes uint64) (n uint64) {
	f := m.files[number]
	switch {
	case f == nil || !f.writes:
		return errno(badFile)
	case int64(bytes) < 0:
		return errno(badAddress)
	}
	bytes = min(bytes, mostBytes)
	part := make([]byte, min(bytes, someBytes))
	for n < bytes && m.fault == nil {
		b := part[:min(bytes-n, someBytes)]
		b = b[:m.memory.copyOut(address+n, b)]
		if len(b) == 0 {
			break
		}
		n += uint64(len(b))
		m.keep(b)
		if out := m.program.Config.Output; out != nil {
			if _, err := out.Write(b); err != nil {
				m.fail(nil, "give it a place that can be written", "its output cannot be written: %v", err)
			}
		}
	}
	if n == 0 && bytes > 0 {
		return errno(badAddress)
	}
	return n
}

// mostOutput is how much of what it has written a machine keeps: the latest bytes.
const mostOutput = 64 << 10

// keep notes what the program writes.
func (m *Machine) keep(b []byte) {
	if m.output = append(m.output, b...); len(m.output) > 2*mostOutput {
		m.output = m.output[:copy(m.output, m.output[len(m.output)-mostOutput:])]
	}
}

// Output returns what the program has written to standard output and standard error: of a long text
// the last 64 KB.
func (m *Machine) Output() string {
	return strings.ToValidUTF8(string(m.output[max(0, len(m.output)-mostOutput):]), "\ufffd")
}

// wrote is the end of the output for an error; "" if there is none, or if it is shown elsewhere.
func (m *Machine) wrote() string {
	text := strings.TrimSpace(m.Output())
	if text == "" || m.program.Config.Output != nil {
		return ""
	}
	return fmt.Sprintf("; its output ends with %q", text[max(0, len(text)-200):])
}

// vector does a call for each part of a vector, up to the first that falls short.
func (m *Machine) vector(a [6]uint64, do func(address, bytes uint64) uint64) (total uint64) {
	const most = 1024
	if m.files[a[0]] == nil {
		return errno(badFile)
	}
	if a[2] > most {
		return errno(badArgument)
	}
	parts := make([][2]uint64, a[2])
	for i := range parts {
		var ok1, ok2 bool
		parts[i][0], ok1 = m.memory.read(a[1]+16*uint64(i), 3)
		parts[i][1], ok2 = m.memory.read(a[1]+16*uint64(i)+8, 3)
		switch {
		case !ok1 || !ok2:
			return errno(badAddress)
		case int64(parts[i][1]) < 0:
			return errno(badArgument)
		}
	}
	for _, p := range parts {
		n := do(p[0], min(p[1], mostBytes-total))
		if int64(n) < 0 {
			if total == 0 {
				return n
			}
			break
		}
		if total += n; n < p[1] {
			break
		}
	}
	return total
}

// seek moves the position of a file.
func (m *Machine) seek(number uint64, offset int64, from uint64) uint64 {
	const here, end, data, hole = 1, 2, 3, 4
	f := m.files[number]
	switch {
	case f == nil:
		return errno(badFile)
	case from > hole:
		return errno(badArgument)
	case f.mode&fs.ModeDevice != 0:
		return errno(seekPipe)
	case from >= data && uint64(offset) >= f.size:
		return errno(noSuchPlace)
	}
	switch from {
	case here:
		offset += int64(f.at)
	case end:
		offset += int64(f.size)
	case hole:
		offset = int64(f.size)
	}
	if offset < 0 {
		return errno(badArgument)
	}
	f.at = uint64(offset)
	return f.at
}

// stat describes a file: a terminal for standard input and output, which makes C libraries write
// line by line.
func (m *Machine) stat(n *node, address uint64) uint64 {
	mode := uint32(0o020620)
	switch {
	case n.mode.IsDir():
		mode = 0o040555
	case n.mode.IsRegular():
		mode = 0o100444
	case n.mode&fs.ModeSymlink != 0:
		mode = 0o120777
	case n.path != "":
		m.fail(nil, "replace it by a file", "it looks at %q of its folder, which is neither a file nor a folder", n.path)
	}
	var b [128]byte
	binary.LittleEndian.PutUint64(b[8:], n.number)
	binary.LittleEndian.PutUint32(b[16:], mode)
	binary.LittleEndian.PutUint32(b[20:], 1) // links
	binary.LittleEndian.PutUint64(b[48:], n.size)
	binary.LittleEndian.PutUint32(b[56:], pageBytes)
	binary.LittleEndian.PutUint64(b[64:], (n.size+511)/512)
	return m.put(address, b[:], 0)
}

func (m *Machine) statFile(number, address uint64) uint64 {
	f := m.files[number]
	if f == nil {
		return errno(badFile)
	}
	return m.stat(f.node, address)
}

// statPath describes a file by its path, or an open one where the path may be empty and is.
func (m *Machine) statPath(a [6]uint64) uint64 {
	const noFollow, mayBeEmpty = 0x100, 0x1000
	if text, failed := m.memory.text(a[1]); failed == 0 && text == "" && a[3]&mayBeEmpty != 0 {
		return m.statFile(a[0], a[2])
	}
	n, failed := m.find(a[0], a[1], a[3]&noFollow == 0)
	if failed != 0 {
		return errno(failed)
	}
	return m.stat(n, a[2])
}

// readLink gives the text of a link.
func (m *Machine) readLink(a [6]uint64) uint64 {
	n, failed := m.find(a[0], a[1], false)
	switch {
	case int32(a[3]) <= 0:
		return errno(badArgument)
	case failed != 0:
		return errno(failed)
	case n.mode&fs.ModeSymlink == 0:
		return errno(badArgument)
	}
	text := n.link[:min(uint64(len(n.link)), a[3])]
	return m.put(a[2], []byte(text), uint64(len(text)))
}
