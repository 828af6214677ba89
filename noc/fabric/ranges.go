package fabric

import "fmt"

// CheckRange reports whether a number of an engine's configuration is allowed. The error names
// the key, the value and what is allowed.
func CheckRange(key string, value, least, most int) error {
	if value < least || value > most {
		return fmt.Errorf("%s is %d; use %d to %d", key, value, least, most)
	}
	return nil
}
