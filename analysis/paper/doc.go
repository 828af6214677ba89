// Package paper joins the papers behind Carousel: their figures and tables, and what they claim.
//
// Each paper is a package of its own below this one, which lists its entries; package claim has
// what they are made of, and the laws by which claims are judged. To add a paper: write such a
// package and add it to [Entries].
package paper
