// Package parallel runs independent tasks, several at the same time, and the parts of one task. It is a
// leaf that every package may use.
package parallel

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// running counts the tasks of all calls of [Do].
var running atomic.Int32

// Running returns the number of tasks that run now, of all calls of [Do] and [Until].
func Running() int { return int(running.Load()) }

// Do calls do with 0 to n-1, each once and in that order, at most jobs of them at the same time. It
// returns when all calls have. Fewer than one job stands for as many as there are processors.
func Do(n, jobs int, do func(i int)) {
	if jobs < 1 {
		jobs = runtime.GOMAXPROCS(0)
	}
	places := make(chan struct{}, jobs)
	var calls sync.WaitGroup
	for i := range n {
		places <- struct{}{}
		calls.Go(func() {
			running.Add(1)
			do(i)
			running.Add(-1)
			<-places
		})
	}
	calls.Wait()
}

// Until is Do until the context ends: nothing begins then. It returns the context's error, or that
// of the first i that has one. Unless it is nil, progress is told after each call how many have
// returned, one at a time.
func Until(ctx context.Context, n, jobs int, progress func(done int), do func(i int) error) error {
	errs := make([]error, n)
	var lock sync.Mutex
	done := 0
	Do(n, jobs, func(i int) {
		if ctx.Err() != nil {
			return
		}
		errs[i] = do(i)
		lock.Lock()
		defer lock.Unlock()
		if done++; progress != nil {
			progress(done)
		}
	})
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
