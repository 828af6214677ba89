package cohtest

import (
	"fmt"
	"strings"

	"github.com/carousel-sim/carousel/coherence"
)

// Agents are written C0, B0, M0; the first blocks X, Y, Z and W, all others by number.

const blockLetters = "XYZW"

// AgentName returns the name of an agent, such as C0.
func AgentName(a coherence.Agent) string { return fmt.Sprintf("%c%d", "CBM"[a.Role], a.Index) }

// BlockName returns the name of a block, such as X.
func BlockName(b coherence.Block) string {
	if int(b) < len(blockLetters) {
		return blockLetters[b : b+1]
	}
	return fmt.Sprint(uint32(b))
}

// contents describe what a message carries.
func (c *Chip) contents(m coherence.Message) string {
	var s strings.Builder
	if m.Count != 0 {
		fmt.Fprintf(&s, " %d", m.Count)
	}
	for f := coherence.FirstOwnFlag; f < coherence.EndOfFlags; f <<= 1 {
		if name := c.about.FlagName(f); m.Has(f) && name != "" {
			s.WriteString(" " + name)
		}
	}
	if m.Has(coherence.HasData) {
		fmt.Fprintf(&s, " v%d", m.Version)
	}
	return s.String()
}

func (c *Chip) messageName(f Flying) string {
	return fmt.Sprintf("%s %s %s%s from %s", c.about.Classes[f.Class], c.about.Kinds[f.Kind], BlockName(f.Block),
		c.contents(f.Message), AgentName(f.From))
}

func (c *Chip) sendName(s *coherence.Send) string {
	var names []string
	for _, to := range s.AppendReceivers(nil, c.Homes) {
		names = append(names, AgentName(to))
	}
	return fmt.Sprintf("%s %s %s%s to %s", c.about.Classes[s.Class], c.about.Kinds[s.Kind],
		BlockName(s.Block), c.contents(s.Message), strings.Join(names, " "))
}

// stateName describes every line of a block.
func (c *Chip) stateName(b coherence.Block) string {
	var parts []string
	for _, a := range c.Agents() {
		switch a.Role {
		case coherence.Bank:
			if a.Index != c.Homes.Bank(b) {
				continue
			}
		case coherence.Memory:
			if a.Index != c.Homes.Memory(b) {
				continue
			}
		}
		l := c.Controller(a).Line(b)
		s := fmt.Sprintf("%s %s", AgentName(a), c.about.States[a.Role][l.State])
		if l.Count > 0 {
			s += fmt.Sprintf(" %d", l.Count)
		}
		if l.Dirty {
			s += " dirty"
		}
		if !l.Sharers.Empty() {
			s += " of"
			for core, ok := l.Sharers.Next(0); ok; core, ok = l.Sharers.Next(core + 1) {
				s += " " + AgentName(cacheOf(int(core)))
			}
		}
		if l.Valid {
			s += fmt.Sprintf(" v%d", l.Version)
		}
		parts = append(parts, s)
	}
	return BlockName(b) + ": " + strings.Join(parts, " | ")
}

// log tells what happens, if there is a log: arguments are named only then.
func (c *Chip) log(format string, args ...any) {
	if c.Log == nil {
		return
	}
	for i, a := range args {
		switch a := a.(type) {
		case coherence.Agent:
			args[i] = AgentName(a)
		case coherence.Block:
			args[i] = BlockName(a)
		case coherence.Outcome:
			args[i] = [...]string{"hit", "pending", "refused"}[a]
		case *Flying:
			args[i] = c.messageName(*a)
		case *coherence.Send:
			args[i] = c.sendName(a)
		}
	}
	fmt.Fprintf(c.Log, format+"\n", args...)
}
