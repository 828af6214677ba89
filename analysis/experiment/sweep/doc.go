// Package sweep keeps studies in directories. A finished point is never run again, and nothing is
// overwritten.
//
// [TakeDirectory] claims a directory for a study; a [Store] keeps finished points there; a [Shard]
// is a part of a plan, and [Merge] joins the parts.
//
// A directory of a study holds
//
//	manifest.json      which study it is, and how it came about
//	points/KEY/*.arrow the tables of one finished point
//	*.arrow            the tables of all points
//	plan.json          of a sweep: the points in order, with the values of the axes
//
// Laws:
//
//   - A finished point is never done again: a point is there whole or not at all, also after a crash.
//     KEY is a digest of everything that decides the results, so the same points serve every study of the
//     directory, whether run, sweep or figures of papers.
//   - The points are in the study's own directory, not in one for all studies: a directory that is moved
//     or copied continues, and removing it leaves nothing behind.
//   - A directory that holds another study, or foreign files of the same names, is refused. The
//     other study is replaced only on request, in one step, and stays until the new study is
//     complete. No file is replaced or removed that this program has not written.
//   - The tables of a sweep depend on its plan alone: not on the number of workers, on how often it
//     was stopped and continued, or on the shards in which it was done. They are put together from the
//     kept points, in the order of the plan, unless the same command has done so before and they are
//     sound. The time that the host took stays with the points.
//   - One process works on a directory at a time; a second one is refused.
//   - A point that fails does not touch the others, and is done again when the study is continued.
//
// Package experiment does the points. The rules of directories are TakeDirectory in claim.go.
package sweep
