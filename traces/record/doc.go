// Package record records unmodified x86-64 Linux programs: it runs them under QEMU's user-mode emulation
// with a plugin that watches every instruction, and writes what their threads do as a trace while they run.
//
// There are few types: a [Config] says what to record, [Run] does it and gives a [Result]. Inside, a
// session (session.go) starts the emulator and listens; a stream (stream.go) reads what the plugin sends; a
// converter (convert.go) turns it into calls of a traces.Writer. The plugin is the C code in plugin/;
// the program loads preload/ where the programs that it executes are recorded too. Both are built with the
// system's compiler on first use (build.go) and kept in the user's cache folder.
//
// Rules:
//
//   - The emulator stays on one processor of the host, and every message of the plugin is sent under a
//     lock, so one stream has the accesses of all threads in one order. Nothing has to be merged, and memory
//     is bounded: the plugin waits when the recorder is busy. What grows is the table of lines and pages
//     that the program touches.
//   - Threads are numbered as they appear in the region and spread over the cores (Config.Mapping). Threads
//     of one core follow each other as they did when they were recorded.
//   - Order between cores is kept by edges (package order): reads of what another core has written; the
//     first step of a thread after its creation; the return from a futex after the call that woke it. A
//     join is the store by which the kernel clears the thread's number, which is in the trace as the last
//     store of the thread, and an edge to the loads that see it. A core whose first thread is created in the region
//     waits for a Create record.
//   - Children are recorded on demand (Config.Children): forked processes, and the programs that they execute
//     when the region begins at the start and whoever executes them is linked dynamically. A program goes on on
//     the core of the process that executes it. Programs that are executed by the C library's own functions
//     (system, popen, posix_spawn) are not seen.
//   - Waiting is left out where the program sleeps in the kernel. Where it spins, its loads are in the
//     trace as they happened.
//   - An instruction with a LOCK prefix, and an exchange with memory, is one Atomic. Elements of a string
//     instruction, and the pieces of at most 8 bytes in which QEMU makes wide vector accesses, are records of
//     their own with Instructions 0. An access that crosses a line becomes one per line.
//   - What the kernel reads and writes on behalf of the program is not seen, nor is what happens between
//     processes.
//   - Instructions are counted by translated blocks: a block left by a signal or a fault counts whole.
//
// The package imports traces and what is below it. The loop is (*converter).take in convert.go.
//
// To watch more: send a message of a new kind in plugin/recorder.c (plugin/stream.h lists them), and
// give it a case in (*converter).take.
package record
