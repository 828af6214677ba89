package cmp

import (
	"context"
	"fmt"
	"reflect"
	"runtime"
	"testing"

	"github.com/carousel-sim/carousel/cache"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/traces"
)

// counted is a divisible network that counts the cycles that are begun.
type counted struct {
	noc.Divisible
	begun int
}

func (c *counted) Begin() {
	c.begun++
	c.Divisible.Begin()
}

// TestThreads compares chips of two threads with those of one: their results are the same. The second thread begins
// every cycle of the network, unless interfaces have slots.
func TestThreads(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(max(2, runtime.GOMAXPROCS(0))))
	variants := map[string]func(*Config){
		"default":     func(*Config) {},
		"every cycle": func(c *Config) { c.EveryCycle = true },
		"half clock":  func(c *Config) { c.NetworkClock = "1/2" },
		"slow clock":  func(c *Config) { c.NetworkClock, c.Core.Prefetch = "1/4", 2 },
		"queues":      func(c *Config) { c.InterfaceQueue, c.Copies = 1, HomeLast },
		"slots":       func(c *Config) { c.InterfaceSlots = 8 },
	}
	routers := []string{"rr", "mrr", "base", "base-mc", "ideal"}
	if must.Race() { // slow
		routers = []string{"mrr", "base"}
		delete(variants, "every cycle")
		delete(variants, "slow clock")
	}
	for _, router := range routers {
		for _, protocol := range []string{"directory", "token"} {
			for name, change := range variants {
				t.Run(fmt.Sprint(router, "/", protocol, "/", name), func(t *testing.T) {
					c := Default()
					c.Protocol, c.EpochCycles = protocol, 333
					c.L1, c.L2 = cache.Config{Sets: 4, Ways: 2}, cache.Config{Sets: 4, Ways: 2, Policy: cache.TreePLRU}
					change(&c)
					var results [2]Result
					for i := range results {
						c.Threads = 1 + i
						source := busyStreams(16)
						for k := range source.records {
							source.records[k] = source.records[k][:50]
						}
						network := build(t, router, func(o *models.Options) { o.EveryCycle = c.EveryCycle })
						s := must.Get(New(c, network, traces.NewMemory(source.records, nil), 1))
						count := new(counted)
						if s.always = true; s.divisible != nil {
							count.Divisible, s.divisible = s.divisible, count
						}
						results[i] = must.Get(s.Run(context.Background(), nil))
						if begins := i == 1 && c.InterfaceSlots == 0 && router != "ideal"; begins != (count.begun > 300) {
							t.Errorf("%d threads: %d cycles of the network are begun", c.Threads, count.begun)
						}
					}
					if !reflect.DeepEqual(results[0], results[1]) {
						t.Errorf("two threads give %+v\none gives %+v", results[1], results[0])
					}
				})
			}
		}
	}
}
