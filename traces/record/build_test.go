package record

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestEmulatorsVersion: what the recorder cannot work with is refused by name and version.
func TestEmulatorsVersion(t *testing.T) {
	for _, c := range []struct{ says, problem string }{
		{"qemu-x86_64 version 7.2.22 (Debian)", ""},
		{"qemu-x86_64 version 6.2.0", ""},
		{"qemu-x86_64 version 8.2.1", ""},
		{"qemu-x86_64 version 6.1.0", "QEMU 6.1; the recorder needs 6.2 to 8.2"},
		{"qemu-x86_64 version 9.0.0", "QEMU 9.0; the recorder needs"},
		{"hello", "does not print its version"},
	} {
		path := filepath.Join(t.TempDir(), "qemu")
		if err := os.WriteFile(path, []byte("#!/bin/sh\necho '"+c.says+"'\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		_, _, err := emulator(path, "qemu-user")
		if c.problem == "" && err != nil || c.problem != "" && (!errors.Is(err, ErrMissing) || !strings.Contains(err.Error(), c.problem)) {
			t.Errorf("%s: %v", c.says, err)
		}
	}
	if _, _, err := emulator("no-such-emulator", "qemu-user"); !errors.Is(err, ErrMissing) || !strings.Contains(err.Error(), "apt-get install qemu-user") {
		t.Error(err)
	}
}

func TestNoCompiler(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if _, err := library(t.TempDir(), "plugin"); !errors.Is(err, ErrMissing) || !strings.Contains(err.Error(), "apt-get install gcc") {
		t.Error(err)
	}
}

func TestProgramsThatCannotBeRecorded(t *testing.T) {
	script := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(script, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, problem := range map[string]string{script: "name its interpreter first", "no-such-program": "cannot be run"} {
		if _, err := openProgram(name); err == nil || !strings.Contains(err.Error(), problem) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
