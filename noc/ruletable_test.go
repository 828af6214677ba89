package noc_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc/leaf/must"
)

// numberedRule finds the number of a rule in the package documentation of a router, and mappedRule a
// line of an engine's table of rules: the number, and names separated by commas or spaces.
var (
	numberedRule = regexp.MustCompile(`(?m)^//(?: Rule |\s+)(\d+)[.,]\s`)
	mappedRule   = regexp.MustCompile(`(?m)^//\t *(\d+)  +(.*)$`)
)

// TestRuleTables holds the table of rules in the package documentation of an engine whose rules have
// several functions to the rules of its router: each is mapped, and every name is a function, a type, a
// method or a field of the engine, the latter two as Type.name.
func TestRuleTables(t *testing.T) {
	for _, router := range []string{"wormhole"} {
		files, _ := filepath.Glob(router + "/engine/*.go")
		source := ""
		for _, file := range files {
			source += string(must.Get(os.ReadFile(file)))
		}
		mapped := map[string]bool{}
		for _, m := range mappedRule.FindAllStringSubmatch(string(must.Get(os.ReadFile(router+"/engine/doc.go"))), -1) {
			mapped[m[1]] = true
			for _, name := range strings.FieldsFunc(m[2], func(r rune) bool { return r == ',' || r == ' ' }) {
				if !declares(source, name) {
					t.Errorf("%s: rule %s is mapped to %s, which is not declared in the engine", router, m[1], name)
				}
			}
		}
		stated := numberedRule.FindAllStringSubmatch(string(must.Get(os.ReadFile(router+"/doc.go"))), -1)
		if len(stated) == 0 {
			t.Errorf("%s states no rules", router)
		}
		for _, m := range stated {
			if !mapped[m[1]] {
				t.Errorf("%s: rule %s is not mapped in the engine's doc.go", router, m[1])
			}
			delete(mapped, m[1])
		}
		if len(mapped) > 0 {
			t.Errorf("%s: rules that are not stated are mapped: %v", router, mapped)
		}
	}
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
