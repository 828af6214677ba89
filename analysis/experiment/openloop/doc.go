// Package openloop studies networks under synthetic traffic: it sweeps loads, and searches for the
// load at which a network saturates.
//
// There are two types: a [Study] says what to compare, and its points are routers at loads with
// seeds; a [Search] is the evidence for one saturation load. Package experiment does the points;
// package noc/traffic says what is sent and what is measured.
//
// Points follow the laws of package experiment. Results are in the order of the plan, by router, load and
// seed, whatever the number of workers and whichever point ends first. A saturated network is a result,
// not an error; one that has stopped is an error, with the reason.
//
// The loop is traffic.Drive. To add a measure: add a column in package tables and fill it in
// FillNetwork of package experiment.
package openloop
