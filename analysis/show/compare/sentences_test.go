package compare

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/analysis/result"
	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/noc/leaf/must"
)

// TestSentences: what rules say that other tests do not read in full.
func TestSentences(t *testing.T) {
	run := tables.Run{RunKey: "a", Workload: "lu", Router: "mrr", Protocol: "token", ExitState: tables.Finished, Start: tables.Some(tables.WarmStart), Cycles: tables.Some(uint64(1000)),
		MissLatencyMean: tables.Some(10.0), PacketLatencyMean: tables.Some(20.0), Reissues: tables.Some(uint64(1)), TimeoutCycles: tables.Some(uint64(100))}
	cold := run
	cold.RunKey, cold.Router, cold.Start, cold.TimeoutCycles = "b", "base", tables.Some(tables.ColdStart), tables.Some(uint64(10))
	core := func(key string) tables.Core {
		return tables.Core{RunKey: key, FinishCycle: 1000, Retiring: 500, Interface: 100, Flight: 200, Contention: 50, Records: 2}
	}
	slow, slowCore := run, core("c")
	slow.RunKey, slow.Router, slow.Cycles = "c", "base", tables.Some(uint64(2000))
	slowCore.FinishCycle, slowCore.Contention = 2000, 1050
	program := run
	program.RunKey, program.Cycles = "d", tables.Some(uint64(3000))
	block := func(core uint64, read, written string) tables.HotBlock {
		return tables.HotBlock{RunKey: "a", Block: "0x40", Sharing: tables.FalseSharing, BlockMisses: 50, Core: core, Read: read, Written: written}
	}
	missing := run
	missing.L1Misses = tables.Some(uint64(100))
	warm := tables.Rows{Runs: []tables.Run{run}, Cores: []tables.Core{core("a")}}
	for want, rows := range map[string]tables.Rows{
		"mrr: packets take longer than misses. A miss ends when its data arrive, while copies of its request still wait at the interface.":                 warm,
		"Share of core time spent waiting for timeouts: lu, token (10.0 % on mrr). The times therefore depend on the timeout; see carousel help concepts.": warm,
		"Share of core time spent waiting for timeouts: lu, token (1.0 % on base).":                                                                        {Runs: []tables.Run{cold}, Cores: []tables.Core{core("b")}},
		"Caches start warm (--cold empties them).": warm,
		"Caches start empty.":                      {Runs: []tables.Run{cold}},
		"base takes longer than mrr mainly in these parts, in % of the time of mrr: contention 100.": {Runs: []tables.Run{run, slow}, Cores: []tables.Core{core("a"), slowCore}},
		"The time of old over that of new is 3 on mrr.":                                              {Runs: []tables.Run{run, program}, Axes: []tables.Axis{{RunKey: "a", Key: "trace", Value: "new"}, {RunKey: "d", Key: "trace", Value: "old"}}},
		"lu, token: false sharing causes much of all misses (50 % on mrr): cores use different bytes of block 0x40 (core 0 reads and writes bytes 0-7, core 1 writes bytes 8-15). carousel run --hot-blocks lists such blocks.": {Runs: []tables.Run{missing}, HotBlocks: []tables.HotBlock{block(0, "0-7", "0-7"), block(1, "", "8-15")}},
		"Caches start warm in some runs, and empty in others.": {Runs: []tables.Run{run, cold}},
		"Of the execution time of mrr, messages take 35 %: 10 % in network interfaces, 20 % in flight and 5 % in contention. Cores retire instructions in 50 %.": warm,
	} {
		var texts []string
		for _, f := range Findings(result.Rank(&rows, nil), &rows, nil) {
			texts = append(texts, f.Text)
		}
		if !slices.Contains(texts, want) {
			t.Errorf("%q is not among %q", want, texts)
		}
	}
}

// TestEverySentenceIsRead: a rule whose sentence no test of the package has is named.
func TestEverySentenceIsRead(t *testing.T) {
	var tests strings.Builder
	for _, file := range must.Get(filepath.Glob("*_test.go")) {
		tests.Write(must.Get(os.ReadFile(file)))
	}
	verbs, checked := regexp.MustCompile(`%[-.0-9]*[a-z]|%%`), 0
	for _, file := range must.Get(filepath.Glob("*.go")) {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		ast.Inspect(must.Get(parser.ParseFile(token.NewFileSet(), file, nil, 0)), func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) < 2 {
				return true
			}
			say, ok := call.Fun.(*ast.SelectorExpr)
			format, constant := call.Args[1].(*ast.BasicLit)
			if !ok || say.Sel.Name != "say" || !constant {
				return true
			}
			parts := verbs.Split(must.Get(strconv.Unquote(format.Value)), -1)
			longest := strings.Trim(slices.MaxFunc(parts, func(a, b string) int { return len(a) - len(b) }), " .,:;()")
			checked++
			if !strings.Contains(tests.String(), longest) {
				t.Errorf("%s: no test reads the sentence with %q; add it to TestSentences", file, longest)
			}
			return true
		})
	}
	if checked < 25 {
		t.Errorf("only %d sentences were found", checked)
	}
}
