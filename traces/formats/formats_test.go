package formats

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/packed/packedtest"
	"github.com/carousel-sim/carousel/traces/tracetest"
)

// samples are one small file per row of the table.
func samples() map[string][]byte {
	champsim := make([]byte, 128)
	champsim[0], champsim[64] = 4, 8
	return map[string][]byte{"text": []byte("carousel trace text 1\ncore 0\n+1 load 0x10 8\n"),
		"synchrotrace": []byte("@ 1,0,0,1 $ 0x40 0x47\n"),
		"drmemtrace":   []byte("\x19\x00\x00\x00\x05\x00\x00\x00\x00\x00\x00\x00" + "\x0a\x00\x04\x00\x00\x00\x40\x00\x00\x00\x00\x00" + "\x1a\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"),
		"csv":          []byte("core,gap,kind,address,size\n0,1,load,0x10,8\n"),
		"champsim":     champsim,
		"lackey":       []byte("==12== Lackey\nI  04001000,3\n L 1ffeff7e0,8\n"), "din": []byte("2 400000\n0 7fff0010\n")}
}

func TestEveryFormatIsRecognisedAndImported(t *testing.T) {
	for _, f := range Table {
		for _, b := range packedtest.All(t, samples()[f.Name]) {
			path := filepath.Join(t.TempDir(), "sigil.events.out-1") // one format insists on its names
			if err := os.WriteFile(path, b, 0o600); err != nil {
				t.Fatal(err)
			}
			found, err := Recognise(path)
			if err != nil || found.Name != f.Name {
				t.Errorf("%s: recognised as %q, %v", f.Name, found.Name, err)
				continue
			}
			var out bytes.Buffer
			report, err := f.Import([]string{path}, traces.ImportConfig{Workload: WorkloadOf([]string{path})}, traces.ToStream(&out, traces.DefaultWriterConfig()))
			if err != nil || report.Metadata.Workload != "sigil" || report.Sum().Records < 2 {
				t.Errorf("%s: %+v, %v", f.Name, report, err)
				continue
			}
			file, err := traces.OpenReader(bytes.NewReader(out.Bytes()), int64(out.Len()), traces.DefaultReaderConfig())
			if err != nil {
				t.Fatal(err)
			}
			if _, err := file.Verify(); err != nil {
				t.Errorf("%s: %v", f.Name, err)
			}
			file.Close()
		}
	}
}

// TestRoundTrip: what a format that can be written makes of a trace is recognised, and gives the
// same trace.
func TestRoundTrip(t *testing.T) {
	for _, name := range Exporting() {
		for seed := range uint64(4) {
			roundTrip(t, name, tracetest.Random(seed, 1+int(seed), 500))
		}
	}
}

func roundTrip(t *testing.T, name string, want tracetest.Trace) {
	format, err := Find(name)
	if err != nil {
		t.Fatal(err)
	}
	f := tracetest.Open(t, tracetest.Write(t, want))
	var b bytes.Buffer
	if err := format.Export(&b, f, f.Metadata()); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if found, err := Recognise(path); err != nil || found.Name != name {
		t.Errorf("%s is recognised as %q, %v", name, found.Name, err)
	}
	file, _, err := tracetest.Import(t, format.Import, traces.ImportConfig{}, b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	got := tracetest.Read(t, file)
	if !reflect.DeepEqual(got.Records, want.Records) {
		t.Errorf("%s: the records have changed", name)
	}
	for core := range want.Edges {
		if len(want.Edges[core])+len(got.Edges[core]) > 0 && !reflect.DeepEqual(got.Edges[core], want.Edges[core]) {
			t.Errorf("%s: the edges of core %d have changed", name, core)
		}
	}
}

func TestUnknown(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(path, []byte("hello, world"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Recognise(path); err == nil {
		t.Error("anything is recognised")
	}
	if _, err := Find("dramsim"); err == nil {
		t.Error("anything is found")
	}
	for name, want := range map[string]string{"x.trace.zip": "drmemtrace", "sigil.events.out-1.gz": "synchrotrace", "x": ""} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if f, err := Recognise(dir); f.Name != want || (err == nil) != (want != "") {
			t.Errorf("a folder with %s: %q, %v", name, f.Name, err)
		}
	}
}
