package record

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

// System says how a whole machine is recorded: a Linux kernel on Config.Cores processors, which are
// the cores of the trace.
type System struct {
	Kernel  string   // image of a Linux kernel for x86-64; "" for the newest /boot/vmlinuz-*
	Busybox string   // name or path of a statically linked busybox
	Files   []string // files and folders to put into the machine: PATH, or PATH=PATH IN THE MACHINE
	Setup   string   // command for the machine's shell, done at full speed before the machine's state is kept
	Memory  int      // MiB of main memory
	// Shift is QEMU's icount shift: an instruction takes 2^Shift nanoseconds of the machine's time.
	// Interrupts of timers, and with them turns of processors, come after fewer instructions the
	// larger it is.
	Shift int
	// BootAnew boots the machine although a state of it has been kept.
	BootAnew bool
}

// SystemEmulator is the default emulator of whole machines.
const SystemEmulator = "qemu-system-x86_64"

// DefaultSystem returns a machine with 1 GiB of memory and what Debian installs.
func DefaultSystem() System { return System{Busybox: "busybox", Memory: 1024} }

// validate checks what can be checked before anything runs.
func (y System) validate(c Config) error {
	switch {
	case c.Cores > 255:
		return fmt.Errorf("cores is %d, and a machine has at most 255", c.Cores)
	case y.Memory < 128 || y.Memory > 2048:
		// Above 2 GiB the machine's memory has a hole, and QEMU 7.2 does not tell its plugins
		// addresses beyond it.
		return fmt.Errorf("memory is %d MiB, and must be from 128 to 2048", y.Memory)
	case y.Shift < 0 || y.Shift > 10:
		return fmt.Errorf("shift is %d, and must be from 0 to 10", y.Shift)
	case c.Instances != 1, c.Children, len(c.Mapping) != 0:
		return errors.New("a machine's cores are its processors, and all its processes are recorded: instances, children and a mapping of threads are for single programs")
	case c.Begin != "", c.End != "", c.SkipInstructions != 0:
		return errors.New("the region of a machine is that of its program or lies between markers; functions and skipped instructions are for single programs")
	}
	return nil
}

// kernel finds the kernel's image.
func (y System) kernel() (string, error) {
	if y.Kernel != "" {
		if _, err := os.Stat(y.Kernel); err != nil {
			return "", fmt.Errorf("%w: the kernel: %w", ErrMissing, err)
		}
		return filepath.Abs(y.Kernel)
	}
	const pattern = "/boot/vmlinuz-*"
	list, _ := filepath.Glob(pattern)
	list = readable(list)
	if len(list) == 0 {
		return "", fmt.Errorf("%w: there is no kernel %s that can be read; on Debian: apt-get install linux-image-cloud-amd64, or unpack that package with dpkg -x and name its boot/vmlinuz-* with --kernel", ErrMissing, pattern)
	}
	sort.Slice(list, func(i, k int) bool { return newer(list[k], list[i]) })
	return list[len(list)-1], nil
}

// readable leaves out what this user may not read, as on distributions that keep their kernels to
// themselves.
func readable(list []string) []string {
	var some []string
	for _, name := range list {
		if f, err := os.Open(name); err == nil {
			f.Close()
			some = append(some, name)
		}
	}
	return some
}

// newer compares names by their numbers, of which 10 is more than 9.
func newer(a, b string) bool {
	isDigit := func(c byte) bool { return c >= '0' && c <= '9' }
	for a != "" && b != "" {
		n, m := 0, 0
		for n < len(a) && isDigit(a[n]) {
			n++
		}
		for m < len(b) && isDigit(b[m]) {
			m++
		}
		if n == 0 || m == 0 {
			if a[0] != b[0] {
				return a[0] > b[0]
			}
			a, b = a[1:], b[1:]
			continue
		}
		x, y := strings.TrimLeft(a[:n], "0"), strings.TrimLeft(b[:m], "0")
		if len(x) != len(y) {
			return len(x) > len(y)
		}
		if x != y {
			return x > y
		}
		a, b = a[n:], b[m:]
	}
	return a != ""
}
