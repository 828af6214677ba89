package noc_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc/leaf/must"
)

// statedRule finds a rule in the package documentation of a router: its number and the function that
// is the rule. claimedRule finds in the comment of a function which rule it is.
var (
	statedRule  = regexp.MustCompile(`(?m)^// Rule (\d+), [\w' ]+ \((\w+)\)\. `)
	anyRule     = regexp.MustCompile(`(?m)^// Rule (\d+)`)
	claimedRule = regexp.MustCompile(`\bis rule (\d+)\b`)
)

// TestRulePages holds both forms of each router to the rules of its package documentation. A rule is
// one function in each form, with one name and in files of one name, whose comment says so; or one
// exported function of the plain form that the engine calls.
func TestRulePages(t *testing.T) {
	for _, router := range []string{"rotary"} {
		page := string(must.Get(os.ReadFile(router + "/doc.go")))
		plain, engine := functionsOf(router), functionsOf(router+"/engine")
		rules := statedRule.FindAllStringSubmatch(page, -1)
		if all := len(anyRule.FindAllString(page, -1)); len(rules) == 0 || len(rules) != all {
			t.Errorf("%s states %d rules, and names the functions of %d in brackets behind their titles", router, all, len(rules))
		}
		named := map[string]string{}
		for _, m := range rules {
			rule, name := m[1], m[2]
			named[rule] = name
			file, err := plain.find(rule, name)
			if err != nil {
				t.Errorf("%s: %v", router, err)
				continue
			}
			other, err := engine.find(rule, name)
			if len(engine.named[name]) == 0 && ast.IsExported(name) && strings.Contains(engine.source, router+"."+name+"(") {
				other, err = file, nil // shared
			}
			if err != nil {
				t.Errorf("%s/engine: %v", router, err)
			} else if file != other {
				t.Errorf("%s: rule %s, %s, is in %s, and in %s of the engine", router, rule, name, file, other)
			}
			t.Logf("%s: rule %s is %s in %s", router, rule, name, file)
		}
		for form, functions := range map[string]functions{router: plain, router + "/engine": engine} {
			for rule, names := range functions.claims {
				if len(names) != 1 || names[0] != named[rule] {
					t.Errorf("%s: %v say that they are rule %s, the package documentation says %q", form, names, rule, named[rule])
				}
			}
		}
	}
}

// functions are those of a package.
type functions struct {
	source string
	named  map[string][]string // the files of those with a name
	claims map[string][]string // by rule: the names of those whose comment says that they are it
}

func functionsOf(folder string) functions {
	f := functions{named: map[string][]string{}, claims: map[string][]string{}}
	for _, path := range must.Get(filepath.Glob(folder + "/*.go")) {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		source := must.Get(os.ReadFile(path))
		f.source += string(source)
		for _, d := range must.Get(parser.ParseFile(token.NewFileSet(), path, source, parser.ParseComments)).Decls {
			if d, ok := d.(*ast.FuncDecl); ok {
				f.named[d.Name.Name] = append(f.named[d.Name.Name], filepath.Base(path))
				if m := claimedRule.FindStringSubmatch(strings.Join(strings.Fields(d.Doc.Text()), " ")); m != nil {
					f.claims[m[1]] = append(f.claims[m[1]], d.Name.Name)
				}
			}
		}
	}
	return f
}

// find returns the file of the function that is a rule.
func (f *functions) find(rule, name string) (file string, err error) {
	files := f.named[name]
	if len(files) != 1 {
		return "", fmt.Errorf("rule %s is %s, but %d functions have this name", rule, name, len(files))
	}
	if len(f.claims[rule]) == 0 {
		return "", fmt.Errorf("the comment of %s does not say: %s is rule %s", name, name, rule)
	}
	return files[0], nil
}
