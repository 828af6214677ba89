package record

import (
	"errors"
	"fmt"

	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/timestamps"
)

// ErrWindows: the program ended before all windows had been recorded.
var ErrWindows = errors.New("the recording ended before its last window")

// windows are the parts of a recording that are written. What comes before a window is its history:
// of that the trace has only what caches hold. Threads work side by side in short turns, so a
// window begins and ends for all cores at one moment of the recording.
type windows struct {
	plan    []traces.Window
	length  uint64 // records of a window, of all cores
	seen    uint64 // records so far
	at      int    // the window that is being written, or the next one
	inside  bool
	tracker *timestamps.Tracker
	done    chan struct{} // closed after the last one
}

// cacheLimit bounds the caches whose content windows tell: L1s of 64 KB, and an L2 of 16 MB.
func cacheLimit() traces.CacheLimit {
	limit := traces.DefaultCacheLimit()
	limit.L1Ways = 4
	return limit
}

// drawn returns the windows of a recording: each at the end of its share of all records.
func (c Config) drawn() (plan []traces.Window, how string) {
	period := c.Records / uint64(max(1, c.Windows))
	for i := range uint64(c.Windows) {
		plan = append(plan, traces.Window{After: (i+1)*period - c.WindowRecords})
	}
	return plan, fmt.Sprintf("systematically: the last %d of every %d accesses and fetched lines", c.WindowRecords, period)
}

// inWindows adds the windows, and what the caller has to remark, to the metadata.
func (c Config) inWindows(m traces.Metadata) traces.Metadata {
	m.Notes = append(m.Notes, c.Notes...)
	if c.Windows > 0 {
		m.Windows, m.Drawn = c.drawn()
		limit := cacheLimit()
		m.Timestamps = &limit
	}
	return m
}

func newWindows(c Config) (*windows, error) {
	tracker, err := timestamps.NewTracker(c.Cores, cacheLimit())
	w := &windows{length: c.WindowRecords, tracker: tracker, done: make(chan struct{})}
	w.plan, _ = c.drawn()
	return w, err
}

// over reports whether all windows have been recorded.
func (w *windows) over() bool { return w.at == len(w.plan) }

// frontier begins or ends a window where it is time, before a record.
func (k *converter) frontier() error {
	w := k.windows
	switch {
	case w.over():
	case w.inside && w.seen >= w.plan[w.at].After+w.length:
		if err := k.endWindow(); err != nil {
			return err
		}
	case !w.inside && w.seen >= w.plan[w.at].After:
		return k.beginWindow()
	}
	return nil
}

// recording reports whether records are written.
func (k *converter) recording() bool { return k.windows == nil || k.windows.inside }

// beginWindow starts all streams: what was before is known by the timestamps, and by who holds a
// lock.
func (k *converter) beginWindow() error {
	w := k.windows
	w.inside = true
	if err := k.out.WriteTimestamps(w.at, w.tracker.Record()); err != nil {
		return err
	}
	k.finder.Reset()
	clear(k.nesting)
	k.window++
	for i := range k.cores {
		c := &k.cores[i]
		held := c.held
		*c = core{threads: c.threads, alive: c.alive, buffer: c.buffer[:0], edges: c.edges[:0]}
		for _, l := range held {
			k.writeLock(i, l)
		}
	}
	for _, p := range k.spacesOpen {
		for _, t := range p.threads {
			t.waits, t.accesses = nil, 0
		}
	}
	return nil
}

// endWindow ends all streams.
func (k *converter) endWindow() error {
	w := k.windows
	err := k.endStreams()
	w.inside = false
	if w.at++; w.over() {
		close(w.done)
	}
	return err
}

// endStreams releases the locks that are held, and ends the stream of each core.
func (k *converter) endStreams() error {
	for i := range k.cores {
		for _, l := range k.cores[i].held {
			k.write(i, traces.Record{Kind: traces.Unlock, Address: l.number}, nil)
		}
		k.write(i, traces.Record{Kind: traces.End}, nil)
		if err := k.flush(i); err != nil {
			return err
		}
	}
	return nil
}

// finish ends what has not ended.
func (k *converter) finish() error {
	w := k.windows
	switch {
	case w == nil:
		return k.endStreams()
	case w.over():
		return nil
	case w.inside && w.at == len(w.plan)-1:
		return k.endWindow()
	}
	return fmt.Errorf("%w: window %d of %d begins after %d accesses and fetched lines, and there were %d; record fewer windows, or a shorter run in all",
		ErrWindows, w.at+1, len(w.plan), w.plan[w.at].After, w.seen)
}
