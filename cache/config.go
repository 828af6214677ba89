package cache

import "fmt"

// Limits of a Config.
const (
	MaxSets = 1 << 24
	MaxWays = 64
)

// Config is the shape of one set-associative array.
type Config struct {
	// A set is chosen by address bits, so their number is a power of two.
	Sets   int    `unit:"sets" doc:"sets"`
	Ways   int    `unit:"ways" doc:"associativity"`
	Policy Policy `doc:"replacement policy"`
}

// Validate returns an error that names the wrong key, or nil.
func (c Config) Validate() error {
	if c.Sets < 1 || c.Sets > MaxSets || c.Sets&(c.Sets-1) != 0 {
		return fmt.Errorf("sets is %d; a power of two from 1 to %d is allowed", c.Sets, MaxSets)
	}
	if c.Ways < 1 || c.Ways > MaxWays {
		return fmt.Errorf("ways is %d; 1 to %d are allowed", c.Ways, MaxWays)
	}
	return c.Policy.validate(c.Ways)
}
