package explore

// broken is a law that a step has broken: from a state, the how-manieth step, and what is wrong.
type broken struct {
	parent uint32
	step   int
	why    error
}

func (c *chunk) reset(nodes []node) {
	*c = chunk{nodes: nodes, fresh: c.fresh[:0], edges: c.edges[:0], arena: c.arena[:0], steps: c.steps}
}

// expand takes every step from every state of the chunk, up to the first that breaks a law.
func (c *chunk) expand(m *machine, s *search) {
	for _, n := range c.nodes {
		m.load(n.state)
		c.steps = m.steps(c.steps[:0])
		for i, step := range c.steps {
			if i > 0 {
				m.load(n.state)
			}
			done, err := m.do(step)
			if !done && err == nil {
				continue
			}
			c.transitions++
			if err == nil {
				err = c.arrive(m, s, n.number, step.what.progress())
			}
			if err != nil {
				c.broken = &broken{n.number, i, err}
				return
			}
		}
	}
}

// arrive notes the state that a step has led to and, if it has not been seen before, verifies the
// laws.
func (c *chunk) arrive(m *machine, s *search, parent uint32, progress bool) error {
	state := m.save()
	x := successor{print: fingerprintOf(state), parent: parent, progress: progress}
	if number := s.seen.find(x.print); number != unknown {
		if progress && !s.options.SafetyOnly {
			c.edges = append(c.edges, edge{parent, number})
		}
		return nil
	}
	x.events, x.quiet, x.at = len(m.bag), m.quiescent(), len(c.arena)
	c.arena = append(c.arena, state...)
	x.end = len(c.arena)
	c.fresh = append(c.fresh, x)
	return m.check()
}
