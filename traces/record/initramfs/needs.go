package initramfs

import (
	"bufio"
	"bytes"
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// standardLoader is the dynamic loader of programs for Linux on x86-64, which finds what a library
// needs, too.
const standardLoader = "/lib64/ld-linux-x86-64.so.2"

// needs lists the files that a program or library cannot do without: of a dynamically linked one
// its loader and libraries, of a script its interpreter.
func needs(host string) ([]string, error) {
	f, err := os.Open(host)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	head := make([]byte, 256)
	n, _ := f.Read(head)
	switch head = head[:n]; {
	case bytes.HasPrefix(head, []byte("#!")):
		return interpreter(host, string(head[2:]))
	case bytes.HasPrefix(head, []byte(elf.ELFMAG)):
		return libraries(host)
	}
	return nil, nil
}

// interpreter returns the program that a script's first line names, and the one that env starts.
func interpreter(host, line string) ([]string, error) {
	line, _, _ = strings.Cut(line, "\n")
	words := strings.Fields(line)
	if len(words) == 0 {
		return nil, nil
	}
	list := words[:1]
	if filepath.Base(words[0]) == "env" && len(words) > 1 {
		at, err := exec.LookPath(words[len(words)-1])
		if err != nil {
			return nil, fmt.Errorf("%s is a script for %s: %w", host, words[len(words)-1], err)
		}
		list = append(list, at)
	}
	return list, nil
}

// libraries asks the dynamic loader, as it decides at run time, too.
func libraries(host string) ([]string, error) {
	f, err := elf.Open(host)
	if err != nil {
		return nil, nil // it only begins like a program
	}
	defer f.Close()
	imported, _ := f.ImportedLibraries()
	loader := ""
	for _, p := range f.Progs {
		if p.Type != elf.PT_INTERP {
			continue
		}
		name := make([]byte, p.Filesz)
		if _, err := p.ReadAt(name, 0); err != nil {
			return nil, fmt.Errorf("%s: the name of its loader: %w", host, err)
		}
		loader = string(bytes.TrimRight(name, "\x00"))
	}
	// A library may rely on others that the program has loaded before it, wherever these are.
	lenient := loader == ""
	switch {
	case f.Machine != elf.EM_X86_64 || loader == "" && len(imported) == 0:
		return nil, nil
	case loader == "":
		loader = standardLoader
	}
	absolute, err := filepath.Abs(host)
	if err != nil {
		return nil, err
	}
	if len(imported) == 0 {
		return []string{loader}, nil // position-independent, with nothing else
	}
	out, err := exec.Command(loader, "--list", absolute).CombinedOutput()
	if err != nil && lenient {
		return []string{loader}, nil
	} else if err != nil {
		return nil, fmt.Errorf("%s --list %s, which tells the libraries that a program needs: %w\n%s", loader, absolute, err, bytes.TrimSpace(out))
	}
	list := []string{loader}
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		name, found, shared := strings.Cut(strings.TrimSpace(lines.Text()), " => ")
		if !shared {
			found = name // a library that was named by its path
		}
		if found == "not found" && lenient {
			continue
		}
		if found == "not found" {
			return nil, fmt.Errorf("%s needs %s, which is not installed here", host, name)
		}
		if found, _, _ = strings.Cut(found, " (0x"); strings.HasPrefix(found, "/") && found != loader {
			list = append(list, found)
		}
	}
	return list, nil
}
