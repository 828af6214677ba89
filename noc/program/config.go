package program

import (
	"cmp"
	"encoding/json"
	"fmt"
	"time"

	"github.com/carousel-sim/carousel/noc/fabric"
)

// Config is what all routers of a study that are programs are started with.
type Config struct {
	Arguments   string `doc:"arguments of a router that is a program, separated by blanks; double quotes around one that is empty or contains blanks"`
	Options     string `doc:"options of a router that is a program, as JSON text; the program says which it has"`
	Longest     int    `unit:"phits" doc:"longest packet of a router that is a program"`
	SourceQueue int    `unit:"packets" doc:"depth of each source queue of a router that is a program"`
	// TimeLimit changes no result.
	TimeLimit float64 `json:"-" unit:"seconds" doc:"maximum time of one call of a router that is a program; it is ended after that"`
}

// MaxPhits is the length of the longest packet that a program can be offered.
const MaxPhits = 1<<16 - 1

// Default returns the configuration of a program that needs none: packets and queues like those of base.
func Default() Config { return Config{Longest: 5, SourceQueue: 16, TimeLimit: 60} }

// IsZero reports whether results are those of the default, so that keys of points leave it out.
func (c Config) IsZero() bool {
	c.TimeLimit = Default().TimeLimit
	return c == Default()
}

// Validate tells which value is not allowed.
func (c Config) Validate() error {
	if c.Options != "" && !json.Valid([]byte(c.Options)) {
		return fmt.Errorf(`options is %s, which is no JSON; write, for example, {"buffers": 4}`, c.Options)
	}
	return cmp.Or(fabric.CheckRange("longest", c.Longest, 1, MaxPhits),
		fabric.CheckRange("source_queue", c.SourceQueue, 1, 1<<16-1),
		fabric.CheckRange("time_limit", c.TimeLimit, 0.001, 1e6))
}

func (c Config) limit() time.Duration { return time.Duration(c.TimeLimit * float64(time.Second)) }
