package packed

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/carousel-sim/carousel/traces"
)

// Lines reads a text line by line. Its errors name the line and its byte.
type Lines struct {
	From  *bufio.Reader
	Name  string // of the file, for messages
	Core  int    // -1 when no core is concerned
	Limit int    // bytes of a line; 0 is the buffer of From
	// Number is that of the line read last, from 1, and Start its offset in bytes. Whole tells that it had an end.
	Number uint64
	Start  int64
	Whole  bool
	end    int64
}

// Text returns the next line without its end; nil is the end of the file. The line is good until the next one is read.
func (l *Lines) Text() ([]byte, error) {
	limit := max(l.Limit, l.From.Size())
	l.Number++
	l.Start = l.end
	line, err := l.From.ReadSlice('\n')
	for copied := false; errors.Is(err, bufio.ErrBufferFull) && len(line) < limit; copied = true {
		if !copied {
			line = bytes.Clone(line)
		}
		var part []byte
		part, err = l.From.ReadSlice('\n')
		line = append(line, part...)
	}
	l.end += int64(len(line))
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		return nil, l.Fault(traces.ErrIllegal, fmt.Sprintf("the line is longer than %d bytes", limit))
	case err == io.EOF && len(line) == 0:
		return nil, nil
	case err != nil && err != io.EOF:
		problem, condition := Condition(err)
		return nil, l.Fault(condition, problem)
	}
	l.Whole = err == nil
	return bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r")), nil
}

// Fault returns an error at the line read last.
func (l *Lines) Fault(condition error, problem string) *traces.Error {
	return &traces.Error{File: l.Name, Core: l.Core, Offset: l.Start, Err: condition, Problem: fmt.Sprintf("line %d: %s", l.Number, problem)}
}
