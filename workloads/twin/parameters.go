package twin

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// FormatVersion is the version of the parameter files.
const FormatVersion = 1

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
	Chains     []Chain     `json:"chains,omitempty"`
	// Waits are [core, record, producer, record]: the core's record waits for the producer's. Records count
	// from the start of the core's stream.
	Waits [][4]uint64 `json:"waits,omitempty"`
}

// Footprint counts lines of 64 bytes.
type Footprint struct {
	Private []uint64 `json:"private"`  // per core
	OwnCode []uint64 `json:"own_code"` // lines of instructions that only this core executes, per core
	// Shared are lines that several cores read and none writes, Code the lines of instructions, both by degree
	// class (1, 2, 3 to 4, 5 to 8 cores, ...); the touches are lines times cores.
	Shared        []uint64 `json:"shared"`
	SharedTouches []uint64 `json:"shared_touches"`
	Code          []uint64 `json:"code"`
	CodeTouches   []uint64 `json:"code_touches"`
	// Produced are lines that this core alone writes and others read. Reads[i][j] counts how often core i
	// read what core j had newly written there.
	Produced []uint64   `json:"produced"`
	Reads    [][]uint64 `json:"reads"`
	// Exchanged are the lines that several cores write, by how often a core used one after others had: once, 2 or
	// 3 times, 4 to 7 times, and so on.
	Exchanged []Popularity `json:"exchanged"`
}

// Popularity groups lines that are used about equally often.
type Popularity struct {
	Lines   uint64 `json:"lines"`
	Touches uint64 `json:"touches"` // lines times the cores that touch one
	Uses    uint64 `json:"uses"`    // after others
}

// Role is what one core did in each slice: how many records, how many of them fetches, and in which
// behaviour.
type Role struct {
	Records    []uint64 `json:"records"`
	Fetches    []uint64 `json:"fetches"`
	Behaviours []int    `json:"behaviours"`
}

// Behaviour is how a core behaved in a group of similar slices.
type Behaviour struct {
	// Next counts transitions between states, which are class and kind (load, store, atomic) of a data access:
	// 3*class+kind. Each row is that of a state, as pairs of the next state and a count.
	Next   [][]uint64        `json:"next"`
	Sizes  [][]uint64        `json:"sizes"`  // log2 of the bytes, by kind
	Places [2][]uint64       `json:"places"` // place in the line: of class 0, and of the others
	Gaps   [gapTables]Spread `json:"gaps"`   // instructions
	Code   [][]uint64        `json:"code"`   // class of a fetch, given that of the one before
}

// Chain is a line that one core after another uses all the time: a lock, a counter, a flag, a futex. Events[i][j]
// counts how often core i used it in slice j after others had.
type Chain struct {
	Kinds  []uint64   `json:"kinds"` // load, load then store, atomic, store
	Edges  uint64     `json:"edges"` // carried by events other than stores
	Events [][]uint64 `json:"events"`
}

// The kinds of a chain's events.
const (
	chainLoad = iota
	chainLoadStore
	chainAtomic
	chainStore
	chainKinds
)

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
	limitLines      = 1 << 32
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
	case len(p.Chains) > limitChains:
		return fmt.Errorf("chains has %d elements; at most %d are allowed", len(p.Chains), limitChains)
	}
	for i, r := range p.Roles {
		if len(r.Records) != p.Slices || len(r.Fetches) != p.Slices || len(r.Behaviours) != p.Slices {
			return fmt.Errorf("roles[%d] has %d records, %d fetches and %d behaviours; slices is %d", i, len(r.Records), len(r.Fetches), len(r.Behaviours), p.Slices)
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
	for i, c := range p.Chains {
		if len(c.Events) != p.Cores || len(c.Kinds) > chainKinds {
			return fmt.Errorf("chains[%d] has events of %d cores and %d kinds; cores is %d, and there are %d kinds", i, len(c.Events), len(c.Kinds), p.Cores, chainKinds)
		}
		for core, events := range c.Events {
			if len(events) > p.Slices {
				return fmt.Errorf("chains[%d].events[%d] has %d elements; slices is %d", i, core, len(events), p.Slices)
			}
		}
	}
	for i, w := range p.Waits {
		if w[0] >= uint64(p.Cores) || w[2] >= uint64(p.Cores) || w[0] == w[2] {
			return fmt.Errorf("waits[%d] is between cores %d and %d; there are %d, and a core does not wait for itself", i, w[0], w[2], p.Cores)
		}
	}
	return p.Footprint.validate(p.Cores)
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
	spreads := make([][]uint64, 0, gapTables)
	for _, g := range b.Gaps {
		spreads = append(spreads, g.Counts)
	}
	for i, row := range b.Next {
		for j, n := range row {
			if len(row)%2 != 0 || j%2 == 0 && n >= states || i >= states {
				return fmt.Errorf("next[%d] must be pairs of a state below %d and a count", i, states)
			}
		}
	}
	return errors.Join(
		table("sizes", b.Sizes, accessKinds, sizes), table("places", b.Places[:], 2, places),
		table("code", b.Code, codeClasses, codeClasses), table("gaps", spreads, gapTables, spreadBuckets))
}

const sizes = 7 // log2 of a line's bytes, plus 1

func (f *Footprint) validate(cores int) error {
	for _, l := range []struct {
		name  string
		lines []uint64
		most  int
	}{
		{"private", f.Private, cores}, {"own_code", f.OwnCode, cores}, {"produced", f.Produced, cores}, {"shared", f.Shared, degreeClasses},
		{"shared_touches", f.SharedTouches, degreeClasses}, {"code", f.Code, degreeClasses},
		{"code_touches", f.CodeTouches, degreeClasses},
	} {
		if len(l.lines) > l.most {
			return fmt.Errorf("footprint.%s has %d elements; at most %d are allowed", l.name, len(l.lines), l.most)
		}
		for i, n := range l.lines {
			if n > limitLines {
				return fmt.Errorf("footprint.%s[%d] is %d; at most %d are allowed", l.name, i, n, uint64(limitLines))
			}
		}
	}
	if len(f.Exchanged) > popularities {
		return fmt.Errorf("footprint.exchanged has %d elements; at most %d are allowed", len(f.Exchanged), popularities)
	}
	for i, e := range f.Exchanged {
		if e.Lines > limitLines {
			return fmt.Errorf("footprint.exchanged[%d].lines is %d; at most %d are allowed", i, e.Lines, uint64(limitLines))
		}
	}
	if len(f.Reads) > cores {
		return fmt.Errorf("footprint.reads has %d rows; there are %d cores", len(f.Reads), cores)
	}
	for i := range f.Reads {
		if len(f.Reads[i]) > cores {
			return fmt.Errorf("footprint.reads[%d] has %d columns; there are %d cores", i, len(f.Reads[i]), cores)
		}
	}
	return nil
}
