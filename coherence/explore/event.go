package explore

import "github.com/carousel-sim/carousel/coherence"

// An event is one thing under way that will happen by itself, packed into a word so that a state's
// bag of events is a sorted list of numbers. Field by field, from the lowest bit, with its width:
//
//	sort 2, receiver 2+4 (role, index), sender 2+4, block 3, version 4, kind 5, class 3, flags 5, requestor 5,
//	count 11 (plus 1024), ordered 1, position 4 (among the ordered messages of a pair)
type event uint64

// The sorts of events.
const (
	arrival uint64 = iota // a copy of a message reaches its receiver
	receipt               // the last copy of a message has left its sender's interface
	dram                  // DRAM has read a block for a memory controller
)

// Where the fields begin.
const (
	toAt        = 2
	fromAt      = toAt + 6
	blockAt     = fromAt + 6
	versionAt   = blockAt + 3
	kindAt      = versionAt + 4
	classAt     = kindAt + 5
	flagsAt     = classAt + 3
	requestorAt = flagsAt + 5
	countAt     = requestorAt + 5
	orderedAt   = countAt + 11
	positionAt  = orderedAt + 1

	maxCores    = 8
	maxBlocks   = 8
	noRequestor = 31
	countBias   = 1024
	maxPosition = 15
)

func packAgent(a coherence.Agent) uint64 { return uint64(a.Role) | uint64(a.Index)<<2 }

func (e event) field(at, width uint) uint64 { return uint64(e) >> at & (1<<width - 1) }

func (e event) sort() uint64 { return e.field(0, 2) }

func (e event) to() coherence.Agent { return unpackAgent(e.field(toAt, 6)) }

func (e event) from() coherence.Agent { return unpackAgent(e.field(fromAt, 6)) }

func unpackAgent(w uint64) coherence.Agent {
	return coherence.Agent{Role: coherence.Role(w & 3), Index: uint16(w >> 2)}
}

func (e event) block() coherence.Block { return coherence.Block(e.field(blockAt, 3)) }

func (e event) class() int { return int(e.field(classAt, 3)) }

func (e event) ordered() bool { return e.field(orderedAt, 1) != 0 }

func (e event) position() uint64 { return e.field(positionAt, 4) }

// pair returns what ordered messages of one sender, receiver and kind of event have in common.
func (e event) pair() uint64 { return uint64(e) & (1<<blockAt - 1) }

// pack makes an event of a message. The version must be a place in history already.
func pack(sort uint64, to coherence.Agent, m *coherence.Message, version uint8) event {
	requestor := uint64(m.Requestor)
	if m.Requestor == coherence.NoCore {
		requestor = noRequestor
	}
	return event(sort | packAgent(to)<<toAt | packAgent(m.From)<<fromAt | uint64(m.Block)<<blockAt |
		uint64(version)<<versionAt | uint64(m.Kind)<<kindAt | uint64(m.Class)<<classAt | uint64(m.Flags)<<flagsAt |
		requestor<<requestorAt | uint64(int(m.Count)+countBias)<<countAt)
}

// message returns the message of an event. An ordered one carries its position as sequence number:
// its receiver counts from 0 in every state.
func (e event) message() coherence.Message {
	m := coherence.Message{
		Block: e.block(), Version: coherence.Version(e.field(versionAt, 4)), Kind: uint8(e.field(kindAt, 5)),
		Sequence: uint32(e.position()), Flags: coherence.Flags(e.field(flagsAt, 5)), From: e.from(),
		Requestor: uint16(e.field(requestorAt, 5)), Count: int16(int(e.field(countAt, 11)) - countBias),
	}
	m.Class = classOf(e)
	if m.Requestor == noRequestor {
		m.Requestor = coherence.NoCore
	}
	return m
}

// renamed gives cores other names.
func (e event) renamed(names []uint8) event {
	for _, at := range [...]uint{toAt, fromAt} {
		if a := e.field(at, 6); a&3 == uint64(coherence.Cache) {
			e = e&^(0xf<<(at+2)) | event(names[a>>2])<<(at+2)
		}
	}
	if r := e.field(requestorAt, 5); r != noRequestor {
		e = e&^(31<<requestorAt) | event(names[r])<<requestorAt
	}
	return e
}

// aged gives the data another place in history.
func (e event) aged(version uint8) event {
	return e&^(15<<versionAt) | event(version)<<versionAt
}
