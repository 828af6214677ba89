// Package tickets replays recordings so that the replay decides who takes a ticket first: who
// does which task of a queue with a counter.
//
// [Source] makes a source of a trace with tickets, which gives out bodies (traces.MostTickets
// says what they are): a core that has performed the atomic of a ticket goes on with what the
// recording has behind the next ticket of the same word, whichever core that was. It is a
// traces.Live source, because a chip must have performed the atomic first.
//
//   - Each core begins with what its own thread does up to its first ticket. Behind a barrier at
//     which all cores meet that take tickets, a core goes on with its own thread, too.
//   - An edge leads to a place in a body. It is told when the record that waits is read, as an
//     edge to the core that the body was given to. If it has not been given yet, the core sleeps
//     until then.
//   - Lines of its own that a thread accesses in a body, as its stack, are those of the core that
//     does it.
//
// Law: such a replay cannot deadlock. Of all bodies that cores have, take the one whose next
// record is the earliest in the recording. Every body that begins earlier in the recording has
// been given out: suppose that one has not, which is that of the n-th ticket of a word. In the
// recording, n bodies end with the first n atomics of that word, all earlier than the record.
// Fewer than n of these atomics have been performed, so one of these bodies is not finished. No
// core has it, as its next record would be earlier. So it has not been given out either, and
// begins earlier still: there is no first one. All that the record waits for is earlier in the
// recording, and so has been done. This holds for barriers, too, if all cores that take tickets
// meet at each: none of them can come to the next meeting before. Locks are taken in any order,
// but a core that holds one waits for nothing but other locks (package record).
//
// The package imports traces alone. The loop is (*source).ReadRecords in tickets.go; bodies.go
// reads the trace.
package tickets
