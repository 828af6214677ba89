// Package monitor shows the progress of a study as a web page.
//
// A [Board] knows the points to do and what is known of each; it takes what is new of a [Point]
// at a time, and a [Look] at the network of one under way, gives a [Status], and answers requests:
// / is a page that refreshes itself, /status.json the same in JSON. A [Server] listens for them.
//
// Laws:
//
//   - The board only watches: a computation reports to it, and asks it nothing. A computation with
//     a board and one without give the same results.
//   - Updates and requests may come from any goroutine. An update never waits for a request: what a
//     request needs is copied, and written without the lock.
//   - The page stands alone: nothing is loaded from elsewhere, it can be saved as a file, and it is
//     complete without JavaScript. When the program has ended, an open page keeps what it showed
//     last, and says so.
//   - It only shows: there is nothing to change, and no password. Every machine that can reach the
//     address can see the page; by default only this machine can. Pages of other sites cannot read
//     it: requests that name another origin, or an unknown host, are refused.
//   - Of Carousel only packages figures and sheet are imported: a point has a name, whatever it computes, and
//     what has been measured is a part of a report.
//
// The loop is Serve of net/http. To show something more of a point: add it to [Point],
// and a cell in page.go.
package monitor
