package record

import (
	"debug/elf"
	"fmt"
	"os/exec"
)

// program is the executable file of the program to record.
type program struct {
	path string
	file *elf.File
}

// openProgram finds a program as a shell does and checks that the emulator can run it.
func openProgram(name string) (*program, error) {
	path, err := exec.LookPath(name)
	if err != nil {
		return nil, fmt.Errorf("the program cannot be run: %w", err)
	}
	file, err := elf.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s is not an executable file of Linux (%w); for a script, name its interpreter first: -- sh %s", path, err, path)
	}
	if file.Machine != elf.EM_X86_64 {
		file.Close()
		return nil, fmt.Errorf("%s is a program for %s; the recorder takes x86-64 programs only", path, file.Machine)
	}
	return &program{path, file}, nil
}

// offset returns the distance of a function's entry from the program's first executable segment,
// which is where the plugin can find it whatever address the program is loaded at.
func (p *program) offset(function string) (uint64, error) {
	start := ^uint64(0)
	for _, s := range p.file.Progs {
		if s.Type == elf.PT_LOAD && s.Flags&elf.PF_X != 0 {
			start = min(start, s.Vaddr)
		}
	}
	symbols, _ := p.file.Symbols()
	dynamic, _ := p.file.DynamicSymbols()
	for _, s := range append(symbols, dynamic...) {
		if s.Name == function && elf.ST_TYPE(s.Info) == elf.STT_FUNC && s.Section != elf.SHN_UNDEF && s.Value >= start {
			return s.Value - start, nil
		}
	}
	if len(symbols) == 0 {
		return 0, fmt.Errorf("function %s is not in %s, which has no table of symbols; build it without -s, or choose the region by instructions or markers", function, p.path)
	}
	return 0, fmt.Errorf("function %s is not in %s; nm %s lists its functions (those of shared libraries cannot be named)", function, p.path, p.path)
}

func (p *program) close() { p.file.Close() }
