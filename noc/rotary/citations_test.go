package rotary_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/carousel-sim/carousel/noc/noctest"
)

// TestCitations resolves every rule and law that a comment, message or test of this package and its
// engine names.
func TestCitations(t *testing.T) {
	doc := noctest.Must(os.ReadFile("doc.go"))
	stated := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^// (Rule|Law) (\d+)[.,]`).FindAllStringSubmatch(string(doc), -1) {
		name := fmt.Sprintf("%s %s", m[1], m[2])
		if stated[name] {
			t.Errorf("%s is stated twice", name)
		}
		stated[name] = true
	}
	if len(stated) < 25 {
		t.Fatalf("only %d rules and laws are stated", len(stated))
	}
	cited := 0
	single, several := regexp.MustCompile(`(?i)\b(rule|law) (\d+)`), regexp.MustCompile(`(?i)\b(rule|law)s (\d+)(?:,? (?:and|to) (\d+))?`)
	for _, pattern := range []string{"*.go", "internal/*/*.go", "engine/*.go", "testdata/*.txt"} {
		files, _ := filepath.Glob(pattern)
		for _, file := range files {
			text := noctest.Must(os.ReadFile(file))
			for _, m := range append(single.FindAllStringSubmatch(string(text), -1), several.FindAllStringSubmatch(string(text), -1)...) {
				for _, number := range m[2:] {
					if cited++; number != "" && !stated[capital(m[1])+" "+number] {
						t.Errorf("%s cites %q, which is not stated in doc.go", file, m[0])
					}
				}
			}
			if m := regexp.MustCompile(`\bref \d|routers\.md|\(I\d+`).FindString(string(text)); m != "" && file != "citations_test.go" {
				t.Errorf("%s cites %q, which is not in the repository", file, m)
			}
		}
	}
	if cited < 50 {
		t.Errorf("only %d citations were found", cited)
	}
}

func capital(word string) string { return string(word[0]&^0x20) + word[1:] }
