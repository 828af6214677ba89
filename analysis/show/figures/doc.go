// Package figures draws results as pictures.
//
// A [Figure] is a picture with one or more panels; a [Panel] has rows
// for categories with dots or stacks, curves over a number, the map of a [Grid], or the [Plan] of a multicast; a
// [Series] is what is compared; a [Point] is a value with its confidence interval.
//
// Laws:
//
//   - A figure is a value: what it shows is in its fields, and rendering decides nothing but looks.
//   - The same figure gives the same bytes, on every machine.
//   - A picture stands alone: its texts are texts of common fonts, axes name their quantity and its
//     unit or what it was divided by, every mark has its value and interval as a title, and a value
//     that was not measured is a gap, not a zero.
//   - A name has the same colour in every picture; colours.go has the table. In a page the colours
//     follow the reader's choice between light and dark.
//   - Nothing of Carousel is imported.
//
// A panel becomes a scene, a list of shapes, in axes.go, series.go or grid.go; render.go draws scenes.
// The entries are [Figure.Render] for files and [Figure.Part] for pages. To add a kind of panel: a
// method of scene like those in grid.go, and a case in axes.go.
package figures
