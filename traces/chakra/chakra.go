package chakra

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/packed"
	"github.com/carousel-sim/carousel/traces/wire"
)

// Type is what a node does.
type Type uint64

// The types of nodes that are told apart. All others take their time and no messages.
const (
	Compute    Type = 4
	Send       Type = 5
	Receive    Type = 6
	Collective Type = 7
	lastType   Type = 10
)

// Operations are the collective operations by comm_type; "" for those that cannot be replayed.
var Operations = []string{"all-reduce", "", "all-gather", "", "", "broadcast", "all-to-all", "reduce-scatter", "reduce-scatter", "barrier"}

const barrier = 9 // comm_type

// OperationNames are the names of all of comm_type in the schema.
var OperationNames = []string{"ALL_REDUCE", "REDUCE", "ALL_GATHER", "GATHER", "SCATTER", "BROADCAST", "ALL_TO_ALL", "REDUCE_SCATTER", "REDUCE_SCATTER_BLOCK", "BARRIER"}

// Node is one operation of a rank.
type Node struct {
	ID     uint64
	Name   string
	Type   Type
	After  []int // nodes of the trace that must have ended, by index
	Micros uint64
	// Of messages and collective operations.
	Bytes, CommType, From, To, Tag uint64
	Group                          string

	cpu      uint64 // 1 if a processor does it, which for messages and collective operations only starts them
	deps     []uint64
	controls []uint64 // ctrl_deps
	offset   int64
}

// Trace is what one rank does.
type Trace struct {
	File  string
	Rank  int
	Nodes []Node
	index map[uint64]int // of nodes by their ids
}

// Fault is an error about a node.
func (t *Trace) Fault(n *Node, format string, values ...any) error {
	return &traces.Error{File: t.File, Core: -1, Offset: n.offset, Err: traces.ErrIllegal, Problem: fmt.Sprintf("node %d (%.60q) of rank %d: %s", n.ID, n.Name, t.Rank, fmt.Sprintf(format, values...))}
}

// ranked is the name of a file of a rank: NAME.RANK.et, perhaps compressed.
var ranked = regexp.MustCompile(`^(.*)\.(\d{1,5})\.et(\.\w+)?$`)

// Is reports whether a path is a trace, or a folder with one. The first node may have faults behind its type.
func Is(path string) bool {
	info, err := os.Stat(path)
	if err != nil {
		return false
	}
	if info.IsDir() {
		entries, _ := os.ReadDir(path)
		return slices.ContainsFunc(entries, func(e os.DirEntry) bool { return ranked.MatchString(e.Name()) })
	}
	file, err := packed.OpenEntries(path, -1, 0, traces.ImportConfig{})
	if err != nil {
		return false
	}
	defer file.Close()
	r := reader{&wire.Reader{Entries: file}, &Trace{File: path}}
	if r.metadata() != nil {
		return false
	}
	n, _ := r.node()
	return n.Type > 0 && n.Type <= lastType
}

// Files lists the files of a trace by rank: those in a folder, or those beside a file NAME.RANK.et with the same
// name. A file with another name is rank 0.
func Files(path string) (map[int]string, error) {
	folder, name := filepath.Split(path)
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	parts := ranked.FindStringSubmatch(name)
	if info.IsDir() {
		folder = path
	} else if parts == nil {
		return map[int]string{0: path}, nil
	}
	entries, err := os.ReadDir(filepath.Clean(folder))
	if err != nil {
		return nil, err
	}
	files := map[int]string{}
	for _, e := range entries {
		m := ranked.FindStringSubmatch(e.Name())
		if m == nil || !info.IsDir() && m[1] != parts[1] {
			continue
		}
		rank, _ := strconv.Atoi(m[2])
		if files[rank] != "" {
			return nil, fmt.Errorf("%s and %s are both of rank %d; name a file of one trace", files[rank], e.Name(), rank)
		}
		files[rank] = filepath.Join(folder, e.Name())
	}
	return files, nil
}

// Read reads the files of all ranks. If a file lacks a node of its ctrl_deps, these are the callers of operations, and
// are left out on all ranks. passed follows the reading and may be nil.
func Read(files map[int]string, passed packed.Passed) (list []*Trace, callers bool, err error) {
	for _, rank := range slices.Sorted(maps.Keys(files)) {
		t, err := read(files[rank], rank, passed)
		if err != nil {
			return nil, false, err
		}
		list, callers = append(list, t), callers || t.lacksControls()
	}
	for _, t := range list {
		if err := t.resolve(callers); err != nil {
			return nil, false, err
		}
	}
	return list, callers, nil
}

func read(path string, rank int, passed packed.Passed) (*Trace, error) {
	file, err := packed.OpenEntries(path, -1, 0, traces.ImportConfig{Passed: passed})
	if err != nil {
		return nil, err
	}
	defer file.Close()
	t := &Trace{File: path, Rank: rank, index: map[uint64]int{}}
	r := reader{&wire.Reader{Entries: file}, t}
	if err := r.metadata(); err != nil {
		return nil, err
	}
	for {
		n, err := r.node()
		if errors.Is(err, io.EOF) {
			return t, nil
		}
		if err != nil {
			return nil, err
		}
		if _, twice := t.index[n.ID]; twice {
			return nil, t.Fault(&n, "another node has the same id")
		}
		t.index[n.ID] = len(t.Nodes)
		t.Nodes = append(t.Nodes, n)
	}
}

// reader takes the messages of a file.
type reader struct {
	*wire.Reader
	trace *Trace
}

// metadata reads the first message.
func (r *reader) metadata() error {
	message, err := r.Next("its metadata")
	if err == nil {
		err = wire.Fields(message, func(number protowire.Number, kind protowire.Type, _ []byte, _ uint64) error {
			if number > 2 || kind != protowire.BytesType {
				return fmt.Errorf("field %d is not one of GlobalMetadata", number)
			}
			return nil
		})
		if err == nil {
			return nil
		}
	}
	if errors.As(err, new(*traces.Error)) {
		return err
	}
	return r.Fault(traces.ErrNotATrace, fmt.Sprintf("the file does not begin with the metadata of a Chakra trace: %v", err))
}

func (r *reader) node() (n Node, err error) {
	message, err := r.Next(fmt.Sprintf("the message after node %d", len(r.trace.Nodes)))
	if err != nil {
		return n, err
	}
	n.offset = r.Start
	var given []string // names of attributes
	err = wire.Fields(message, func(number protowire.Number, kind protowire.Type, bytes []byte, value uint64) error {
		if wanted, known := kinds[number]; known && kind != wanted && !(kind == protowire.VarintType && (number == 4 || number == 5)) {
			return fmt.Errorf("field %d of the node has the wire type %d", number, kind)
		}
		switch number {
		case 1:
			n.ID = value
		case 2:
			n.Name = string(bytes[:min(len(bytes), mostName)])
		case 3:
			n.Type = Type(value)
		case 4:
			n.controls, err = wire.Append(n.controls, kind, bytes, value)
			return err
		case 5:
			n.deps, err = wire.Append(n.deps, kind, bytes, value)
			return err
		case 7:
			n.Micros = value
		case 10:
			name, err := n.attribute(bytes)
			if name != "" && slices.Contains(given, name) {
				return fmt.Errorf("attribute %s comes twice", name)
			}
			given = append(given, name)
			return err
		}
		return nil
	})
	switch {
	case err != nil:
		return n, r.Fault(traces.ErrIllegal, fmt.Sprintf("node %d of the file is not a node of Chakra: %v", len(r.trace.Nodes), err))
	case n.Type == 0 || n.Type > lastType:
		return n, r.trace.Fault(&n, "type %d is not known; 1 to %d are", n.Type, lastType)
	}
	if n.cpu != 0 && n.Type >= Send && n.Type <= Collective {
		n.Type = Compute
	}
	for _, list := range []*[]uint64{&n.controls, &n.deps} { // a small file may repeat one many times
		slices.Sort(*list)
		*list = slices.Clone(slices.Compact(*list))
	}
	if name := n.missing(given); name != "" {
		return n, r.trace.Fault(&n, "it has no attribute %s", name)
	}
	return n, nil
}

// kinds are the wire types of the fields of a node that are read.
var kinds = map[protowire.Number]protowire.Type{1: protowire.VarintType, 2: protowire.BytesType, 3: protowire.VarintType, 4: protowire.BytesType,
	5: protowire.BytesType, 7: protowire.VarintType, 10: protowire.BytesType}

// integers are the fields of an attribute that hold an integer; the others are those of a bool and of a string.
var integers = []protowire.Number{7, 9, 11, 13, 15, 17, 19, 21, 23, 25}

const (
	ofBool = 27
	ofText = 29
)

// mostName bounds the bytes of a name. Longer names of groups are refused. Those of nodes are cut: messages show
// only their beginning.
const mostName = 1 << 10

// attribute takes an attribute, and returns its name if it is known.
func (n *Node) attribute(message []byte) (known string, err error) {
	var name, group string
	var number uint64
	var has protowire.Number
	err = wire.Fields(message, func(field protowire.Number, kind protowire.Type, bytes []byte, value uint64) error {
		switch field {
		case 1:
			name = string(bytes)
		case 2: // a description
		case ofText:
			group, has = string(bytes), field
		case 15, 17: // sint32 and sint64
			number, has = uint64(protowire.DecodeZigZag(value)), field
		default:
			if kind == protowire.BytesType {
				field = 0 // a list, or damaged
			}
			number, has = value, field
		}
		return nil
	})
	numbers := map[string]*uint64{"comm_type": &n.CommType, "comm_size": &n.Bytes, "comm_src": &n.From, "comm_dst": &n.To, "comm_tag": &n.Tag, "is_cpu_op": &n.cpu}
	switch into := numbers[name]; {
	case err != nil || into == nil && name != "pg_name":
		return "", err
	case into != nil && (slices.Contains(integers, has) || into == &n.cpu && has == ofBool):
		*into = number
	case into != nil:
		return "", fmt.Errorf("attribute %s has no integer, such as int64_val", name)
	case has != ofText:
		return "", errors.New("attribute pg_name has no string_val")
	case len(group) > mostName:
		return "", fmt.Errorf("pg_name has %d bytes; at most %d are possible", len(group), mostName)
	default:
		n.Group = group
	}
	return name, nil
}

// needed are the attributes without which a node has no meaning.
var needed = map[Type][]string{Send: {"comm_size", "comm_dst"}, Receive: {"comm_src"}, Collective: {"comm_type", "comm_size"}}

// missing returns the name of an attribute that a node needs and does not have, or "".
func (n *Node) missing(given []string) string {
	for _, name := range needed[n.Type] {
		if !slices.Contains(given, name) && (name != "comm_size" || n.Type == Send || n.CommType != barrier) {
			return name
		}
	}
	return ""
}

// lacksControls reports whether nodes have ctrl_deps that are not in the file.
func (t *Trace) lacksControls() bool {
	return slices.ContainsFunc(t.Nodes, func(n Node) bool {
		return slices.ContainsFunc(n.controls, func(d uint64) bool { _, ok := t.index[d]; return !ok })
	})
}

// resolve finds the nodes that others depend on, without those of ctrl_deps if these are callers.
func (t *Trace) resolve(callers bool) error {
	for i := range t.Nodes {
		n := &t.Nodes[i]
		if !callers {
			n.deps = append(n.deps, n.controls...)
		}
		for _, d := range n.deps {
			at, ok := t.index[d]
			if !ok {
				return t.Fault(n, "it depends on node %d, which is not in the file", d)
			}
			n.After = append(n.After, at)
		}
		slices.Sort(n.After)
		n.After, n.deps, n.controls = slices.Compact(n.After), nil, nil
	}
	t.index = nil
	return nil
}
