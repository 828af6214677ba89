// Package litmus runs small concurrent programs (litmus tests) on the whole chip and checks the
// values that their cores read. Outcomes that the memory model allows must occur, and outcomes that
// it forbids must not.
//
// A [Test] is a program per core with an outcome to watch for; a
// [Layout] says how its variables lie in blocks; a [Result] counts how often each outcome came up.
// The tests are the text files in the folder tests; Parse describes their form.
//
// The chip simulates no data, only versions of blocks. The values follow from what package cmp
// tells a witness: which version every load read and every store made (program.go). One simulation
// runs a test thousands of times between barriers, each time with other blocks, other copies of
// them in the caches, other gaps between the instructions and other delays in the network.
//
// Laws: see package stress, on whose chips the tests run. The loop is the chip's own. To add a
// test: add a file.
package litmus
