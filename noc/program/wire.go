package program

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Version is the version of the interface.
const Version = 1

// header is the length of the head of a message: the size of its body, and its tag.
const header = 8

// longestAnswer bounds the body of an answer.
const longestAnswer = 1 << 28

// The tags of messages to the program, and of its answers.
const (
	newTag, shapeTag         = "NEWN", "SHAP"
	runTag, doneTag          = "RUNC", "DONE"
	countTag, sumsTag        = "COUN", "SUMS"
	explainTag               = "EXPL"
	checkTag, textTag        = "CHEC", "TEXT"
	failTag                  = "FAIL" // answers any message
	shapeBytes               = 64     // SHAP without its lists
	linkBytes                = 12
	placeBytes               = 12
	doneBytes                = 24 // DONE without its lists
	arrivedBytes             = 12
	events                   = 8 // counters of a router
	unlimited         uint32 = 1<<32 - 1
)

// tagOf returns the tag of an answer, "" if there is none of that name.
func tagOf(b []byte) string {
	for _, tag := range [...]string{doneTag, shapeTag, sumsTag, textTag, failTag} {
		if string(b) == tag {
			return tag
		}
	}
	return ""
}

// The flags of a shape.
const (
	takesSets uint32 = 1 << iota
	heedsRoom
	keepsClassesApart
	everyCycle
	countsEvents
	allFlags = 1<<iota - 1
)

// shape is what a program says of its network.
type shape struct {
	flags, longest, routers, links                             uint32
	phitBits, ports, virtualChannels, buffers, depth, crossbar uint32
	explains, checks                                           bool
	channels                                                   []topology.Channel
	entry, exit                                                []topology.Place
}

func (s *shape) has(flag uint32) bool { return s.flags&flag != 0 }

// setup writes the message NEWN: what the network is to be.
func (c *child) setup(s Setup) {
	var m struct {
		Version, Nodes, Classes, Longest uint32
		Seed                             uint64
		ClassLongest                     [noc.MaxClasses]uint32
		Dimensions, Rings                uint32
		Radix                            [8]uint32
		TopologyBytes, OptionsBytes      uint32
	}
	m.Version, m.Nodes, m.Classes, m.Longest, m.Seed = Version, uint32(s.Nodes), uint32(s.Classes), uint32(s.Config.Longest), s.Seed
	for class, longest := range s.ClassPhits {
		m.ClassLongest[class] = uint32(cmp.Or(longest, s.Config.Longest))
	}
	if g := s.Grid; g != nil && len(g.Radix) <= len(m.Radix) {
		m.Dimensions = uint32(len(g.Radix))
		for d, k := range g.Radix {
			m.Radix[d] = uint32(k)
			if g.Wrap {
				m.Rings |= 1 << d
			}
		}
	}
	m.TopologyBytes, m.OptionsBytes = uint32(len(s.Topology)), uint32(len(s.Config.Options))
	c.begin(newTag)
	c.out, _ = binary.Append(c.out, binary.LittleEndian, &m) // of fixed size
	c.out = append(append(c.out, s.Topology...), s.Config.Options...)
}

// numbers reads the fields of an answer.
type numbers []byte

func (b *numbers) next32() uint32 {
	v := binary.LittleEndian.Uint32(*b)
	*b = (*b)[4:]
	return v
}

func (b *numbers) next16() uint16 {
	v := binary.LittleEndian.Uint16(*b)
	*b = (*b)[2:]
	return v
}

func (b *numbers) next64() uint64 {
	v := binary.LittleEndian.Uint64(*b)
	*b = (*b)[8:]
	return v
}

// decode reads the answer SHAP to a setup, and finds what is not allowed.
func (s *shape) decode(body []byte, setup Setup) error {
	if len(body) >= 4 && binary.LittleEndian.Uint32(body) != Version {
		return fmt.Errorf("it has version %d of the interface, and this Carousel has version %d; compile it with the files that carousel help detachable names",
			binary.LittleEndian.Uint32(body), Version)
	}
	if len(body) < shapeBytes {
		return fmt.Errorf("its answer %s has %d bytes; at least %d are needed", shapeTag, len(body), shapeBytes)
	}
	b := numbers(body[4:])
	var places, explains, checks uint32
	for _, field := range []*uint32{&s.flags, &s.longest, &s.routers, &s.links, &places, &s.phitBits, &s.ports, &s.virtualChannels,
		&s.buffers, &s.depth, &s.crossbar, &explains, &checks} {
		*field = b.next32()
	}
	b = numbers(body[shapeBytes:])
	s.explains, s.checks = explains != 0, checks != 0
	want := uint64(s.links) * linkBytes
	if places != 0 {
		want += uint64(setup.Nodes) * placeBytes
	}
	if uint64(len(b)) != want {
		return fmt.Errorf("its answer %s lists %d bytes of links and places; %d are needed for %d links", shapeTag, len(b), want, s.links)
	}
	for range s.links {
		s.channels = append(s.channels, topology.Channel{From: noc.NodeID(b.next32()), To: noc.NodeID(b.next32()), Out: b.next16(), In: b.next16()})
	}
	for n := range noc.NodeID(setup.Nodes) {
		in, out := topology.Place{Router: n, Port: topology.Local}, topology.Place{Router: n, Port: topology.Local}
		if places != 0 {
			in.Router, out.Router, in.Port, out.Port = noc.NodeID(b.next32()), noc.NodeID(b.next32()), b.next16(), b.next16()
		}
		s.entry, s.exit = append(s.entry, in), append(s.exit, out)
	}
	return s.check(setup)
}

// check reports a value of the shape that is not allowed, and fills in what was left to Carousel.
func (s *shape) check(setup Setup) error {
	if s.flags&^allFlags != 0 {
		return fmt.Errorf("its flags are %#x; version %d of the interface knows those of %#x", s.flags, Version, allFlags)
	}
	if s.longest != 0 && int(s.longest) < setup.Config.Longest {
		return fmt.Errorf("it takes packets of at most %d phits, and network.program.longest is %d; lower that key", s.longest, setup.Config.Longest)
	}
	s.routers, s.phitBits = cmp.Or(s.routers, uint32(setup.Nodes)), cmp.Or(s.phitBits, 128)
	if !slices.IsSortedFunc(s.channels, func(a, b topology.Channel) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.Out, b.Out)) }) {
		return errors.New("its links are not ordered by router and then by output port, as their counters must be")
	}
	if s.phitBits > 1<<16 || s.ports > 1<<16 {
		return fmt.Errorf("its links have %d bits and its routers %d ports; at most %d are allowed", s.phitBits, s.ports, 1<<16)
	}
	if s.has(countsEvents) && s.ports == 0 {
		return fmt.Errorf("it counts events and does not say how many ports a router has, without which they have no price")
	}
	return nil
}
