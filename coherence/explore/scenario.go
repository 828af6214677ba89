package explore

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/coherence/cohtest"
)

// Scenario tells the way to the broken law as a text scenario: the commands of cohtest.Script that
// lead to it, a line of dashes, and everything that happens, message by message. The commands are
// replayed on a chip of package cohtest, which has not been used to find the way.
func (v *Violation) Scenario() string {
	r := replay{m: newMachine(v.model)}
	r.chip = cohtest.NewChip(cohtest.Size{Cores: v.model.Cores, Banks: 1, Memories: 1, Victims: v.model.Victims}, 1,
		func(s coherence.System) coherence.Protocol { return v.model.New(s) })
	r.script = cohtest.NewScript(r.chip)
	state := append([]byte(nil), r.m.keep()...)
	for _, x := range v.steps {
		r.m.load(state)
		if !r.takeStep(x) {
			break
		}
		if _, err := r.m.do(x); err != nil {
			break
		}
		state = append(state[:0], r.m.keep()...)
	}
	if v.Why == errStuck { // where it all ends
		r.command("room")
		r.command("settle")
		r.command("show")
	}
	return strings.Join(r.commands, "\n") + "\n----\n" + strings.Join(r.told, "")
}

// replay leads a chip of package cohtest along the way of a machine.
type replay struct {
	m        *machine
	chip     *cohtest.Chip
	script   *cohtest.Script
	commands []string
	told     []string
	room     string
}

// takeStep performs a step, with its consequences in the model. It returns false if it breaks a law.
func (r *replay) takeStep(x step) bool {
	r.limit(x)
	text := r.describe(x)
	if text == "" {
		r.told = append(r.told, fmt.Sprintf("the chip does not have the event of step %+v\n", x))
		return false
	}
	if !r.command(text) {
		return false
	}
	for again := true; again; {
		again = false
		if r.m.InstantMemory && len(r.chip.Reads) > 0 {
			again = r.command("dram")
		}
		toBank := func(f cohtest.Flying) bool { return f.To.Role == coherence.Bank }
		if r.m.PassingBank && slices.ContainsFunc(r.chip.Bag, toBank) {
			again = r.command("deliver >B0")
		}
	}
	return true
}

func (r *replay) command(text string) bool {
	r.commands = append(r.commands, text)
	fine := r.script.Do(text)
	r.told = append(r.told, r.script.Told())
	return fine
}

// limit gives the chip the room that a step has.
func (r *replay) limit(x step) {
	if !r.m.Cramped {
		return
	}
	agent := x.agent
	if x.what == stepEvent {
		agent = r.m.index(r.m.bag[x.event].to())
	}
	r.m.room(agent)
	text := "room"
	for c, name := range r.m.proto.Describe().Classes {
		// What is being delivered takes no room any more, but never more than its receiver has.
		text += fmt.Sprintf(" %s=%d", name, r.m.effects.Room[c])
	}
	text += fmt.Sprintf(" reads=%d", r.m.effects.ReadRoom)
	if text != r.room {
		r.room = text
		r.command(text)
	}
}

// describe returns the command for a step.
func (r *replay) describe(x step) string {
	agent := cohtest.AgentName(r.m.names[x.agent])
	switch x.what {
	case stepDeferred:
		return "continue " + agent
	case stepTimer:
		return "timeout " + agent
	case stepSettle:
		return fmt.Sprintf("retire %s %s", agent, cohtest.BlockName(x.block))
	case stepAccess:
		return fmt.Sprintf("%s %s %s", x.kind, agent, cohtest.BlockName(x.block))
	case stepEviction:
		return fmt.Sprintf("evict %s %s", agent, cohtest.BlockName(x.block))
	case stepHint:
		h := &r.m.hints[x.hint]
		return fmt.Sprintf("stray %s C%d >%s %s", r.m.proto.Describe().Kinds[h.message.Kind], h.message.Requestor, agent, cohtest.BlockName(x.block))
	}
	e := r.m.bag[x.event]
	switch e.sort() {
	case receipt:
		return "receipt " + cohtest.AgentName(e.to())
	case dram:
		return "dram " + cohtest.BlockName(e.block())
	}
	return r.deliver(e)
}

// deliver finds the message of an event in the chip's bag, and the fewest words that name it.
func (r *replay) deliver(e event) string {
	for i := range r.chip.Bag {
		if !r.same(e, &r.chip.Bag[i]) || !r.chip.MayDeliver(i) {
			continue
		}
		words := r.chip.Words(i)
		for n := 2; n <= len(words); n++ {
			first := 0
			for !r.chip.MayDeliver(first) || !r.chip.Matches(first, words[:n]) {
				first++
			}
			if first == i || n == len(words) {
				return "deliver " + strings.Join(words[:n], " ")
			}
		}
	}
	return ""
}

// same reports whether a message of the chip is that of an event, up to what does not matter.
func (r *replay) same(e event, f *cohtest.Flying) bool {
	m := f.Message
	r.m.proto.Canonicalize(&m)
	if r.m.Cramped {
		m.From = f.From
	}
	const within = event(1)<<orderedAt - 1 // without order and position
	data := m.Version != 0 || m.Has(coherence.HasData)
	latest := coherence.Version(e.field(versionAt, 4)) == r.m.latest[m.Block]
	return pack(arrival, f.To, &m, 0)&within == e.aged(0)&within && (!data || latest == (m.Version == r.chip.Latest(m.Block)))
}

var errStuck = errors.New("an access or a message can never end unless a core issues another access")

// Violation is a broken law and a shortest sequence of steps that breaks it.
type Violation struct {
	Why   error
	steps []step // as the cores are named in them: one history from the first state on
	model *Model
}

// Steps returns the number of steps from the first state to the broken law.
func (v *Violation) Steps() int { return len(v.steps) }

// report makes a violation of a broken law. The states remember their parents but not the steps
// between, and cores may have changed names in each; so the way is found again, forward and with
// one set of names: from each state, the first step that leads to one with the next fingerprint.
func (s *search) report(b *broken) {
	var way []uint32
	for n := b.parent; n != unknown; n = s.parents[n] {
		way = append(way, n)
	}
	slices.Reverse(way)
	m := newMachine(s.model)
	v := &Violation{Why: b.why, model: s.model}
	state := append([]byte(nil), m.keep()...)
	for _, n := range way[1:] {
		state = v.follow(m, state, func(err error) bool {
			return err == nil && fingerprintOf(m.save()) == s.seen.prints[n]
		})
	}
	if b.step >= 0 {
		v.follow(m, state, func(err error) bool {
			if err == nil {
				err = m.check()
			}
			return err != nil
		})
	}
	s.result.Violation = v
}

// follow takes the first step from a state after which the machine is as wanted, and returns the
// new state.
func (v *Violation) follow(m *machine, state []byte, wanted func(error) bool) []byte {
	m.load(state)
	for _, x := range m.steps(nil) {
		m.load(state)
		done, err := m.do(x)
		if (done || err != nil) && wanted(err) {
			v.steps = append(v.steps, x)
			if err != nil {
				return nil
			}
			return append([]byte(nil), m.keep()...)
		}
	}
	panic("explore: a step that was taken before cannot be found again")
}
