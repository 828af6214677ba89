package cli

import (
	"bytes"
	"context"
	"os/exec"
	"path/filepath"
	"testing"
)

func TestTablesBecomeLists(t *testing.T) {
	got := withoutTables("before\n\n| key | unit | meaning |\n|---|---|---|\n| `a` | cycles | a time |\n| `b` | | a name |\n\nafter\n")
	if want := "before\n\n\n* `a`: unit cycles; a time\n* `b`: a name\n\nafter\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestManPagesRender lets groff format every man page, which must say nothing.
func TestManPagesRender(t *testing.T) {
	groff, err := exec.LookPath("groff")
	if err != nil {
		t.Skip("groff is not installed")
	}
	dir := t.TempDir()
	var problems bytes.Buffer
	if code := Execute(context.Background(), []string{"manual", dir}, nil, &bytes.Buffer{}, &problems); code != exitDone {
		t.Fatal(problems.String())
	}
	pages, err := filepath.Glob(filepath.Join(dir, "man*", "*"))
	if err != nil || len(pages) < 40 {
		t.Fatalf("there are %d pages (%v)", len(pages), err)
	}
	out, err := exec.Command(groff, append([]string{"-ww", "-k", "-t", "-man", "-T", "utf8", "-z"}, pages...)...).CombinedOutput()
	if err != nil || len(out) > 0 {
		t.Errorf("groff: %v\n%s", err, out)
	}
}
