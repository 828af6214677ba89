package record

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/order"
	"github.com/carousel-sim/carousel/traces/sample"
)

// Version names the recorder in the files that it writes; it goes up when its output changes.
const Version = "record 12"

// LeaveOut in a mapping drops the records of a thread.
const LeaveOut = -1

// Config says what to record. Region and limits are exact to the end of a translated block of code.
type Config struct {
	Program   []string // path or name, and arguments; "{}" in an argument is the number of the instance
	Folder    string   // working directory of the program; "" for that of the caller
	Workload  string   // name in the metadata
	Notes     []string // further ones for the metadata
	Origin    string   // what the metadata says of the program; "" for its command line
	Cores     int      // of the trace
	Mapping   []int    // core of each thread in order of appearance, from the front again after its end; empty is 0, 1, 2, ...
	Instances int      // runs of the program, one after the other, each in an address space of its own
	Children  bool     // record forked processes too, and what they execute if the region begins at the start
	Fetches   bool     // record instruction fetches

	SkipInstructions uint64 // the region begins after so many instructions of all threads
	Begin, End       string // functions at whose entry the region begins and ends; "" for none
	Marker           bool   // the program's marker instructions begin and end the region
	Instructions     uint64 // the region ends after so many instructions of all threads; 0 is no limit
	Records          uint64 // and after so many accesses of each process; 0 is no limit
	Turn             int    // a thread, or a processor of a machine, lets the next one work after so many instructions; 0 leaves it to the host
	// Of the recording only so many windows are written, each with what caches hold at its start,
	// drawn as package sample says. 0 writes everything.
	Windows       int
	WindowRecords uint64 // accesses and fetched lines of all cores in a window, on average over the recording
	Compact       bool   // as in sample.Config
	GoOn          bool   // let the program run to its end, unrecorded, after the region

	System *System // record a whole machine that runs the program; nil records the program alone

	Emulator    string // name or path of qemu-x86_64, or of qemu-system-x86_64; "" for these
	Processor   string // model for the emulator's -cpu
	Cache       string // folder for the built plugin; "" for the user's cache folder
	Environment []string
	// Input and Output are the program's standard input and output, Errors its standard error.
	Input          io.Reader
	Output, Errors io.Writer
	// Progress is told now and then what has been recorded; nil is allowed.
	Progress func(Progress)
}

// Progress is what has been recorded so far.
type Progress struct {
	Stage                 string // what goes on, where that is not recording
	Instance              int
	Threads               int
	Records, Instructions uint64
}

// DefaultConfig records everything that a program does on 16 cores.
func DefaultConfig() Config {
	return Config{Cores: 16, Instances: 1, Fetches: true, Turn: 50, Processor: "max",
		Output: io.Discard, Errors: io.Discard}
}

// Validate checks what can be checked before anything runs.
func (c Config) Validate() error {
	switch {
	case len(c.Program) == 0:
		return errors.New("there is no program to record")
	case c.Cores < 1 || c.Cores > 1024:
		return fmt.Errorf("cores is %d, and must be from 1 to 1024", c.Cores)
	case c.Instances < 1 || c.Instances > 1024:
		return fmt.Errorf("instances is %d, and must be from 1 to 1024", c.Instances)
	case c.Turn < 0 || c.Turn > 1<<30:
		return fmt.Errorf("turn is %d, and must be from 1 to %d instructions, or 0", c.Turn, 1<<30)
	case c.Marker && (c.Begin != "" || c.SkipInstructions != 0), c.Begin != "" && c.SkipInstructions != 0:
		return errors.New("choose one start of the region: a marker, a function, or a number of instructions")
	case c.Marker && c.End != "":
		return errors.New("a region between markers has no other end; leave out the function")
	case strings.ContainsAny(c.Processor, " \x00") || c.Processor == "":
		return fmt.Errorf("processor model %q is not a name of QEMU; qemu-x86_64 -cpu help lists them", c.Processor)
	}
	if err := c.validateWindows(); err != nil {
		return err
	}
	if c.System != nil {
		if err := c.System.validate(c); err != nil {
			return err
		}
	}
	for i, core := range c.Mapping {
		if core != LeaveOut && (core < 0 || core >= c.Cores) {
			return fmt.Errorf("thread %d goes to core %d, and the trace has cores 0 to %d", i, core, c.Cores-1)
		}
	}
	return nil
}

// emulator returns the emulator's name or path, and the Debian package that has it.
func (c Config) emulator() (name, fromPackage string) {
	if c.System != nil {
		return cmp.Or(c.Emulator, SystemEmulator), "qemu-system-x86"
	}
	return cmp.Or(c.Emulator, "qemu-x86_64"), "qemu-user"
}

func (c Config) fromStart() bool { return c.Begin == "" && !c.Marker && c.SkipInstructions == 0 }

// region says in a sentence what is recorded, for the metadata.
func (c Config) region() string {
	begin, end := "from the start", "to the end"
	switch {
	case c.Marker:
		return "between markers"
	case c.System != nil:
		begin = "from the program's start"
	case c.Begin != "":
		begin = "from the entry of " + c.Begin
	case c.SkipInstructions > 0:
		begin = fmt.Sprintf("after %d instructions", c.SkipInstructions)
	}
	var ends []string
	if c.End != "" {
		ends = append(ends, "to the entry of "+c.End)
	}
	if c.Instructions > 0 {
		ends = append(ends, fmt.Sprintf("for %d instructions", c.Instructions))
	}
	if c.Records > 0 {
		ends = append(ends, fmt.Sprintf("for %d accesses", c.Records))
	}
	if len(ends) > 0 {
		end = strings.Join(ends, " or ")
	}
	return begin + " " + end
}

// errNoWindows: windows are drawn from a whole recording.
var errNoWindows = errors.New("the recording was interrupted before windows could be drawn from it")

// InWindows lets a recorder write everything into a temporary file and draws windows from it in
// estimated time, as the configuration asks for. The recording's own time is that of one host
// processor that runs the cores in turns of equal length, whatever they wait for. cut says that the
// recording is part of an execution.
func (c Config) InWindows(cut bool, whole func(traces.Destination) (Result, error), to traces.Destination) (Result, error) {
	if err := c.validateWindows(); err != nil {
		return Result{}, err
	}
	folder, err := os.MkdirTemp("", "carousel-whole-")
	if err != nil {
		return Result{}, err
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "whole.trace")
	done, err := whole(traces.ToFile(path, traces.DefaultWriterConfig()))
	if err == nil && done.Interrupted {
		err = errNoWindows
	}
	if err != nil {
		return Result{}, err
	}
	f, err := traces.Open(path, traces.DefaultReaderConfig())
	if err != nil {
		return Result{}, err
	}
	defer f.Close()
	how := sample.DefaultConfig()
	how.Windows, how.Records, how.Cut, how.Compact, how.Limit = c.Windows, c.WindowRecords/uint64(c.Cores), cut, c.Compact, CacheLimit()
	drawn, err := sample.Draw(f, how, to)
	drawn.Input = append(done.Input, drawn.Input...)
	done.Imported = drawn
	return done, err
}

// CacheLimit is the largest caches whose content recordings know: L1s of up to 64 KB, an L2 of up to
// 16 MB.
func CacheLimit() traces.CacheLimit {
	limit := traces.DefaultCacheLimit()
	limit.L1Ways = 4
	return limit
}

func (c Config) validateWindows() error {
	all := c.Records * uint64(c.Instances)
	switch {
	case c.Windows == 0:
		return nil
	case c.Windows < 0 || c.Windows > 4096:
		return fmt.Errorf("windows is %d, and must be from 1 to 4096, or 0 to write everything", c.Windows)
	case c.WindowRecords < uint64(c.Cores):
		return fmt.Errorf("--window-records is %d, and must be at least %d, one for each core", c.WindowRecords, c.Cores)
	case c.Records > 0 && all/uint64(c.Windows) < 2*c.WindowRecords:
		return fmt.Errorf("--window-records is %d, and %d windows of %d records together may have at most %d each: half of a window's share; use more --records or fewer --windows",
			c.WindowRecords, c.Windows, all, all/uint64(c.Windows)/2)
	}
	return nil
}

// dependenceNote says what the dependences of a recording are.
const dependenceNote = "a dependence leads from an access to the latest load from which its address or its stored data come, through registers or through the thread's own stores"

func (s *session) metadata() traces.Metadata {
	c := s.config
	m := traces.DefaultMetadata(c.Workload, c.Cores)
	m.Importer, m.Target, m.EdgeBytes, m.Tickets = Version, "x86_64", order.Bytes, true
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
	m.Notes = []string{"virtual addresses; in the order of their first use, pages have the frames 0, 1, 2 and so on",
		"edges from the last writer of each word keep the order between threads; time asleep in the kernel is left out, and so are repeated polls",
		"a fetch-and-add takes a ticket if threads use its value as an index to read: in a replay the core that comes first takes the next ticket",
		"accesses by the kernel are not in the trace",
		dependenceNote}
	m.Notes = append(m.Notes, c.Notes...)
	return m
}

// describe says what is recorded of a machine.
func (m *machine) describe(d *traces.Metadata, emulator string) {
	c := m.session.config
	d.Origin = fmt.Sprintf("%s on Linux (%s) under %s -m %d -icount shift=0, %s", c.origin(), filepath.Base(m.kernel), emulator,
		c.System.Memory, c.region())
	d.Addresses = "physical"
	d.Notes = []string{"kernel and programs, physical addresses; one core per processor of the machine",
		"a replay decides who takes a lock first, if the recorder recognises the word as a lock; edges from the last writer of each word keep other order between processors",
		"of the time in which a processor is halted, only the wait for another processor is kept; spinning on other words than locks is as recorded",
		"accesses to devices, by devices and by page-table walks are not in the trace",
		"a fetch-and-add takes a ticket if threads use its value as an index to read, and if they stayed on their processors: in a replay the core that comes first takes the next ticket",
		dependenceNote,
		"booted machine " + m.key}
	d.Notes = append(d.Notes, c.Notes...)
}

func (c Config) origin() string { return cmp.Or(c.Origin, strings.Join(c.Program, " ")) }

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
