// Package config holds the configuration as one value, and records where each part of it comes
// from.
//
// [Config] is a struct of structs, whose parts belong to the packages
// that use them. A [Key] is one of its scalars or lists under a dotted name: Chip.Core.Window is
// chip.core.window. The tags of a field say what its key means, so that they stand where the field
// is:
//
//	Window int `unit:"instructions" doc:"instructions in flight"`
//
// A [Layer] holds the settings of one place: a YAML file, the environment, or texts such as
// chip.core.window=128. [New] applies layers to the defaults, of which later ones override earlier
// ones, and returns an [Effective] configuration, which remembers the [Origin] of each value.
//
// Decoding is strict: a key that does not exist, a key that is given twice and a value of the wrong
// type are errors with file, line and, where one is near, a suggestion. The library for YAML does the
// decoding. The layers are not viper's, which keeps neither lines nor origins, has no place for a
// plan between the environment and --set, and prefers --set to flags; the command reads its own
// options (--format and the like) with it.
//
// To add a key, add a field with its tags to the Config of the package that uses it. To add a
// section, add a field of a struct type. Fields that other keys determine have the tag key:"-".
package config
