package formats

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/chakra"
	"github.com/carousel-sim/carousel/traces/packed"
)

// HeadBytes is how much of a file, decompressed, recognition reads.
const HeadBytes = 4096

// readHead reads the beginning of a file, decompressed.
func readHead(path string) ([]byte, error) {
	from, err := packed.OpenFor(path, traces.ImportConfig{Head: HeadBytes})
	if err != nil {
		return nil, err
	}
	defer from.Close()
	head, err := io.ReadAll(from)
	if err != nil && !errors.Is(err, traces.ErrHead) {
		problem, condition := packed.Condition(err)
		return nil, &traces.Error{File: path, Core: -1, Offset: int64(len(head)), Err: condition, Problem: problem}
	}
	return head, nil
}

// others are files that no importer reads, by their first bytes, and what to do with them.
var others = []struct{ magic, text string }{
	{"\xC7CRSL", "it is a trace of Carousel already; carousel run --trace replays it"},
	{"UTJH", "a netrace file; carousel traffic --packets replays it"},
	{"cycle,source,destinations", "a list of packets; carousel traffic --packets replays it"},
	{"\x7FELF", "a program; carousel trace record records it"},
	{"PK\x05\x06", "a zip archive without files"},
	{"ARROW1", "an Arrow file, which is not read; write its table as CSV"},
	{"PAR1", "a Parquet file, which is not read; write it as CSV"},
	{"SQLite format 3", "a SQLite database, which is not read; write its table as CSV"},
	{"\x04\x22\x4D\x18", "a file compressed with lz4; decompress it first"},
	{"\xFF\x06\x00\x00sNaPpY", "a file compressed with snappy; decompress it first"},
}

// ofChakra says what a file, or a folder, of a Chakra trace is, which has no first bytes of its own.
const ofChakra = "a Chakra trace; carousel traffic --packets replays it"

// Other says what a file is that begins like this, if it is known and no trace, or returns "".
func Other(head []byte) string {
	for _, o := range others {
		if bytes.HasPrefix(head, []byte(o.magic)) {
			return o.text
		}
	}
	if text := bytes.TrimLeft(head, " \r\n\t"); bytes.HasPrefix(text, []byte("[")) || bytes.HasPrefix(text, []byte("{")) {
		if bytes.Contains(text, []byte(`"proc"`)) && bytes.Contains(text, []byte(`"sx"`)) {
			return "a NoC event file; carousel traffic --packets replays its kernel on any network, and carousel validate silicon on a model of the chip"
		}
		return "a JSON file; no trace format here is JSON"
	}
	return ""
}

// OtherFile is Other for a file or a folder. It says of recordings which command imports them.
func OtherFile(path string) string {
	if chakra.Is(path) {
		return ofChakra
	}
	if head, err := readHead(path); err == nil {
		if what := Other(head); what != "" {
			return what
		}
	}
	f, err := Recognise(path)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("a recording of format %s; convert it with: carousel trace import %s -o %s.trace", f.Name, path, WorkloadOf([]string{path}))
}
