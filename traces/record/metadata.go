package record

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/order"
)

// dependenceNote says what the dependences of a recording are.
const dependenceNote = "dependences lead to the latest load that an address or stored data come from, through registers or the thread's own stores"

// metadata describes the trace.
func (s *session) metadata() traces.Metadata {
	c := s.config
	m := traces.DefaultMetadata(c.Workload, c.Cores)
	m.Importer, m.Target, m.EdgeBytes = Version, "x86_64", order.Bytes
	emulator := fmt.Sprintf("%s %s -cpu %s", filepath.Base(s.emulator), s.version, c.Processor)
	if c.System != nil {
		s.machine.describe(&m, emulator)
		return m
	}
	m.Origin = fmt.Sprintf("%s under %s, %s", c.origin(), emulator, c.region())
	m.Addresses = "mapped"
	if c.Instances > 1 {
		m.Origin += fmt.Sprintf("; %d instances", c.Instances)
	}
	if c.Instances > 1 || c.Children {
		m.AddressSpaces = c.Cores
	}
	m.Notes = []string{"virtual addresses; frames are given to pages in order of first touch, from 0",
		"order between threads is kept by edges from the last writer of each word; time asleep in the kernel is left out, spinning is as recorded",
		"accesses of the kernel on behalf of the program are not in the trace",
		dependenceNote}
	m.Notes = append(m.Notes, c.Notes...)
	return m
}

// describe says what is recorded of a machine.
func (m *machine) describe(d *traces.Metadata, emulator string) {
	c := m.session.config
	d.Origin = fmt.Sprintf("%s on Linux (%s) under %s -m %d -icount shift=%d, %s", c.origin(), filepath.Base(m.kernel), emulator,
		c.System.Memory, c.System.Shift, c.region())
	d.Addresses = "physical"
	d.Notes = []string{"kernel and programs, physical addresses; one core per processor of the machine",
		"who takes a lock first is decided by a replay, where words of memory are told to be locks; other order between processors is kept by edges from the last writer of each word",
		"time halted is left out, spinning on what is not told to be a lock is as recorded",
		"accesses to devices, by devices and by page-table walks are not in the trace",
		dependenceNote,
		"booted machine " + m.key}
	d.Notes = append(d.Notes, c.Notes...)
}

// origin names the program.
func (c Config) origin() string {
	if c.Origin != "" {
		return c.Origin
	}
	return strings.Join(c.Program, " ")
}

// ParseMapping reads the cores of threads in order of appearance, such as "0,0,1,-", where - leaves
// a thread out. An empty text maps nothing.
func ParseMapping(text string) ([]int, error) {
	if text == "" {
		return nil, nil
	}
	var list []int
	for _, part := range strings.Split(text, ",") {
		if part == "-" {
			list = append(list, LeaveOut)
			continue
		}
		core, err := strconv.Atoi(part)
		if err != nil || core < 0 {
			return nil, fmt.Errorf("%q is neither a core's number nor -", part)
		}
		list = append(list, core)
	}
	return list, nil
}

// OpenMP adds settings that are missing in an environment: OpenMP uses as many threads as there are
// cores, and waiting threads sleep. Spinning is an artefact of the recording machine.
func OpenMP(environment []string, cores int) []string {
	list := slices.Clone(environment)
	for _, setting := range []string{"OMP_NUM_THREADS=" + strconv.Itoa(cores), "OMP_WAIT_POLICY=passive"} {
		name := setting[:strings.Index(setting, "=")+1]
		if !slices.ContainsFunc(environment, func(entry string) bool { return strings.HasPrefix(entry, name) }) {
			list = append(list, setting)
		}
	}
	return list
}
