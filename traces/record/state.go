package record

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"sort"
	"time"

	"github.com/carousel-sim/carousel/noc/leaf/wholefile"
	"github.com/klauspost/compress/zstd"
)

// The state of a booted machine is kept, because no two boots are the same: QEMU cannot boot
// several processors with instruction counting (a processor that spins uses up all the time to the
// next timer, and those after it get none), and without it the timers follow the host's clock. From
// one state, all recordings are the same. States are kept in the user's cache folder, those used
// last, under the digest of all that goes into them.

// keptStates is how many states are kept; each takes some 30 MB.
const keptStates = 4

const stateFiles = "machine-*.zst"

// state returns the file with the machine's state, booting it where there is none.
func (m *machine) state(ctx context.Context) (string, error) {
	folder, err := cacheFolder(m.session.config.Cache)
	if err != nil {
		return "", err
	}
	path := filepath.Join(folder, "machine-"+m.key+".zst")
	if _, err := os.Stat(path); err == nil {
		now := time.Now()
		_ = os.Chtimes(path, now, now) // only makes it a later one to be removed
		return path, nil
	}
	if err := m.boot(ctx, path); err != nil {
		if ctx.Err() != nil {
			err = nil
		}
		return "", err
	}
	forgetStates(folder)
	return path, nil
}

// forgetStates removes the states that have not been used for longest.
func forgetStates(folder string) {
	list, _ := filepath.Glob(filepath.Join(folder, stateFiles))
	age := map[string]time.Time{}
	for _, path := range list {
		if info, err := os.Stat(path); err == nil {
			age[path] = info.ModTime()
		}
	}
	sort.Slice(list, func(i, k int) bool { return age[list[i]].After(age[list[k]]) })
	for _, path := range list[min(len(list), keptStates):] {
		os.Remove(path)
	}
}

// boot boots the machine, waits until it is ready, and keeps its state.
func (m *machine) boot(ctx context.Context, path string) error {
	m.session.stage("booting Linux")
	r, err := m.start(ctx, "boot", "-rtc", "base=2026-01-01")
	if err != nil {
		return err
	}
	defer r.stop()
	if err := r.waitReady(ctx); err != nil {
		return err
	}
	q, err := openMonitor(ctx, r.monitor, r.ended)
	if err != nil {
		return err
	}
	defer q.conn.Close()
	if err := q.execute("stop", nil, nil); err != nil {
		return err
	}
	if _, late := r.says(saysGo); late {
		return fmt.Errorf("the booted machine was not stopped within %d seconds, because this computer is busy; try again", keepSeconds)
	}
	m.session.stage("keeping the machine's state")
	return m.keep(ctx, q, path)
}

// waitReady waits until the machine has booted and done its setup.
func (r *start) waitReady(ctx context.Context) error {
	limit := time.After(bootLimit)
	for {
		if _, ready := r.says(saysReady); ready {
			return nil
		}
		if how, failed := r.says(saysFailed); failed {
			return fmt.Errorf("the setup command failed in the machine, %s; its output is above", how)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-limit:
			return fmt.Errorf("the machine has not booted in %v; its console is %s", bootLimit, r.console)
		case <-r.ended:
			if _, failed := r.says(saysFailed); failed {
				continue
			}
			return r.silence("before the machine had booted")
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// keep lets QEMU send the machine's state, as if it moved to another host, and compresses it into a
// file.
func (m *machine) keep(ctx context.Context, q *monitor, path string) error {
	socket := filepath.Join(m.session.folder, "outgoing")
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: socket, Net: "unix"})
	if err != nil {
		return err
	}
	defer listener.Close()
	f, err := wholefile.Create(path)
	if err != nil {
		return err
	}
	defer f.Abort()
	if err := q.execute("migrate-set-parameters", map[string]any{"max-bandwidth": 1 << 34}, nil); err != nil {
		return err
	}
	if err := q.execute("migrate", map[string]any{"uri": "unix:" + socket}, nil); err != nil {
		return err
	}
	if err := listener.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		return err
	}
	from, err := listener.AcceptUnix()
	if err != nil {
		return fmt.Errorf("QEMU does not send the machine's state: %w", err)
	}
	defer from.Close()
	stop := context.AfterFunc(ctx, func() { _ = from.SetReadDeadline(time.Now()) })
	defer stop()
	if err := writeState(f, from); err != nil {
		return fmt.Errorf("saving the machine's state: %w", err)
	}
	if err := q.status(ctx, "query-migrate", "completed", "failed"); err != nil {
		return err
	}
	return f.Commit()
}

func writeState(to io.Writer, from io.Reader) error {
	z, err := zstd.NewWriter(to, zstd.WithEncoderLevel(zstd.SpeedFastest))
	if err != nil {
		return err
	}
	_, err = io.Copy(z, from)
	return errors.Join(err, z.Close())
}

func readState(path string, to io.Writer) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	z, err := zstd.NewReader(f)
	if err != nil {
		return err
	}
	defer z.Close()
	_, err = io.Copy(to, z)
	return err
}

// monitor is a connection to QEMU's machine protocol (QMP).
type monitor struct {
	conn    net.Conn
	decoder *json.Decoder
}

// answer is a line of the protocol: a greeting, the answer to a command, or an event.
type answer struct {
	Return json.RawMessage `json:"return"`
	Error  *struct {
		Description string `json:"desc"`
	} `json:"error"`
	Event string `json:"event"`
}

// dial waits until something listens on a socket, or ended is closed.
func dial(ctx context.Context, path string, ended <-chan struct{}) (net.Conn, error) {
	for {
		conn, err := net.Dial("unix", path)
		if err == nil {
			return conn, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-ended:
			return nil, fmt.Errorf("%s ended at once; its message is above", SystemEmulator)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func openMonitor(ctx context.Context, path string, ended <-chan struct{}) (*monitor, error) {
	conn, err := dial(ctx, path, ended)
	if err != nil {
		return nil, err
	}
	m := &monitor{conn, json.NewDecoder(conn)}
	var greeting any
	if err := m.decoder.Decode(&greeting); err != nil {
		conn.Close()
		return nil, fmt.Errorf("QEMU's monitor: %w", err)
	}
	if err := m.execute("qmp_capabilities", nil, nil); err != nil {
		conn.Close()
		return nil, err
	}
	return m, nil
}

// execute does a command and decodes what it returns.
func (m *monitor) execute(command string, arguments map[string]any, result any) error {
	request := map[string]any{"execute": command}
	if arguments != nil {
		request["arguments"] = arguments
	}
	if err := json.NewEncoder(m.conn).Encode(request); err != nil {
		return fmt.Errorf("QEMU's monitor, %s: %w", command, err)
	}
	for {
		var a answer
		err := m.decoder.Decode(&a)
		switch {
		case err != nil:
			return fmt.Errorf("QEMU's monitor, %s: %w", command, err)
		case a.Error != nil:
			return fmt.Errorf("QEMU's monitor, %s: %s", command, a.Error.Description)
		case a.Event != "":
			continue
		case result != nil:
			return json.Unmarshal(a.Return, result)
		}
		return nil
	}
}

// status asks a query for its status until it is one of those wanted; one of bad is an error.
func (m *monitor) status(ctx context.Context, query string, want, bad string) error {
	for {
		var is struct {
			Status string `json:"status"`
		}
		if err := m.execute(query, nil, &is); err != nil {
			return err
		}
		switch is.Status {
		case want:
			return nil
		case bad:
			return fmt.Errorf("QEMU's monitor, %s: %s", query, is.Status)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}
