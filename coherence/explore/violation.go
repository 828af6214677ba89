package explore

import (
	"errors"
	"slices"
)

var errStuck = errors.New("an access or a message can never end unless a core issues another access")

// Violation is a broken law and a shortest way to it.
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
