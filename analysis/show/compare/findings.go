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
// setting, if a study has several; what holds in several settings is one sentence, which names them. A warning is one
// sentence also if its words differ.
func (s *subject) say(f *findings, rankings ...*result.Ranking) (list []Finding) {
	type said struct {
		rule   *rule
		text   string // with the first words
		words  []words
		titles []string
	}
	var all []said
	for _, c := range rankings {
		title := ""
		if c != nil {
			title = c.Title()
		}
		for _, w := range s.of(f, c) {
			r := s.first(w)
			if r == nil {
				continue
			}
			text := r.text(w)
			same := slices.IndexFunc(all, func(o said) bool { return c != nil && o.rule == r && (r.kind == Warning || o.text == text) })
			if same < 0 {
				all, same = append(all, said{rule: r, text: text}), len(all)
			}
			one := &all[same]
			one.titles, one.words = append(one.titles, title), append(one.words, w)
		}
	}
	for _, one := range all {
		list = append(list, Finding{one.rule.kind, before(slices.Compact(one.titles), len(rankings)) + one.rule.text(one.words...)})
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

// shownLines is how many lines may stand under a table before notes are left out, and shownAnswers how many answers.
const (
	shownLines   = 3
	shownAnswers = 2 * shownComparisons
)

// Under are the findings that stand under a table: all warnings, and the answers and notes for which there is room, or
// all where verbose. earlier says how many points were not simulated again, and comes before the answers.
func Under(all []Finding, earlier []string, verbose bool) (warnings, texts []string) {
	texts = slices.Clone(earlier)
	shown, left := map[Kind]int{}, map[Kind]int{}
	for _, f := range all {
		switch {
		case f.Kind == Warning:
			warnings = append(warnings, f.Text)
		case verbose, f.Kind == Answer && shown[Answer] < shownAnswers, f.Kind == Note && len(warnings)+len(texts) < shownLines:
			texts = append(texts, f.Text)
			shown[f.Kind]++
		default:
			left[f.Kind]++
		}
	}
	var more []string
	for _, k := range []Kind{Answer, Note} {
		if left[k] > 0 {
			more = append(more, sheet.Count(left[k], "more "+string(k)))
		}
	}
	if more != nil {
		texts = append(texts, enumerate(more)+": use --verbose or carousel report.")
	}
	return warnings, texts
}
