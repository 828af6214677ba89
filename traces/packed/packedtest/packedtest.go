// Package packedtest compresses bytes in every way that package packed reads, for tests of
// importers.
package packedtest

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"
)

// All returns the plain bytes and their compressed forms by name, except bzip2, which Go's library
// does not write.
func All(t testing.TB, plain []byte) map[string][]byte {
	t.Helper()
	all := map[string][]byte{"plain": plain}
	for name, open := range map[string]func(io.Writer) (io.WriteCloser, error){
		"gzip": func(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriter(w), nil },
		"zstd": func(w io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(w) },
		"xz":   func(w io.Writer) (io.WriteCloser, error) { return xz.NewWriter(w) },
	} {
		var b bytes.Buffer
		w, err := open(&b)
		if err == nil {
			_, err = w.Write(plain)
		}
		if err == nil {
			err = w.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		all[name] = b.Bytes()
	}
	return all
}

// Zip returns an archive of members in this order.
func Zip(t testing.TB, members ...[]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i, m := range members {
		w, err := z.Create(fmt.Sprintf("chunk.%04d", i))
		if err == nil {
			_, err = w.Write(m)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
