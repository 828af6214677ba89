package noctest

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc"
)

// T is whom checks tell what they find: a *testing.T, or a program that runs the suite.
type T interface {
	Helper()
	Error(args ...any)
	Errorf(format string, args ...any)
	Fatal(args ...any)
	Fatalf(format string, args ...any)
	Skip(args ...any)
	Cleanup(f func())
}

// Run is the conformance suite as tests.
func Run(t *testing.T, s Subject) {
	for _, c := range s.checks() {
		t.Run(c.name, func(t *testing.T) { c.test(t) })
	}
}

// Outcome is what a check of the suite has found in a program that is no test.
type Outcome struct {
	Check     string `json:"check"`
	Violation string `json:"violation,omitempty"`
	Skipped   string `json:"skipped,omitempty"` // why the network need not pass
}

// Conform is the conformance suite without package testing. It ends early when ctx is done.
func Conform(ctx context.Context, s Subject) (list []Outcome, err error) {
	for _, c := range s.checks() {
		outcome := conform(c)
		if err := ctx.Err(); err != nil {
			return list, err // an interrupted check has found nothing
		}
		list = append(list, outcome)
	}
	return list, nil
}

func conform(c check) Outcome {
	r := &recorder{Outcome: Outcome{Check: c.name}}
	defer func() {
		for i := len(r.ends) - 1; i >= 0; i-- {
			r.ends[i]()
		}
	}()
	func() {
		defer func() {
			switch broken := recover().(type) {
			case nil, ended:
			case *noc.Failure:
				r.note(broken.Error())
			default:
				r.note(fmt.Sprintf("panic: %v", broken))
			}
		}()
		c.test(r)
	}()
	return r.Outcome
}

// recorder is a T that keeps the first thing that it is told.
type recorder struct {
	Outcome
	ends []func()
}

// ended is what ends a check early.
type ended struct{}

func (r *recorder) note(text string) {
	if r.Violation == "" {
		r.Violation = strings.TrimSpace(text)
	}
}

func (r *recorder) Helper()                           {}
func (r *recorder) Error(args ...any)                 { r.note(fmt.Sprintln(args...)) }
func (r *recorder) Errorf(format string, args ...any) { r.note(fmt.Sprintf(format, args...)) }
func (r *recorder) Fatal(args ...any)                 { r.Error(args...); panic(ended{}) }
func (r *recorder) Fatalf(format string, args ...any) { r.Errorf(format, args...); panic(ended{}) }
func (r *recorder) Cleanup(f func())                  { r.ends = append(r.ends, f) }
func (r *recorder) Skip(args ...any) {
	r.Skipped = strings.TrimSpace(fmt.Sprintln(args...))
	panic(ended{})
}
