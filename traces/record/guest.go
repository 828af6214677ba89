package record

import (
	"cmp"
	"debug/elf"
	_ "embed" // the first program
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/carousel-sim/carousel/traces/record/initramfs"
)

// What the machine's first program says on its console. Everything else there is the kernel's.
const (
	saysReady  = "carousel: ready"  // the machine's state may be kept
	saysGo     = "carousel: go"     // the program is about to be started
	saysStatus = "carousel: status" // how it ended
	saysFailed = "carousel: failed" // the command of System.Setup has
)

// keepSeconds is how long the booted machine waits for its state to be kept, in seconds of its own
// time. Until then these are the host's, which may be busy. A recording skips the rest of the wait.
const keepSeconds = 600

// The marker programs, by which scripts in the machine begin and end the region.
const (
	beginProgram = "/bin/region-begin"
	endProgram   = "/bin/region-end"
	overProgram  = "/bin/region-over" // for the machine's first program
)

// guest makes the file tree of the machine: busybox with all its commands, the program, the files
// that go with it, and the first program, which starts it all.
func (c Config) guest(program *program) (*initramfs.Image, error) {
	m := initramfs.New()
	for _, at := range []string{"/proc", "/sys", "/dev", "/dev/pts", "/dev/shm", "/tmp", "/root", "/run", "/var/tmp"} {
		m.Folder(at, 0o755)
	}
	m.Device("/dev/console", 0o600, 5, 1)
	m.File("/etc/passwd", 0o644, []byte("root:x:0:0:root:/root:/bin/sh\n"))
	m.File("/etc/group", 0o644, []byte("root:x:0:\n"))
	m.File("/etc/hosts", 0o644, []byte("127.0.0.1 localhost\n"))
	// The C library loads libgcc when a thread ends itself, and no program names it.
	for _, file := range []string{"/etc/ld.so.cache", "/lib/x86_64-linux-gnu/libgcc_s.so.1", "/lib64/libgcc_s.so.1", "/usr/lib/libgcc_s.so.1"} {
		if _, err := os.Stat(file); err == nil && !m.Has(file) {
			if err := m.Copy(file, file); err != nil {
				return nil, err
			}
		}
	}
	m.File(beginProgram, 0o755, markerProgram(1))
	m.File(endProgram, 0o755, markerProgram(2))
	m.File(overProgram, 0o755, markerProgram(0xff))
	at, err := filepath.Abs(program.path)
	if err != nil {
		return nil, err
	}
	files := append([]string{at}, c.System.Files...)
	for _, file := range files {
		from, to, _ := strings.Cut(file, "=")
		if from, err = filepath.Abs(from); err != nil {
			return nil, err
		}
		if err := m.Copy(from, cmp.Or(to, from)); err != nil {
			return nil, err
		}
	}
	if err := c.System.addBusybox(m); err != nil {
		return nil, err
	}
	here, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	if !m.Has(here) {
		m.Folder(here, 0o755)
	}
	m.File("/init", 0o755, []byte(c.script(at, here)))
	return m, nil
}

// addBusybox adds busybox under the names of its commands, where there is not another program.
func (y System) addBusybox(m *initramfs.Image) error {
	from, err := exec.LookPath(y.Busybox)
	if err != nil {
		return fmt.Errorf("%w: %s is not installed; on Debian: apt-get install busybox-static", ErrMissing, y.Busybox)
	}
	if p, err := openProgram(from); err != nil {
		return err
	} else {
		defer p.file.Close()
		if libraries, _ := p.file.ImportedLibraries(); len(libraries) > 0 {
			return fmt.Errorf("%w: %s is linked dynamically, and the machine needs one that is not; on Debian: apt-get install busybox-static", ErrMissing, from)
		}
	}
	out, err := exec.Command(from, "--list").Output()
	if err != nil {
		return fmt.Errorf("%w: %s --list: %w", ErrMissing, from, err)
	}
	for _, name := range strings.Fields(string(out)) {
		if at := path.Join("/bin", name); name != "busybox" && !m.Has(at) {
			m.Link(at, "busybox")
		}
	}
	return m.Copy(from, "/bin/busybox")
}

//go:embed init.sh
var initScript string

// script returns the machine's first program, init.sh with this recording's words. Its own commands are
// busybox's, whatever else is called so. The first file system is in memory as it is, so the script sets
// permissions; when it closes file 3, it waits until everything is out.
func (c Config) script(program, here string) string {
	settings, setup, words := "", "", []string{quote(program)}
	for _, setting := range c.Environment {
		settings += "export " + quote(setting) + "\n"
	}
	if c.System.Setup != "" {
		setup = fmt.Sprintf("/bin/busybox sh -c %s </dev/null >&3 2>&3 3>&- || { echo %s with status $?; /bin/busybox sleep 1; /bin/busybox poweroff -f; }\n",
			quote(c.System.Setup), quote(saysFailed))
	}
	for _, a := range c.Program[1:] {
		words = append(words, quote(strings.ReplaceAll(a, "{}", "0")))
	}
	begin, end := beginProgram+"\n", endProgram+"\n"
	if c.Marker {
		begin, end = "", ""
	}
	return strings.NewReplacer("SETTINGS\n", settings, "HERE", quote(here), "SETUP\n", setup, "READY", quote(saysReady), "KEEP", strconv.Itoa(keepSeconds),
		"GO", quote(saysGo), "BEGIN\n", begin, "PROGRAM", strings.Join(words, " "), "END\n", end, "STATUS", quote(saysStatus), "OVER", overProgram).Replace(initScript)
}

// quote makes one word of a text for a shell.
func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// markerProgram returns a program that executes one marker and ends with success: headers of an ELF
// file with one segment, and its code.
func markerProgram(code byte) []byte {
	const base = 0x400000
	instructions := []byte{
		0x0f, 0x1f, 0x80, code, 0, 0xa7, 0x0c, // nopl, the marker
		0xb8, 60, 0, 0, 0, // mov $60, %eax: exit
		0x31, 0xff, // xor %edi, %edi
		0x0f, 0x05, // syscall
	}
	head := elf.Header64{Ident: [elf.EI_NIDENT]byte{0x7f, 'E', 'L', 'F', byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), byte(elf.EV_CURRENT)},
		Type: uint16(elf.ET_EXEC), Machine: uint16(elf.EM_X86_64), Version: uint32(elf.EV_CURRENT), Phnum: 1, Shentsize: 64}
	segment := elf.Prog64{Type: uint32(elf.PT_LOAD), Flags: uint32(elf.PF_R | elf.PF_X), Vaddr: base, Paddr: base, Align: 0x1000}
	head.Ehsize, head.Phentsize = uint16(binary.Size(head)), uint16(binary.Size(segment))
	head.Phoff = uint64(head.Ehsize)
	headers := uint64(head.Ehsize + head.Phentsize)
	head.Entry, segment.Filesz = base+headers, headers+uint64(len(instructions))
	segment.Memsz = segment.Filesz
	b, _ := binary.Append(nil, binary.LittleEndian, &head) // structures of a fixed size
	b, _ = binary.Append(b, binary.LittleEndian, &segment)
	return append(b, instructions...)
}
