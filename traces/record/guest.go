package record

import (
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
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
// time.
const keepSeconds = 20

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
	if _, err := os.Stat("/etc/ld.so.cache"); err == nil {
		if err := m.Copy("/etc/ld.so.cache", "/etc/ld.so.cache"); err != nil {
			return nil, err
		}
	}
	// The C library loads this one when a thread ends itself, and no program names it.
	for _, library := range []string{"/lib/x86_64-linux-gnu/libgcc_s.so.1", "/lib64/libgcc_s.so.1", "/usr/lib/libgcc_s.so.1"} {
		if _, err := os.Stat(library); err == nil && !m.Has(library) {
			if err := m.Copy(library, library); err != nil {
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
		from, to := file, ""
		if before, after, ok := strings.Cut(file, "="); ok {
			from, to = before, after
		}
		if from, err = filepath.Abs(from); err != nil {
			return nil, err
		}
		if to == "" {
			to = from
		}
		if err := m.Copy(from, to); err != nil {
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
		defer p.close()
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

// script returns the machine's first program. Its own commands are busybox's, whatever else is
// called so.
func (c Config) script(program, here string) string {
	var b strings.Builder
	line := func(format string, values ...any) { fmt.Fprintf(&b, format+"\n", values...) }
	line("#!/bin/busybox sh")
	line("export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root")
	for _, folder := range []string{"proc proc /proc", "sysfs sys /sys", "devtmpfs dev /dev"} {
		line("/bin/busybox mount -t %s", folder)
	}
	line("/bin/busybox mkdir -p /dev/pts /dev/shm")
	line("/bin/busybox mount -t devpts pts /dev/pts")
	line("/bin/busybox mount -t tmpfs shm /dev/shm")
	line("/bin/busybox chmod 1777 /tmp /var/tmp /dev/shm") // the first file system is in memory as it is
	line("/bin/busybox ifconfig lo 127.0.0.1 up")
	line("/bin/busybox stty -F /dev/ttyS1 raw -echo 115200")
	line("exec 3>/dev/ttyS1")
	for _, setting := range c.Environment {
		line("export %s", quote(setting))
	}
	line("cd %s", quote(here))
	if c.System.Setup != "" {
		line("/bin/busybox sh -c %s </dev/null >&3 2>&3 3>&- || { echo %s with status $?; /bin/busybox sleep 1; /bin/busybox poweroff -f; }",
			quote(c.System.Setup), quote(saysFailed))
	}
	line("echo %s", quote(saysReady))
	line("/bin/busybox sleep %d", keepSeconds)
	line("echo %s", quote(saysGo))
	line("/bin/busybox sleep 1")
	words := []string{quote(program)}
	for _, a := range c.Program[1:] {
		words = append(words, quote(strings.ReplaceAll(a, "{}", "0")))
	}
	if !c.Marker {
		line(beginProgram)
	}
	line("%s </dev/null >&3 2>&3 3>&-", strings.Join(words, " "))
	line("status=$?")
	if !c.Marker {
		line(endProgram)
	}
	line("exec 3>&-") // waits until everything is out
	line("echo %s $status", quote(saysStatus))
	line("/bin/busybox sleep 1")
	line(overProgram)
	line("/bin/busybox poweroff -f")
	return b.String()
}

// quote makes one word of a text for a shell.
func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// markerProgram returns a program that executes one marker and ends with success: headers of an ELF
// file with one segment, and 18 bytes of code.
func markerProgram(code byte) []byte {
	const base, headers = 0x400000, 64 + 56
	instructions := []byte{
		0x0f, 0x1f, 0x80, code, 0, 0xa7, 0x0c, // nopl, the marker
		0xb8, 60, 0, 0, 0, // mov $60, %eax: exit
		0x31, 0xff, // xor %edi, %edi
		0x0f, 0x05, // syscall
	}
	b := []byte{0x7f, 'E', 'L', 'F', 2 /* 64 bits */, 1 /* little-endian */, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0}
	le := binary.LittleEndian
	b = le.AppendUint16(b, 2)  // executable
	b = le.AppendUint16(b, 62) // x86-64
	b = le.AppendUint32(b, 1)
	b = le.AppendUint64(b, base+headers) // entry
	b = le.AppendUint64(b, 64)           // program headers
	b = le.AppendUint64(b, 0)            // section headers
	b = le.AppendUint32(b, 0)
	for _, n := range []uint16{64, 56, 1, 64, 0, 0} { // sizes and numbers of headers
		b = le.AppendUint16(b, n)
	}
	size := uint64(headers + len(instructions))
	b = le.AppendUint32(b, 1) // load
	b = le.AppendUint32(b, 5) // readable, executable
	for _, n := range []uint64{0, base, base, size, size, 0x1000} {
		b = le.AppendUint64(b, n)
	}
	return append(b, instructions...)
}
