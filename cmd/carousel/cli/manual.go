package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/cpuguy83/go-md2man/v2/md2man"
	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/carousel-sim/carousel/analysis/experiment"
)

func manualCommand(a *app) *cobra.Command {
	return newCommand("manual", oneFile, func(command *cobra.Command, args []string) error {
		return writeManual(command.Root(), args[0])
	})
}

// withoutTables turns the tables of a page into lists, because tables of man pages do not wrap:
// each row becomes its first cell, and the others in a paragraph with the names of their columns.
func withoutTables(markdown string) string {
	var b strings.Builder
	var header []string
	for line := range strings.Lines(markdown) {
		row, isRow := strings.CutPrefix(strings.TrimSpace(line), "|")
		switch {
		case !isRow:
			header = nil
			b.WriteString(line)
			continue
		case strings.Trim(row, "|-: ") == "":
			if header != nil {
				continue // the rule below the header
			}
		}
		cells := strings.Split(strings.TrimSuffix(row, "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if header == nil {
			header = cells
			b.WriteString("\n")
			continue
		}
		var parts []string
		for i, cell := range cells[1:] {
			switch {
			case cell == "":
			case i+2 == len(cells) || i+1 >= len(header) || header[i+1] == "":
				parts = append(parts, cell)
			default:
				parts = append(parts, header[i+1]+" "+cell)
			}
		}
		fmt.Fprintf(&b, "* %s: %s\n", cells[0], strings.Join(parts, "; "))
	}
	return b.String()
}

// writeManual writes all pages. The pages of commands are made by cobra; times are left out, so
// that equal programs write equal pages.
func writeManual(root *cobra.Command, dir string) error {
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		if _, err := os.Stat(filepath.Join(dir, "man1", "carousel.1")); err != nil {
			return usagef("%s holds other files; name a new or empty directory", dir)
		}
	}
	commands, pages := filepath.Join(dir, "man1"), filepath.Join(dir, "man7")
	for _, d := range []string{commands, pages} {
		if err := os.MkdirAll(d, 0o777); err != nil {
			return fmt.Errorf("cannot make the manual's folder: %w", err)
		}
	}
	root.DisableAutoGenTag = true
	source := "carousel " + experiment.Program().Version
	if err := doc.GenManTree(root, &doc.GenManHeader{Section: "1", Source: source, Manual: "Carousel"}, commands); err != nil {
		return fmt.Errorf("cannot write the man pages of the commands: %w", err)
	}
	for _, t := range topics() {
		text := t.markdown()
		title := fmt.Sprintf("%% CAROUSEL-%s 7 \"\" %q \"Carousel\"\n", strings.ToUpper(t.name), source)
		page := fmt.Sprintf("%s# NAME\ncarousel-%s - %s\n\n%s", title, t.name, t.summary, text)
		files := map[string][]byte{
			filepath.Join(dir, t.name+".md"):              []byte(text),
			filepath.Join(pages, "carousel-"+t.name+".7"): md2man.Render([]byte(withoutTables(page))),
		}
		for path, content := range files {
			if err := os.WriteFile(path, content, 0o666); err != nil {
				return fmt.Errorf("cannot write the manual: %w", err)
			}
		}
	}
	return nil
}
