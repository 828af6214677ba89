package verify

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/carousel-sim/carousel/cache"
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/coherence/cohtest"
	"github.com/carousel-sim/carousel/coherence/directory"
	"github.com/carousel-sim/carousel/coherence/msi"
	"github.com/carousel-sim/carousel/coherence/token"
	"github.com/carousel-sim/carousel/noc"
)

// storyOptions are those of a story's command "chip", such as issues=1.
type storyOptions func(key string, fallback int) int

// arrays returns the caches of a story's chip.
func (option storyOptions) arrays(banksWays int) (l1, l2 cache.Config) {
	return cache.Config{Sets: option("l1_sets", 1), Ways: option("l1_ways", 1)}, cache.Config{Sets: option("l2_sets", 1), Ways: option("l2_ways", banksWays)}
}

// storyChips make the protocols of stories.
var storyChips = map[string]func(option storyOptions, s coherence.System) coherence.Protocol{
	"token": func(option storyOptions, s coherence.System) coherence.Protocol {
		c := token.Default()
		c.Adaptive, c.Jitter = false, 0
		c.Tokens = option("tokens", 32)
		c.Issues = option("issues", c.Issues)
		c.Timeout = noc.Cycle(option("timeout", int(c.Timeout)))
		c.Hold = noc.Cycle(option("hold", 0))
		c.AtomicMigrates = option("atomic_migrates", 1) == 1
		if option("evict_tokens", 0) == 1 {
			c.EvictShared = "tokens"
		}
		if option("bank_gives_one", 0) == 1 {
			c.BankGives = "one"
		}
		l1, l2 := option.arrays(2)
		return token.New(s, c, l1, l2, option("mshrs", 2))
	},
	"directory": func(option storyOptions, s coherence.System) coherence.Protocol {
		c := directory.Default()
		c.SilentS = option("silent", 0) == 1
		c.Transactions = option("transactions", c.Transactions)
		c.StallQueue = option("stall_queue", c.StallQueue)
		c.WriteBacks = option("write_backs", c.WriteBacks)
		l1, l2 := option.arrays(4)
		return directory.New(s, c, l1, l2, option("mshrs", 2))
	},
	"msi": func(option storyOptions, s coherence.System) coherence.Protocol {
		l1, l2 := option.arrays(4)
		return msi.New(s, l1, l2, 2)
	},
}

// TestStories runs the text scenarios in the folders testdata of the protocols. The directive
//
//	chip cores=2 banks=1 memories=1 ...
//
// makes a fresh chip (further options are the protocol's), and "do" runs the commands in the lines
// below it (cohtest.Script). The output is everything that happens because of them. Every command
// ends with a check of the protocol's laws on all blocks, which speaks up only when one is broken.
func TestStories(t *testing.T) {
	for _, p := range Protocols {
		datadriven.Walk(t, filepath.Join("..", p.Name, "testdata"), func(t *testing.T, path string) {
			var script *cohtest.Script
			datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
				switch d.Cmd {
				case "chip":
					script = storyScript(t, d, storyChips[p.Name])
					return ""
				case "do":
					for l := range strings.SplitSeq(d.Input, "\n") {
						if !script.Do(l) {
							break
						}
					}
					return script.Told()
				}
				d.Fatalf(t, "%q is no directive; chip and do are", d.Cmd)
				return ""
			})
		})
	}
}

func storyScript(t *testing.T, d *datadriven.TestData, build func(storyOptions, coherence.System) coherence.Protocol) *cohtest.Script {
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
	return cohtest.NewScript(cohtest.NewChip(size, 1, func(s coherence.System) coherence.Protocol { return build(option, s) }))
}
