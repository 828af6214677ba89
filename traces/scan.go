package traces

import (
	"errors"
	"io"
)

// placed is a record with its position in its core's stream.
type placed struct {
	Record
	position uint64
}

// scanned is what one core's records hold.
type scanned struct {
	totals    CoreTotals
	sync      []placed // lock to end
	footprint footprint
	dependent uint64 // accesses with a dependence
	err       error
}

const scanRecords = 1024

// scan reads all of a core's records and checks each by itself. Memory grows with synchronisation
// records and pages touched, not with accesses.
func scan(s Source, core int, memory uint64) *scanned {
	found := &scanned{footprint: footprint{}}
	cores, records, accesses := s.Cores(), make([]Record, scanRecords), uint64(0)
	fault := func(condition error, at uint64, problem string) *scanned {
		found.err = &Error{Stream: RecordStream, Core: core, Record: at, Offset: -1, Err: condition, Problem: problem}
		return found
	}
	var page pageCache
	ended := false
	for {
		n, err := s.ReadRecords(core, records)
		if err != nil && !errors.Is(err, io.EOF) {
			found.err = err
			return found
		}
		if n == 0 {
			break
		}
		position := found.totals.Records
		for i := range records[:n] {
			r := &records[i]
			if ended {
				return fault(ErrIllegal, position+uint64(i), "a record follows the end")
			}
			if problem := Illegal(r, cores, accesses); problem != "" {
				return fault(ErrIllegal, position+uint64(i), problem)
			}
			if address, uses := r.Memory(); uses && address >= memory {
				found.err = addressError("", core, position+uint64(i), -1, address, memory)
				return found
			}
			if r.Kind.IsAccess() {
				accesses++
				if r.Dependence > 0 {
					found.dependent++
				}
				page.access(found.footprint, r)
				continue
			}
			ended = r.Kind == End
			if r.Kind != Fence {
				found.sync = append(found.sync, placed{*r, position + uint64(i)})
			}
		}
		found.totals.count(records[:n])
	}
	if !ended {
		return fault(ErrMissingStream, found.totals.Records, "the stream has no end record")
	}
	return found
}
