package experiment

import "sync"

// Parallel calls do with 0 to n-1, each once and in that order, at most jobs of them at the same
// time. It returns when all calls have.
func Parallel(n, jobs int, do func(i int)) {
	next := make(chan int)
	var workers sync.WaitGroup
	for range max(1, min(jobs, n)) {
		workers.Go(func() {
			for i := range next {
				do(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	workers.Wait()
}
