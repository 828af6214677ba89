package main

import (
	"bytes"
	"context"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/cmd/carousel/cli"
	"github.com/carousel-sim/carousel/noc/leaf/must"
)

// block is a fenced block of shell commands, or a program in Python, of a page.
type block struct {
	page, needs, script string
	line                int
	python              bool
}

// blocks returns the blocks fenced by ```sh or ```python of a page. The word behind sh names what
// the block needs: "recorder" for QEMU and a C compiler, "cc" for a C compiler alone, "verilator" for
// Verilator and Yosys, "checkout" for the module's source, "long" for more than a minute.
func blocks(t *testing.T, page, text string) []block {
	t.Helper()
	var list []block
	inside := false
	for i, line := range strings.Split(text, "\n") {
		switch {
		case !inside && line == "```python":
			inside = true
			list = append(list, block{page: page, line: i + 2, python: true})
		case !inside && (line == "```sh" || strings.HasPrefix(line, "```sh ")):
			inside = true
			list = append(list, block{page: page, needs: strings.TrimSpace(strings.TrimPrefix(line, "```sh")), line: i + 2})
		case inside && line == "```":
			inside = false
		case inside:
			list[len(list)-1].script += line + "\n"
		}
	}
	if inside {
		t.Fatalf("%s: a block is not closed", page)
	}
	return list
}

// pages returns the README and the manual, by name.
func pages(t *testing.T) map[string]string {
	t.Helper()
	readme := must.Get(os.ReadFile(filepath.Join("..", "..", "README.md")))
	all := map[string]string{"README": string(readme)}
	files := must.Get(filepath.Glob(filepath.Join("manual", "*.md")))
	for _, file := range files {
		text := must.Get(os.ReadFile(file))
		all[strings.TrimSuffix(filepath.Base(file), ".md")] = string(text)
	}
	return all
}

// TestManualNamesCommands checks that each command line of README and manual names a command and flags that
// exist. CAROUSEL_MANUAL=1 also runs all of them, each page in a folder of its own.
func TestManualNamesCommands(t *testing.T) {
	checked := 0
	for page, text := range pages(t) {
		for _, b := range blocks(t, page, text) {
			for i, line := range strings.Split(b.script, "\n") {
				words := strings.Fields(line)
				if len(words) < 2 || words[0] != "carousel" {
					continue
				}
				checked++
				if complaint := unknownIn(words[1:]); complaint != "" {
					t.Errorf("%s, line %d: %s: %s", page, b.line+i, line, complaint)
				}
			}
		}
	}
	if checked < 20 {
		t.Errorf("only %d command lines were found", checked)
	}
	if unknownIn([]string{"run", "--rooter", "mrr"}) == "" || unknownIn([]string{"rum"}) == "" {
		t.Error("an unknown flag or command is not found")
	}
}

// TestPrintedTable: the table of the README, and that of the tutorial, are what carousel run --workload twolf prints.
func TestPrintedTable(t *testing.T) {
	var out, errs bytes.Buffer
	if code := cli.Execute(context.Background(), []string{"run", "--workload", "twolf", "--bound=false", "--quiet", "--out", t.TempDir()}, nil, &out, &errs); code != 0 {
		t.Fatal(errs.String())
	}
	all, printed := pages(t), 0
	for line := range strings.Lines(out.String()) {
		if !strings.HasPrefix(line, "router ") && !strings.Contains(line, " ± ") && !strings.HasPrefix(line, "mrr ") {
			continue
		}
		for _, page := range []string{"README", "tutorial"} {
			if printed++; !strings.Contains(all[page], line) && (page == "README" || strings.Contains(line, "  ")) {
				t.Errorf("%s does not have the line %s", page, line)
			}
		}
	}
	if printed < 10 {
		t.Errorf("the table has %d lines: %s", printed, &out)
	}
}

// flagName is a flag in the help of a command.
var flagName = regexp.MustCompile(`--[a-z0-9-]+`)

// unknownIn returns what a command line names that does not exist, or "". It asks for the help of the command.
func unknownIn(words []string) string {
	named := slices.IndexFunc(words, func(w string) bool { return strings.HasPrefix(w, "-") })
	if named < 0 {
		named = len(words)
	}
	var out bytes.Buffer
	code := cli.Execute(context.Background(), append(slices.Clone(words[:named]), "--help"), nil, &out, &out)
	if help := out.String(); code != 0 || named > 0 && strings.Contains(help, "[command]\n") {
		return "there is no such command"
	}
	known := flagName.FindAllString(out.String(), -1)
	for _, word := range words[named:] {
		if word == "--" || word == "#" || word == "|" || word == ">" {
			break // what follows is not carousel's
		}
		if name, _, _ := strings.Cut(word, "="); strings.HasPrefix(name, "--") && !slices.Contains(known, name) {
			return "there is no flag " + name
		}
	}
	return ""
}

// TestManualRuns runs the command lines of README and manual as they stand.
func TestManualRuns(t *testing.T) {
	if os.Getenv("CAROUSEL_MANUAL") == "" {
		t.Skip("takes minutes: set CAROUSEL_MANUAL=1")
	}
	_, noEmulator := exec.LookPath("qemu-x86_64")
	_, noCompiler := exec.LookPath("cc")
	_, noVerilator := exec.LookPath("verilator")
	_, noYosys := exec.LookPath("yosys")
	// Debian's packages belong to its own Python, which may not be the first on the path.
	python := "/usr/bin/python3"
	if _, err := os.Stat(python); err != nil {
		python = "python3"
	}
	noPandas := exec.Command(python, "-c", "import pandas, matplotlib").Run()
	root := must.Get(filepath.Abs(filepath.Join("..", "..")))
	all := pages(t)
	for _, page := range slices.Sorted(maps.Keys(all)) {
		t.Run(page, func(t *testing.T) {
			dir := t.TempDir()
			for _, b := range blocks(t, page, all[page]) {
				if b.needs == "recorder" && (noEmulator != nil || noCompiler != nil) {
					t.Logf("line %d is skipped: qemu-x86_64 or cc is not installed", b.line)
					continue
				}
				if b.needs == "cc" && noCompiler != nil {
					t.Logf("line %d is skipped: cc is not installed", b.line)
					continue
				}
				if b.needs == "verilator" && (noVerilator != nil || noYosys != nil) {
					t.Logf("line %d is skipped: verilator or yosys is not installed", b.line)
					continue
				}
				if b.needs == "long" && os.Getenv("CAROUSEL_LONG") == "" {
					t.Logf("line %d is skipped: it takes long; set CAROUSEL_LONG=1", b.line)
					continue
				}
				command := exec.Command("bash", "-ec", b.script)
				if b.python {
					if noPandas != nil {
						t.Logf("line %d is skipped: %s has no pandas or no matplotlib", b.line, python)
						continue
					}
					command = exec.Command(python, "-c", b.script)
				}
				command.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "CAROUSEL_") })
				if command.Dir = dir; b.needs == "checkout" {
					command.Dir = root
				}
				output, err := command.CombinedOutput()
				if err != nil {
					t.Fatalf("line %d: %v\n%s\n%s", b.line, err, b.script, output)
				}
				used := command.ProcessState.UserTime() + command.ProcessState.SystemTime()
				t.Logf("line %d: %.1f s of processors", b.line, used.Seconds())
			}
		})
	}
}
