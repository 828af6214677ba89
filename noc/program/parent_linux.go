package program

import "syscall"

// endWithParent lets Linux end a program with Carousel, even one that hangs and does not see the end of its
// standard input. The thread that starts a program lives as long as Carousel: no goroutine ends while
// it is locked to a thread.
func endWithParent(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGKILL }
