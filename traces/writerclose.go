package traces

import (
	"encoding/json"
	"errors"
)

// Close writes what is left and the index, and gives the file its name. It refuses a trace in which
// a core has no End.
func (w *Writer) Close() error {
	if w.err == nil {
		w.err = w.finish()
	}
	w.zstd.Close()
	if w.file == nil {
		return w.err
	}
	if w.err == nil && w.config.Prove != nil {
		w.err = w.prove()
	}
	if w.err != nil {
		w.file.Abort()
	} else {
		w.err = w.file.Commit()
	}
	w.file = nil
	return w.err
}

// Unproved is the error of a new trace that cannot be replayed and was dropped.
type Unproved struct{ Err error }

// Error names the place in the new trace.
func (u *Unproved) Error() string {
	return "the new trace cannot be replayed, and is not kept: " + u.Err.Error()
}

// Unwrap returns what is wrong with the trace.
func (u *Unproved) Unwrap() error { return u.Err }

// prove verifies a complete file that does not have its name yet.
func (w *Writer) prove() error {
	if err := w.file.Seal(); err != nil {
		return err
	}
	content, err := w.file.Reopen()
	if err != nil {
		return err
	}
	defer content.Close()
	info, err := content.Stat()
	if err != nil {
		return err
	}
	f, err := OpenReader(content, info.Size(), *w.config.Prove)
	if err == nil {
		defer f.Close()
		_, err = f.Verify()
	}
	if place := new(Error); errors.As(err, &place) {
		place.File = "" // the user does not know the temporary name
		return &Unproved{place}
	}
	return err
}

// Abort drops a file that CreateFile has begun. It does nothing after Close.
func (w *Writer) Abort() {
	if w.file != nil {
		w.file.Abort()
		w.file = nil
	}
}

func (w *Writer) finish() error {
	for core := range w.cores {
		c := &w.cores[core]
		if !c.ended {
			return w.fault(RecordStream, core, c.written.Records+uint64(len(c.records)), ErrMissingStream,
				"the stream being written has no end record", "write one record of kind End per core")
		}
		w.flushRecords(core, c)
		w.flushEdges(core, c)
		w.flushPages(core, c)
	}
	plain := littleEndian.AppendUint32(nil, uint32(len(w.index)))
	for i := range w.index {
		plain = appendIndexRow(plain, &w.index[i])
	}
	text, _ := json.Marshal(w.totalsRows()) // texts and numbers
	plain = littleEndian.AppendUint32(plain, uint32(len(text)))
	plain = append(plain, text...)
	tail := w.zstd.EncodeAll(plain, nil)
	stored := len(tail)
	tail = littleEndian.AppendUint64(tail, w.offset)
	tail = littleEndian.AppendUint32(tail, uint32(stored))
	tail = littleEndian.AppendUint32(tail, uint32(len(plain)))
	tail = littleEndian.AppendUint32(tail, checksum(tail))
	w.write(append(tail, trailerMagic...))
	return w.err
}

// totalsRow is what the index says of a core. The first row has the notes that Note has added, and
// whether replays give out tickets.
type totalsRow struct {
	CoreTotals
	Notes []string `json:"notes,omitempty"`
	Gives bool     `json:"gives_tickets,omitempty"`
	Own   []uint64 `json:"own_lines,omitempty"`
}

func (w *Writer) totalsRows() []totalsRow {
	rows := make([]totalsRow, len(w.cores))
	for i, t := range w.Totals() {
		rows[i].CoreTotals = t
		if w.tickets {
			rows[i].Own = w.own[i]
		}
	}
	rows[0].Notes, rows[0].Gives = w.notes, w.tickets
	return rows
}

// Totals counts per core what has been written in blocks so far; after Close, everything.
func (w *Writer) Totals() []CoreTotals {
	totals := make([]CoreTotals, len(w.cores))
	for i := range w.cores {
		totals[i] = w.cores[i].written
	}
	return totals
}

func appendIndexRow(b []byte, r *blockRow) []byte {
	b = littleEndian.AppendUint64(b, r.offset)
	b = littleEndian.AppendUint32(b, r.stored)
	b = append(b, byte(r.stream), 0)
	b = littleEndian.AppendUint16(b, r.core)
	b = littleEndian.AppendUint64(b, r.first)
	b = littleEndian.AppendUint64(b, r.instructions)
	return littleEndian.AppendUint32(b, r.entries)
}

func readIndexRow(b []byte) blockRow {
	return blockRow{offset: littleEndian.Uint64(b), stored: littleEndian.Uint32(b[8:]), stream: Stream(b[12]),
		core: littleEndian.Uint16(b[14:]), first: littleEndian.Uint64(b[16:]), instructions: littleEndian.Uint64(b[24:]),
		entries: littleEndian.Uint32(b[32:])}
}
