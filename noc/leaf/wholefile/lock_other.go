//go:build !unix

package wholefile

import (
	"errors"
	"os"
)

// lock reports that the file may be another process's: what killed writers leave stays.
func lock(*os.File) error { return errors.ErrUnsupported }
