package record

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"testing"

	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/timestamps"
)

// drawnFrom records messages of one process in windows.
func drawnFrom(t *testing.T, c Config, messages []message) (*traces.File, error) {
	t.Helper()
	var out bytes.Buffer
	w, err := traces.NewWriter(&out, c.inWindows(traces.DefaultMetadata("test", c.Cores)), traces.DefaultWriterConfig())
	if err != nil {
		t.Fatal(err)
	}
	k, err := newConverter(c, w)
	if err != nil {
		t.Fatal(err)
	}
	from, p := newStream(bytes.NewReader(encode(append([]message{hello}, messages...)...))), k.newProcess()
	for batch := make([]message, 7); ; {
		n, err := from.next(batch)
		if err == io.EOF {
			break
		}
		if err == nil {
			err = k.takeAll(p, batch[:n])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(k.leave(p), k.finish()); err != nil {
		w.Abort()
		return nil, err
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := traces.OpenReader(bytes.NewReader(out.Bytes()), int64(out.Len()), traces.DefaultReaderConfig())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	if _, err := f.Verify(); err != nil {
		t.Fatal(err)
	}
	return f, nil
}

// TestWindows: of a recording only windows are written, each with what came before it as
// timestamps. A lock that is held at the begin is taken there and released at the end, and
// dependences lead to loads of the window.
func TestWindows(t *testing.T) {
	c := config(2)
	c.Records, c.Windows, c.WindowRecords = 200, 2, 20
	tracker, err := timestamps.NewTracker(2, cacheLimit())
	if err != nil {
		t.Fatal(err)
	}
	var messages []message
	var want []*traces.Timestamps
	for i := range uint64(200) {
		if i == 80 || i == 180 {
			want = append(want, tracker.Record())
		}
		if i == 70 {
			messages = append(messages, message{kind: kindLocks, value: 1 << 20, thread: 1})
		}
		m := message{kind: kindLoad, value: i % 50 * traces.LineBytes, instructions: 1, thread: uint16(i % 2)}
		if i >= 4 {
			m.distance = 2
		}
		if i%3 == 0 {
			m.kind = kindStore
		}
		messages = append(messages, m)
		page := m.value &^ (traces.PageBytes - 1) // frames are given from 0 on
		tracker.Access(int(m.thread), []traces.Kind{traces.Load, traces.Store}[m.kind], page|m.value%traces.PageBytes)
	}
	f, err := drawnFrom(t, c, messages)
	if err != nil {
		t.Fatal(err)
	}
	if m := f.Metadata(); len(m.Windows) != 2 || m.Windows[0].After != 80 || m.Windows[1].After != 180 {
		t.Fatalf("%+v", m.Windows)
	}
	for i := range 2 {
		w, err := f.Window(i)
		if err != nil {
			t.Fatal(err)
		}
		have, _, err := w.ReadTimestamps()
		if err != nil || !reflect.DeepEqual(have.Entries, want[i].Entries) {
			t.Errorf("window %d: %v, %d entries, want %d", i, err, len(have.Entries), len(want[i].Entries))
		}
		records := slurp(t, w).Records
		first, last := records[1][0], records[1][len(records[1])-2]
		if len(records[0]) != 11 || len(records[1]) != 13 || first.Kind != traces.Lock || last.Kind != traces.Unlock || records[1][1].Dependence != 0 || records[1][4].Dependence != 2 {
			t.Errorf("window %d: %v", i, records)
		}
	}
	if _, err := drawnFrom(t, c, messages[:150]); !errors.Is(err, ErrWindows) {
		t.Error(err)
	}
}

func TestWindowsValidate(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"negative":  func(c *Config) { c.Windows = -1 },
		"no length": func(c *Config) { c.WindowRecords = 0 },
		"too long":  func(c *Config) { c.WindowRecords = 60 },
		"values":    func(c *Config) { c.Values = true },
		"children":  func(c *Config) { c.Children = true },
	} {
		c := config(2)
		c.Records, c.Windows, c.WindowRecords = 200, 2, 20
		if err := c.Validate(); err != nil {
			t.Fatal(err)
		}
		if change(&c); c.Validate() == nil {
			t.Errorf("%s: nothing is wrong", name)
		}
	}
}
