// Command carousel replays memory traces of real programs on simulated multi-core chips and
// compares their networks: execution time, latency and energy. Everything it does is in package
// cli, so that a program of another module can be the same command with routers of its own.
package main

import "github.com/carousel-sim/carousel/cmd/carousel/cli"

func main() { cli.Main() }
