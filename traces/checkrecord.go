package traces

import "fmt"

// record lets a core take one record of synchronisation and reports whether it could.
func (p *replay) record(core int, r *Record) (bool, error) {
	c := &p.cores[core]
	switch r.Kind {
	case Lock:
		return p.lock(core, r.Address)
	case Unlock:
		return p.unlock(core, r.Address)
	case Barrier:
		return p.barrier(core, r)
	case Create:
		if p.creations && p.cores[r.Address].created {
			return false, p.fault(RecordStream, core, c.position, ErrIllegal, fmt.Sprintf("core %d is created again", r.Address))
		}
		p.cores[r.Address].created = true
	case Join:
		if !p.cores[r.Address].ended {
			c.waits = fmt.Sprintf("for the end of core %d", r.Address)
			return false, nil
		}
	case End:
		if len(c.held) > 0 {
			return false, p.fault(RecordStream, core, c.position, ErrIllegal, fmt.Sprintf("the stream ends while it holds lock %d", c.held[0]))
		}
		c.ended = true
	}
	return true, nil
}

// Illegal returns what is wrong with a record by itself, in a trace of that many cores and after
// that many accesses of its core; "" is nothing.
func Illegal(r *Record, cores int, accesses uint64) string {
	switch {
	case r.Kind >= Kinds:
		return fmt.Sprintf("kind %d does not exist", r.Kind)
	case (r.Kind == Lock || r.Kind == Unlock) && r.Size > Sleeps:
		return fmt.Sprintf("cores wait for the lock in way %d; 0 spins, 1 sleeps", r.Size)
	case !r.Kind.IsAccess() && (r.Dependence != 0 || r.Size != 0 && r.Kind != Lock && r.Kind != Unlock):
		return "a " + r.Kind.String() + " has neither size nor dependence"
	case r.Kind.IsAccess() && r.Size > 6:
		return fmt.Sprintf("an access of 2^%d bytes; the largest is a line, 2^6", r.Size)
	case r.Kind.IsAccess() && r.Address%LineBytes+1<<r.Size > LineBytes:
		return "the access crosses a line; write one record per line"
	case uint64(r.Dependence) > accesses:
		return fmt.Sprintf("the dependence of %d accesses reaches before the first", r.Dependence)
	case r.Kind == Barrier && (r.Count == 0 || int(r.Count) > cores):
		return fmt.Sprintf("a barrier for %d of %d cores", r.Count, cores)
	case r.Kind != Barrier && r.Count != 0:
		return "only barriers have a count"
	case (r.Kind == Create || r.Kind == Join) && r.Address >= uint64(cores):
		return fmt.Sprintf("%s of core %d of %d", r.Kind, r.Address, cores)
	}
	return ""
}

func (p *replay) lock(core int, object uint64) (bool, error) {
	c := &p.cores[core]
	switch holder := p.locks[object] - 1; holder {
	case -1:
		p.locks[object] = core + 1
		c.held = append(c.held, object)
		return true, nil
	case core:
		return false, p.fault(RecordStream, core, c.position, ErrIllegal, fmt.Sprintf("lock %d is taken again by its holder", object))
	default:
		c.waits = fmt.Sprintf("for lock %d, held by core %d", object, holder)
		return false, nil
	}
}

func (p *replay) unlock(core int, object uint64) (bool, error) {
	c := &p.cores[core]
	if p.locks[object]-1 != core {
		return false, p.fault(RecordStream, core, c.position, ErrIllegal, fmt.Sprintf("lock %d is released by a core that does not hold it", object))
	}
	delete(p.locks, object)
	for i, held := range c.held {
		if held == object {
			c.held = append(c.held[:i], c.held[i+1:]...)
			break
		}
	}
	return true, nil
}

// barrier counts a core in, and lets it through when the barrier has opened since.
func (p *replay) barrier(core int, r *Record) (bool, error) {
	c := &p.cores[core]
	b := p.barriers[r.Address]
	if b == nil {
		b = &replayBarrier{}
		p.barriers[r.Address] = b
	}
	if c.joined {
		if b.generation == c.generation {
			return false, nil
		}
		c.joined = false
		return true, nil
	}
	if b.arrived == 0 {
		b.count = r.Count
	}
	if b.count != r.Count {
		return false, p.fault(RecordStream, core, c.position, ErrIllegal, fmt.Sprintf("barrier %d is for %d cores here and for %d elsewhere", r.Address, r.Count, b.count))
	}
	if b.arrived++; b.arrived == b.count {
		b.arrived = 0
		b.generation++
		return true, nil
	}
	c.joined, c.generation = true, b.generation
	c.waits = fmt.Sprintf("at barrier %d, where %d of %d have arrived", r.Address, b.arrived, b.count)
	return false, nil
}
