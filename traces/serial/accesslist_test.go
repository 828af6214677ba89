package serial

import (
	"errors"
	"testing"

	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/tracetest"
)

func TestAccessLists(t *testing.T) {
	for name, c := range map[string]struct {
		from       traces.Importer
		text, want string
	}{
		"pinatrace": {Pin, "0x401000: R 0x7ffd1000\n0x401000: W 0x7ffd1008\n0x401004: W 0x7ffd1010\n#eof\n",
			"0 +1 fetch 0x0 64\n0 +0 load 0x1000 8\n0 +0 store 0x1008 8\n0 +1 store 0x1010 8\n0 +0 end 0x0 1\n"},
		"Ramulator's CPU trace": {Ramulator, "3 4096\n0 64 4160\n", "0 +4 load 0x0 64\n0 +1 load 0x1040 64\n0 +0 store 0x40 64\n0 +0 end 0x0 1\n"},
		"DRAM trace":            {DRAM, "0x12345680 R\n0x1234568f W\n", "0 +1 load 0x680 64\n0 +1 store 0x680 64\n0 +0 end 0x0 1\n"},
		"DRAMSim":               {DRAM, "0x7d00 P_FETCH 60\n0x8000 P_MEM_WR 65\n0x8000 READ 70\n", "0 +1 fetch 0xd00 64\n0 +1 store 0x1000 64\n0 +1 load 0x1000 64\n0 +0 end 0x0 1\n"},
		"DRAMSim's k6":          {DRAM, "0x40 BOFF 60\n0x80 P_LOCK_RD 65\n0xc0 P_LOCK_WR 66\n", "0 +1 store 0x40 64\n0 +1 load 0x80 64\n0 +1 load 0xc0 64\n0 +0 end 0x0 1\n"},
		"DRAMSim's misc":        {DRAM, "0x40 read\n0x80 write 00112233445566778899aabbccddeeff\n", "0 +1 load 0x40 64\n0 +1 store 0x80 64\n0 +0 end 0x0 1\n"},
	} {
		file, _, err := tracetest.Import(t, c.from, traces.ImportConfig{}, []byte(c.text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if got := tracetest.Read(t, file).Lines(); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, c.want)
		}
	}
}

func TestBadLinesOfAccessLists(t *testing.T) {
	for _, c := range []struct {
		from traces.Importer
		text string
	}{
		{Pin, "0x401000 R 0x10\n"}, {Pin, "0x401000: X 0x10\n"}, {Pin, "401000: R 0x10\n"}, {Pin, "0x10: R 0xffffffffffffffff\n"}, {Pin, "0x10: R\n"},
		{Ramulator, "3\n"}, {Ramulator, "3 0x40\n"}, {Ramulator, "3 1 2 3\n"}, {Ramulator, "9999999999 1\n"}, {Ramulator, "1 99999999999999999999\n"},
		{DRAM, "0x10\n"}, {DRAM, "0x10 X\n"}, {DRAM, "10 R\n"}, {DRAM, "0x10 R x\n"}, {DRAM, "0x10 R 1 2\n"},
	} {
		_, _, err := tracetest.Import(t, c.from, traces.ImportConfig{}, []byte(c.text))
		var e *traces.Error
		if !errors.Is(err, traces.ErrIllegal) || !errors.As(err, &e) || e.Offset != 0 {
			t.Errorf("%q: %v", c.text, err)
		}
	}
}

// TestLimit: instructions without an access count, too.
func TestLimit(t *testing.T) {
	_, done, err := tracetest.Import(t, Ramulator, traces.ImportConfig{Instructions: 6}, []byte("3 64\n9 128\n3 192\n"))
	if err != nil || done.Sum().Instructions != 6 || done.Sum().Loads != 1 {
		t.Errorf("%+v, %v", done.Sum(), err)
	}
}
