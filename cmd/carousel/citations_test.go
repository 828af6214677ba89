package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// specified are the trees whose comments cite numbered rules.
var specified = []string{"noc", "power"}

var (
	statement = regexp.MustCompile(`(?m)^// +(Rule |Law |)(\d+)[.,] `)
	citation  = regexp.MustCompile(`(?i)\b(rule|law)s? (\d+)((?:,? (?:and|to|or) \d+|, \d+)*)`)
	broken    = regexp.MustCompile(`\n\s*// ?`) // lines of a comment, on which a citation may be broken
	numerals  = regexp.MustCompile(`\d+`)
	document  = regexp.MustCompile(`[\w./-]+\.md\b`)
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
// documentation, or in that of the package around it. It also finds names of documents that are not
// in the repository.
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
	for _, name := range document.FindAllString(text, -1) {
		beside, above := filepath.Join(filepath.Dir(file), name), filepath.Join(root, name)
		if _, err := os.Stat(beside); err != nil {
			if _, err := os.Stat(above); err != nil {
				complaints = append(complaints, name+", which is not in the repository")
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
		"// see no-such-page.md section 4":       1,
		"// see ref 2.10":                        1,
		"// see CONTRIBUTING.md":                 0,
		"// no spare slot in the network (I14b)": 1,
	} {
		if got := unresolved(root, file, text); len(got) != want {
			t.Errorf("%q: %q, want %d complaints", text, got, want)
		}
	}
}
