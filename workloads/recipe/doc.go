// Package recipe records the twelve applications of Table 2 of Abad, Puente and Gregorio (MRR) from real programs.
//
// There are few types: a [Recipe] is a row of the [Table] and says which program stands for an application, what must
// be installed, and where the region of interest is; [Make] follows one and gives what package record gives.
// Inside, a workshop (workshop.go) is the temporary folder in which inputs are made, with the sizes that the user
// has chosen.
//
// Every application is recorded by package traces/record in user mode, so that a trace has what the program's own
// threads do, and not what the kernel does for them. The programs:
//
//   - apache: Apache's event module, one process with a listener and as many workers as fit, and ApacheBench.
//   - jbb: a Java program of our own on OpenJDK (source/Middleware.java): warehouses, orders, payments.
//   - zeus: h2o, an event-driven web server. Zeus is one, too. Of those that Debian has, h2o runs its event loops as
//     threads of one process, while nginx and lighttpd run them as processes, whose shared memory a recording in
//     user mode does not see.
//   - oltp: MariaDB with the transactions of TPC-B, which clients send statement by statement. PostgreSQL, the other candidate, does not
//     run under the user-mode emulation of QEMU 7.2 (it forks in a signal handler, and the emulator dies with a
//     segmentation fault), and serves each client by a process.
//   - ft, is, sp, bt, lu: our own OpenMP programs in C (source/*.c), from the specification of the NAS Parallel
//     Benchmarks, class S, with the published values that they verify. LU relaxes planes of points with equal i+j+k
//     side by side, where the benchmarks' own version runs a pipeline of threads that wait in loops.
//   - twolf: TimberWolfSC of Debian's graywolf, the successor of the program in SPEC CPU2000, on netlists of our
//     own making.
//   - gcc: cc1 of the installed GCC, on the C sources of this package.
//   - mcf: a network simplex solver of our own (source/mcf.c), which proves that its result is optimal.
//
// The last three run once per core, as in SPEC's rate mode.
//
// Two recordings of a program with threads differ, because the host decides whose turn it is. The programs that run once
// per core repeat bit for bit with the same versions and the same environment.
//
// Laws: nothing is installed unless the user asks for it; what is missing is named with its package; servers and
// clients end with the recording; every recording has a bound in time; all files are made in a temporary folder.
//
// To add an application: a row of workloads.Applications, and one of Table here.
package recipe
