// Package kernels holds small programs for RISC-V whose threads synchronise in different ways: not
// at all, by barriers, locks, flags or queues. They are used to measure the error of replays.
//
// The executable is built in the folder source, from C, which needs no C library, by
//
//	riscv64-linux-gnu-gcc -static -O2 -nostdlib -march=rv64gc -fno-builtin -ffreestanding -s \
//	    -Wl,--build-id=none,-z,norelro -o ../kernels.elf kernels.c
//
// (GCC 12.2, binutils 2.40), so that no compiler is needed where it runs. Its arguments are a name,
// the number of threads and how many rounds. A second program, handoff.c, is built likewise; see [HandOff].
package kernels

import (
	_ "embed" // the executable
)

// Executable is the program.
//
//go:embed kernels.elf
var Executable []byte

// HandOff is a program in which each two threads hand a word to each other, one pair after the other. Its arguments
// are the number of threads, 2 to 64, and how many round trips are timed. It writes the nanoseconds of each pair's.
//
//go:embed handoff.elf
var HandOff []byte

// Header is carousel.h: the markers of the region, for programs in C.
//
//go:embed source/carousel.h
var Header string

// Kernel is one of them.
type Kernel struct {
	Name string // as the first argument
	Doc  string
	// Ordered tells that a recording of it fixes what the program decides by time.
	Ordered bool
}

// Table lists the kernels.
var Table = []Kernel{
	{"static", "every thread has its own part of a loop", false},
	{"barriers", "a stencil over neighbours' parts, with a barrier behind each step", true},
	{"mutex", "short critical sections of four locks that sleep in the kernel", true},
	{"reader-writer", "a table that many read and few write, under a spinning lock", true},
	{"queue-coarse", "tasks of 400 loads, taken by fetch-and-add", true},
	{"queue-fine", "tasks of 24 loads, taken by fetch-and-add", true},
	{"flags", "a pipeline whose stages wait for each other's flags", true},
	{"stealing", "a queue per thread; who has nothing takes from others", true},
	{"false-sharing", "counters of different threads in one line", true},
	{"counter", "one word to which all threads add", true},
}
