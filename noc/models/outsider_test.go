package models

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestOutsider builds the router of testdata/relay as a module of its own, which passes the
// conformance suite and runs in a comparison beside the routers of the table.
func TestOutsider(t *testing.T) {
	if testing.Short() {
		t.Skip("builds another module")
	}
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	// It needs what this module needs, in the same versions.
	_, needs, found := bytes.Cut(mod, []byte("\nrequire"))
	version := bytes.Index(mod, []byte("\ngo "))
	if !found || version < 0 {
		t.Fatalf("go.mod has another form:\n%s", mod)
	}
	line, _, _ := bytes.Cut(mod[version+1:], []byte("\n"))
	own := "module example.com/relay\n\n" + string(line) + "\n\nrequire github.com/carousel-sim/carousel v0.0.0\n\n" +
		"replace github.com/carousel-sim/carousel => " + root + "\n\nrequire" + string(needs)
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "relay"))); err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{"go.mod": []byte(own), "go.sum": sums} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	command := exec.Command("go", "test", "-mod=mod", "-count=1", "./...")
	command.Dir = dir
	command.Env = append(os.Environ(), "GOPROXY=off", "GOWORK=off", "GOFLAGS=")
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}
