package traces

import (
	"errors"
	"fmt"
	"strings"
)

// The conditions that an [Error] may be asked for with errors.Is.
var (
	// ErrNotATrace: the file does not begin like a trace.
	ErrNotATrace = errors.New("not a trace file")
	// ErrVersion: the file has a version of the format that this program does not read.
	ErrVersion = errors.New("unsupported version of the trace's format")
	// ErrTruncated: the file ends too early.
	ErrTruncated = errors.New("the trace is cut off")
	// ErrCorrupt: the file's bytes have changed since it was written.
	ErrCorrupt = errors.New("the trace is damaged")
	// ErrMissingStream: a core has no records, or lacks its End.
	ErrMissingStream = errors.New("a core's stream is missing or has no end")
	// ErrIllegal: a record or edge that no program can have made.
	ErrIllegal = errors.New("illegal record")
	// ErrAddress: an access outside the memory.
	ErrAddress = errors.New("address outside the memory")
	// ErrHead: the part of a file that is read ends here.
	ErrHead = errors.New("the part that is read ends here")
	// ErrDeadlock: cores wait for each other, whatever the timing.
	ErrDeadlock = errors.New("the trace cannot be replayed")
)

// Error says what is wrong with a trace, and where.
type Error struct {
	File string // "" when the trace is not a file
	// Window is one more than the number of the window; 0 when the trace is not in windows.
	Window int
	Stream Stream // 0 when no stream is concerned
	Core   int    // -1 when no core is concerned
	Record uint64 // position in the core's stream, with Stream
	Offset int64  // byte offset in the file, -1 when there is none
	// Problem says it in a sentence; Hint how to go on, if there is a way.
	Problem, Hint string
	Err           error // one of the conditions above
}

// Error names the place, the problem and the way out.
func (e *Error) Error() string {
	var b strings.Builder
	if e.File != "" {
		b.WriteString(e.File + ": ")
	}
	if e.Window > 0 {
		fmt.Fprintf(&b, "window %d, ", e.Window-1)
	}
	if e.Core >= 0 {
		fmt.Fprintf(&b, "core %d, ", e.Core)
	}
	if e.Stream != 0 {
		fmt.Fprintf(&b, "%s, entry %d, ", e.Stream, e.Record)
	}
	if e.Offset >= 0 {
		fmt.Fprintf(&b, "byte %d, ", e.Offset)
	}
	text := strings.TrimSuffix(b.String(), ", ")
	if text != "" && !strings.HasSuffix(text, ": ") {
		text += ": "
	}
	text += e.Err.Error() + ": " + e.Problem
	if e.Hint != "" {
		text += "; " + e.Hint
	}
	return text
}

// Unwrap returns the condition.
func (e *Error) Unwrap() error { return e.Err }

// What to do about a file that cannot be read, and about one of which a block cannot.
const (
	copyHint  = "copy, record or import it again"
	sliceHint = "carousel trace slice saves the records before it, and other cores"
)
