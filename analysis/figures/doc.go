// Package figures draws results as pictures.
//
// There are only a few types: a [Figure] is a picture with one or more panels; a [Panel] has bars over
// categories or curves over a number; a [Series] is what is compared, in the same colour in all panels; a
// [Point] is a value with its confidence interval.
//
// Laws:
//
//   - A figure is a value: what it shows is in its fields, and rendering decides nothing but looks.
//   - The same figure gives the same bytes, on every machine.
//   - A picture stands alone: the font is part of an SVG, axes name their quantity and its unit or what it
//     was divided by, and a value that was not measured is a gap, not a zero.
//   - Nothing of Carousel is imported.
//
// The entry is [Figure.Render]; bars.go and curves.go draw the two kinds of panels. To add a kind of panel:
// one file like those, and a case in panel.go.
package figures
