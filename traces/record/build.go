package record

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
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
	names, err := fs.Glob(sources, folder+"/*")
	if err != nil {
		return "", err
	}
	if folder == "preload" {
		names = append(names, "plugin/synchronise.h")
	}
	digest := sha256.New()
	for _, name := range names {
		text, err := sources.ReadFile(name)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(digest, "%s %d\n%s", name, len(text), text)
	}
	if cache, err = cacheFolder(cache); err != nil {
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
	args := []string{"-O2", "-fPIC", "-shared", "-fvisibility=hidden", "-pthread", "-o", result}
	for _, name := range names {
		text, err := sources.ReadFile(name)
		if err != nil {
			return err
		}
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

var versionOfEmulator = regexp.MustCompile(`version (\d+)\.(\d+)`)

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
	m := versionOfEmulator.FindSubmatch(out)
	if m == nil {
		return "", "", fmt.Errorf("%w: %s does not print its version", ErrMissing, path)
	}
	major, _ := strconv.Atoi(string(m[1]))
	minor, _ := strconv.Atoi(string(m[2]))
	version = string(m[1]) + "." + string(m[2])
	if major < 6 || major == 6 && minor < 2 || major > 8 {
		return "", "", fmt.Errorf("%w: %s is QEMU %s; the recorder needs 6.2 to 8.2 (measured with 7.2, which Debian 12 has)", ErrMissing, path, version)
	}
	return path, version, nil
}
