package twin

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// FormatVersion is the version of the parameter files.
const FormatVersion = 3

// Parameters are what a generator is fitted to. All numbers are counts of what was found in the recording;
// the generator uses them as weights.
type Parameters struct {
	Version  int    `json:"version"`
	Workload string `json:"workload"`
	// Recording says which recording was measured: the origin in its metadata.
	Recording string `json:"recording"`
	Records   uint64 `json:"records"` // accesses and fetches of the recording, all cores
	Cores     int    `json:"cores"`
	// Slices is the number of parts of equal estimated time into which the recording was cut.
	Slices     int         `json:"slices"`
	Footprint  Footprint   `json:"footprint"`
	Roles      []Role      `json:"roles"` // one per core
	Behaviours []Behaviour `json:"behaviours"`
	// Chains is the number of lines that one core after another uses all the time: locks, counters, flags,
	// futexes. Events are the accesses to them that others notice, by core: records since the last event, chain, and
	// kind (load, store, atomic).
	Chains int           `json:"chains"`
	Events [][][3]uint64 `json:"events,omitempty"`
	// Waits are the recording's edges by core: records since the last wait, the core waited for, and its record.
	// Records count from the start of the core's stream.
	Waits [][][3]uint64 `json:"waits,omitempty"`
}

// Role is what one core did in each slice: how many records, how many of them fetches, in which behaviour, and how
// many new versions it made of lines that others read.
type Role struct {
	Records    []uint64 `json:"records"`
	Fetches    []uint64 `json:"fetches"`
	Behaviours []int    `json:"behaviours"`
	Written    []uint64 `json:"written"` // lines of its own that others had read
}

// Behaviour is how a core behaved in a group of similar slices.
type Behaviour struct {
	// Contexts are what comes after what: sequences of states, of which each is class and kind (load, store,
	// atomic) of a data access, and how often which state followed (contexts.go). A row is one more state and the latest ones
	// of the last row with a depth less by one: depth, state, and pairs of the next state and a count.
	Contexts [][]uint64        `json:"contexts"`
	Sizes    [][]uint64        `json:"sizes"`  // log2 of the bytes, by kind
	Places   [2][]uint64       `json:"places"` // place in the line: of class 0, and of the others
	Gaps     [gapTables]Spread `json:"gaps"`   // instructions
	Code     [][]uint64        `json:"code"`   // class of a fetch, given that of the one before
	// Distances and CodeDistances say by class from which distance to which one most are.
	Distances     [][2]int `json:"distances"`
	CodeDistances [][2]int `json:"code_distances"`
}

// Read reads a parameter file and checks it.
func Read(from io.Reader) (*Parameters, error) {
	d := json.NewDecoder(from)
	d.DisallowUnknownFields()
	p := new(Parameters)
	if err := d.Decode(p); err != nil {
		if s := new(json.SyntaxError); errors.As(err, &s) {
			return nil, fmt.Errorf("byte %d: %w; make the file again with carousel workload fit", s.Offset, err)
		}
		return nil, fmt.Errorf("%w; make the file again with carousel workload fit", err)
	}
	return p, p.Validate()
}

// Write writes a parameter file: one line per top-level field and list element, so that versions compare.
func (p *Parameters) Write(to io.Writer) error {
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	_, err = to.Write(append(breakLines(text), '\n'))
	return err
}

// breakLines starts a new line before each field and element of the outer two levels.
func breakLines(text []byte) []byte {
	out := make([]byte, 0, len(text)+len(text)/50)
	depth, quoted := 0, false
	for i, b := range text {
		if b == '"' && text[i-1] != '\\' {
			quoted = !quoted
		}
		out = append(out, b)
		if quoted {
			continue
		}
		switch b {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		if depth <= 2 && b == ',' || depth == 1 && b == '{' {
			out = append(out, '\n')
		}
	}
	return out
}

// Limits of a parameter file: what a chip can have, and what keeps a generator small.
const (
	limitCores      = 64
	limitSlices     = 1 << 12
	limitBehaviours = 64
	limitChains     = 16
	limitEvents     = 1 << 13 // of all cores
	limitWaits      = 1 << 13
	limitLines      = 1 << 32
	limitDistance   = 1 << 30
)

// Validate tells what is wrong with the parameters, naming the field.
func (p *Parameters) Validate() error {
	switch {
	case p.Version != FormatVersion:
		return fmt.Errorf("version is %d; this program reads %d: make the file again with carousel workload fit", p.Version, FormatVersion)
	case p.Cores < 1 || p.Cores > limitCores:
		return fmt.Errorf("cores is %d; 1 to %d are allowed", p.Cores, limitCores)
	case p.Slices < 1 || p.Slices > limitSlices:
		return fmt.Errorf("slices is %d; 1 to %d are allowed", p.Slices, limitSlices)
	case len(p.Roles) != p.Cores:
		return fmt.Errorf("roles has %d elements; cores is %d", len(p.Roles), p.Cores)
	case len(p.Behaviours) < 1 || len(p.Behaviours) > limitBehaviours:
		return fmt.Errorf("behaviours has %d elements; 1 to %d are allowed", len(p.Behaviours), limitBehaviours)
	case p.Chains < 0 || p.Chains > limitChains:
		return fmt.Errorf("chains is %d; 0 to %d are allowed", p.Chains, limitChains)
	}
	for i, r := range p.Roles {
		if len(r.Records) != p.Slices || len(r.Fetches) != p.Slices || len(r.Behaviours) != p.Slices {
			return fmt.Errorf("roles[%d] has %d records, %d fetches and %d behaviours; slices is %d", i, len(r.Records), len(r.Fetches), len(r.Behaviours), p.Slices)
		}
		if len(r.Written) > p.Slices {
			return fmt.Errorf("roles[%d].written has %d elements; slices is %d", i, len(r.Written), p.Slices)
		}
		for s, b := range r.Behaviours {
			if b < 0 || b >= len(p.Behaviours) {
				return fmt.Errorf("roles[%d].behaviours[%d] is %d; there are %d behaviours", i, s, b, len(p.Behaviours))
			}
			if r.Records[s] > limitLines {
				return fmt.Errorf("roles[%d].records[%d] is %d; at most %d are allowed", i, s, r.Records[s], uint64(limitLines))
			}
		}
	}
	for i := range p.Behaviours {
		if err := p.Behaviours[i].validate(); err != nil {
			return fmt.Errorf("behaviours[%d].%w", i, err)
		}
	}
	if err := p.validateOrder(); err != nil {
		return err
	}
	return p.Footprint.validate(p.Cores)
}

// validateOrder checks what happens between cores.
func (p *Parameters) validateOrder() error {
	if len(p.Events) > p.Cores || len(p.Waits) > p.Cores {
		return fmt.Errorf("events are those of %d cores and waits those of %d; cores is %d", len(p.Events), len(p.Waits), p.Cores)
	}
	for core, events := range p.Events {
		for i, e := range events {
			if e[0] > limitLines || e[1] >= uint64(p.Chains) || e[2] >= accessKinds {
				return fmt.Errorf("events[%d][%d] is %v: its chain must be below %d and its kind below %d", core, i, e, p.Chains, accessKinds)
			}
		}
	}
	for core, waits := range p.Waits {
		for i, w := range waits {
			if w[0] > limitLines || w[1] >= uint64(p.Cores) || w[1] == uint64(core) {
				return fmt.Errorf("waits[%d][%d] is for core %d; there are %d, and a core does not wait for itself", core, i, w[1], p.Cores)
			}
		}
	}
	return p.circle()
}

// circle lets the cores run from wait to wait, and complains of one that waits for ever.
func (p *Parameters) circle() error {
	next, passed := make([]int, p.Cores), make([]uint64, p.Cores)
	for moved := true; moved; {
		moved = false
		for core, waits := range p.Waits {
			// A core without further waits passes everything.
			for ; next[core] < len(waits); next[core]++ {
				w := waits[next[core]]
				if producer := int(w[1]); producer < len(p.Waits) && next[producer] < len(p.Waits[producer]) &&
					passed[producer]+p.Waits[producer][next[producer]][0] <= w[2] {
					break
				}
				passed[core] += w[0]
				moved = true
			}
		}
	}
	for core, waits := range p.Waits {
		if next[core] < len(waits) {
			return fmt.Errorf("waits[%d][%d] is never met: it waits for core %d, which waits, too", core, next[core], waits[next[core]][1])
		}
	}
	return nil
}

// validate checks the sizes of a behaviour's tables.
func (b *Behaviour) validate() error {
	table := func(name string, t [][]uint64, rows, columns int) error {
		if len(t) > rows {
			return fmt.Errorf("%s has %d rows; at most %d are allowed", name, len(t), rows)
		}
		for i := range t {
			if len(t[i]) > columns {
				return fmt.Errorf("%s[%d] has %d columns; at most %d are allowed", name, i, len(t[i]), columns)
			}
		}
		return nil
	}
	if len(b.Distances) > dataClasses || len(b.CodeDistances) > codeClasses {
		return fmt.Errorf("distances has %d elements and code_distances %d; at most %d and %d are allowed", len(b.Distances), len(b.CodeDistances), dataClasses, codeClasses)
	}
	for i, d := range append(b.Distances, b.CodeDistances...) {
		if d[0] < 0 || d[1] < d[0] || d[1] > limitDistance {
			return fmt.Errorf("distances[%d] is from %d to %d; 0 to %d are allowed", i, d[0], d[1], limitDistance)
		}
	}
	spreads := make([][]uint64, 0, gapTables)
	for _, g := range b.Gaps {
		spreads = append(spreads, g.Counts)
	}
	depth := uint64(0)
	for i, row := range b.Contexts {
		if len(row) < 2 || len(row)%2 != 0 || row[0] > contextDepth || (row[0] == 0) != (i == 0) || row[0] > depth+1 {
			return fmt.Errorf("contexts[%d] must be a depth, 0 in the first row only, and pairs of a state and a count", i)
		}
		depth = row[0]
		for j, state := range row[1:] {
			if j == 0 && state >= contextSymbols || j%2 == 1 && state >= states {
				return fmt.Errorf("contexts[%d] has the state %d; the last one is %d", i, state, states-1)
			}
		}
	}
	return errors.Join(
		table("sizes", b.Sizes, accessKinds, sizes), table("places", b.Places[:], 2, places),
		table("code", b.Code, codeClasses, codeClasses), table("gaps", spreads, gapTables, spreadBuckets))
}

const sizes = 7 // log2 of a line's bytes, plus 1

// migratory reports whether lines that several cores write are mostly read in order to be written.
func (p *Parameters) migratory() bool {
	read, written := uint64(0), uint64(0)
	for i := range p.Behaviours {
		read += p.Behaviours[i].count(readExchanged)
		written += p.Behaviours[i].count(upgrade)
	}
	return 3*written > read
}

// count is how many accesses were of a class.
func (b *Behaviour) count(class int) (n uint64) {
	for _, row := range b.Contexts {
		for j := 2; j < len(row); j += 2 {
			if of, _ := parts(int(row[j])); of == class {
				n += row[j+1]
			}
		}
	}
	return n
}
