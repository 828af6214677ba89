package record

import (
	"bytes"
	"testing"

	"github.com/carousel-sim/carousel/traces"
)

// TestProcessorsTakeLocks: a pair of accesses that is an exchange takes a word, another exchange
// releases it, and who finds it taken sleeps. Before the word is trusted the pair has two records;
// from then on a lock has one, and the calls that sleep and wake belong to it.
func TestProcessorsTakeLocks(t *testing.T) {
	const word, beside, rounds = 0x5000, 0x5008, 2 * trustedAfter
	var file bytes.Buffer
	out, err := traces.NewWriter(&file, traces.DefaultMetadata("test", 2), traces.DefaultWriterConfig())
	if err != nil {
		t.Fatal(err)
	}
	p := NewProcessors(2, out)
	take := func(core int, s Step) {
		t.Helper()
		if err := p.Take(core, &s); err != nil {
			t.Fatal(err)
		}
	}
	access := func(k traces.Kind, address uint64, distance uint16) Step {
		return Step{Record: traces.Record{Kind: k, Address: address, Size: 2, Instructions: 5, Dependence: distance}}
	}
	pair := access(traces.Atomic, word, 0)
	pair.After, pair.Exchange, pair.Pair, pair.Second = 1, true, true, 2
	fails := access(traces.Atomic, word, 0)
	fails.Before, fails.After, fails.Exchange = 1, 2, true
	frees := access(traces.Atomic, word, 0)
	frees.Before, frees.Exchange = 2, true
	for round := range rounds {
		core, other := round%2, 1-round%2
		trusted := round >= trustedAfter
		take(core, access(traces.Load, beside, 0))
		take(core, pair)
		take(core, access(traces.Load, beside, 3)) // its address comes from the load ahead of the pair
		take(other, fails)
		if hides := p.Waits(other, word, false); hides != trusted {
			t.Fatalf("round %d: the call that sleeps belongs to the lock: %t", round, hides)
		}
		take(core, frees)
		if hides := p.Waits(core, word, true); hides != (round >= trustedAfter-1) { // it has been released often enough
			t.Fatalf("round %d: the call that wakes belongs to the lock: %t", round, hides)
		}
		if !trusted {
			p.Wakes(core, other)
			take(other, Step{Record: traces.Record{Kind: traces.Fence}})
		}
	}
	if err := p.Close([]uint32{7, 0}); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := traces.OpenReader(bytes.NewReader(file.Bytes()), int64(file.Len()), traces.DefaultReaderConfig())
	if err != nil {
		t.Fatal(err)
	}
	m := slurp(t, f)
	for core, records := range m.Records {
		n, pairs := make([]int, traces.Kinds), 0
		// Untrusted rounds have two atomics of the pair and one that frees; those of the other core one that fails.
		for i, r := range records {
			n[r.Kind]++
			if r.Kind == traces.Atomic && r.Instructions == 2 && records[i-1].Kind == traces.Atomic && records[i-1].Instructions == 3 {
				pairs++
			}
		}
		if pairs != trustedAfter/2 || n[traces.Lock] != trustedAfter/2 || n[traces.Unlock] != trustedAfter/2 || n[traces.Atomic] != 4*trustedAfter/2 || n[traces.Fence] != trustedAfter/2 {
			t.Errorf("core %d: %d pairs, %v", core, pairs, n)
		}
		for i, r := range records {
			if (r.Kind == traces.Lock || r.Kind == traces.Unlock) && (r.Size != traces.Sleeps || r.Address != traces.LockWord|word) {
				t.Errorf("core %d, record %d: %+v", core, i, r)
			}
			if r.Dependence == 3 || r.Dependence == 1 {
				continue // across a pair, or across a lock
			} else if r.Dependence != 0 {
				t.Errorf("core %d, record %d: %+v", core, i, r)
			}
		}
	}
	if edges := len(m.Edges[0]) + len(m.Edges[1]); edges < trustedAfter {
		t.Errorf("%d edges: who was woken comes after who woke it", edges)
	}
}
