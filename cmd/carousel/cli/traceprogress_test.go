package cli

import (
	"bytes"
	"context"
	"io/fs"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestReadingLine: how far a command is, in bytes and records, and in the second reading of a file.
func TestReadingLine(t *testing.T) {
	for _, c := range []struct {
		unit        string
		total, done int64
		since       time.Duration
		want        string
	}{
		{"B", 480_000_000, 120_000_000, 4 * time.Second, "reading: 120.0 MB of 480.0 MB, 25%, 30.0 MB/s, 0:12 left"},
		{"B", 480_000_000, 600_000_000, 20 * time.Second, "reading (reading 2): 120.0 MB of 480.0 MB, 25%, 30.0 MB/s, 0:12 left"},
		{"B", 0, 120, time.Second, "reading: 120 B, 120 B/s"},
		{"records", 4_000_000, 1_000_000, time.Second, "reading: 1.0 M records of 4.0 M records, 25%, 1.0 M records/s, 0:03 left"},
	} {
		r := &reading{what: "reading", unit: c.unit, total: c.total, done: c.done}
		if got := r.line(c.since); got != c.want {
			t.Errorf("the line is\n%s\nwant\n%s", got, c.want)
		}
	}
}

// TestReadingDraws: the line appears on terminals only, and is removed at the end.
func TestReadingDraws(t *testing.T) {
	var out bytes.Buffer
	r := &reading{ctx: context.Background(), what: "reading", unit: "B", total: 100, status: &statusLine{out: stream{fakeTerminal{&out}, &screen{}}, columns: 20}}
	if err := r.passed(50); err != nil || out.String() != "\r\x1b[Kreading: 50 B of 10" {
		t.Errorf("%q, %v", out.String(), err)
	}
	if err := r.end(nil, ""); err != nil || !strings.HasSuffix(out.String(), "\r\x1b[K") {
		t.Errorf("%q, %v", out.String(), err)
	}
}

// TestFullDisk: a command that cannot write ends with exit code 2 and says where and why.
func TestFullDisk(t *testing.T) {
	r := &reading{ctx: context.Background(), status: &statusLine{out: stream{fakeTerminal{&bytes.Buffer{}}, &screen{}}, columns: 20}}
	err := r.end(&fs.PathError{Op: "write", Path: "made/.new.trace", Err: syscall.ENOSPC}, "")
	if exitCode(err) != exitUsage || !strings.Contains(err.Error(), "the new file in made could not be written") || !strings.Contains(err.Error(), "no space left") {
		t.Errorf("exit code %d, %v", exitCode(err), err)
	}
}
