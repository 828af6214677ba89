// Package report writes one self-contained HTML page about stored studies: pictures, values, claims
// and configuration.
//
// A [Page] is what is shown; a [Study] is its part about one directory,
// made by [Of] from the tables there.
//
// Laws:
//
//   - A page is made of tables alone: nothing is simulated, so that a study can be priced again
//     (package experiment, Reprice) and shown as if it had been simulated with the new prices.
//   - A study under way has the same part of a page (package monitor).
//   - The page is one self-contained file that loads nothing and is readable without its script,
//     which adds sorting, legends to press, and the load of routers over time on maps.
//     Pictures are inline SVG.
//   - The same tables give the same bytes.
//
// A study of a paper's figure shows that figure and its claims. Any other shows the pictures of its kind,
// which [tables.ChipPictures] and [tables.Pictures] list.
package report
