package formats

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"

	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/traces"
)

// brought imports what paths name, recognised unless there is a name, and verifies it.
func brought(t *testing.T, name string, paths ...string) (traces.Imported, error) {
	t.Helper()
	in, err := Choose(paths, name, false)
	if err != nil {
		return traces.Imported{}, err
	}
	prove, c := traces.DefaultReaderConfig(), traces.DefaultWriterConfig()
	c.Prove = &prove
	return in.Import(traces.ImportConfig{Workload: "x"}, traces.ToFile(filepath.Join(t.TempDir(), "out.trace"), c))
}

// compressed compresses bytes.
func compressed(open func(io.Writer) (io.WriteCloser, error), plain []byte) []byte {
	var b bytes.Buffer
	w := must.Get(open(&b))
	must.Get(w.Write(plain))
	must.Do(w.Close())
	return b.Bytes()
}

func toZstd(plain []byte) []byte {
	return compressed(func(w io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(w) }, plain)
}

func toXZ(plain []byte) []byte {
	return compressed(func(w io.Writer) (io.WriteCloser, error) { return xz.NewWriter(w) }, plain)
}

// TestInputs: texts with other line ends, numbers at their limits and in either case, sizes and addresses that need
// cutting, files that are packed, cut off or followed by something, and what is expected of each:
// accesses, or an error.
func TestInputs(t *testing.T) {
	lackey := "I  04001000,3\n L 1ffeff7e0,8\n S 1ffeff7e8,4\n"
	thread := string(samples()["drmemtrace"])
	bzip2 := string(must.Get(hex.DecodeString("425a683931415926535986ec70020000041180400012040da02000220346d420c988bae6d4008f17724538509086ec7002")))
	long := strings.Repeat(lackey, 2000)
	for name, c := range map[string]struct {
		content string
		from    string
		n       uint64 // loads, stores and atomics
		says    string
	}{
		"a byte-order mark in lackey":      {"\xEF\xBB\xBF" + lackey, "", 0, "byte-order mark"},
		"a byte-order mark in din":         {"\xEF\xBB\xBF2 400000\n0 10\n", "din", 0, "byte-order mark"},
		"a byte-order mark within gzip":    {string(zipped(t, []byte("\xEF\xBB\xBF"+lackey))), "", 0, "byte-order mark"},
		"CRLF in lackey":                   {strings.ReplaceAll(lackey, "\n", "\r\n"), "", 2, ""},
		"CRLF in din":                      {"2 400000\r\n0 7fff0a10\r\n", "", 1, ""},
		"CRLF in csv":                      {"core,gap,kind,address,size\r\n0,1,load,0x10,8\r\n", "", 1, ""},
		"CRLF in pinatrace":                {"0x401000: R 0x7ffd1000\r\n#eof\r\n", "", 1, ""},
		"CRLF in synchrotrace":             {"@ 1,0,1,0 * 0x40 0x47\r\n", "", 1, ""},
		"CRLF in a DRAM trace":             {"0x12345680 R\r\n", "", 1, ""},
		"xz, cut off":                      {string(toXZ([]byte(long))[:60]), "", 0, "cut off"},
		"zstd, cut off":                    {string(toZstd([]byte(long))[:30]), "", 0, "cut off"},
		"gzip, cut off":                    {string(zipped(t, []byte(long))[:30]), "", 0, "cut off"},
		"bzip2, cut off":                   {bzip2[:30], "", 0, "cut off"},
		"zip, cut off":                     {string(zipOf(t, []byte(long))[:60]), "", 0, "cut off"},
		"tar in zstd":                      {string(toZstd(tarOf(t, []byte(lackey)))), "", 2, ""},
		"tar in xz of binary records":      {string(toXZ(tarOf(t, champsimRecords(100, 64, 2)))), "", 100, ""},
		"gzip in tar":                      {string(tarOf(t, zipped(t, []byte(lackey)))), "", 2, ""},
		"gzip in tar in gzip":              {string(zipped(t, tarOf(t, zipped(t, []byte(lackey))))), "", 2, ""},
		"zstd in zip":                      {string(zipOf(t, toZstd([]byte(lackey)))), "", 2, ""},
		"gzip in gzip":                     {string(zipped(t, zipped(t, []byte(lackey)))), "", 0, "compressed twice"},
		"several traces in zip":            {string(zipOf(t, []byte(lackey), []byte(lackey))), "", 0, `several files, "a", "b"; unpack it`},
		"several traces in tar":            {string(tarOf(t, []byte(long), []byte(long))), "lackey", 0, "several files; unpack it"},
		"nothing in zip":                   {string(zipOf(t)), "", 0, "a zip archive without files"},
		"nothing in tar":                   {string(tarOf(t)), "", 0, "not recognised"},
		"garbage behind gzip":              {string(zipped(t, []byte(lackey))) + "garbage behind it", "", 0, "does not decompress"},
		"garbage behind zstd":              {string(toZstd([]byte(lackey))) + "garbage", "", 0, "does not decompress"},
		"garbage behind a footer":          {thread + "garbage and more", "", 0, "something follows the footer"},
		"garbage behind instructions":      {string(champsimRecords(100, 64, 2)) + "garbage", "", 0, "ends 7 bytes into an instruction of 64"},
		"an empty file":                    {"", "lackey", 0, "the file is empty"},
		"one line of a lackey file":        {" L 10,4\n", "", 1, ""},
		"one instruction":                  {string(champsimRecords(1, 64, 2)), "", 1, ""},
		"the last byte of memory":          {"I  0,1\n L ffffffffffffffff,1\n", "", 1, ""},
		"beyond the last byte of memory":   {"I  0,1\n L ffffffffffffffff,2\n", "", 0, "line 2: \"2\" is not a size"},
		"beyond memory in din":             {"2 0\n0 fffffffffffffffd\n", "", 0, "line 2"},
		"a number of more than 64 bits":    {"I  0,1\n L 10000000000000000,1\n", "", 0, "line 2: \"10000000000000000\" is not an address"},
		"the longest gap":                  {"core,gap,kind,address,size\n0,4294967295,load,0,8\n", "", 1, ""},
		"a gap that is too long":           {"core,gap,kind,address,size\n0,4294967296,load,0,8\n", "", 0, `gap is "4294967296"; a whole number from 0 to 4294967295`},
		"a fraction":                       {"core,gap,kind,address,size\n0,1.5,load,0,8\n", "", 0, `gap is "1.5"; a whole number`},
		"mixed case in lackey":             {"I  0400AbCd,3\n L 1FfEff7E0,8\n", "", 1, ""},
		"mixed case in din":                {"2 0X4000aB\n0 0x7FfF0a10\n", "", 1, ""},
		"mixed case in pinatrace":          {"0X40aB00: W 0x7FfD1000\n", "", 1, ""},
		"mixed case in csv":                {"core,gap,kind,address,size\n0,1,load,0XaB00,8\n", "", 1, ""},
		"a missing field in csv":           {"core,gap,kind,address,size\n0,1,load,0\n", "", 0, "line 2: 4 fields, and the first line names 5"},
		"a field too many in a DRAM trace": {"0x10 R 1 2\n", "dramtrace", 0, "line 1"},
		"a size of 0":                      {"I  0,1\n L 10,0\n", "", 0, "line 2: \"0\" is not a size from 1 to 4096"},
		"a size of 0 in csv":               {"core,gap,kind,address,size\n0,1,load,0,0\n", "", 0, "line 2: an access has 1 to 4096 bytes"},
		"a size of 4096":                   {"I  0,1\n L 10,4096\n", "", 66, ""},
		"across two lines":                 {"I  0,1\n S 3d,7\n", "", 3, ""},
		"a core far from the others":       {"core,gap,kind,address,size\n0,1,load,0,8\n65535,1,load,0,8\n", "", 0, `core 65535 in a file of 2 rows; number cores without gaps, or begin the file with "# cores 65536"`},
		"sparse cores":                     {"core,gap,kind,address,size\n0,1,load,0,8\n700,1,store,0,8\n", "", 2, ""},
	} {
		path := filepath.Join(t.TempDir(), "sigil.events.out-1")
		must.Do(os.WriteFile(path, []byte(c.content), 0o600))
		done, err := brought(t, c.from, path)
		switch {
		case c.says == "" && (err != nil || done.Sum().Accesses() != c.n):
			t.Errorf("%s: %d accesses, want %d; %v", name, done.Sum().Accesses(), c.n, err)
		case c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)):
			t.Errorf("%s: %v, want %q", name, err, c.says)
		}
	}
}

// TestManyFiles: a thousand files, or cores, and folders with files of something else.
func TestManyFiles(t *testing.T) {
	dir := t.TempDir()
	var all []string
	thread := samples()["drmemtrace"]
	for i := range 1000 {
		all = append(all, filepath.Join(dir, fmt.Sprintf("core%d.lackey", i)))
		must.Do(os.WriteFile(all[i], []byte("I  0,1\n L 10,4\n"), 0o600))
	}
	if done, err := brought(t, "lackey", all...); err != nil || done.Sum().Loads != 1000 || done.Metadata.Cores != 1000 {
		t.Error(done.Sum(), err)
	}
	threads := t.TempDir()
	for i := range 1000 {
		must.Do(os.WriteFile(filepath.Join(threads, fmt.Sprintf("%04d.trace", i)), thread, 0o600))
	}
	must.Do(os.WriteFile(filepath.Join(threads, "README"), []byte("how it was recorded"), 0o600))
	if done, err := brought(t, "", threads); err != nil || done.Metadata.Cores != 1000 || !strings.Contains(strings.Join(done.Metadata.Notes, "\n"), "left out: README") {
		t.Error(done.Metadata.Notes, err)
	}
	if _, err := brought(t, "", filepath.Join(dir, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}
