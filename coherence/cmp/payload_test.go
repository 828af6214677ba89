package cmp

import (
	"context"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/traces"
)

// listener is a network that only asks what packets hold.
type listener struct {
	noc.Network
	content func(noc.Packet) []noc.Word
	hear    func(noc.Packet, []noc.Word)
}

func (l *listener) CountToggles(content func(noc.Packet) []noc.Word) error {
	l.content = content
	return nil
}

func (l *listener) Offer(p noc.Packet) bool {
	ok := l.Network.Offer(p)
	if ok && l.content != nil {
		l.hear(p, l.content(p))
	}
	return ok
}

func newListener(t *testing.T) *listener {
	t.Helper()
	o := models.DefaultOptions()
	o.Grid = topology.Torus(4, 2)
	m, err := models.Lookup("ideal")
	if err != nil {
		t.Fatal(err)
	}
	n, err := m.Build(o)
	if err != nil {
		t.Fatal(err)
	}
	return &listener{Network: n}
}

// sharing is cores that write random values to a few blocks that all of them use. What loads have
// read is not said.
func sharing(cores, records int) *traces.Memory {
	r := rand.New(rand.NewPCG(5, 1))
	streams, values := make([][]traces.Record, cores), make([]traces.Values, cores)
	for c := range cores {
		for range records {
			x := traces.Record{Kind: traces.Kind(r.IntN(int(traces.Fetch))), Instructions: 1 + uint32(r.IntN(9)), Size: uint8(r.IntN(7))}
			x.Address = uint64(r.IntN(64*40)) &^ (1<<x.Size - 1)
			var value []byte
			if x.Kind != traces.Load {
				for range 1 << x.Size {
					value = append(value, byte(r.Uint32()))
				}
			}
			streams[c] = append(streams[c], x)
			values[c].Append(value)
		}
	}
	return traces.NewMemory(streams, nil).WithValues(values)
}

// TestDataMessagesHoldTheirVersion: each message with data holds what the stores up to its version
// have written, byte by byte, with every protocol. The chip keeps one image of the memory; the test
// keeps every version of every block.
func TestDataMessagesHoldTheirVersion(t *testing.T) {
	for _, protocol := range []string{"token", "directory", "msi"} {
		c := Default()
		c.Protocol, c.Place.Columns = protocol, 4
		c.L1.Sets, c.L1.Ways, c.L2.Sets = 2, 2, 4 // many evictions
		src := sharing(8, 1500)
		net := newListener(t)
		s, err := New(c, net, src, 1)
		if err != nil {
			t.Fatal(err)
		}
		type version struct {
			block coherence.Block
			n     coherence.Version
		}
		contents := map[version][coherence.BlockBytes]byte{}
		latest := map[coherence.Block][coherence.BlockBytes]byte{}
		if err := s.CountToggles(); err != nil {
			t.Fatal(err)
		}
		s.Watch(func(p Performed) {
			if p.Access.Kind != traces.Store && p.Access.Kind != traces.Atomic {
				return
			}
			var value traces.Values
			if err := src.ReadValues(p.Core, p.Record, 1, &value); err != nil {
				t.Fatal(err)
			}
			b := blockAt(p.Access.Address)
			now := latest[b]
			copy(now[p.Access.Address%coherence.BlockBytes:], value.Of(0))
			latest[b] = now
			contents[version{b, coherence.Version(p.Version)}] = now
		})
		data := 0
		net.hear = func(p noc.Packet, words []noc.Word) {
			m := &s.nic.flights.all[p.Tag].send.Message
			if len(words) != int(p.Phits) || words[0][0]&0xffffffff != uint64(m.Block) {
				t.Fatalf("a packet of %d phits holds %x", p.Phits, words)
			}
			if !m.Has(coherence.HasData) || uint64(m.Block) >= c.Memory.Bytes/coherence.BlockBytes {
				return
			}
			data++
			var got []byte
			for _, w := range words[1:] {
				got = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(got, w[0]), w[1])
			}
			want := contents[version{m.Block, m.Version}]
			if string(got) != string(want[:]) && !t.Failed() {
				t.Errorf("%s, cycle %d: a message with version %d of block %d holds\n%x, and that version is\n%x", protocol, s.now, m.Version, m.Block, got, want)
			}
		}
		r, err := s.Run(context.Background(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if data < 1000 || r.PayloadBytes < uint64(data)*coherence.BlockBytes || r.PayloadKnown == 0 || r.PayloadKnown > r.PayloadBytes {
			t.Errorf("%s: %d messages with data; %d bytes, of which %d are known", protocol, data, r.PayloadBytes, r.PayloadKnown)
		}
	}
}

// TestImage: what is known of a block comes from stores, and from loads that have seen what is
// there now.
func TestImage(t *testing.T) {
	p := &payload{cores: make([]unperformed, 1)}
	holds := func(address uint64, want string, known uint64) {
		t.Helper()
		b, k := p.image.block(address)
		if got := strings.TrimRight(string(b[:8]), "\x00"); got != want || k != known {
			t.Errorf("the block holds %q, %d bytes known; want %q and %d", got, k, want, known)
		}
	}
	load := traces.Record{Kind: traces.Load, Address: 1 << 20, Size: 2}
	store := traces.Record{Kind: traces.Store, Address: 1<<20 + 2, Size: 1}
	holds(1<<20, "", 0)
	p.loaded(0, &load, []byte("abcd")) // what the first miss carries
	holds(1<<20, "abcd", 4)
	p.loaded(0, &store, []byte("XY"))
	p.loaded(0, &load, []byte("1234"))
	p.loaded(0, &load, []byte("5678"))
	p.loaded(0, &load, []byte("none"))
	holds(1<<20, "abcd", 4) // nothing else has taken effect
	p.performed(Performed{Access: store, Version: 2})
	holds(1<<20, "abXY", 4)
	p.performed(Performed{Access: load, Version: 1}) // it has seen an older version
	holds(1<<20, "abXY", 4)
	p.performed(Performed{Access: load, Version: 2}) // somebody has written behind the trace's back
	holds(1<<20, "1234", 4)
	p.performed(Performed{Access: load, Forwarded: true})
	holds(1<<20, "1234", 4)
}

// TestCountTogglesNeedsValues: neither networks that cannot count nor traces without values are
// accepted in silence.
func TestCountTogglesNeedsValues(t *testing.T) {
	c := Default()
	c.Place.Columns = 4
	plain, err := New(c, newListener(t), traces.NewMemory(make([][]traces.Record, 8), nil), 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := plain.CountToggles(); !errors.Is(err, ErrNoValues) {
		t.Errorf("a trace without values: %v", err)
	}
	deaf, err := New(c, newListener(t).Network, sharing(8, 10), 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := deaf.CountToggles(); !errors.Is(err, ErrNoToggles) {
		t.Errorf("a network that does not count: %v", err)
	}
}
