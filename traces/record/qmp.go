package record

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"time"
)

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

// openMonitor connects and negotiates.
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
