package traces

import (
	"errors"
	"fmt"
)

// Verify reads all of the file and proves that it can be replayed: every block and checksum, the page
// maps, the totals, and what [Check] demands. The streams are rewound before and after.
func (f *File) Verify() (Survey, error) {
	f.Rewind()
	defer f.Rewind()
	survey, err := Check(f, f.config.MemoryBytes)
	if err != nil {
		return survey, f.place(err)
	}
	for core := range f.metadata.Cores {
		pages, err := f.ReadPages(core)
		if err != nil {
			return survey, err
		}
		found := survey.Totals[core]
		found.Pages, found.Created = uint64(len(pages)), f.Created(core)
		survey.Totals[core] = found
		if f.totals != nil && found != f.totals[core] {
			return survey, f.fault(f.size, ErrCorrupt, fmt.Sprintf("core %d has %+v, and the totals say %+v", core, found, f.totals[core]), repairHint)
		}
		rows := f.records[core].rows
		for i := 1; i < len(rows); i++ {
			if err := f.checkCovered(rows[i-1], f.index[rows[i]].instructions); err != nil {
				return survey, err
			}
		}
	}
	return survey, nil
}

// checkCovered compares the instructions that a block says it covers with the start of the next one.
func (f *File) checkCovered(row int32, next uint64) error {
	r := &f.index[row]
	b := make([]byte, headLength(limitColumns))
	n, err := f.readAt(b, int64(r.offset))
	if err != nil {
		return err
	}
	if _, problem := parseBlockHead(b[:n], &f.head); problem != "" || r.instructions+f.head.covered != next {
		return f.damage(RecordStream, int(r.core), r.first, int64(r.offset), "the instructions of the block do not lead to the next one")
	}
	return nil
}

// place adds the file's name and the block's offset to an error of Check.
func (f *File) place(err error) error {
	var e *Error
	if !errors.As(err, &e) || e.File != "" {
		return err
	}
	placed := *e
	placed.File = f.name
	if e.Core >= 0 && e.Offset < 0 && e.Stream == RecordStream {
		for _, i := range f.records[e.Core].rows {
			if r := &f.index[i]; r.first <= e.Record {
				placed.Offset = int64(r.offset)
			}
		}
	}
	if e.Core >= 0 && e.Offset < 0 && e.Stream == EdgeStream {
		for _, i := range f.edges[e.Core].rows {
			if r := &f.index[i]; r.first <= e.Record {
				placed.Offset = int64(r.offset)
			}
		}
	}
	return &placed
}
