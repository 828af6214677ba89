package arguments

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Arguments are what they were, whatever is in them.
func TestArgumentsComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOf(rapid.OneOf(rapid.String(), rapid.StringMatching(`["\\ a\t]{0,6}`))).Draw(t, "arguments")
		text := Join(want)
		if got, err := Split(text); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q become %s and then %q, %v", want, text, got, err)
		}
	})
	text := ` 16  -x="1" `
	if got, err := Split(text); err != nil || !slices.Equal(got, []string{"16", `-x="1"`}) {
		t.Errorf("%s is %q, %v", text, got, err)
	}
	for _, wrong := range []string{`"a b`, `a "b"c`} {
		if list, err := Split(wrong); err == nil {
			t.Errorf("%s is taken for %q", wrong, list)
		}
	}
}
