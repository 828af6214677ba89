// Package stories runs text scenarios of coherence protocols, written for the datadriven package,
// as tests.
//
// There is one function, [Run]. The commands of the scenarios are those of cohtest.Script; to add
// one, add a case to its method Command.
package stories

import (
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/carousel-sim/carousel/coherence/cohtest"
)

// Builder makes a protocol for a story from the options of its "chip" command, such as issues=1.
type Builder func(option func(key string, fallback int) int) cohtest.Maker

// Run runs the text scenarios in a folder. The directive
//
//	chip cores=2 banks=1 memories=1 ...
//
// makes a fresh chip (further options are the protocol's), and "do" runs the commands in the lines
// below it. The output is everything that happens because of them. Every command ends with a check
// of the protocol's laws on all blocks, which speaks up only when one is broken.
func Run(t *testing.T, folder string, build Builder) {
	datadriven.Walk(t, folder, func(t *testing.T, path string) {
		s := &story{build: build}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string { return s.run(t, d) })
	})
}

type story struct {
	build  Builder
	script *cohtest.Script
}

func (s *story) run(t *testing.T, d *datadriven.TestData) string {
	switch d.Cmd {
	case "chip":
		s.start(t, d)
		return ""
	case "do":
		for l := range strings.SplitSeq(d.Input, "\n") {
			if !s.script.Do(l) {
				break
			}
		}
		return s.script.Told()
	}
	d.Fatalf(t, "%q is no directive; chip and do are", d.Cmd)
	return ""
}

func (s *story) start(t *testing.T, d *datadriven.TestData) {
	option := func(key string, fallback int) int {
		for _, a := range d.CmdArgs {
			if a.Key == key {
				v, err := strconv.Atoi(a.Vals[0])
				if err != nil {
					d.Fatalf(t, "%s: %v", key, err)
				}
				return v
			}
		}
		return fallback
	}
	size := cohtest.Size{Cores: option("cores", 2), Banks: option("banks", 1), Memories: option("memories", 1)}
	s.script = cohtest.NewScript(cohtest.NewChip(size, 1, s.build(option)))
}
