package noc_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc/leaf/must"
)

// statedRule finds a rule in the package documentation of a router: its number and the function
// that is the rule. claimedRule finds in the comment of a function which rule it is.
var (
	statedRule  = regexp.MustCompile(`(?m)^// Rule (\d+), [\w' ]+ \((\w+)\)\. `)
	anyRule     = regexp.MustCompile(`(?m)^// Rule (\d+)`)
	claimedRule = regexp.MustCompile(`\bis rule (\d+)\b`)
)

// TestRulePages holds both forms of each router to the rules of its package documentation. A rule
// is one function in each form, with one name and in files of one name, whose comment says so; or
// one exported function of the plain form that the engine calls.
func TestRulePages(t *testing.T) {
	for _, router := range []string{"rotary", "buffered", "wormhole"} {
		page := string(must.Get(os.ReadFile(router + "/doc.go")))
		plain, _ := claimsOf(router)
		engine, source := claimsOf(router + "/engine")
		rules := statedRule.FindAllStringSubmatch(page, -1)
		if all := len(anyRule.FindAllString(page, -1)); len(rules) == 0 || len(rules) != all {
			t.Errorf("%s states %d rules, and names the functions of %d in brackets behind their titles", router, all, len(rules))
		}
		for _, m := range rules {
			rule, name := m[1], m[2]
			here, there := plain[rule], engine[rule]
			if len(there) == 0 && ast.IsExported(name) && strings.Contains(source, "."+name+"(") {
				there = here // shared
			}
			if len(here) != 1 || here[0].name != name || !slices.Equal(here, there) {
				t.Errorf("%s: rule %s is said to be %s; functions whose comments say so are %v, and in the engine %v", router, rule, name, here, there)
			}
			t.Logf("%s: rule %s is %v and %v", router, rule, here, there)
			delete(plain, rule)
			delete(engine, rule)
		}
		if len(plain)+len(engine) > 0 {
			t.Errorf("%s: functions are rules that are not stated: %v, and in the engine %v", router, plain, engine)
		}
	}
}

// function is a function and its file.
type function struct{ name, file string }

// claimsOf returns the functions of a package whose comments say which rule they are, by rule, and
// the source of the package.
func claimsOf(folder string) (claims map[string][]function, source string) {
	claims = map[string][]function{}
	for _, path := range must.Get(filepath.Glob(folder + "/*.go")) {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		text := must.Get(os.ReadFile(path))
		source += string(text)
		for _, d := range must.Get(parser.ParseFile(token.NewFileSet(), path, text, parser.ParseComments)).Decls {
			if d, ok := d.(*ast.FuncDecl); ok {
				if m := claimedRule.FindStringSubmatch(strings.Join(strings.Fields(d.Doc.Text()), " ")); m != nil {
					claims[m[1]] = append(claims[m[1]], function{d.Name.Name, filepath.Base(path)})
				}
			}
		}
	}
	return claims, source
}
