package initramfs

import (
	"bufio"
	"bytes"
	"debug/elf"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Kinds of entries in an archive, as in a file's mode.
const (
	kindFolder = 0o040000
	kindFile   = 0o100000
	kindLink   = 0o120000
	kindDevice = 0o020000
)

// entry is a file of the image.
type entry struct {
	mode         uint32
	user, group  uint32
	major, minor uint32 // of a device
	content      []byte // of a file, or target of a link
	host         string // file of this machine with the content, or ""
	size         int64
}

// Image is a tree of files.
type Image struct{ entries map[string]entry }

// New returns an empty image.
func New() *Image { return &Image{entries: map[string]entry{}} }

// add puts an entry at an absolute path, below folders that are made as needed.
func (m *Image) add(at string, e entry) {
	at = path.Clean(at)
	for parent := path.Dir(at); parent != "/" && parent != "."; parent = path.Dir(parent) {
		if _, known := m.entries[parent]; !known {
			m.entries[parent] = entry{mode: kindFolder | 0o755}
		}
	}
	m.entries[at] = e
}

// Has reports whether there is something at a path.
func (m *Image) Has(at string) bool {
	_, known := m.entries[path.Clean(at)]
	return known
}

// Folder makes a folder with permissions such as 0o755.
func (m *Image) Folder(at string, permissions uint32) {
	m.add(at, entry{mode: kindFolder | permissions})
}

// File makes a file.
func (m *Image) File(at string, permissions uint32, content []byte) {
	m.add(at, entry{mode: kindFile | permissions, content: content, size: int64(len(content))})
}

// Link makes a symbolic link.
func (m *Image) Link(at, target string) {
	m.add(at, entry{mode: kindLink | 0o777, content: []byte(target), size: int64(len(target))})
}

// Device makes a character device.
func (m *Image) Device(at string, permissions, major, minor uint32) {
	m.add(at, entry{mode: kindDevice | permissions, major: major, minor: minor})
}

// Copy puts a file or folder of this machine at a path, with permissions and owner. A link is
// followed; links within a folder stay links. Programs bring the libraries and interpreters that
// they need, at the paths that these have here, unless the image has something there.
func (m *Image) Copy(host, at string) error {
	info, err := os.Stat(host)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return m.copyFile(host, at, info)
	}
	return filepath.WalkDir(host, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rest, _ := filepath.Rel(host, name) // which is below host
		to := path.Join(at, filepath.ToSlash(rest))
		info, err := d.Info()
		if err != nil {
			return err
		}
		switch {
		case d.IsDir():
			e := owned(info)
			e.mode |= kindFolder
			m.add(to, e)
			return nil
		case d.Type()&fs.ModeSymlink != 0:
			target, err := os.Readlink(name)
			if err != nil {
				return err
			}
			m.Link(to, target)
			return nil
		case d.Type().IsRegular():
			return m.copyFile(name, to, info)
		}
		return nil // sockets and the like belong to those who are at work here
	})
}

func owned(info fs.FileInfo) entry {
	e := entry{mode: uint32(info.Mode().Perm())}
	for _, bit := range []struct {
		has fs.FileMode
		bit uint32
	}{{fs.ModeSetuid, 0o4000}, {fs.ModeSetgid, 0o2000}, {fs.ModeSticky, 0o1000}} {
		if info.Mode()&bit.has != 0 {
			e.mode |= bit.bit
		}
	}
	e.user, e.group = ownerOf(info)
	return e
}

func (m *Image) copyFile(host, at string, info fs.FileInfo) error {
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is neither a file nor a folder", host)
	}
	if info.Size() >= 1<<32 {
		return fmt.Errorf("%s has %d bytes; the archive takes files below 4 GiB", host, info.Size())
	}
	e := owned(info)
	e.mode |= kindFile
	e.host, e.size = host, info.Size()
	m.add(at, e)
	needed, err := needs(host)
	if err != nil {
		return err
	}
	for _, name := range needed {
		if m.Has(name) {
			continue
		}
		if err := m.Copy(name, name); err != nil {
			return fmt.Errorf("%s needs %s: %w", host, name, err)
		}
	}
	return nil
}

// paths are the entries' paths in order; a folder comes before what is in it.
func (m *Image) paths() []string { return slices.Sorted(maps.Keys(m.entries)) }

// WriteTo writes the archive. It implements io.WriterTo.
func (m *Image) WriteTo(w io.Writer) (int64, error) {
	a := &archive{to: bufio.NewWriterSize(w, 1<<16)}
	for i, at := range m.paths() {
		if err := a.entry(uint32(i+1), strings.TrimPrefix(at, "/"), m.entries[at]); err != nil {
			return a.written, err
		}
	}
	if err := a.entry(0, "TRAILER!!!", entry{}); err != nil {
		return a.written, err
	}
	return a.written, a.to.Flush()
}

type archive struct {
	to      *bufio.Writer
	written int64
}

func (a *archive) write(b []byte) error {
	n, err := a.to.Write(b)
	a.written += int64(n)
	return err
}

// pad fills up to a multiple of 4 bytes.
func (a *archive) pad() error { return a.write(make([]byte, -a.written&3)) }

// entry writes a header of 110 hexadecimal digits, the name and the content.
func (a *archive) entry(number uint32, name string, e entry) error {
	links := uint32(1)
	if e.mode&kindFolder == kindFolder {
		links = 2
	}
	header := "070701"
	for _, field := range []uint32{number, e.mode, e.user, e.group, links, 0 /* time */, uint32(e.size), 0, 0, e.major, e.minor,
		uint32(len(name) + 1), 0 /* checksum */} {
		header += fmt.Sprintf("%08X", field)
	}
	if err := a.write([]byte(header + name + "\x00")); err != nil {
		return err
	}
	if err := a.pad(); err != nil {
		return err
	}
	if err := a.content(e); err != nil {
		return err
	}
	return a.pad()
}

func (a *archive) content(e entry) error {
	if e.host == "" {
		return a.write(e.content)
	}
	f, err := os.Open(e.host)
	if err != nil {
		return err
	}
	defer f.Close()
	n, err := io.Copy(a.to, io.LimitReader(f, e.size))
	a.written += n
	if err == nil && n != e.size {
		err = fmt.Errorf("%s was truncated while it was read: %d of %d bytes", e.host, n, e.size)
	}
	return err
}

// standardLoader is the dynamic loader of programs for Linux on x86-64, which finds what a library
// needs, too.
const standardLoader = "/lib64/ld-linux-x86-64.so.2"

// needs lists the files that a program or library cannot do without: of a dynamically linked one
// its loader and libraries, of a script its interpreter.
func needs(host string) ([]string, error) {
	f, err := os.Open(host)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	head := make([]byte, 256)
	n, _ := f.Read(head)
	switch head = head[:n]; {
	case bytes.HasPrefix(head, []byte("#!")):
		return interpreter(host, string(head[2:]))
	case bytes.HasPrefix(head, []byte(elf.ELFMAG)):
		return libraries(host)
	}
	return nil, nil
}

// interpreter returns the program that a script's first line names, and the one that env starts.
func interpreter(host, line string) ([]string, error) {
	line, _, _ = strings.Cut(line, "\n")
	words := strings.Fields(line)
	if len(words) == 0 {
		return nil, nil
	}
	list := words[:1]
	if filepath.Base(words[0]) == "env" && len(words) > 1 {
		at, err := exec.LookPath(words[len(words)-1])
		if err != nil {
			return nil, fmt.Errorf("%s is a script for %s: %w", host, words[len(words)-1], err)
		}
		list = append(list, at)
	}
	return list, nil
}

// libraries asks the dynamic loader, as it decides at run time, too.
func libraries(host string) ([]string, error) {
	f, err := elf.Open(host)
	if err != nil {
		return nil, nil // it only begins like a program
	}
	defer f.Close()
	imported, _ := f.ImportedLibraries()
	loader := ""
	for _, p := range f.Progs {
		if p.Type != elf.PT_INTERP {
			continue
		}
		name := make([]byte, p.Filesz)
		if _, err := p.ReadAt(name, 0); err != nil {
			return nil, fmt.Errorf("%s: the name of its loader: %w", host, err)
		}
		loader = string(bytes.TrimRight(name, "\x00"))
	}
	// A library may rely on others that the program has loaded before it, wherever these are.
	lenient := loader == ""
	switch {
	case f.Machine != elf.EM_X86_64 || loader == "" && len(imported) == 0:
		return nil, nil
	case loader == "":
		loader = standardLoader
	}
	absolute, err := filepath.Abs(host)
	if err != nil {
		return nil, err
	}
	if len(imported) == 0 {
		return []string{loader}, nil // position-independent, with nothing else
	}
	out, err := exec.Command(loader, "--list", absolute).CombinedOutput()
	if err != nil && lenient {
		return []string{loader}, nil
	} else if err != nil {
		return nil, fmt.Errorf("%s --list %s, which tells the libraries that a program needs: %w\n%s", loader, absolute, err, bytes.TrimSpace(out))
	}
	list := []string{loader}
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		name, found, shared := strings.Cut(strings.TrimSpace(lines.Text()), " => ")
		if !shared {
			found = name // a library that was named by its path
		}
		if found == "not found" && lenient {
			continue
		}
		if found == "not found" {
			return nil, fmt.Errorf("%s needs %s, which is not installed here", host, name)
		}
		if found, _, _ = strings.Cut(found, " (0x"); strings.HasPrefix(found, "/") && found != loader {
			list = append(list, found)
		}
	}
	return list, nil
}
