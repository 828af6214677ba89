// Package plan turns configurations and plans into studies, and studies into the points of a sweep.
//
// A [Plan] says what to vary: keys with fixed values, axes whose values
// are combined, variants, which change several keys at once, and seeds. [Read] and [Parse] read it
// from YAML; a program may as well fill in the fields. [Plan.Expand] makes an [Expansion]: the
// points of the sweep, in the order of the plan. Nothing is simulated, but every configuration is
// checked.
//
// [Chips] and [Traffic] make the study of a single configuration, and [OpenWorkload] finds what it
// replays.
//
// The points are done by package sweep, and their tables judged and drawn by packages paper and
// report.
//
// To add a kind of study, add it to [Kinds] and give it a case in combination.go.
package plan
