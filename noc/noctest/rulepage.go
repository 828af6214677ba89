package noctest

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// statedRule finds the number of a rule in the package documentation of a router, and mappedRule a
// line of an engine's table of rules: the number, and names separated by commas or spaces.
var (
	statedRule = regexp.MustCompile(`(?m)^//(?: Rule |\s+)(\d+)[.,]\s`)
	mappedRule = regexp.MustCompile(`(?m)^//\t *(\d+)  +(.*)$`)
)

// RulePage holds the table of rules in the package documentation of an engine, whose folder it is
// called in, to the rules that a file states: each is mapped, and every name is a function, a type,
// a method or a field of the engine, the latter two as Type.name.
func RulePage(t *testing.T, statedIn string) {
	t.Helper()
	files, _ := filepath.Glob("*.go")
	var source strings.Builder
	for _, file := range files {
		source.WriteString(read(t, file))
	}
	mapped := map[string]bool{}
	for _, m := range mappedRule.FindAllStringSubmatch(read(t, "doc.go"), -1) {
		mapped[m[1]] = true
		for _, name := range strings.FieldsFunc(m[2], func(r rune) bool { return r == ',' || r == ' ' }) {
			if !declares(source.String(), name) {
				t.Errorf("rule %s is mapped to %s, which is not declared here", m[1], name)
			}
		}
	}
	stated := statedRule.FindAllStringSubmatch(read(t, statedIn), -1)
	if len(stated) == 0 {
		t.Fatalf("%s states no rules", statedIn)
	}
	for _, m := range stated {
		if !mapped[m[1]] {
			t.Errorf("rule %s of %s is not mapped in doc.go", m[1], statedIn)
		}
		delete(mapped, m[1])
	}
	for number := range mapped {
		t.Errorf("rule %s is mapped, but %s does not state it", number, statedIn)
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// declares reports whether formatted source declares a function or a type, or with Type.name a method
// or a field.
func declares(source, name string) bool {
	of, member, isMember := strings.Cut(name, ".")
	if !isMember {
		return regexp.MustCompile(`(?m)^(func|type) ` + name + `\b`).MatchString(source)
	}
	if regexp.MustCompile(`(?m)^func \(\w+ \*?` + of + `\) ` + member + `\(`).MatchString(source) {
		return true
	}
	fields := regexp.MustCompile(`(?ms)^type ` + of + ` struct \{.*?^\}`).FindString(source)
	return regexp.MustCompile(`(?m)^\t(\w+, )*` + member + `\b`).MatchString(fields)
}
