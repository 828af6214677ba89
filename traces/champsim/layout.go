package champsim

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/packed"
)

// layout is how an instruction is stored.
type layout struct {
	bytes        int
	destinations int // registers, and memory addresses
	addresses    int // offset of the first destination address
	unused       [][2]int
	note         string
}

var layouts = []layout{
	{bytes: 64, destinations: 2, addresses: 16},
	{bytes: 96, destinations: 4, addresses: 24, unused: [][2]int{{18, 24}, {91, 96}}, note: "numbers of address spaces left out: every file is one program"},
	{bytes: 72, destinations: 2, addresses: 16, unused: [][2]int{{65, 72}}, note: "types of loads left out"},
}

const sources = 4

type instruction struct {
	address      uint64
	destinations [4]uint8
	sources      [sources]uint8
	stores       [4]uint64
	loads        [sources]uint64
}

func (l *layout) decode(b []byte) instruction {
	i := instruction{address: binary.LittleEndian.Uint64(b)}
	copy(i.destinations[:l.destinations], b[10:])
	copy(i.sources[:], b[10+l.destinations:])
	for k := range l.destinations {
		i.stores[k] = binary.LittleEndian.Uint64(b[l.addresses+8*k:])
	}
	for k := range i.loads {
		i.loads[k] = binary.LittleEndian.Uint64(b[l.addresses+8*(l.destinations+k):])
	}
	return i
}

// implausible tells what no instruction has, or returns "".
func (l *layout) implausible(b []byte, i *instruction) string {
	switch {
	case b[8] > 1 || b[9] > 1:
		return fmt.Sprintf("the flags of a branch are %d and %d; each is 0 or 1", b[8], b[9])
	case i.address == 0 || !canonical(i.address):
		return fmt.Sprintf("an instruction at address %#x, where none can be", i.address)
	}
	for _, list := range [][]uint64{i.stores[:], i.loads[:]} {
		for _, a := range list {
			if !canonical(a) {
				return fmt.Sprintf("an access to address %#x, which no program can have", a)
			}
		}
	}
	for _, u := range l.unused {
		for _, v := range b[u[0]:u[1]] {
			if v != 0 {
				return fmt.Sprintf("byte %d of the instruction is %d; unused bytes are 0", u[0], v)
			}
		}
	}
	return ""
}

// canonical reports whether x86-64 has an address: its top 17 bits are equal.
func canonical(a uint64) bool { return a+1<<47 < 1<<48 }

// choose finds the layout in which the most instructions at the start of a file are plausible. An
// instruction that is not plausible in any layout is an error, unless anyway is set.
func choose(in *packed.Entries, anyway bool) (layout, error) {
	head, err := in.Peek(64 * layouts[0].bytes)
	if err != nil && err != io.EOF && !errors.Is(err, traces.ErrHead) && len(head) == 0 {
		problem, condition := packed.Condition(err)
		return layout{}, in.Fault(0, condition, problem, "fetch it again")
	}
	best, far, why := layouts[0], -1, ""
	for _, l := range layouts {
		at, problem := 0, ""
		for ; at+l.bytes <= len(head) && problem == ""; at += l.bytes {
			i := l.decode(head[at:])
			if problem = l.implausible(head[at:], &i); problem != "" {
				break
			}
		}
		if problem == "" {
			at = len(head)
			if err == io.EOF && len(head)%l.bytes == 0 {
				at++
			}
		}
		if at > far {
			best, far, why = l, at, problem
		}
	}
	if why != "" && !anyway {
		in.Bytes, in.Offset = best.bytes, int64(far)
		return best, in.Fault(int64(far), traces.ErrIllegal, fmt.Sprintf("instruction %d: %s", far/best.bytes, why), "")
	}
	return best, nil
}
