// Package vectors compares the schemes of package multicast with files of worked cases.
//
// A file is one JSON object {"algorithm", "set", "cases"}; each case has an "id", its input and the
// expected output. The fields of a case tell its kind ([kinds]); a field that the kind does not
// know fails the case, so that nothing is skipped in silence. [Check] reads one file and returns a
// [Report].
//
// Meshes are given by "dims", x first, with node numbers row by row; graphs by "adj", the
// neighbours of each node, and "labels", its positions on a Hamiltonian path.
//
// To add a kind: write a struct with the case's fields and a check method, and add one line to
// kinds.
package vectors
