package noctest

import (
	"go/ast"
	"go/parser"
	"go/token"
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
	declared := declarations(t)
	mapped := map[string]bool{}
	for _, m := range mappedRule.FindAllStringSubmatch(read(t, "doc.go"), -1) {
		mapped[m[1]] = true
		for _, name := range strings.FieldsFunc(m[2], func(r rune) bool { return r == ',' || r == ' ' }) {
			if !declared[name] {
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

// declarations returns what the package in the current folder declares.
func declarations(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	files, _ := filepath.Glob("*.go")
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				names[receiver(d)+d.Name.Name] = true
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if s, isType := s.(*ast.TypeSpec); isType {
						declareType(names, s)
					}
				}
			}
		}
	}
	return names
}

// receiver returns "Type." for a method, and "" for a function.
func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return ""
	}
	of := d.Recv.List[0].Type
	if pointer, is := of.(*ast.StarExpr); is {
		of = pointer.X
	}
	if name, is := of.(*ast.Ident); is {
		return name.Name + "."
	}
	return ""
}

// declareType adds a type and its fields.
func declareType(names map[string]bool, s *ast.TypeSpec) {
	names[s.Name.Name] = true
	if of, isStruct := s.Type.(*ast.StructType); isStruct {
		for _, field := range of.Fields.List {
			for _, name := range field.Names {
				names[s.Name.Name+"."+name.Name] = true
			}
		}
	}
}
