package csv

import (
	"bytes"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/tracetest"
)

// imported is what becomes of a text.
func imported(t testing.TB, text string) ([]byte, traces.Imported, error) {
	t.Helper()
	return tracetest.Import(t, Import, traces.ImportConfig{Workload: "x"}, []byte(text))
}

func TestVirtualAddresses(t *testing.T) {
	_, _, err := imported(t, `kind,core,gap,size,address
load,0,3,8,0x7fff0010
# a remark
store,2,1,4,4096

fetch,0,1,64,0x7fff0040
load,0,2,10,0x7fff003e
barrier,0,1,,7
`)
	if err == nil || !strings.Contains(err.Error(), "line 8: count") {
		t.Errorf("%v", err)
	}
	for _, size := range []string{"8", "sleep"} {
		if _, _, err := imported(t, "kind,core,gap,size,address\nlock,0,1,"+size+",7\nunlock,0,1,,7\n"); err == nil || !strings.Contains(err.Error(), "line 2: size is \""+size) {
			t.Errorf("a lock of size %s: %v", size, err)
		}
	}
	file, done, err := imported(t, "kind,core,gap,size,address\nload,0,3,8,0x7fff0010\nstore,2,1,4,4096\nload,0,2,10,0x7fff003e\nlock,0,1,,7\nunlock,0,1,,7\n")
	if err != nil {
		t.Fatal(err)
	}
	got := tracetest.Read(t, file)
	want := [][]traces.Record{
		{{Address: 0x10, Instructions: 3, Size: 3}, {Address: 0x3e, Instructions: 2, Size: 1}, {Address: 0x40, Size: 3},
			{Kind: traces.Lock, Address: 7, Instructions: 1}, {Kind: traces.Unlock, Address: 7, Instructions: 1}, {Kind: traces.End}},
		{{Kind: traces.End}},
		{{Address: 0x1000, Instructions: 1, Size: 2, Kind: traces.Store}, {Kind: traces.End}},
	}
	if !reflect.DeepEqual(got.Records, want) || got.Metadata.Addresses != "mapped" || done.Input[0].N != 5 {
		t.Errorf("%+v\n%+v", got, done)
	}
	if !reflect.DeepEqual(got.Pages[0], []traces.Page{{Virtual: 0x7fff0, Frame: 0}, {Virtual: 1, Frame: 1}}) {
		t.Errorf("%+v", got.Pages)
	}
}

// TestSeparateSpaces: the pages of each core's own address space come back. (Package formats has
// the round trip of all formats.)
func TestSeparateSpaces(t *testing.T) {
	want := tracetest.Random(3, 4, 600)
	want.Metadata.AddressSpaces = 4
	want.Pages = make([][]traces.Page, 4)
	for frame := range uint64(256) {
		want.Pages[frame%4] = append(want.Pages[frame%4], traces.Page{Virtual: 77 + frame/4, Frame: frame})
	}
	f := tracetest.Open(t, tracetest.Write(want))
	var text bytes.Buffer
	must.Do(Export(&text, f, f.Metadata()))
	file, _, err := imported(t, text.String())
	if err != nil {
		t.Fatal(err)
	}
	got := tracetest.Read(t, file)
	if !reflect.DeepEqual(got.Records, want.Records) || got.Metadata.AddressSpaces != 4 || !known(got.Pages, want.Pages) {
		t.Errorf("%+v", got.Pages)
	}
}

// known reports whether some pages were read, each of them one that was written for the same core.
func known(got, written [][]traces.Page) bool {
	n := 0
	for core, pages := range got {
		for _, p := range pages {
			if n++; !slices.Contains(written[core], p) {
				return false
			}
		}
	}
	return n > 0
}

// TestCutAnywhere: a file that ends within a line is an error that names the byte where the line
// begins, unless the line has all fields, and one that ends between two lines holds all records
// before.
func TestCutAnywhere(t *testing.T) {
	const text = "core,gap,kind,address,size\n0,1,load,0x10,8\n1,2,store,0x20,4\n0,1,load,0x18,8\n"
	for n := range len(text) {
		file, done, err := imported(t, text[:n])
		begin := strings.LastIndexByte(text[:n], '\n') + 1
		if begin == n && n > 0 || text[n] == '\n' {
			rows := strings.Count(text[:n], "\n") - 1
			if begin < n {
				rows++
			}
			if err != nil || done.Sum().Accesses() != uint64(rows) {
				t.Errorf("cut to %d: %v, %+v", n, err, done)
			} else if n > 0 {
				tracetest.Open(t, file)
			}
			continue
		}
		var e *traces.Error
		if !errors.As(err, &e) || e.Offset != int64(begin) {
			t.Errorf("cut to %d: %v, want byte %d", n, err, begin)
		}
	}
}

// TestCutExport: a file of Export that is cut anywhere, or that has lost a row, is refused.
// Without the last newline it is complete.
func TestCutExport(t *testing.T) {
	from := tracetest.Open(t, tracetest.Write(tracetest.Random(7, 3, 20)))
	var text bytes.Buffer
	must.Do(Export(&text, from, from.Metadata()))
	whole := text.String()
	if _, done, err := imported(t, strings.TrimSuffix(whole, "\n")); err != nil || len(done.Metadata.Notes) != 0 {
		t.Fatalf("the whole file: %v, notes %q", err, done.Metadata.Notes)
	}
	for n := range len(whole) - 1 {
		if _, _, err := imported(t, whole[:n]); err == nil && n > strings.Index(whole, "\n") {
			t.Errorf("cut to %d of %d bytes: accepted", n, len(whole))
		}
	}
	lines := strings.SplitAfter(whole, "\n")
	_, _, err := imported(t, strings.Join(slices.Delete(lines, 2, 3), ""))
	if err == nil || !strings.Contains(err.Error(), "cut off") && !strings.Contains(err.Error(), "the last line counts") {
		t.Errorf("without a row: %v", err)
	}
}

// TestEndsOfOtherFiles: files without a line that ends them are refused where only some cores
// have an end, and get a note where none has.
func TestEndsOfOtherFiles(t *testing.T) {
	const head, names, rows, end0, end1 = "# cores 2\n", "core,gap,kind,address,size\n", "0,1,load,0x10,8\n1,1,load,0x10,8\n", "0,1,end,,\n", "1,1,end,,\n"
	for text, want := range map[string]string{
		head + names + rows + end0 + end1:    "",
		names + rows + "# end 2\n":           "",
		head + names + rows:                  "note",
		names + rows:                         "note",
		names + rows + "# end of the file\n": "note",
		names + rows + end0 + end1:           "note", // another core may have followed
		head + names + rows + end0:           "core 1 has no end",
		head + names + end0:                  "core 1 has no end",
		names + rows + "# end 3\n":           "the last line counts 3 rows, and the file has 2",
		names + "# end 0\n" + rows:           "a row follows the line that ends the file",
		"# cores 2 ended\n" + names + rows:   "is cut off",
	} {
		_, done, err := imported(t, text)
		switch {
		case want == "note":
			if err != nil || len(done.Metadata.Notes) != 1 || !strings.Contains(done.Metadata.Notes[0], "no end mark: the file may be cut off") {
				t.Errorf("%q: %v, notes %q", text, err, done.Metadata.Notes)
			}
		case want == "":
			if err != nil || len(done.Metadata.Notes) != 0 {
				t.Errorf("%q: %v, notes %q", text, err, done.Metadata.Notes)
			}
		case err == nil || !strings.Contains(err.Error(), want):
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestBadFiles(t *testing.T) {
	const names = "core,gap,kind,address,size,physical,dependence,count,after\n"
	for text, c := range map[string]struct {
		offset int64
		says   string
	}{
		"core,gap,kind\n":                                                        {0, `missing columns: size;`},
		"core,gap,kind,size\n":                                                   {0, `missing columns: address, physical;`},
		"core,gap,kind,address,size,colour\n":                                    {0, `"colour" is not known`},
		"core,core,gap,kind,address,size\n":                                      {0, "comes twice"},
		"# cores 0\n":                                                            {0, "is not \"# cores\""},
		"# cores 2 apart\n":                                                      {0, "is not \"# cores\""},
		"# cores 2 given ended\n" + names:                                        {0, "given needs the word tickets"},
		"# cores 2 tickets given ended\n# own 2 64\n" + names:                    {30, "a core from 0 to 1"},
		"# cores 2 tickets given ended\n# own 1\n" + names:                       {30, "the number of a line"},
		names + "0,1,load,,8,64,,1,\n":                                           {59, "needs the word tickets"},
		"# cores 1 tickets\n" + names + "0,1,load,,8,64,,2,\n":                   {77, "for attempts tries"},
		"# cores 1 tickets tries\n" + names + "0,1,load,,8,64,,3,\n":             {83, "the highest one is 2"},
		names + "0,1,fence,,,,,2,\n":                                             {59, "the highest one is 1"},
		names + "0,1,end,4,,,,1,\n":                                              {59, "end of core 4 of 1"},
		names + "0,1,load,,8,64,,\n":                                             {59, "8 fields"},
		names + "x,1,load,,8,64,,,\n":                                            {59, "core is"},
		"# cores 2\n" + names + "2,1,load,,8,64,,,\n":                            {69, "core is \"2\"; a whole number from 0 to 1"},
		names + "0,-1,load,,8,64,,,\n":                                           {59, "gap is"},
		names + "0,1,jump,,8,64,,,\n":                                            {59, "kind is"},
		names + "0,1,load,,3,64,,,\n":                                            {59, "size is 3"},
		names + "0,1,load,,8,60,,,\n":                                            {59, "crosses a line"},
		names + "0,1,load,1,8,64,,,\n":                                           {59, "different places"},
		names + "0,1,load,,8,64,1,,\n":                                           {59, "before the first"},
		names + "0,1,load,,8,64,,,1\n":                                           {59, "core:position"},
		names + "0,1,load,,8,64,,,0:1\n":                                         {59, "another one"},
		names + "0,1,end,,,,,,\n0,1,end,,,,,,\n":                                 {73, "follows the end"},
		names + "0,1,barrier,1,,,,2,\n":                                          {59, "2 of 1 cores"},
		names + "0,1,load,0,8,0,,,\n0,1,load,8,8,4104,,,\n":                      {77, "was in frame 0x0"},
		"core,gap,kind,address,size,dependence\n0,1,load,0,9,\n0,1,load,0,8,1\n": {52, "cut into pieces"},
		"core,gap,kind,address,size,dependence\n0,1,load,0,8,\n0,1,load,0,9,1\n": {52, "cut into pieces"},
		"core,gap,kind,address,size,value\n0,1,load,0,1,ff\n":                    {0, `"value" is not known`},
		strings.Repeat("#", 1<<17):                                               {0, "longer"},
	} {
		_, _, err := imported(t, text)
		var e *traces.Error
		if !errors.As(err, &e) || e.Offset != c.offset || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%.120q: %v", text, err)
		}
	}
}
