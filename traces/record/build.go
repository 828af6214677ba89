package record

import (
	"bytes"
	"crypto/sha256"
	"debug/elf"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

//go:embed plugin/*.c plugin/*.h preload/*.c
var sources embed.FS

// ErrMissing: a program that the recorder needs is not installed, or is of a version that will not
// do.
var ErrMissing = errors.New("the recorder cannot work here")

// library returns the path of a library built from a folder of sources, building it when the cache
// has none of these sources. The folders are plugin, which QEMU loads, and preload, which the
// program loads.
func library(cache, folder string) (string, error) {
	names, _ := fs.Glob(sources, folder+"/*")
	if folder == "preload" {
		names = append(names, "plugin/synchronise.h")
	}
	digest := sha256.New()
	for _, name := range names {
		text, _ := sources.ReadFile(name) // it is embedded
		fmt.Fprintf(digest, "%s %d\n%s", name, len(text), text)
	}
	cache, err := cacheFolder(cache)
	if err != nil {
		return "", err
	}
	path := filepath.Join(cache, folder+"-"+hex.EncodeToString(digest.Sum(nil)[:8])+".so")
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	return path, build(names, path)
}

// cacheFolder returns where things are kept from one recording to the next: "" is the user's cache
// folder.
func cacheFolder(cache string) (string, error) {
	if cache == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return "", fmt.Errorf("there is no cache folder for the recorder's libraries: %w; set XDG_CACHE_HOME or HOME", err)
		}
		cache = filepath.Join(user, "carousel")
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return "", fmt.Errorf("cannot make the cache folder for the recorder's libraries: %w; set XDG_CACHE_HOME to a folder that can be written", err)
	}
	return cache, nil
}

// build compiles in a folder of its own and moves the result into place whole.
func build(names []string, path string) error {
	compiler := ""
	for _, name := range []string{"cc", "gcc", "clang"} {
		if found, err := exec.LookPath(name); err == nil {
			compiler = found
			break
		}
	}
	if compiler == "" {
		return fmt.Errorf("%w: there is no C compiler (cc, gcc or clang) to build the recorder's libraries; on Debian: apt-get install gcc libc6-dev", ErrMissing)
	}
	folder, err := os.MkdirTemp(filepath.Dir(path), ".build-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	result := filepath.Join(folder, "library.so")
	args := []string{"-O2", "-fPIC", "-shared", "-fvisibility=hidden", "-Wl,-z,now", "-pthread", "-o", result}
	for _, name := range names {
		text, _ := sources.ReadFile(name)
		file := filepath.Join(folder, filepath.Base(name))
		if err := os.WriteFile(file, text, 0o600); err != nil {
			return err
		}
		if filepath.Ext(file) == ".c" {
			args = append(args, file)
		}
	}
	if out, err := exec.Command(compiler, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s does not build the recorder's libraries (are the C library's headers there? on Debian: apt-get install libc6-dev): %w\n%s",
			ErrMissing, compiler, err, bytes.TrimSpace(out))
	}
	return os.Rename(result, path)
}

// emulator finds QEMU, which Debian has in a package, and checks that it speaks the plugin
// interface's version 1: QEMU 6.2 to 8.2 have all the functions that the plugin calls, 9.0 and
// later refuse it.
func emulator(name, fromPackage string) (path, version string, err error) {
	path, err = exec.LookPath(name)
	if err != nil {
		return "", "", fmt.Errorf("%w: %s is not installed; on Debian: apt-get install %s", ErrMissing, name, fromPackage)
	}
	out, err := exec.Command(path, "--version").Output()
	if err != nil {
		return "", "", fmt.Errorf("%w: %s --version: %w", ErrMissing, path, err)
	}
	var major, minor int
	_, says, _ := strings.Cut(string(out), " version ")
	if _, err := fmt.Sscanf(says, "%d.%d", &major, &minor); err != nil {
		return "", "", fmt.Errorf("%w: %s does not print its version", ErrMissing, path)
	}
	version = fmt.Sprintf("%d.%d", major, minor)
	if major < 6 || major == 6 && minor < 2 || major > 8 {
		return "", "", fmt.Errorf("%w: %s is QEMU %s; the recorder needs 6.2 to 8.2 (measured with 7.2, which Debian 12 has)", ErrMissing, path, version)
	}
	return path, version, nil
}

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
