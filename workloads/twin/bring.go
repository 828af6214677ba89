package twin

// bring puts a line on top that is new to the core or that others have used.
func (s *stream) bring(class int) {
	l, c := s.g.layout, &s.counts
	switch class {
	case newShared:
		degree := s.g.shared.draw(s.random.Uint64())
		s.next(&l.shared[s.role][degree], &c.shared[degree], useRead)
	case readProduced:
		s.read()
	case writeProduced:
		s.next(&l.produced[s.role], &c.written, useProduced)
	case upgrade:
		// The latest line that it has read there and not yet written.
		for d := range min(searchReach, len(s.data.lines)) {
			if s.upgrade(d) {
				return
			}
		}
		s.writeExchanged()
	case upgradeLater:
		// The earliest such line, so that lines are written in the order in which they have been read.
		for d := min(s.model.distances[upgradeLater].high(), exactDepth, len(s.data.lines)-1); d >= 0; d-- {
			if s.upgrade(d) {
				return
			}
		}
		s.writeExchanged()
	case writeExchanged:
		s.writeExchanged()
	default:
		popularity := s.g.traded.draw(s.random.Uint64())
		part := &l.exchanged[s.role][popularity]
		if part.next == 0 {
			s.next(part, &c.exchanged[popularity], useTraded)
			return
		}
		// The next member has written what lies between the core's own place and that of the member.
		partner := &c.partners[popularity]
		*partner = max(*partner, c.exchanged[popularity]+part.next/2)
		s.put(part.line(*partner), useTraded, true)
		*partner++
	}
}

// upgrade writes the line at a distance, if it is one of several writers that the core has read and not yet written.
func (s *stream) upgrade(distance int) bool {
	if s.data.lines[len(s.data.lines)-1-distance].use() != useTraded {
		return false
	}
	s.data.raise(distance)
	s.data.top().become(useOwned)
	return true
}

// writeExchanged brings the next line of several writers.
func (s *stream) writeExchanged() {
	popularity := s.g.traded.draw(s.random.Uint64())
	s.next(&s.g.layout.exchanged[s.role][popularity], &s.counts.exchanged[popularity], useOwned)
}

// next brings the next line of a pool.
func (s *stream) next(p *pool, taken *uint64, u use) {
	s.put(p.line(*taken), u, *taken >= p.size || u == useOwned)
	*taken++
}

// read brings a new version of a line that another core writes. Producers are taken in turn, as often as in the
// recording, but for those that have nothing new.
//
// When nobody has anything new the core reads one of those that it waits for as it is, and owes the reading.
func (s *stream) read() {
	producer, fresh := s.nextProducer()
	if producer < 0 {
		s.reuse(newPrivate, false)
		return
	}
	r := &s.counts.read[producer]
	s.put(s.g.layout.produced[producer].line(r.next), useForeign, true)
	if s.repay = fresh; fresh {
		r.next++
	} else {
		s.owed++
	}
}

// readOwed makes up for a reading right behind another, and reports whether it did.
func (s *stream) readOwed() bool {
	if s.owed == 0 || !s.repay {
		return false
	}
	s.owed--
	s.read()
	s.repay = false
	return true
}

// nextProducer is the next one to read from, and whether it has something new; -1 without any.
func (s *stream) nextProducer() (best int, bestFresh bool) {
	l, slices := s.g.layout, s.g.schedule
	begin := slices.begin(s.role, s.cursor.lap, s.cursor.slice)
	part := (s.at - begin) << 16 / (s.until - begin)
	best = -1
	total := int64(0)
	for producer, weight := range s.g.reads[s.role] {
		if weight == 0 {
			continue
		}
		r := &s.counts.read[producer]
		r.credit += weight
		total += weight
		made := slices.versions.at(producer, s.cursor.lap, s.cursor.slice, part)
		fresh := r.advance(&l.readable[s.role][producer], l.produced[producer].size, made)
		if best < 0 || fresh && !bestFresh || fresh == bestFresh && r.credit > s.counts.read[best].credit {
			best, bestFresh = producer, fresh
		}
	}
	if best >= 0 {
		s.counts.read[best].credit -= total
	}
	return best, bestFresh
}

// put puts a line on top, from where it is in the stack if the core has touched it before.
func (s *stream) put(line uint64, u use, before bool) {
	if before {
		if d, ok := s.data.find(line); ok {
			s.data.raise(d)
			s.data.top().become(u)
			return
		}
	}
	s.data.push(newEntry(line, u))
}
