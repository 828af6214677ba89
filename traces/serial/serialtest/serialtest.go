// Package serialtest helps the tests of formats that package serial reads: it imports texts and
// prints what became of them in the text form of traces.
package serialtest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/serial"
)

// Import imports one text per core from files in a folder, and lists the records of all cores, one
// line each: "0 +1 load 0x10 8" is core, instructions, kind, address and bytes.
func Import(f serial.Format, folder string, c traces.ImportConfig, texts ...string) (string, traces.Imported, error) {
	var paths []string
	for i, text := range texts {
		path := filepath.Join(folder, fmt.Sprintf("core%d", i))
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return "", traces.Imported{}, err
		}
		paths = append(paths, path)
	}
	var out bytes.Buffer
	done, err := serial.Import(f, paths, c, traces.ToStream(&out, traces.DefaultWriterConfig()))
	if err != nil {
		return "", done, err
	}
	file, err := traces.OpenReader(bytes.NewReader(out.Bytes()), int64(out.Len()), traces.DefaultReaderConfig())
	if err != nil {
		return "", done, err
	}
	defer file.Close()
	if _, err := file.Verify(); err != nil && !errors.Is(err, traces.ErrAddress) {
		return "", done, err
	}
	var b strings.Builder
	records := make([]traces.Record, 256)
	for core := range file.Cores() {
		for {
			n, err := file.ReadRecords(core, records)
			if err == io.EOF {
				break
			}
			if err != nil {
				return "", done, err
			}
			for _, r := range records[:n] {
				fmt.Fprintf(&b, "%d +%d %s %#x %d\n", core, r.Instructions, r.Kind, r.Address, 1<<r.Size)
			}
		}
	}
	return b.String(), done, nil
}
