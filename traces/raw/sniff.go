package raw

import (
	"bufio"
	"bytes"
)

// Sniff reports whether a file that begins like this, decompressed, may be a raw recording: there
// is no magic, so at least two records that follow each other must be plausible.
func Sniff(head []byte) bool {
	whole := len(head) / recordBytes * recordBytes
	in := &input{from: bufio.NewReader(bytes.NewReader(head[:whole]))}
	count := 0
	for {
		if err := in.next(); err != nil {
			return false
		}
		if in.ended {
			return count >= 2
		}
		count++
	}
}
