package tables

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/leaf/wholefile"
)

// sample is the file of a table with texts, counts and numbers, some of which are absent.
func sample(t testing.TB, compression Compression) []byte {
	t.Helper()
	rows := make([]Link, compressedRows)
	for i := range rows {
		rows[i] = Link{RunKey: "a", FromNode: uint64(i), Phits: uint64(i * i), Utilisation: Maybe[float64]{float64(i), i%3 > 0}}
	}
	var content bytes.Buffer
	must.Do(Links.WriteArrow(&content, rows, `{"a":1}`, compression))
	return content.Bytes()
}

// TestFlippedBits flips bits of a table's file, which reads well before: the checksum finds each.
func TestFlippedBits(t *testing.T) {
	r, path := rand.New(rand.NewPCG(1, 2)), filepath.Join(t.TempDir(), "links.arrow")
	for _, compression := range []Compression{Zstd, LZ4, Uncompressed} {
		content := sample(t, compression)
		must.Do(os.WriteFile(path, content, 0o644))
		if rows, _, err := Links.ReadArrow(path); err != nil || len(rows) != compressedRows || rows[9].Phits != 81 {
			t.Fatalf("compression %d: %d rows, %v", compression, len(rows), err)
		}
		for range 400 {
			flipped, bit := bytes.Clone(content), r.IntN(8*len(content))
			flipped[bit/8] ^= 1 << (bit % 8)
			must.Do(os.WriteFile(path, flipped, 0o644))
			if _, _, err := Links.ReadArrow(path); !errors.Is(err, wholefile.ErrChecksum) || !strings.Contains(err.Error(), path) {
				t.Fatalf("bit %d of %d bytes: %v", bit, len(content), err)
			}
		}
	}
}

// TestNoChecksum: a table without a checksum is refused, with what to do.
func TestNoChecksum(t *testing.T) {
	dir := t.TempDir()
	folder := must.Get(OpenFolder(dir))
	(&Rows{Runs: []Run{{RunKey: "a"}}}).Put(folder, "{}")
	must.Do(folder.Commit())
	if _, _, err := ReadRows(dir); err != nil {
		t.Error(err)
	}
	path := filepath.Join(dir, "links.arrow")
	must.Do(os.WriteFile(path, bytes.ReplaceAll(must.Get(os.ReadFile(path)), []byte(`"checksum"`), []byte(`"checksun"`)), 0o644))
	if _, _, err := ReadRows(dir); err == nil || !strings.Contains(err.Error(), "links.arrow has no checksum: a version of carousel before checksums") {
		t.Errorf("a table without a checksum is read with error %v", err)
	}
}
