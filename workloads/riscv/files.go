package riscv

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// file is an open file of the program's folder.
type file struct {
	content []byte
	at      uint64
	folder  bool
}

// look answers whether there is a file.
func (m *Machine) look(address uint64) uint64 {
	opened := m.open(address, 0)
	if int64(opened) < 0 {
		return opened
	}
	return m.close(opened)
}

// open opens a file of the program's folder for reading; "/x" and "x" are the same.
func (m *Machine) open(address, flags uint64) uint64 {
	if flags&3 != 0 {
		return errno(readOnlyDisk)
	}
	text, ok := m.memory.text(address)
	if !ok || m.program.files == nil {
		return errno(noEntry)
	}
	name := cmp.Or(strings.TrimPrefix(path.Clean("/"+text), "/"), ".")
	about, err := fs.Stat(m.program.files, name)
	if err != nil {
		return errno(noEntry)
	}
	f := &file{folder: about.IsDir()}
	if !f.folder {
		if f.content, err = fs.ReadFile(m.program.files, name); err != nil {
			return errno(noEntry)
		}
	}
	number := uint64(3)
	for m.files[number] != nil {
		number++
	}
	m.files[number] = f
	return number
}

func (m *Machine) close(number uint64) uint64 {
	if m.files[number] == nil && number > 2 {
		return errno(badFile)
	}
	delete(m.files, number)
	return 0
}

// readFile reads from a file, at its position or at another one. Standard input is empty.
func (m *Machine) readFile(number, address, bytes uint64, position *uint64) uint64 {
	f := m.files[number]
	switch {
	case f == nil && number == 0:
		return 0
	case f == nil:
		return errno(badFile)
	}
	at := f.at
	if position != nil {
		at = *position
	}
	if at >= uint64(len(f.content)) {
		return 0
	}
	part := f.content[at:]
	part = part[:min(uint64(len(part)), bytes)]
	n := m.put(address, part, uint64(len(part)))
	if position == nil && int64(n) > 0 {
		f.at += n
	}
	return n
}

// writeFile writes to standard output or standard error.
func (m *Machine) writeFile(number, address, bytes uint64) uint64 {
	if number != 1 && number != 2 {
		return errno(badFile)
	}
	b, ok := m.memory.copyOut(address, bytes)
	if !ok {
		return errno(badAddress)
	}
	m.keep(b)
	if out := m.program.Config.Output; out != nil {
		if _, err := out.Write(b); err != nil {
			m.fail(nil, "give it a place that can be written", "its output cannot be written: %v", err)
		}
	}
	return bytes
}

// mostOutput is how much of what it has written a machine keeps: the latest bytes.
const mostOutput = 64 << 10

// keep notes what the program writes.
func (m *Machine) keep(b []byte) {
	if m.output = append(m.output, b...); len(m.output) > 2*mostOutput {
		m.output = slices.Clone(m.output[len(m.output)-mostOutput:])
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
	for i := range min(a[2], 1024) {
		address, ok1 := m.memory.read(a[1]+16*i, 3)
		bytes, ok2 := m.memory.read(a[1]+16*i+8, 3)
		if !ok1 || !ok2 {
			return errno(badAddress)
		}
		n := do(address, bytes)
		if int64(n) < 0 {
			return n
		}
		if total += n; n < bytes {
			break
		}
	}
	return total
}

func (m *Machine) seek(number uint64, offset int64, from uint64) uint64 {
	f := m.files[number]
	if f == nil {
		return errno(seekPipe)
	}
	switch from {
	case 1:
		offset += int64(f.at)
	case 2:
		offset += int64(len(f.content))
	}
	if offset < 0 {
		return errno(badArgument)
	}
	f.at = uint64(offset)
	return f.at
}

// stat describes an open file: a terminal for standard input and output, which makes C libraries
// write line by line.
func (m *Machine) stat(number, address uint64) uint64 {
	const terminal, regular, folder = 0o020620, 0o100444, 0o040555
	mode, size := uint32(terminal), uint64(0)
	if f := m.files[number]; f != nil {
		mode, size = regular, uint64(len(f.content))
		if f.folder {
			mode = folder
		}
	} else if number > 2 {
		return errno(badFile)
	}
	var b [128]byte
	binary.LittleEndian.PutUint32(b[16:], mode)
	binary.LittleEndian.PutUint32(b[20:], 1) // links
	binary.LittleEndian.PutUint64(b[48:], size)
	binary.LittleEndian.PutUint32(b[56:], pageBytes)
	binary.LittleEndian.PutUint64(b[64:], (size+511)/512)
	return m.put(address, b[:], 0)
}

// statPath describes a file by its name, or an open one where the name is empty.
func (m *Machine) statPath(number, name, address uint64) uint64 {
	if text, ok := m.memory.text(name); ok && text == "" {
		return m.stat(number, address)
	}
	opened := m.open(name, 0)
	if int64(opened) < 0 {
		return opened
	}
	defer m.close(opened)
	return m.stat(opened, address)
}
