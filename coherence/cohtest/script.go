package cohtest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/noc"
)

// Script lets things happen on a chip by text commands and tells everything that happens because of
// them:
//
//	load|store|atomic|fetch|prefetch C0 X an access
//	deliver [all] [word ...]              the oldest message (or all present ones) whose description
//	                                      has all words: >C1, <C0 (receiver, sender), class, kind, block
//	dram [X]                              the oldest DRAM read (of a block) ends
//	timeout C1                            the core's earliest timer fires, and the clock moves to it
//	receipt C1                            the oldest message with receipt has left its interface
//	room TREQ=0 reads=0 | room            what later steps may send; without arguments everything
//	continue C1                           the agent does what it has put off
//	evict C1 X                            the agent gives the block up, as if its frame were needed
//	retire C1 X                           the loads that have read the block are not speculative any more
//	stray GETS C0 >C1 X                   such a message for C0, late or doubled, reaches C1
//	settle                                everything but timers happens, oldest first, to the end
//	given load C0 X                       the access and settle, without a word
//	wait 10                               the clock moves
//	show                                  all lines, the bag, and what agents wait for
//	quiet                                 the laws that hold when nothing moves any more
type Script struct {
	chip *Chip
	log  strings.Builder
}

// NewScript returns a script for a chip and takes over its log.
func NewScript(c *Chip) *Script {
	s := &Script{chip: c}
	c.Log = &s.log
	return s
}

// Do performs one command and checks the protocol's laws on all blocks; a broken one is told. False
// means that the protocol has panicked, which is told too, and that the chip is of no more use.
func (s *Script) Do(command string) (fine bool) {
	defer func() {
		if r := recover(); r != nil {
			fmt.Fprintf(&s.log, "panic: %v\n", r)
			fine = false
		}
	}()
	if !s.command(strings.Fields(command)) {
		fmt.Fprintf(&s.log, "cannot %s: no such command, or nothing that it names is there\n", command)
	}
	s.giveHintReceipts()
	s.chip.CheckAll(false)
	return true
}

// giveHintReceipts gives the receipts of hints. No command is needed for that: hints leave at once, so
// that their timers run.
func (s *Script) giveHintReceipts() {
	c := s.chip
	p, ok := c.Protocol.(coherence.Explorable)
	if !ok {
		return
	}
	log := c.Log
	c.Log = nil
	for i := 0; i < len(c.Receipts); {
		if p.Hint(&c.Receipts[i].Message) {
			c.GiveReceipt(i)
		} else {
			i++
		}
	}
	c.Log = log
}

// Told returns what has happened since the last call. A law that was broken before is forgotten, so
// that what follows may break another one.
func (s *Script) Told() string {
	text := s.log.String()
	s.log.Reset()
	s.chip.Err = nil
	return text
}

// command performs one command; false when it is malformed.
func (s *Script) command(words []string) bool {
	c := s.chip
	verb, rest := words[0], words[1:]
	for kind := range coherence.AccessKinds {
		if verb != kind.String() {
			continue
		}
		a, ok := s.agent(rest, coherence.Cache)
		b, found := s.block(rest)
		if ok && found {
			c.Access(int(a.Index), kind, b)
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
	case "evict":
		a, ok := s.agent(rest, coherence.Roles)
		b, found := s.block(rest)
		return ok && found && c.Evict(a, b)
	case "retire":
		a, ok := s.agent(rest, coherence.Cache)
		b, found := s.block(rest)
		return ok && found && c.Retire(int(a.Index), b)
	case "stray":
		return s.stray(rest)
	}
	return s.arrange(verb, rest)
}

// arrange performs a command that sets the stage or looks at it; false when it is malformed.
func (s *Script) arrange(verb string, rest []string) bool {
	c := s.chip
	switch verb {
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
func (s *Script) agent(words []string, role coherence.Role) (coherence.Agent, bool) {
	if len(words) == 0 {
		return coherence.Agent{}, false
	}
	for _, a := range s.chip.Agents() {
		if AgentName(a) == words[0] && (role == coherence.Roles || a.Role == role) {
			return a, true
		}
	}
	return coherence.Agent{}, false
}

// block reads the last word as a block.
func (s *Script) block(words []string) (coherence.Block, bool) {
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

func (s *Script) deliver(words []string) bool {
	c := s.chip
	every := len(words) > 0 && words[0] == "all"
	if every {
		words = words[1:]
	}
	limit, any := c.born, false
	for i := 0; i < len(c.Bag); {
		if c.Bag[i].Born >= limit || !c.MayDeliver(i) || !c.Matches(i, words) {
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

// Words returns what the command "deliver" may say of message i of the bag: receiver, kind, sender,
// and then class, block and contents.
func (c *Chip) Words(i int) []string {
	f := &c.Bag[i]
	words := []string{">" + AgentName(f.To), c.about.Kinds[f.Kind], "<" + AgentName(f.From)}
	return append(append(words, c.about.Classes[f.Class], BlockName(f.Block)), strings.Fields(c.contents(f.Message))...)
}

// Matches reports whether message i of the bag has all of the words.
func (c *Chip) Matches(i int, words []string) bool {
	own := c.Words(i)
	for _, w := range words {
		if !slices.Contains(own, w) {
			return false
		}
	}
	return true
}

// stray delivers a message that is not in the bag.
func (s *Script) stray(words []string) bool {
	if len(words) != 4 || words[2][0] != '>' {
		return false
	}
	sender, ok := s.agent(words[1:], coherence.Cache)
	to, known := s.agent([]string{words[2][1:]}, coherence.Roles)
	b, found := s.block(words)
	p, may := s.chip.Protocol.(coherence.Explorable)
	if !ok || !known || !found || !may {
		return false
	}
	for _, m := range p.Hints(to, b) {
		if s.chip.about.Kinds[m.Kind] == words[0] && m.Requestor == sender.Index {
			s.chip.Bag = append(s.chip.Bag, Flying{Message: m, To: to, Born: s.chip.born})
			s.chip.born++
			return s.chip.Deliver(len(s.chip.Bag) - 1)
		}
	}
	return false
}

// timeout fires a core's timers in order of time up to the first that is not stale.
func (s *Script) timeout(words []string) bool {
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
		if len(c.effects.Sends)+len(c.effects.Timers) > 0 || c.Controller(a).HasDeferred() {
			return true
		}
		c.Now = now
		s.log.Reset()
		s.log.WriteString(before)
	}
	return false
}

func (s *Script) room(words []string) bool {
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
		for int(class) < len(c.about.Classes) && c.about.Classes[class] != name {
			class++
		}
		if int(class) == len(c.about.Classes) {
			return false
		}
		c.Room[class] = n
	}
	return true
}

// settle makes everything but timers happen, oldest first.
func (s *Script) settle() {
	s.giveHintReceipts()
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
			if c.Controller(a).HasDeferred() {
				before := len(c.Bag)
				c.Continue(a)
				again = again || len(c.Bag) > before
			}
		}
	}
}

func (s *Script) show() {
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
		fmt.Fprintf(&s.log, "in flight to %s: %s\n", AgentName(f.To), c.messageName(f))
	}
	for _, a := range c.Agents() {
		if why := c.Controller(a).Explain(); why != "" {
			fmt.Fprintf(&s.log, "%s: %s\n", AgentName(a), why)
		}
	}
}
