package formats

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/traces"
)

// champsimRecords makes instructions of so many bytes, with so many destinations.
func champsimRecords(n, bytes, destinations int) []byte {
	var b []byte
	for i := range n {
		r := make([]byte, bytes)
		binary.LittleEndian.PutUint64(r, 0x400000+4*uint64(i))
		first := (10 + destinations + 4 + 7) / 8 * 8
		if i%2 == 0 {
			binary.LittleEndian.PutUint64(r[first+8*destinations:], 0x600000+64*uint64(i))
		} else {
			binary.LittleEndian.PutUint64(r[first:], 0x7fff0000)
		}
		b = append(b, r...)
	}
	return b
}

func tarOf(t *testing.T, files ...[]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for i, f := range files {
		must.Do(w.WriteHeader(&tar.Header{Name: string(rune('a' + i)), Mode: 0o600, Size: int64(len(f)), Format: tar.FormatUSTAR}))
		must.Get(w.Write(f))
	}
	must.Do(w.Close())
	return b.Bytes()
}

func zipOf(t *testing.T, files ...[]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i, f := range files {
		must.Get(must.Get(w.Create(string(rune('a' + i)))).Write(f))
	}
	must.Do(w.Close())
	return b.Bytes()
}

// TestRecognitionGivesItsReason: what is recognised, and what the error says of what is not.
func TestRecognitionGivesItsReason(t *testing.T) {
	lackey := "==1== x\nI  04001000,3\n L 1ffeff7e0,8\n"
	for name, c := range map[string]struct {
		content      string
		format, says string
	}{
		"lackey with a broken size":    {lackey + " S 10,8\nI  0,1\n L 210,1x\n", "", `lackey as far as line 6: "1x" is not a size`},
		"lackey with output between":   {lackey + "hello from the program\n S 10,8\n", "lackey", ""},
		"lackey with superblocks":      {"SB 04001000\n" + lackey, "lackey", ""},
		"lackey without instructions":  {" L 10,4\n S 20,8\n", "lackey", ""},
		"din with blank lines":         {"0 1000\n\n1 1004\n\n2 400000\n", "din", ""},
		"din with comments":            {"0 1000 first\n1 1004 second one\n", "din", ""},
		"extended din":                 {"r 1000 4\nw 0x1008 8\ni 400000 4\n", "din", ""},
		"Ramulator's CPU trace":        {"3 20734016\n1 20846400\n2 20734208 20841280\n0 8841280\n", "", "may"},
		"a byte-order mark":            {"\xEF\xBB\xBFcore,gap,kind,address,size\n0,1,load,0,8\n", "", "byte-order mark"},
		"a byte-order mark of UTF-16":  {"\xFF\xFEc\x00o\x00r\x00e\x00,\x00", "", "byte-order mark of UTF-16"},
		"csv without columns":          {"gap,address,size\n1,64,8\n", "", "missing columns: core, kind;"},
		"csv with a bad row":           {"core,gap,kind,address,size\n0,1,load,0,8\n0,1,laod,0,8\n", "", `csv as far as line 3: kind is "laod"`},
		"csv with semicolons":          {"core;gap;kind;address;size\n0;1;load;0;8\n", "", "semicolons"},
		"netrace":                      {"UTJH\x00\x00\x80\x3f", "", "traffic --packets"},
		"a list of packets":            {"cycle,source,destinations,phits\n0,0,1,1\n", "", "traffic --packets"},
		"NoC events":                   {`[ {"proc": "BRISC", "sx": 1, "sy": 2} ]`, "", "validate silicon"},
		"other JSON":                   {`{"traceEvents": []}`, "", "JSON"},
		"a program":                    {"\x7fELF\x02\x01\x01" + strings.Repeat("\x00", 200), "", "trace record"},
		"prose":                        {"hello, world\n", "", `as csv, line 1: column "hello" is not known`},
		"nothing":                      {"", "", "the file is empty"},
		"champsim":                     {string(champsimRecords(100, 64, 2)), "champsim", ""},
		"champsim with types of loads": {string(champsimRecords(100, 72, 2)), "champsim", ""},
		"CloudSuite":                   {string(champsimRecords(100, 96, 4)), "champsim", ""},
		"a tar archive of champsim":    {string(tarOf(t, champsimRecords(100, 64, 2))), "champsim", ""},
		"a zip archive of champsim":    {string(zipOf(t, champsimRecords(100, 64, 2))), "champsim", ""},
		"a compressed tar archive":     {string(zipped(t, tarOf(t, []byte(lackey)))), "lackey", ""},
		"a zip archive of two files":   {string(zipOf(t, []byte(lackey), []byte(lackey))), "", "a zip archive with several files"},
		"cut within the compression":   {string(zipped(t, []byte(lackey))[:30]), "", "the compressed file is cut off"},
		"the first version of events":  {"0,1,42,0,1,1 $ 0x10 0x17 * 0x20 0x27\n1,1,pth_ty:3^0x50\n2,1 # 2 0 0x30 0x37\n", "synchrotrace", ""},
		"gem5's packets":               {"gem5\x07\x0a\x01m\x18\x64\x10\x00", "", "its header has no size of the window"},
		"instructions out of order":    {"gem5\x04\x18\x64\x20\x78\x06\x08\x09\x10\x03\x38\x00\x06\x08\x08\x10\x03\x38\x00", "", "elastic as far as byte 16: record 1, instruction 8: it follows instruction 9"},
		"an event out of order":        {"0,1,42,0,1,1 $ 0x10 0x17\n5,1,42,0,1,1\n", "", "synchrotrace as far as line 2: event 5, where event 1 is next"},
	} {
		path := filepath.Join(t.TempDir(), "sigil.events.out-1")
		must.Do(os.WriteFile(path, []byte(c.content), 0o600))
		found, err := Recognise(path)
		if c.says == "may" {
			c.says = "counts and addresses in decimal"
		}
		if found.Name != c.format || (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %q, %v", name, found.Name, err)
		}
	}
}

// TestNamedFormatIsChecked: --from does not switch the check off, unless anyway is set.
func TestNamedFormatIsChecked(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x")
	count := func(content []byte, name string, anyway bool) (uint64, error) {
		must.Do(os.WriteFile(path, content, 0o600))
		in, err := Choose([]string{path}, name, anyway)
		if err != nil {
			return 0, err
		}
		done, err := in.Import(traces.ImportConfig{}, traces.ToStream(nowhere{}, traces.DefaultWriterConfig()))
		return done.Sum().Instructions, err
	}
	text := []byte("I  04001000,3\n L 1ffeff7e0,8\n")
	if _, err := count(text, "champsim", false); err == nil || !strings.Contains(err.Error(), "the file looks like lackey; --anyway") {
		t.Error(err)
	}
	later := champsimRecords(3000, 64, 2)
	later[64*2000+8] = 7
	if _, err := count(later, "champsim", false); err == nil || !strings.Contains(err.Error(), "flags of a branch are 7 and 0") {
		t.Error(err)
	}
	if n, err := count(later, "champsim", true); n != 3000 || err != nil {
		t.Error(n, err)
	}
	if n, err := count(champsimRecords(300, 96, 4), "champsim", false); n != 300 || err != nil {
		t.Error(n, err)
	}
	if _, err := count(bytes.Repeat([]byte("\x7fELF\x02\x01\x01\x00 some program"), 200), "champsim", false); err == nil {
		t.Error("a program is imported")
	}
	if _, err := count([]byte("3 20734016\n1 20846400\n"), "din", false); err != nil {
		t.Error("a doubt refuses what is named:", err)
	}
	in := must.Get(Choose([]string{path}, "din", false))
	if done := must.Get(in.Import(traces.ImportConfig{}, traces.ToStream(nowhere{}, traces.DefaultWriterConfig()))); !slices.Contains(done.Metadata.Notes, "x can also be read as ramulator") {
		t.Errorf("%q", done.Metadata.Notes)
	}
	if _, err := count(tarOf(t, champsimRecords(200, 64, 2), champsimRecords(200, 64, 2)), "champsim", false); err == nil || !strings.Contains(err.Error(), "a tar archive with several files") {
		t.Error(err)
	}
	if _, err := count(tarOf(t, text, text), "lackey", false); err == nil || !strings.Contains(err.Error(), "a tar archive with several files") {
		t.Error(err)
	}
}

// TestFoldersAreLookedInto: the content of files counts, and names only keep damaged ones.
func TestFoldersAreLookedInto(t *testing.T) {
	thread := samples()["drmemtrace"]
	for name, c := range map[string]struct {
		files  map[string][]byte
		format string
		n      int
		says   string
	}{
		"Google's names":      {map[string][]byte{"771.1001.memtrace.gz": zipped(t, thread), "772.1002.memtrace.gz": zipped(t, thread), "schedule": []byte("notes")}, "drmemtrace", 2, ""},
		"below":               {map[string][]byte{"trace/window.0000/a.zip": zipOf(t, thread), "trace/window.0001/a.zip": zipOf(t, thread)}, "drmemtrace", 2, ""},
		"without names":       {map[string][]byte{"one": samples()["lackey"], "two": samples()["lackey"]}, "lackey", 2, ""},
		"a damaged file":      {map[string][]byte{"a.trace": thread, "b.trace": []byte("damaged")}, "drmemtrace", 2, ""},
		"a trace of Carousel": {map[string][]byte{"a.trace": thread, "x.trace": []byte("\xC7CRSL\r\n")}, "drmemtrace", 1, ""},
		"raw":                 {map[string][]byte{"raw/a.1.raw.lz4": []byte("x"), "raw/modules.log": []byte("y")}, "", 0, "drraw2trace"},
		"two formats":         {map[string][]byte{"a": samples()["lackey"], "b": thread}, "", 0, "name the files or the format"},
		"nothing":             {map[string][]byte{}, "", 0, "no recordings"},
		"the nearest":         {map[string][]byte{"a": []byte("I  0,1\n L 210,1x\n")}, "", 0, `"1x" is not a size`},
		"named, all the same": {map[string][]byte{"sigil.events.out-1": nil}, "synchrotrace", 1, ""},
	} {
		dir := t.TempDir()
		for file, b := range c.files {
			must.Do(os.MkdirAll(filepath.Dir(filepath.Join(dir, file)), 0o700))
			must.Do(os.WriteFile(filepath.Join(dir, file), b, 0o600))
		}
		in, err := Choose([]string{dir}, "", false)
		if in.Format.Name != c.format || len(in.Files) != c.n || (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %q, %v, %v", name, in.Format.Name, in.Files, err)
		}
	}
}
