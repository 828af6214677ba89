package config

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Arguments are what they were, whatever is in them.
func TestArgumentsComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOf(rapid.OneOf(rapid.String(), rapid.StringMatching(`["\\ a\t]{0,6}`))).Draw(t, "arguments")
		p := Program{Arguments: JoinArguments(want)}
		if got, err := p.ArgumentList(); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q become %s and then %q, %v", want, p.Arguments, got, err)
		}
	})
	p := Program{Arguments: ` 16  -x="1" `}
	if got, err := p.ArgumentList(); err != nil || !slices.Equal(got, []string{"16", `-x="1"`}) {
		t.Errorf("%q, %v", got, err)
	}
	for _, wrong := range []string{`"a b`, `a "b"c`} {
		p := Program{Arguments: wrong}
		if list, err := p.ArgumentList(); err == nil {
			t.Errorf("%s is taken for %q", wrong, list)
		}
	}
}
