package ttmetal

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/packed"
)

// Tail is what the vendor's estimator takes between a kernel's last event and its end, in cycles.
const Tail = 20

// Trace is one recorded kernel.
type Trace struct {
	Name      string // of the file, without folder and extension
	Processes []Process
	Cycles    uint64 // what the kernel took on the chip
	Ignored   int    // events of the recorder itself
}

// Process is what one processor of one node did.
type Process struct {
	Node      Node
	Processor string // BRISC, NCRISC, ERISC, TRISC_0 ...
	Start     uint64 // time of its first event
	Events    []Event
}

// Node is a place of the chip: column and row.
type Node struct{ X, Y int }

func (n Node) String() string { return fmt.Sprintf("(%d,%d)", n.X, n.Y) }

// Event is one thing that a processor did.
type Event struct {
	Kind    Kind
	Network uint8 // 0 or 1
	// Peer is the other end: the source of a read, else the destination; a multicast goes to all
	// workers of the rectangle from Peer to Corner.
	Peer, Corner Node
	Bytes        uint32 // payload
	Posted       bool   // without an acknowledgement
	Time         uint64 // cycles from the trace's earliest event
	Offset       int64  // of the event in the file, in bytes
}

// Kind is what an event is, whatever variant of a call made it.
type Kind uint8

// The kinds.
const (
	// Local takes time and uses no network: zones, semaphores of the own node.
	Local Kind = iota
	// Read asks for bytes of another node, Write sends some, Multicast sends the same to several
	// nodes, and Atomic changes a word there. All but reads are acknowledged, unless they are
	// posted.
	Read
	Write
	Multicast
	Atomic
	// The barriers: the processor waits until its reads have come, its writes are acknowledged, its
	// writes have left the node, its atomics are acknowledged, or all of these. A start says that
	// it began to wait, and an end that it passed; where a file has one event for both, it is an
	// end.
	ReadBarrierStart
	ReadBarrierEnd
	WriteBarrierStart
	WriteBarrierEnd
	WriteFlush
	AtomicBarrier
	FullBarrier

	setState // of later events; not in a Trace
)

var kindNames = [...]string{"local", "read", "write", "multicast", "atomic", "read barrier start", "read barrier end", "write barrier start",
	"write barrier end", "write flush", "atomic barrier", "full barrier", "set state"}

func (k Kind) String() string { return kindNames[k] }

// Transfer reports whether an event of this kind sends packets.
func (k Kind) Transfer() bool { return k >= Read && k <= Atomic }

// kind is what a type of the file stands for.
type kind struct {
	is    Kind
	state state // which it sets or is completed by
	// bytes is the payload of a type whose files may not say it.
	bytes uint32
}

// state is one of those that a processor keeps for each network.
type state uint8

const (
	stateless state = iota
	ofReads
	ofWrites
	ofShards // reads of banks of DRAM
	states
)

// kinds lists the types of the network's events by their names in files.
var kinds = map[string]kind{
	"READ":                         {is: Read},
	"READ_WITH_TRID":               {is: Read},
	"READ_SET_STATE":               {is: setState, state: ofReads},
	"READ_SET_TRID":                {is: setState, state: ofReads},
	"READ_WITH_TRID_SET_STATE":     {is: setState, state: ofReads},
	"READ_WITH_STATE":              {is: Read, state: ofReads},
	"READ_WITH_STATE_AND_TRID":     {is: Read, state: ofReads},
	"READ_DRAM_SHARDED_SET_STATE":  {is: setState, state: ofShards},
	"READ_DRAM_SHARDED_WITH_STATE": {is: Read, state: ofShards},
	"WRITE":                        {is: Write},
	"WRITE_":                       {is: Write},
	"WRITE_WITH_TRID":              {is: Write},
	"WRITE_INLINE":                 {is: Write, bytes: 4},
	"WRITE_SET_STATE":              {is: setState, state: ofWrites},
	"WRITE_WITH_TRID_SET_STATE":    {is: setState, state: ofWrites},
	"WRITE_WITH_STATE":             {is: Write, state: ofWrites},
	"WRITE_WITH_TRID_WITH_STATE":   {is: Write, state: ofWrites},
	"WRITE_MULTICAST":              {is: Multicast},
	"SEMAPHORE_INC":                {is: Atomic, bytes: 4},
	"SEMAPHORE_WAIT":               {is: Local},
	"SEMAPHORE_SET":                {is: Local},
	"READ_BARRIER_START":           {is: ReadBarrierStart},
	"READ_BARRIER_END":             {is: ReadBarrierEnd},
	"READ_BARRIER_WITH_TRID":       {is: ReadBarrierEnd},
	"WRITE_BARRIER_START":          {is: WriteBarrierStart},
	"WRITE_BARRIER_END":            {is: WriteBarrierEnd},
	"WRITE_BARRIER_WITH_TRID":      {is: WriteBarrierEnd},
	"WRITE_FLUSH":                  {is: WriteFlush},
	"ATOMIC_BARRIER":               {is: AtomicBarrier},
	"FULL_BARRIER":                 {is: FullBarrier},
}

// object is one event as it stands in the file. Coordinates that the file does not say are -1.
type object struct {
	Proc      string          `json:"proc"`
	SX        int             `json:"sx"`
	SY        int             `json:"sy"`
	Time      *uint64         `json:"timestamp"`
	Network   string          `json:"noc"`
	Type      *string         `json:"type"`
	DX        int             `json:"dx"`
	DY        int             `json:"dy"`
	Bytes     int64           `json:"num_bytes"`
	Zone      *string         `json:"zone"`
	Phase     string          `json:"zone_phase"`
	StartX    int             `json:"mcast_start_x"`
	StartY    int             `json:"mcast_start_y"`
	EndX      int             `json:"mcast_end_x"`
	EndY      int             `json:"mcast_end_y"`
	Posted    bool            `json:"posted"`
	Chip      *int64          `json:"src_device_id"`
	OtherChip *int64          `json:"dst_device_id"`
	Fabric    json.RawMessage `json:"fabric_send"`
}

// limitBytes bounds a transfer: more than the memory of any worker holds.
const limitBytes = 1 << 24

// limitPlace bounds coordinates.
const limitPlace = 1 << 15

// Bounds of what a small compressed file can make of memory and time: bytes of an event with the blanks
// before it, bytes of a name, events of all recordings that are read together.
const (
	limitObject = 1 << 16
	limitName   = 1 << 8
	limitEvents = 1 << 22
)

// errLong ends the reading of an event that is too long.
var errLong = fmt.Errorf("the event is longer than %d bytes", limitObject)

// decoder takes the objects of an array one by one.
type decoder struct {
	name   string
	json   *json.Decoder
	from   *packed.Bounded
	number int
	offset int64 // of the latest object
}

func newDecoder(name string, from io.Reader) (*decoder, error) {
	d := &decoder{name: name, from: &packed.Bounded{From: from, Left: limitObject, Err: errLong}}
	d.json = json.NewDecoder(d.from)
	first, err := d.json.Token()
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, d.broken(err)
	}
	if first != json.Delim('[') {
		return nil, d.fault(traces.ErrNotATrace, "it does not start with the [ of an array of events")
	}
	return d, nil
}

// next is the next object, or io.EOF after the end of the array.
func (d *decoder) next() (*object, error) {
	d.from.Left = limitObject
	if !d.json.More() {
		if end, err := d.json.Token(); err != nil {
			d.offset = d.json.InputOffset()
			return nil, d.broken(err)
		} else if end != json.Delim(']') {
			return nil, d.fault(traces.ErrIllegal, "the array of events does not end with ]")
		}
		d.offset = d.json.InputOffset()
		if _, err := d.json.Token(); !errors.Is(err, io.EOF) {
			return nil, d.fault(traces.ErrIllegal, "something follows the array of events")
		}
		return nil, io.EOF
	}
	d.offset = d.json.InputOffset()
	o := &object{SX: -1, SY: -1, DX: -1, DY: -1, StartX: -1, StartY: -1, EndX: -1, EndY: -1}
	if err := d.json.Decode(o); err != nil {
		return nil, d.broken(err)
	}
	d.number++
	return o, nil
}

// broken classifies what the parser says.
func (d *decoder) broken(err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.Is(err, errLong):
		return d.fault(traces.ErrIllegal, err.Error())
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return d.fault(traces.ErrTruncated, "the file ends before the array of events does")
	case errors.As(err, &syntax):
		d.offset = syntax.Offset
		return d.fault(traces.ErrIllegal, "this is not JSON: "+err.Error())
	case errors.As(err, &kind):
		return d.fault(traces.ErrIllegal, fmt.Sprintf("%s is a %s, and %s is needed", kind.Field, kind.Value, kind.Type))
	}
	return d.fault(traces.ErrCorrupt, err.Error())
}

// fault is an error at the latest object.
func (d *decoder) fault(condition error, problem string) error {
	if d.number > 0 {
		problem = fmt.Sprintf("event %d: %s", d.number, problem)
	}
	return &traces.Error{File: d.name, Core: -1, Offset: d.offset, Err: condition, Problem: problem}
}

func (d *decoder) illegal(format string, parts ...any) error {
	return d.fault(traces.ErrIllegal, fmt.Sprintf(format, parts...))
}

// event turns an object into an event, and says what it stands for. The time is the file's own.
func (d *decoder) event(o *object) (e Event, k kind, err error) {
	e.Time, e.Offset = *o.Time, d.offset
	if o.Type == nil {
		if o.Zone == nil {
			return e, k, d.illegal("it has neither a type nor a zone")
		}
		return e, kind{is: Local}, nil
	}
	k, known := kinds[*o.Type]
	switch {
	case strings.HasPrefix(*o.Type, "FABRIC") || len(o.Fabric) > 0 && string(o.Fabric) != "null":
		return e, k, d.illegal("type %s goes over Ethernet to another chip; only traffic of one chip can be simulated", *o.Type)
	case !known:
		return e, k, d.illegal("type %q is not known", *o.Type)
	}
	e.Kind = k.is
	e.Posted = o.Posted
	if o.Network == "" && k.is == Local {
		return e, k, nil
	}
	network := slices.Index([]string{"NOC_0", "NOC_1"}, o.Network)
	if network < 0 {
		return e, k, d.illegal("noc is %q; NOC_0 and NOC_1 are possible", o.Network)
	}
	e.Network = uint8(network)
	if o.Bytes < 0 || o.Bytes > limitBytes {
		return e, k, d.illegal("num_bytes is %d; 0 to %d are possible", o.Bytes, limitBytes)
	}
	e.Bytes = cmp.Or(uint32(o.Bytes), k.bytes)
	if k.is == Multicast {
		return e, k, d.rectangle(o, &e)
	}
	if e.Peer = (Node{o.DX, o.DY}); !e.Peer.possible() {
		if e.Peer = nowhere; k.is.Transfer() && k.state == stateless {
			return e, k, d.illegal("%s goes to no node: dx is %d, dy %d", *o.Type, o.DX, o.DY)
		}
	}
	return e, k, nil
}

// nowhere is the other end of an event that has none.
var nowhere = Node{-1, -1}

// possible reports whether a place can be one of some chip.
func (n Node) possible() bool { return n.X >= 0 && n.X < limitPlace && n.Y >= 0 && n.Y < limitPlace }

// rectangle takes the corners of a multicast. On the second network, where links lead the other
// way, the file has them the other way round.
func (d *decoder) rectangle(o *object, e *Event) error {
	e.Peer, e.Corner = Node{o.StartX, o.StartY}, Node{o.EndX, o.EndY}
	if !e.Peer.possible() || !e.Corner.possible() {
		return d.illegal("the rectangle of a multicast is incomplete: from %v to %v", e.Peer, e.Corner)
	}
	if e.Network == 1 {
		e.Peer, e.Corner = e.Corner, e.Peer
	}
	return nil
}
