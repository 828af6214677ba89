package wholefile

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// checksumMark stands before the digits of a checksum. Text inside a JSON string cannot equal it,
// because its quotes would be escaped.
const checksumMark = `"checksum": "sha256:`

// digits is the length of a checksum.
const digits = 2 * sha256.Size

var zeros = bytes.Repeat([]byte("0"), digits)

// BlankChecksum is the member of a JSON object that holds a file's checksum, before Seal. A file
// has it once, or once at its start and once at its end with any data between them.
var BlankChecksum = checksumMark + string(zeros) + `"`

// ErrChecksum is wrapped by the error about a file whose content does not have the checksum that it
// names.
var ErrChecksum = errors.New("the checksum does not match the content, so the file is damaged or was edited")

// Seal fills in the checksum of a file: the SHA-256 of its content with zeros in place of the
// digits.
func Seal(content []byte) {
	places := checksums(content)
	sum := checksum(content, places)
	for _, at := range places {
		copy(content[at:], sum)
	}
}

// Sealed reports whether a file names a checksum, which files of older versions do not. The error
// says that its content has another one.
func Sealed(content []byte) (bool, error) {
	places := checksums(content)
	for _, at := range places {
		if len(content)-at < digits || string(content[at:at+digits]) != checksum(content, places) {
			return true, ErrChecksum
		}
	}
	return len(places) > 0, nil
}

// checksums lists where the digits of the first and of the last checksum start.
func checksums(content []byte) []int {
	first, last := bytes.Index(content, []byte(checksumMark)), bytes.LastIndex(content, []byte(checksumMark))
	if first < 0 {
		return nil
	}
	return slices.Compact([]int{first + len(checksumMark), last + len(checksumMark)})
}

// checksum is the SHA-256 of a content with zeros at some places.
func checksum(content []byte, zeroed []int) string {
	h, from := sha256.New(), 0
	for _, at := range zeroed {
		h.Write(content[from:at])
		h.Write(zeros)
		from = min(at+digits, len(content))
	}
	h.Write(content[from:])
	return hex.EncodeToString(h.Sum(nil))
}

// SealedJSON returns an object as an indented JSON document with a checksum as its first member,
// so that a person who edits the document can remove the line.
func SealedJSON(object any) ([]byte, error) {
	content, err := json.MarshalIndent(object, "", "  ")
	if err != nil {
		return nil, err
	}
	content = fmt.Appendf(nil, "{\n  %s,%s\n", BlankChecksum, bytes.TrimPrefix(content, []byte("{")))
	Seal(content)
	return content, nil
}

// ReadSealed returns the content of a regular file of at most limit bytes, and whether it names a
// checksum, which then is right.
func ReadSealed(path string, limit int64) (content []byte, sealed bool, err error) {
	if content, err = Read(path, limit); err != nil {
		return nil, false, err
	}
	if sealed, err = Sealed(content); err != nil {
		return nil, sealed, fmt.Errorf("%s: %w", path, err)
	}
	return content, sealed, nil
}
