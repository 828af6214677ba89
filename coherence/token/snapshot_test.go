package token

import (
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/carousel-sim/carousel/coherence"
)

// TestSnapshotOfTable writes and reads tables of persistent requests in every state.
func TestSnapshotOfTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := newActivations(5, new(int32))
		for core := range table.entries {
			if !rapid.Bool().Draw(t, "active") {
				continue
			}
			table.set(core, coherence.Block(rapid.IntRange(0, 3).Draw(t, "block")), rapid.Bool().Draw(t, "write"))
			table.entries[core].marked = rapid.Bool().Draw(t, "marked")
			if rapid.Bool().Draw(t, "owed") {
				table.deferPayment(core)
			}
		}
		var s coherence.Snapshot
		table.snapshot(&s)
		other := newActivations(5, new(int32))
		other.set(2, 7, true)
		other.deferPayment(2)
		s.Reading = true
		other.snapshot(&s)
		if !reflect.DeepEqual(other, table) || len(s.Data) > 0 {
			t.Fatalf("%+v becomes %+v; %d bytes are left", table, other, len(s.Data))
		}
	})
}

// TestPassage: what stands for a bank on a chip without L2 passes tokens home, with data if they
// are dirty.
func TestPassage(t *testing.T) {
	p := New(coherence.System{Cores: 1, Homes: oneBank()}, Default(), tinyL1, tinyL2, 4)
	k := p.NewPassage(0)
	for _, x := range []struct {
		in, out coherence.Message
	}{
		{coherence.Message{Kind: Tokens, Class: WriteBack, Count: 3, Flags: coherence.HasData | isOwner},
			coherence.Message{Kind: Tokens, Class: Home, Count: 3, Flags: isOwner}},
		{coherence.Message{Kind: Tokens, Class: WriteBack, Count: 3, Flags: coherence.HasData | isOwner | isDirty},
			coherence.Message{Kind: Tokens, Class: Home, Count: 3, Flags: coherence.HasData | isOwner | isDirty}},
		{coherence.Message{Kind: GetFetch, Class: Transient}, coherence.Message{Kind: GetRead, Class: ToMemory}},
		{coherence.Message{Kind: GetWrite, Class: Transient}, coherence.Message{Kind: GetWrite, Class: ToMemory}},
	} {
		var out coherence.Effects
		out.Reset()
		x.out.From = coherence.Agent{Role: coherence.Bank}
		if !k.Accept(x.in, 0, &out) || len(out.Sends) != 1 || out.Sends[0].Message != x.out || out.Sends[0].One.Role != coherence.Memory {
			t.Errorf("%+v becomes %+v", x.in, out.Sends)
		}
		out.Reset()
		if out.Room[x.out.Class] = 0; k.Accept(x.in, 0, &out) || !out.Quiet() {
			t.Errorf("%+v is taken without room", x.in)
		}
	}
}
