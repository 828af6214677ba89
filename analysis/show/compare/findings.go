package compare

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/result"
	"github.com/carousel-sim/carousel/analysis/show/sheet"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// Kind says what a finding is for.
type Kind string

// The kinds of findings.
const (
	Warning Kind = "warning" // a reason to doubt what came out
	Answer  Kind = "answer"  // what came out
	Note    Kind = "note"    // how it came about
)

// kinds are in the order in which they are shown: an answer stands below what qualifies it.
var kinds = []Kind{Warning, Answer, Note}

// Finding is a sentence about a study. Command line, report and JSON show the same ones.
type Finding struct {
	Kind Kind   `json:"kind"`
	Text string `json:"text"`
}

// words are what sentences say of one thing, by name.
type words map[string]any

// rule is one sentence, see [subject].
type rule struct {
	kind     Kind
	when     string // the word that must be there; "" always holds
	sentence string // with words such as ${router}, or ${share %.0f} with a format
}

// subject has the rules about one thing. Of them the first that holds says its sentence.
type subject struct {
	of    func(f *findings, c *result.Ranking) []words // the words of each time that something is said
	rules []rule
}

// text is the sentence of a rule with its words. Several words of one name are a range of numbers, or a list.
func (r *rule) text(all ...words) string {
	return os.Expand(r.sentence, func(name string) string {
		name, format, given := strings.Cut(name, " ")
		if !given {
			format = "%v"
		}
		var texts []string
		numbers := map[string]float64{}
		for _, w := range all {
			text := formatted(format, w[name])
			if n, number := w[name].(float64); number {
				numbers[text] = n
			}
			if !slices.Contains(texts, text) {
				texts = append(texts, text)
			}
		}
		if n := len(texts); n > 1 && len(numbers) == n {
			slices.SortFunc(texts, func(a, b string) int { return cmp.Compare(numbers[a], numbers[b]) })
			return texts[0] + " to " + texts[n-1]
		}
		return sheet.Enumerate(texts, mostShares)
	})
}

// formatted writes a value. Whole numbers have commas.
func formatted(format string, value any) string {
	if n, number := value.(float64); number && format == "%.0f" {
		return sheet.Thousands(n)
	}
	return fmt.Sprintf(format, value)
}

// say returns what the rules say of rankings; nil stands for the study. Sentences about a ranking start with its
// setting, if a study has several. A warning about rankings is one sentence, which names all settings in which it holds.
func (s *subject) say(f *findings, rankings ...*result.Ranking) (list []Finding) {
	warned, titles := map[*rule][]words{}, map[*rule][]string{}
	for _, c := range rankings {
		title := ""
		if c != nil {
			title = c.Title()
		}
		for _, w := range s.of(f, c) {
			if r := s.first(w); r != nil && r.kind == Warning && c != nil {
				warned[r], titles[r] = append(warned[r], w), append(titles[r], title)
			} else if r != nil {
				list = append(list, Finding{r.kind, before([]string{title}, 1) + r.text(w)})
			}
		}
	}
	for i := range s.rules {
		if r := &s.rules[i]; warned[r] != nil {
			list = append(list, Finding{Warning, before(slices.Compact(titles[r]), len(rankings)) + r.text(warned[r]...)})
		}
	}
	return list
}

// before names the settings that a sentence is about, of so many.
func before(titles []string, of int) string {
	switch text := firstOf(titles); {
	case text == "":
		return ""
	case len(titles) == 1:
		return text + ": "
	default:
		return fmt.Sprintf("In %d of %d settings (%s): ", len(titles), of, text)
	}
}

// first is the first rule that holds; nil for none.
func (s *subject) first(w words) *rule {
	for i := range s.rules {
		if r := &s.rules[i]; r.when == "" || w[r.when] != nil {
			return r
		}
	}
	return nil
}

// findings is what rules look at: the runs of a study.
type findings struct {
	rankings    []result.Ranking
	across      []result.Ranking // see [Study]
	rows        *tables.Rows
	manifest    *experiment.Manifest // nil if it is not known
	places      []place
	band        []PriceBand // of the ED2P of the chip
	networkBand []PriceBand
	unpriced    error // why there is no band of prices
}

// all are the sentences about the runs of a study: warnings before what they qualify, and answers before notes.
func (f *findings) all() (list []Finding) {
	f.places = placesOf(f.rows)
	say := func(subjects []subject, rankings []*result.Ranking) {
		for i := range subjects {
			list = append(list, subjects[i].say(f, rankings...)...)
		}
	}
	each := pointers(f.rankings)
	say(ofEachSetting[:1], pointers(f.across))
	say(ofEachSetting, each)
	say(ofStudies, []*result.Ranking{nil})
	say(ofPrices, []*result.Ranking{nil})
	say(ofEnergies, each)
	say(ofFirstSetting, each[:min(1, len(each))])
	slices.SortStableFunc(list, func(a, b Finding) int { return slices.Index(kinds, a.Kind) - slices.Index(kinds, b.Kind) })
	return list
}

func pointers(rankings []result.Ranking) (list []*result.Ranking) {
	for i := range rankings {
		list = append(list, &rankings[i])
	}
	return list
}

// enumerate joins names for people.
func enumerate(names []string) string { return sheet.Enumerate(names, len(names)) }

// shownLines is how many lines may stand under a table before notes are left out.
const shownLines = 3

// Under are the findings that stand under a table: all warnings and answers, and the notes for which
// there is room, or all where verbose. earlier says how many points were not simulated again, and comes
// before the answers.
func Under(all []Finding, earlier []string, verbose bool) (warnings, texts []string) {
	texts, left := slices.Clone(earlier), 0
	for _, f := range all {
		switch {
		case f.Kind == Warning:
			warnings = append(warnings, f.Text)
		case f.Kind == Answer || verbose || len(warnings)+len(texts) < shownLines:
			texts = append(texts, f.Text)
		default:
			left++
		}
	}
	if left > 0 {
		texts = append(texts, sheet.Count(left, "more note")+": use --verbose or carousel report.")
	}
	return warnings, texts
}
