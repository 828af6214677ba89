package traces

// StateBytes is how many bytes of a state are an entry.
const StateBytes = 4096

const statesPerBlock = 256

// WriteState writes the state of a program at the start of a window, once. The metadata must say that
// the file is executed.
func (w *Writer) WriteState(window int, state []byte) error {
	if w.err != nil {
		return w.err
	}
	core := window * w.metadata.Cores
	total := &w.cores[core].written.States
	for *total = 0; len(state) > 0; {
		n := min(len(state), StateBytes*statesPerBlock)
		w.columns = columns{columnFirst: state[:n]}
		entries := uint32((n + StateBytes - 1) / StateBytes)
		w.block(blockRow{stream: StateStream, core: uint16(core), first: *total, entries: entries}, 0)
		*total += uint64(entries)
		state = state[n:]
	}
	w.columns = columns{}
	return w.err
}

// ReadState gives the state at the start of the file's window to take, in parts. A part is good until
// take returns.
func (f *File) ReadState(take func(part []byte) error) error {
	rows := f.rows[StateStream][0]
	if f.metadata.Executes && len(rows) == 0 {
		return &Error{File: f.name, Window: f.windowNumber(), Stream: StateStream, Offset: -1, Err: ErrMissingStream,
			Problem: "the window has no state, though its metadata says that it is executed", Hint: "record the program again"}
	}
	var failed error
	err := f.decodeAll(rows, 0, func(entries int) bool {
		part := f.columns[columnFirst]
		if (len(part)+StateBytes-1)/StateBytes != entries {
			return false
		}
		if failed == nil {
			failed = take(part)
		}
		return true
	})
	if err != nil {
		return err
	}
	return failed
}
