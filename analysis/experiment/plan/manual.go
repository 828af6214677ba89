package plan

import (
	"fmt"
	"strings"

	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/analysis/experiment/messages"
)

// ManualPage is the manual's page about configuration keys, in Markdown.
func ManualPage() string {
	var b strings.Builder
	b.WriteString("# Configuration\n\nA value comes from the first of these that gives one: a flag, `--set key=value`, an environment\n" +
		"variable, a file, `--preset`, the default. The variable of `chip.core.window` is `CAROUSEL_CHIP_CORE_WINDOW`. `--config` or\n" +
		"`CAROUSEL_CONFIG` names the file, which is YAML or the `manifest.json` of results. `carousel config show` prints\n" +
		"every effective value and its origin. `carousel config show 'chip.core.*'` prints those of some keys. The options\n" +
		"`--format`, `--quiet` and `--log-level` have variables, too: `CAROUSEL_FORMAT` and so on.\n" +
		"`carousel help KEY` has an example, except for the keys of plans of kind `messages`. The column \"allowed\" is empty for texts, and where other keys decide.\n" +
		"\n| key | default | allowed | unit | meaning |\n|---|---|---|---|---|\n")
	addKeys(&b, config.Keys(), config.Default(), func(k config.Key) string { return Allowed(k) + " | " })
	b.WriteString("\n## Keys of plans of kind messages\n\nA plan of kind `messages` (see `carousel sweep --help`) sets these instead.\n\n" +
		"| key | default | unit | meaning |\n|---|---|---|---|\n")
	addKeys(&b, messageKeys, messages.Default(), func(config.Key) string { return "" })
	return b.String()
}

// addKeys adds a row for each key, with its value in a structure that has it. more are further cells.
func addKeys(b *strings.Builder, keys []config.Key, structure any, more func(config.Key) string) {
	for _, k := range keys {
		fmt.Fprintf(b, "| `%s` | %s | %s%s | %s |\n", k.Name, config.Text(k.Value(structure)), more(k), k.Unit, k.Doc)
	}
}
