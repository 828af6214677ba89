package main

import (
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// routers are the packages of networks, and what only they are made of. Engines, their fast forms,
// are the packages called engine below noc.
var routers = []string{"noc/rotary", "noc/buffered", "noc/wormhole", "noc/wormholeideal", "noc/dispatch", "noc/ideal"}

// routerUsers are the packages besides noc/models that import routers, and why. Nobody else outside
// a router's own folder does, so that a network can be replaced without touching a client.
var routerUsers = map[string]struct {
	routers []string
	why     string
}{
	"analysis/experiment":          {[]string{"noc/buffered"}, "it varies how the channels of base are divided, which the papers leave open"},
	"analysis/experiment/messages": {[]string{"noc/wormholeideal", "noc/dispatch"}, "it measures times of the interfaces that its plans vary"},
	"noc/wormhole":                 {[]string{"noc/dispatch"}, "its interfaces carry out multicast plans"},
	"noc/wormholeideal":            {[]string{"noc/dispatch"}, "its interfaces carry out multicast plans"},
}

// TestEngineLaw: only noc/models imports engines; routers are imported by it, by their engines and
// by the users above. Tests are free.
func TestEngineLaw(t *testing.T) {
	root := filepath.Join("..", "..")
	imports := 0
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && file != root || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return nil
		}
		dir, _ := filepath.Rel(root, filepath.Dir(file))
		for _, imported := range importsOf(t, file) {
			if p, inside := strings.CutPrefix(imported, module+"/"); inside {
				if routerOf(p) != "" {
					imports++
				}
				if complaint := judgeRouter(filepath.ToSlash(dir), p); complaint != "" {
					t.Errorf("%s imports %s: %s", file, p, complaint)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if imports < 10 {
		t.Fatalf("only %d imports of routers were found", imports)
	}
}

// routerOf returns the router that a package belongs to, or "".
func routerOf(p string) string {
	for _, r := range routers {
		if p == r || strings.HasPrefix(p, r+"/") {
			return r
		}
	}
	return ""
}

// judgeRouter returns why a package may not import a router or an engine, or "".
func judgeRouter(dir, imported string) string {
	router, user := routerOf(imported), dir
	if own := routerOf(dir); own != "" {
		user = own
	}
	switch {
	case router == "" || dir == "noc/models":
		return ""
	case path.Base(imported) == "engine":
		return "only noc/models imports engines"
	case user == router || slices.Contains(routerUsers[user].routers, router):
		return ""
	}
	return "only noc/models imports routers, and those that routerUsers names"
}

func TestEngineLawBites(t *testing.T) {
	for _, c := range []struct {
		dir, imported string
		allowed       bool
	}{
		{"noc/models", "noc/buffered/engine", true},
		{"noc/buffered/engine", "noc/buffered", true},
		{"noc/wormhole/engine", "noc/dispatch", true},
		{"noc/buffered", "noc/buffered/engine", false},
		{"analysis/experiment/messages", "noc/buffered", false},
		{"analysis/experiment/messages", "noc/wormholeideal", true},
		{"analysis/experiment/messages", "noc/models", true},
		{"noc/rotary", "noc/buffered", false},
		{"cmd/carousel", "noc/rotary/engine", false},
	} {
		if got := judgeRouter(c.dir, c.imported) == ""; got != c.allowed {
			t.Errorf("%s importing %s: allowed is %v, want %v", c.dir, c.imported, got, c.allowed)
		}
	}
}
