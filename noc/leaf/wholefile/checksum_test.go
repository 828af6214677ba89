package wholefile

import (
	"bytes"
	"encoding/json"
	"errors"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// TestChecksumFindsEveryFlippedBit flips each bit of a document. A flip that is not found hits
// the name of the checksum, so that the document looks like an older one without it, and changes
// nothing else.
func TestChecksumFindsEveryFlippedBit(t *testing.T) {
	type document struct {
		Text   string
		Number int
	}
	want := document{`a "checksum": "sha256:` + strings.Repeat("1", digits), 7}
	content, err := SealedJSON(want)
	if sealed, wrong := Sealed(content); err != nil || wrong != nil || !sealed {
		t.Fatalf("sealed: %v, %v, %v", sealed, wrong, err)
	}
	missed := 0
	for bit := range 8 * len(content) {
		flipped := bytes.Clone(content)
		flipped[bit/8] ^= 1 << (bit % 8)
		sealed, err := Sealed(flipped)
		if errors.Is(err, ErrChecksum) {
			continue
		}
		missed++
		var got document
		if err := json.Unmarshal(flipped, &got); sealed || err == nil && got != want {
			t.Errorf("bit %d: sealed %v, %+v", bit, sealed, got)
		}
	}
	if missed != 8*len(checksumMark) {
		t.Errorf("%d flips were not found, want those of the checksum's name, %d", missed, 8*len(checksumMark))
	}
}

// TestTwoChecksums: a file that names its checksum at both ends is sealed as a whole, and what
// looks like a checksum between them is data. No flipped bit is missed.
func TestTwoChecksums(t *testing.T) {
	between := "data " + BlankChecksum + " data"
	content := []byte("{" + BlankChecksum + "}" + between + "{" + BlankChecksum + "} end")
	Seal(content)
	if !bytes.Contains(content, []byte(between)) {
		t.Error("the data has changed")
	}
	if sealed, err := Sealed(content); !sealed || err != nil {
		t.Fatalf("sealed: %v, %v", sealed, err)
	}
	for bit := range 8 * len(content) {
		flipped := bytes.Clone(content)
		flipped[bit/8] ^= 1 << (bit % 8)
		if _, err := Sealed(flipped); err == nil {
			t.Fatalf("bit %d was not found", bit)
		}
	}
}

// TestFilesWithoutChecksum: files of older versions are read, and a cut one is refused by name.
func TestFilesWithoutChecksum(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.json")
	old := []byte(`{"a": 1}`)
	if err := WriteBytes(path, old); err != nil {
		t.Fatal(err)
	}
	if got, sealed, err := ReadSealed(path, TextBytes); sealed || err != nil || !reflect.DeepEqual(got, old) {
		t.Errorf("read %s, sealed %v, %v", got, sealed, err)
	}
	content, err := SealedJSON(map[string]int{"a": 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := WriteBytes(path, content[:len(content)-20]); err != nil {
		t.Fatal(err)
	}
	if _, _, err := ReadSealed(path, TextBytes); !errors.Is(err, ErrChecksum) || !strings.Contains(err.Error(), path) {
		t.Errorf("the cut file is read with error %v", err)
	}
}
