package cohtest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/noc"
)

// Builder makes a protocol for a story from the options of its "chip" command, such as issues=1.
type Builder func(option func(key string, fallback int) int) Maker

// Stories runs the text scenarios in a folder, written for the datadriven package: the directive
//
//	chip cores=2 banks=1 memories=1 ...
//
// makes a fresh chip (further options are the protocol's), and "do" runs the commands in the lines below
// it. The output is everything that happens because of them. Every command ends with a check of the
// protocol's laws on all blocks, which speaks up only when one is broken. The commands are:
//
//	load|store|atomic|fetch|prefetch C0 X an access
//	deliver [all] [word ...]              the oldest message (or all present ones) whose description
//	                                      has all the words: >C1 (receiver), <C0 (sender), class, kind, block
//	dram [X]                              the oldest DRAM read (of a block) ends
//	timeout C1                            the core's earliest timer fires, and the clock moves to it
//	receipt C1                            the core's oldest message with receipt has left its interface
//	room TREQ=0 reads=0 | room            what later steps may send; without arguments everything
//	continue C1                           the agent does what it has put off
//	settle                                everything but timers happens, oldest first, until nothing is left
//	given load C0 X                       the access and settle, without a word
//	wait 10                               the clock moves
//	show                                  all lines, the bag, and what agents wait for
//	quiet                                 the laws that hold when nothing moves any more
func Stories(t *testing.T, folder string, build Builder) {
	datadriven.Walk(t, folder, func(t *testing.T, path string) {
		s := &story{build: build}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) (text string) {
			defer func() {
				if r := recover(); r != nil {
					text = s.log.String() + fmt.Sprintf("panic: %v\n", r)
				}
			}()
			s.log.Reset()
			s.run(t, d)
			return s.log.String()
		})
	})
}

type story struct {
	build Builder
	chip  *Chip
	log   strings.Builder
}

func (s *story) run(t *testing.T, d *datadriven.TestData) {
	if d.Cmd == "chip" {
		s.start(t, d)
		return
	}
	if d.Cmd != "do" {
		d.Fatalf(t, "%q is no directive; chip and do are", d.Cmd)
	}
	for l := range strings.SplitSeq(d.Input, "\n") {
		if !s.command(strings.Fields(l)) {
			fmt.Fprintf(&s.log, "cannot %s: no such command, or nothing that it names is there\n", l)
		}
		s.chip.CheckAll(false)
	}
	s.chip.Err = nil // it is in the text; the next commands may break another law
}

func (s *story) start(t *testing.T, d *datadriven.TestData) {
	option := func(key string, fallback int) int {
		for _, a := range d.CmdArgs {
			if a.Key == key {
				v, err := strconv.Atoi(a.Vals[0])
				if err != nil {
					d.Fatalf(t, "%s: %v", key, err)
				}
				return v
			}
		}
		return fallback
	}
	s.chip = NewChip(Size{option("cores", 2), option("banks", 1), option("memories", 1)}, 1, s.build(option))
	s.chip.Log = &s.log
}

// command performs one command; false when it is malformed.
func (s *story) command(words []string) bool {
	c := s.chip
	verb, rest := words[0], words[1:]
	if kind := slices.Index(kindNames[:], verb); kind >= 0 {
		a, ok := s.agent(rest, coherence.Cache)
		b, found := s.block(rest)
		if ok && found {
			c.Access(int(a.Index), coherence.AccessKind(kind), b)
		}
		return ok && found
	}
	switch verb {
	case "deliver":
		return s.deliver(rest)
	case "dram":
		b, found := s.block(rest)
		i := slices.IndexFunc(c.Reads, func(r Read) bool { return !found || r.Block == b })
		if i >= 0 {
			c.FinishRead(i)
		}
		return i >= 0
	case "timeout":
		return s.timeout(rest)
	case "receipt":
		a, ok := s.agent(rest, coherence.Cache)
		i := slices.IndexFunc(c.Receipts, func(r Receipt) bool { return r.Core == int(a.Index) })
		if ok && i >= 0 {
			c.GiveReceipt(i)
		}
		return ok && i >= 0
	case "continue":
		a, ok := s.agent(rest, coherence.Roles)
		if ok {
			c.Continue(a)
		}
		return ok
	case "room":
		return s.room(rest)
	case "settle":
		s.settle()
	case "given":
		c.Log = nil
		ok := s.command(rest)
		s.settle()
		c.Log = &s.log
		return ok
	case "wait":
		n, err := strconv.Atoi(strings.Join(rest, ""))
		c.Now += noc.Cycle(n)
		return err == nil
	case "show":
		s.show()
	case "quiet":
		c.CheckAll(true)
		if c.Err == nil {
			s.log.WriteString("all is quiet\n")
		}
	default:
		return false
	}
	return true
}

// agent reads the first word as an agent; Roles takes any role.
func (s *story) agent(words []string, role coherence.Role) (coherence.Agent, bool) {
	if len(words) == 0 {
		return coherence.Agent{}, false
	}
	for _, a := range s.chip.Agents() {
		if agentName(a) == words[0] && (role == coherence.Roles || a.Role == role) {
			return a, true
		}
	}
	return coherence.Agent{}, false
}

// block reads the last word as a block.
func (s *story) block(words []string) (coherence.Block, bool) {
	if len(words) == 0 {
		return 0, false
	}
	word := words[len(words)-1]
	if i := strings.Index(blockLetters, word); i >= 0 && len(word) == 1 {
		return coherence.Block(i), true
	}
	n, err := strconv.Atoi(word)
	return coherence.Block(n), err == nil
}

func (s *story) deliver(words []string) bool {
	c := s.chip
	every := len(words) > 0 && words[0] == "all"
	if every {
		words = words[1:]
	}
	limit, any := c.born, false
	for i := 0; i < len(c.Bag); {
		f := c.Bag[i]
		name := append(strings.Fields(c.messageName(f)), ">"+agentName(f.To), "<"+agentName(f.From))
		match := f.Born < limit && c.MayDeliver(i)
		for _, w := range words {
			match = match && slices.Contains(name, w)
		}
		if !match {
			i++
			continue
		}
		any = true
		if !c.Deliver(i) {
			i++
		}
		if !every {
			return true
		}
	}
	return any
}

// timeout fires a core's timers in order of time up to the first that is not stale.
func (s *story) timeout(words []string) bool {
	c := s.chip
	a, ok := s.agent(words, coherence.Cache)
	for ok {
		first := -1
		for i := range c.Alarms {
			if c.Alarms[i].Core == int(a.Index) && (first < 0 || c.Alarms[i].At < c.Alarms[first].At) {
				first = i
			}
		}
		if first < 0 {
			return false
		}
		at := max(c.Now, c.Alarms[first].At)
		before, now := s.log.String(), c.Now
		c.Now = at
		c.Fire(first)
		if len(c.effects.Sends)+len(c.effects.Timers) > 0 || c.Controller(a).Owes() {
			return true
		}
		c.Now = now
		s.log.Reset()
		s.log.WriteString(before)
	}
	return false
}

func (s *story) room(words []string) bool {
	c := s.chip
	c.Unlimited()
	for _, w := range words {
		name, value, _ := strings.Cut(w, "=")
		n, err := strconv.Atoi(value)
		if err != nil {
			return false
		}
		if name == "reads" {
			c.ReadRoom = n
			continue
		}
		class := noc.Class(0)
		for int(class) < c.Protocol.Classes() && c.Protocol.ClassName(class) != name {
			class++
		}
		if int(class) == c.Protocol.Classes() {
			return false
		}
		c.Room[class] = n
	}
	return true
}

// settle lets everything but timers happen, oldest first.
func (s *story) settle() {
	c := s.chip
	for again := true; again; {
		again = false
		for i := 0; i < len(c.Bag); {
			if c.MayDeliver(i) && c.Deliver(i) {
				again = true
			} else {
				i++
			}
		}
		for len(c.Reads) > 0 {
			c.FinishRead(0)
			again = true
		}
		for len(c.Receipts) > 0 {
			c.GiveReceipt(0)
			again = true
		}
		for _, a := range c.Agents() {
			if c.Controller(a).Owes() {
				c.Continue(a)
			}
		}
	}
}

func (s *story) show() {
	c := s.chip
	var blocks []coherence.Block
	for _, a := range c.Agents() {
		c.Controller(a).VisitLines(func(b coherence.Block, _ coherence.Line) { blocks = append(blocks, b) })
	}
	slices.Sort(blocks)
	for _, b := range slices.Compact(blocks) {
		fmt.Fprintln(&s.log, c.stateName(b))
	}
	for _, f := range c.Bag {
		fmt.Fprintf(&s.log, "in flight to %s: %s\n", agentName(f.To), c.messageName(f))
	}
	for _, a := range c.Agents() {
		if why := c.Controller(a).Explain(); why != "" {
			fmt.Fprintf(&s.log, "%s: %s\n", agentName(a), why)
		}
	}
}
