package cli

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cpuguy83/go-md2man/v2/md2man"
	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/experiment/plan"
	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/cmd/carousel/manual"
	"github.com/carousel-sim/carousel/noc/leaf/suggest"
	"github.com/carousel-sim/carousel/noc/models"
)

// topic is a page of the manual.
type topic struct {
	name    string
	summary string
	text    func() string // Markdown
}

// topics lists the manual's pages in reading order. Those without a function are files of package manual.
func topics() []topic {
	return []topic{
		{"tutorial", "Compare routers on a program of your own, step by step", nil},
		{"cookbook", "Common questions, each with its commands", nil},
		{"concepts", "Models of cores, caches, protocols and routers", nil},
		{"core", "Model of a core: latencies, dependences, branches, prefetching", nil},
		{"glossary", "Terms of the manual, the tables and the code", nil},
		{"questions", "Questions and answers", nil},
		{"traces", "Record, import, check and cut traces; workloads", nil},
		{"live", "Compile, run and record programs for RISC-V", nil},
		{"networks", "Synthetic traffic on a network alone; definition of saturation", nil},
		{"packets", "Replay packets of other simulators, and collective operations", nil},
		{"results", "Tables, directories, reports and energy", nil},
		{"analyses", "Three complete Python programs that read the tables", nil},
		{"studies", "Sweeps over many points, on one machine or a cluster", nil},
		{"papers", "Reproduction of five papers, and differences from them", nil},
		{"accuracy", "Checks, assumptions, and how far results can be trusted", nil},
		{"energy", "Energy of network and chip, break-even power, and their accuracy", nil},
		{"silicon", "Comparison with a real chip", nil},
		{"performance", "Simulation speed, its reasons, and how to measure it", nil},
		{"configuration", "Every configuration key, with default, allowed values, unit and meaning", plan.ManualPage},
		{"tables", "Every table and column, with unit and meaning", tables.ManualPage},
		{"library", "Carousel as a library for Go, C and Python", nil},
		{"detachable", "Run a router of your own in C, C++, Python or SystemVerilog", nil},
		{"cite", "How to cite Carousel", nil},
	}
}

// markdown returns the page's text.
func (t topic) markdown() string {
	if t.text != nil {
		return t.text()
	}
	text, err := manual.Pages.ReadFile(t.name + ".md")
	if err != nil {
		panic(err) // the page is not embedded: a mistake in this program, which a test finds
	}
	return string(text)
}

func helpCommand(a *app) *cobra.Command {
	folder := ""
	command := newCommand("help", nil, func(command *cobra.Command, args []string) error {
		if folder != "" {
			if !slices.Equal(args, []string{"detachable"}) {
				return usagef("--write has no effect with this page; write carousel help detachable --write %s", folder)
			}
			return a.writeSource(folder)
		}
		if len(args) == 0 {
			return a.listHelp(command.Root())
		}
		if at := slices.IndexFunc(topics(), func(t topic) bool { return t.name == args[0] }); at >= 0 && len(args) == 1 {
			_, err := fmt.Fprint(a.stdout, topics()[at].markdown())
			return err
		}
		asked, rest, err := command.Root().Find(args)
		if err != nil || len(rest) > 0 || asked == command.Root() {
			if text := a.about(strings.Join(args, " ")); text != "" {
				_, err := fmt.Fprint(a.stdout, text)
				return err
			}
			known := helpNames(command.Root(), nil)
			for _, x := range a.catalogue() {
				known = append(known, x.Name)
			}
			return usagef("there is no page about %q; carousel help lists the topics, and carousel help glossary explains terms%s",
				strings.Join(args, " "), suggest.Text(args[0], known))
		}
		return asked.Help()
	})
	command.Flags().StringVar(&folder, "write", "", "folder for the files that the page detachable is about; files that exist stay")
	command.ValidArgsFunction = func(command *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		return helpNames(command.Root(), args), cobra.ShellCompDirectiveNoFileComp
	}
	return command
}

// writeSource writes what the author of a network that is a program needs. Files that exist stay.
func (a *app) writeSource(folder string) error {
	source, err := fs.Sub(models.ProgramSource, "source")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	return fs.WalkDir(source, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := fs.ReadFile(source, name)
		if err != nil {
			return err
		}
		path, mode := filepath.Join(folder, name), fs.FileMode(0o666)
		if bytes.HasPrefix(content, []byte("#!")) {
			mode = 0o777
		}
		if there, err := os.ReadFile(path); err == nil && !bytes.Equal(there, content) {
			return usagef("%s exists and is another version; choose an empty folder", path)
		} else if err == nil {
			return nil
		}
		if err := os.WriteFile(path, content, mode); err != nil {
			return err
		}
		_, err = fmt.Fprintln(a.stdout, path)
		return err
	})
}

// explained names the page about each kind of thing that can be chosen by name.
var explained = map[string]string{"router": "concepts", "rotary rules": "concepts", "protocol": "concepts", "multicast scheme": "concepts", "topology": "networks",
	"traffic pattern": "networks", "workload": "traces", "trace format": "traces", "figure": "papers", "technology": "results", "preset": "accuracy"}

// about explains a name of carousel list, all names of a kind, keys, or a term of the glossary. Other words give "".
func (a *app) about(word string) string {
	var b strings.Builder
	page := ""
	for _, x := range a.catalogue() {
		if word == x.Name || word != "" && slices.Contains(strings.Fields(x.Kind), strings.TrimSuffix(word, "s")) {
			fmt.Fprintf(&b, "%s %s: %s\n", x.Kind, x.Name, x.Doc)
			page = fmt.Sprintf("See carousel help %s.\n", explained[x.Kind])
		}
	}
	if keys, err := config.Match(config.Keys(), word); err == nil {
		for _, k := range keys {
			fmt.Fprintf(&b, "%s = %s\n", k.Name, valueText(config.Text(k.Value(config.Default())), k.Unit))
			fmt.Fprintf(&b, "    %s\n", k.Doc)
			if allowed := plan.Allowed(k); allowed != "" {
				fmt.Fprintf(&b, "    allowed: %s\n", allowed)
			}
			if example := plan.Example(k); example != "" {
				fmt.Fprintf(&b, "    example: --set %s=%s\n", k.Name, example)
			}
		}
		page += "carousel help configuration has all keys, and says where values come from.\n"
	}
	b.WriteString(config.PresetText(word))
	for line := range strings.Lines(topic{name: "glossary"}.markdown()) {
		if cells := strings.Split(line, " | "); len(cells) == 2 && slices.ContainsFunc(strings.Split(strings.TrimPrefix(cells[0], "| "), ", "), isTerm(word)) {
			fmt.Fprintf(&b, "%s: %s\n", strings.TrimPrefix(cells[0], "| "), strings.TrimSuffix(strings.TrimSpace(cells[1]), " |"))
			page += "carousel help glossary explains all terms.\n"
		}
	}
	if page == "" {
		return ""
	}
	return b.String() + "\n" + page
}

// isTerm returns whether a term of the glossary is a word, or the word its plural, in any case.
func isTerm(word string) func(term string) bool {
	return func(term string) bool {
		return strings.EqualFold(term, word) || strings.EqualFold(term+"s", word)
	}
}

// helpNames returns what may follow "carousel help" and the words already given.
func helpNames(root *cobra.Command, given []string) []string {
	var names []string
	at, _, err := root.Find(given)
	if err != nil {
		return nil
	}
	for _, c := range at.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	if len(given) == 0 {
		for _, t := range topics() {
			names = append(names, t.name)
		}
	}
	return names
}

// listHelp prints the commands and the topics.
func (a *app) listHelp(root *cobra.Command) error {
	type entry struct {
		Kind    string `json:"kind" title:"kind"`
		Name    string `json:"name" title:"name"`
		Summary string `json:"summary" title:"what it is"`
	}
	var list []entry
	for _, t := range topics() {
		list = append(list, entry{"topic", t.name, t.summary})
	}
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() {
			list = append(list, entry{"command", c.Name(), c.Short})
		}
	}
	return printList(a, list, "", "carousel help TOPIC shows a page of the manual; start with carousel help tutorial. carousel help mrr, chip.l2 or phit "+
		"explains a name, the keys of a section or a term.")
}

func manualCommand(a *app) *cobra.Command {
	return newCommand("manual", oneFile, func(command *cobra.Command, args []string) error {
		return writeManual(command.Root(), args[0])
	})
}

// withoutTables turns tables into lists, because tables of man pages do not wrap. Other cells get their column's name.
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

// valueText is a value with its unit.
func valueText(value, unit string) string {
	if value == "" {
		return "(empty)"
	}
	return strings.TrimSpace(value + " " + unit)
}
