package main

import (
	"archive/tar"
	"bytes"
	"context"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unicode"

	"github.com/carousel-sim/carousel/cmd/carousel/cli"
	"github.com/carousel-sim/carousel/noc/leaf/must"
)

// hostile is a name that sets a terminal's title, sounds its bell, turns text red by a control character of
// one byte or two, reverses the text behind it, and prints a line of its own.
const hostile = "evil\x1b]0;title\a\x9b31m\u009b31m\u202e\r\nforged: line"

// hostileProgram is an executable for RISC-V whose only instruction does not exist, in a function with a
// hostile name.
func hostileProgram() []byte {
	const address, code, sections = 0x10000, 120, 320
	names := append([]byte("\x00"+hostile), 0)
	content := make([]byte, sections)
	ident := [16]byte{0x7f, 'E', 'L', 'F', byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), byte(elf.EV_CURRENT)}
	write := func(at int, part any) { must.Get(binary.Encode(content[at:], binary.LittleEndian, part)) }
	write(0, elf.Header64{Ident: ident, Type: uint16(elf.ET_EXEC), Machine: uint16(elf.EM_RISCV), Version: 1, Entry: address + code,
		Phoff: 64, Shoff: sections, Ehsize: 64, Phentsize: 56, Phnum: 1, Shentsize: 64, Shnum: 3})
	write(64, elf.Prog64{Type: uint32(elf.PT_LOAD), Flags: uint32(elf.PF_R | elf.PF_X), Vaddr: address, Filesz: 128, Memsz: 128, Align: 4096})
	write(152, elf.Sym64{Name: 1, Info: byte(elf.STT_FUNC), Value: address + code, Size: 8})
	copy(content[176:], names)
	return must.Get(binary.Append(content, binary.LittleEndian, []elf.Section64{{},
		{Type: uint32(elf.SHT_SYMTAB), Link: 2, Off: 128, Size: 48}, {Type: uint32(elf.SHT_STRTAB), Off: 176, Size: uint64(len(names))}}))
}

// TestHostileNames: names in files, of files and on the command line change neither a terminal nor the order
// of the lines that commands print, in tables, notes, logs and errors.
func TestHostileNames(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs names of files with any bytes")
	}
	t.Parallel()
	dir := filepath.Join(t.TempDir(), hostile)
	must.Do(os.Mkdir(dir, 0o755))
	file := func(name, content string) string {
		path := filepath.Join(dir, name)
		must.Do(os.WriteFile(path, []byte(content), 0o600))
		return path
	}
	events := `[{"proc":"B","zone":"z","sx":1,"sy":1,"timestamp":0},{"proc":"B","zone":"z","sx":1,"sy":1,"timestamp":90}]`
	var archive bytes.Buffer
	w := tar.NewWriter(&archive)
	must.Do(w.WriteHeader(&tar.Header{Name: hostile + ".json", Mode: 0o644, Size: int64(len(events))}))
	w.Write([]byte(events))
	w.Close()
	csv, trace, out := file(hostile+".csv", "core,gap,kind,address,size\n0,1,load,0x0,8\n0,1,end,0,0\n1,1,store,0x0,8\n1,1,end,0,0\n"), filepath.Join(dir, hostile+".trace"), filepath.Join(dir, hostile)
	packets, program := file(hostile+".packets.csv", "cycle,source,destinations,phits\n0,0,1,5\n"), file(hostile, string(hostileProgram()))
	quoted := `"evil\e]0;title\a\x9b31m\u202e\r\nforged: line"`
	plan := file("plan.yaml", fmt.Sprintf("title: %s\nkind: traffic\nset: {topology: \"torus:2x2\", traffic.cycles: 300, traffic.warmup: 100, traffic.load: 0.1, routers: ideal}\nvariants: {%s: {}, other: {power.tech_nm: 45}}\n",
		quoted, strings.ReplaceAll(quoted, `\n`, ` `)))
	study := []string{"--out", out + "-study"}
	for _, args := range [][]string{ // and the exit code first
		{"0", "trace", "import", csv, "-o", trace}, {"2", "trace", "import", csv, "-o", trace}, {"3", "trace", "import", packets, "-o", out + "2"},
		{"0", "trace", "import", csv, "--name", hostile, "--origin", hostile, "-o", out + ".named"}, {"0", "trace", "info", out + ".named"},
		{"0", "trace", "info", trace}, {"0", "trace", "verify", trace}, {"0", "trace", "cat", trace}, {"3", "trace", "verify", csv}, {"2", "trace", "slice", trace, "--cores", "7", "-o", out + "3"},
		append([]string{"0", "run", "--trace", trace, "--topology", "torus:2x2", "--log-level", "debug", "--wide", "--verbose"}, study...),
		append([]string{"2", "run", "--trace", out + ".named", "--topology", "torus:2x2"}, study...), {"0", "report", out + "-study", "--title", hostile, "-o", out + ".html"},
		{"2", "report", out + "-study", "-o", csv}, {"0", "report", dir, "-o", out + ".all.html"}, {"3", "run", "--trace", filepath.Join(dir, "none")},
		{"1", "trace", "record", "--program", program, "-o", out + ".live"}, {"1", "run", "--program", program, "--threads", "4", "--topology", "torus:2x2", "--router", "mrr", "--out", out + "-live"}, {"3", "run", "--program", csv},
		{"0", "traffic", "--packets", packets, "--topology", "torus:2x2", "--router", "ideal", "--out", out + "-packets"}, {"3", "traffic", "--packets", csv},
		{"3", "traffic", "--topology", "graph:" + file("graph", "switches "+hostile)}, {"2", "traffic", "--topology", hostile},
		{"0", "traffic", "--topology", "graph:" + file(hostile+"graph", "switches 2\nlink 0 1\n"), "--load", "0.1", "--cycles", "300", "--warmup", "100", "--out", out + "-graph"},
		{"0", "sweep", plan, "--out", out + "-sweep"}, {"0", "sweep", plan, "--out", out + "-sweep", "--dry-run"}, {"0", "report", out + "-sweep", "-o", out + ".sweep.html"}, {"0", "merge", out + "-sweep", "--out", out + "-merged"},
		{"2", "sweep", file("bad.yaml", quoted+": 1")}, {"2", "run", "--config", file("config.yaml", quoted+": 1")}, {"2", "run", "--set", hostile + "=1"}, {"2", "run", "--set", "chip.protocol=" + hostile},
		{"0", "validate", "silicon", file(hostile+".tar", archive.String()), "--replicas", "1"}, {"3", "validate", "silicon", file("bad.json", "["+hostile)},
		{"1", "multicast", "check", file("cases.json", `{"algorithm":"a","cases":[{"id":"\u001b]0;x\u0007\nforged: line","kind":"?"}]}`)}, {"3", "power", "check", file(hostile+"energy.csv", hostile)},
		{"2", hostile}, {"2", "help", hostile}, {"2", "--" + hostile}, {"2", "workload", "show", hostile}, {"2", "run", "--workload", hostile}, {"2", "list", hostile}, {"3", "trace", "record", "-o", out + "5", "--", hostile},
	} {
		var printed bytes.Buffer
		code := cli.Execute(context.Background(), args[1:], nil, &printed, &printed)
		for line := range strings.Lines(printed.String()) {
			if strings.ContainsFunc(strings.TrimSuffix(line, "\n"), func(r rune) bool { return !unicode.IsGraphic(r) && r != '\t' }) || strings.HasPrefix(line, "forged") {
				t.Errorf("%.90q, code %d: %q", args, code, line)
			}
		}
		if fmt.Sprint(code) != args[0] || printed.Len() == 0 {
			t.Errorf("%.90q, code %d: %s", args, code, printed.String())
		}
	}
}
