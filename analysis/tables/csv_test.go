package tables

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/ipc"

	"github.com/carousel-sim/carousel/noc/leaf/must"
)

func TestCSVHasEveryCell(t *testing.T) {
	var b bytes.Buffer
	rows := []Link{{RunKey: "a,b", FromNode: 3, FromX: Some(uint64(3)), Phits: 1 << 63, Utilisation: Some(0.1)}, {RunKey: "c"}}
	must.Do(Links.WriteCSV(&b, rows))
	want := "run_key,from_node,to_node,phits,utilisation,port,from_x,from_y,to_x,to_y,direction,link_class,link_cycles,link_bits,link_mm\n" +
		"\"a,b\",3,0,9223372036854775808,0.1,0,3,,,,,,,,\nc,0,0,0,,0,,,,,,,,,\n"
	if b.String() != want {
		t.Errorf("wrote\n%swant\n%s", b.String(), want)
	}
}

// TestFormats: a folder writes what its formats say, and uncompressed files hold the same rows.
func TestFormats(t *testing.T) {
	dir := t.TempDir()
	folder := must.Get(OpenFolder(dir))
	folder.Formats = Formats{Parquet: true, CSV: true, Compression: Uncompressed}
	rows := []Link{{RunKey: strings.Repeat("a", 4000)}}
	Put(folder, Links, rows, "")
	must.Do(folder.Commit())
	for _, name := range []string{"links.arrow", "links.parquet", "links.csv"} {
		content, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || !bytes.Contains(content, []byte(rows[0].RunKey)) {
			t.Errorf("%s (%v) does not hold the text as it is", name, err)
		}
	}
	if got, _, err := Links.ReadArrow(filepath.Join(dir, "links.arrow")); err != nil || len(got) != 1 || got[0] != rows[0] {
		t.Errorf("read %v (%v)", got, err)
	}
	f := must.Get(os.Open(filepath.Join(dir, "links.arrow")))
	defer f.Close()
	if _, err := ipc.NewFileReader(f); err != nil {
		t.Error(err)
	}
}
