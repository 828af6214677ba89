package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/noc/leaf/must"
)

// specified are the trees whose comments cite numbered rules.
var specified = []string{"noc", "power"}

var (
	statement = regexp.MustCompile(`(?m)^// +(Rule |Law |)(\d+)[.,] `)
	citation  = regexp.MustCompile(`(?i)\b(rule|law)s? (\d+)((?:,? (?:and|to|or) \d+|, \d+)*)`)
	broken    = regexp.MustCompile(`\n\s*// ?`) // lines of a comment, on which a citation may be broken
	numerals  = regexp.MustCompile(`\d+`)
	// elsewhere are ways to cite documents that nobody has.
	elsewhere = regexp.MustCompile(`\bref \d|energy reference|\(I\d+[a-z]?[,)]`)
)

// rules returns what a package documentation states, such as "rule 3": a paragraph that begins with
// "Rule 3, name.", or an item of a numbered list.
func rules(file string) map[string]bool {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	stated := map[string]bool{}
	for _, m := range statement.FindAllStringSubmatch(string(text), -1) {
		kind := strings.ToLower(m[1])
		if kind == "" {
			kind = "rule "
		}
		stated[kind+m[2]] = true
	}
	return stated
}

// TestCitations resolves every citation of a numbered rule: it is stated in the package
// documentation, or in that of the package around it.
func TestCitations(t *testing.T) {
	root := filepath.Join("..", "..")
	cited := 0
	for _, tree := range specified {
		err := filepath.WalkDir(filepath.Join(root, tree), func(file string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(file, ".go") && !strings.HasSuffix(file, ".txt") || strings.HasSuffix(file, "citations_test.go") {
				return err
			}
			text, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			for _, complaint := range unresolved(root, file, string(text)) {
				t.Errorf("%s cites %s", file, complaint)
			}
			cited += len(citation.FindAllString(string(text), -1))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if cited < 100 {
		t.Errorf("only %d citations were found", cited)
	}
}

// unresolved lists what a file cites that cannot be looked up.
func unresolved(root, file, text string) (complaints []string) {
	var stated map[string]bool
	for dir := filepath.Dir(file); stated == nil || len(stated) == 0 && dir != root; dir = filepath.Dir(dir) {
		stated = rules(filepath.Join(dir, "doc.go"))
		if stated == nil {
			stated = map[string]bool{}
		}
	}
	text = broken.ReplaceAllString(text, " ")
	for _, m := range citation.FindAllStringSubmatch(text, -1) {
		for _, n := range append([]string{m[2]}, numerals.FindAllString(m[3], -1)...) {
			if !stated[strings.ToLower(m[1])+" "+n] {
				complaints = append(complaints, m[0]+", of which "+n+" is not stated in doc.go")
			}
		}
	}
	if m := elsewhere.FindString(text); m != "" {
		complaints = append(complaints, m+", which is not in the repository")
	}
	return complaints
}

func TestCitationsBite(t *testing.T) {
	root := filepath.Join("..", "..")
	file := filepath.Join(root, "noc", "buffered", "engine", "grant.go")
	for text, want := range map[string]int{
		"// see rule 3, and rules 6 and 7":       0,
		"// see rule 99":                         1,
		"// see rules 6, 98 and 99":              2,
		"// see ref 2.10":                        1,
		"// no spare slot in the network (I14b)": 1,
	} {
		if got := unresolved(root, file, text); len(got) != want {
			t.Errorf("%q: %q, want %d complaints", text, got, want)
		}
	}
}

// What documents and comments name: folders and files by path, sources and pages by name, tests, and
// in pages keys of the configuration.
var (
	pathName = regexp.MustCompile("(?:^|[\\s`'\"(])(?:\\./)?((?:analysis|cache|cmd|coherence|noc|power|traces|workloads)/[\\w./*-]*[\\w*])")
	fileName = regexp.MustCompile("(?:^|[\\s`'\"(])([\\w./-]*[a-z][\\w-]*\\.(?:go|md))\\b")
	testName = regexp.MustCompile(`\b(?:Test|Fuzz|Benchmark)[A-Z]\w*`)
	keyName  = regexp.MustCompile("`([a-z]+)((?:\\.[a-z0-9_]+)+)")
	testFunc = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Benchmark)\w+)`)
)

// repository is what can be named.
type repository struct {
	root  string
	files map[string]bool
	tests []string
	texts map[string]string // of sources, pages and scripts
}

func readRepository(t *testing.T) *repository {
	r := &repository{filepath.Join("..", ".."), map[string]bool{}, []string{"FuzzName"}, map[string]string{}}
	must.Do(filepath.WalkDir(r.root, func(file string, d fs.DirEntry, err error) error {
		switch name := d.Name(); {
		case err != nil:
			return err
		case d.IsDir() && (name == ".git" || name == "testdata"):
			return filepath.SkipDir
		case d.IsDir():
			return nil
		case strings.HasSuffix(name, ".go") || strings.HasSuffix(name, ".md") || filepath.Base(filepath.Dir(file)) == ".ci":
			r.texts[file] = string(must.Get(os.ReadFile(file)))
		}
		r.files[d.Name()] = true
		return nil
	}))
	for _, text := range r.texts {
		for _, m := range testFunc.FindAllStringSubmatch(text, -1) {
			r.tests = append(r.tests, m[1])
		}
	}
	return r
}

// unknown lists what a line of a page, or of a comment, names that does not exist.
func (r *repository) unknown(line string) (list []string) {
	for _, m := range pathName.FindAllStringSubmatch(line, -1) {
		path, symbol, _ := strings.Cut(strings.TrimSuffix(m[1], "/..."), ".")
		if symbol != "" && symbol[0] >= 'a' {
			path += "." + symbol // a file, not the name of a type
		}
		if found, _ := filepath.Glob(filepath.Join(r.root, path)); len(found) == 0 {
			list = append(list, m[1])
		}
	}
	for _, m := range fileName.FindAllStringSubmatch(line, -1) {
		if !r.files[filepath.Base(m[1])] {
			list = append(list, m[1])
		}
	}
	for _, name := range testName.FindAllString(line, -1) {
		begins := func(test string) bool { return strings.HasPrefix(test, name) }
		if !slices.ContainsFunc(r.tests, begins) {
			list = append(list, name)
		}
	}
	return list
}

// TestNames resolves the names of files, packages, tests and keys in pages, comments and scripts.
func TestNames(t *testing.T) {
	r := readRepository(t)
	keys := "\n" + strings.Join(config.KeyNames(config.Keys()), "\n")
	for file, text := range r.texts {
		for i, line := range strings.Split(text, "\n") {
			if strings.HasSuffix(file, ".go") {
				code, comment, _ := strings.Cut(line, "//")
				if line = comment; strings.Count(code, `"`)%2 == 1 {
					continue
				}
			}
			for _, name := range r.unknown(line) {
				t.Errorf("%s:%d names %s, which does not exist", file, i+1, name)
			}
			for _, m := range keyName.FindAllStringSubmatch(line, -1) {
				isKey := strings.HasSuffix(file, ".md") && strings.Contains(keys, "\n"+m[1]+".") && filepath.Ext(m[2]) != ".go"
				if isKey && !strings.Contains(keys, "\n"+m[1]+m[2]) && !strings.Contains(line, "was removed") {
					t.Errorf("%s:%d names the key %s%s, which does not exist", file, i+1, m[1], m[2])
				}
			}
		}
	}
	for line, want := range map[string]int{
		"see no-such-page.md, noc/no-such-package and no_such.go":        3,
		"`noc/noc.go`, `coherence/cmp.System`, ./noc/..., TestNames":     0,
		"README.md, `cmd/carousel/manual/*.md`, TestCitat, noc/topology": 0,
		"go test -run 'TestNoSuch|TestNames' ./noc/nowhere":              2,
	} {
		if got := r.unknown(line); len(got) != want {
			t.Errorf("%q: %q, want %d", line, got, want)
		}
	}
}
