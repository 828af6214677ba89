package traces

// Survey is what one pass over a source finds.
type Survey struct {
	Totals []CoreTotals // per core, pages left out
	// Dependent is the number of accesses that are known to depend on a load.
	Dependent uint64
}

// Sum adds the totals of all cores.
func (s Survey) Sum() CoreTotals {
	var sum CoreTotals
	for _, t := range s.Totals {
		sum = sum.Plus(t)
	}
	return sum
}

// add joins what another window holds.
func (s *Survey) add(o Survey) {
	for core, t := range o.Totals {
		s.Totals[core] = s.Totals[core].Plus(t)
	}
	s.Dependent += o.Dependent
}

// placed is a record with its position in its core's stream.
type placed struct {
	Record
	position uint64
}

// scanned is what one core's records hold.
type scanned struct {
	totals    CoreTotals
	sync      []placed // lock to end
	dependent uint64   // accesses with a dependence
	err       error
}

// scan reads all of a core's records, checks each by itself, and shows them to see, unless that is
// nil. Memory grows with synchronisation records, not with accesses.
func scan(s Source, core int, memory uint64, see func(batch []Record)) *scanned {
	found := &scanned{}
	cores, accesses := s.Cores(), uint64(0)
	fault := func(condition error, at uint64, problem string) error {
		return &Error{Stream: RecordStream, Core: core, Record: at, Offset: -1, Err: condition, Problem: problem}
	}
	ended := false
	found.err = Batches(s, core, func(batch []Record) error {
		for i := range batch {
			r, at := &batch[i], found.totals.Records+uint64(i)
			if ended {
				return fault(ErrIllegal, at, "a record follows the end")
			}
			if problem := Illegal(r, cores, accesses); problem != "" {
				return fault(ErrIllegal, at, problem)
			}
			if address, uses := r.Memory(); uses && address >= memory {
				return addressError("", core, at, -1, address, memory)
			}
			if r.Kind.IsAccess() {
				accesses++
				if r.Dependence > 0 {
					found.dependent++
				}
				continue
			}
			ended = r.Kind == End
			if r.Kind != Fence {
				found.sync = append(found.sync, placed{*r, at})
			}
		}
		found.totals.count(batch)
		if see != nil {
			see(batch)
		}
		return nil
	})
	if found.err == nil && !ended {
		found.err = fault(ErrMissingStream, found.totals.Records, "the stream has no end record")
	}
	return found
}
