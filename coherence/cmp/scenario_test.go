package cmp

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/traces"
)

// TestScenarios tells the way of a few instructions through a core, cycle by cycle. The directive
//
//	core width=2 ports=1 buffer=2 misses=5 plain
//
// runs the records below it, one per line (load A, store A, fence, atomic A, plain N; A and B are
// words of two blocks, +8 is the next word, "after 1" depends on the access before), on a core
// whose accesses miss for that many cycles and hit when they are repeated. What is printed is what
// each cycle changes. Both forms of the core must print the same.
func TestScenarios(t *testing.T) {
	datadriven.RunTest(t, "testdata/core", func(t *testing.T, d *datadriven.TestData) string {
		fast, plain := tellCore(t, d, false), tellCore(t, d, true)
		if fast != plain {
			t.Errorf("%s: the plain core tells\n%s", d.Pos, plain)
		}
		return fast
	})
}

// tellCore runs the records of a scenario and tells what happens.
func tellCore(t *testing.T, d *datadriven.TestData, plain bool) string {
	c := Default()
	miss := 0
	for key, to := range map[string]*int{"width": &c.Core.Width, "ports": &c.Core.LoadPorts, "buffer": &c.Core.StoreBuffer,
		"window": &c.Core.Window, "misses": &miss} {
		d.MaybeScanArgs(t, key, to)
	}
	c.Core.Plain, c.EveryCycle, c.Protocol = plain, true, "stub"
	c.Core.SequentialConsistency = d.HasArg("sequential")
	seen := map[coherence.Block]bool{}
	p := &stubProtocol{time: func(a coherence.Access) noc.Cycle {
		if miss == 0 || seen[a.Block] {
			return 0
		}
		seen[a.Block] = a.Kind != coherence.Prefetch
		return noc.Cycle(miss)
	}}
	Protocols = append(Protocols, stubEntry(p))
	defer func() { Protocols = Protocols[:len(Protocols)-1] }()
	var records []traces.Record
	var names []string
	plainBefore := uint32(0)
	for l := range strings.SplitSeq(d.Input, "\n") {
		words := strings.Fields(l)
		if words[0] == "plain" {
			n, err := strconv.Atoi(words[1])
			if err != nil {
				d.Fatalf(t, "%s: %v", l, err)
			}
			plainBefore = uint32(n)
			continue
		}
		records = append(records, scenarioRecord(t, d, words, plainBefore))
		names = append(names, l)
		plainBefore = 0
	}
	s, err := New(c, &silent{nodes: 64}, one(append(records, end(plainBefore))...)(), 1)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	before := make([]string, len(records))
	for s.running > 0 && s.now < 1000 {
		now := s.now
		s.cycle()
		var changes []string
		for i := range records {
			if state := s.cores[0].tellState(i); state != before[i] {
				changes = append(changes, fmt.Sprintf("%s: %s", names[i], state))
				before[i] = state
			}
		}
		if len(changes) > 0 {
			fmt.Fprintf(&out, "%3d  %s\n", now, strings.Join(changes, "; "))
		}
	}
	fmt.Fprintf(&out, "%3d  finished\n", s.finish)
	return out.String()
}

func scenarioRecord(t *testing.T, d *datadriven.TestData, words []string, plain uint32) traces.Record {
	kinds := map[string]traces.Kind{"load": traces.Load, "store": traces.Store, "atomic": traces.Atomic, "fence": traces.Fence}
	kind, ok := kinds[words[0]]
	if !ok {
		d.Fatalf(t, "%q is no record", words[0])
	}
	r := traces.Record{Kind: kind, Size: 3, Instructions: plain + 1}
	for i, w := range words[1:] {
		switch w {
		case "A", "B", "A+8", "B+8":
			r.Address = uint64(w[0]-'A'+1) * coherence.BlockBytes
			if len(w) > 1 {
				r.Address += 8
			}
		case "after":
			n, err := strconv.Atoi(words[i+2])
			if err != nil {
				d.Fatalf(t, "%v", err)
			}
			r.Dependence = uint16(n)
			return r
		}
	}
	return r
}

// tellState says where a record is: its operation's state in the window, or that of its store.
func (c *core) tellState(i int) string {
	if i >= c.end {
		return ""
	}
	if i >= c.first {
		o := c.op(i)
		switch {
		case o.forward:
			return "takes the value of a store"
		case o.state == pending:
			return "misses"
		case o.state == done:
			return "has its value"
		}
		return "in the window"
	}
	for n := c.stores.visible; n < c.stores.entered; n++ {
		if int(c.stores.at(n).record) == i {
			return "in the store buffer"
		}
	}
	return "done"
}
