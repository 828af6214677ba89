package chip

import (
	"bytes"
	_ "embed"
	"encoding/csv"
	"fmt"
	"math"
	"slices"
	"strconv"
	"sync"
)

//go:embed prices.csv
var pricesFile []byte

// quantity names a price: what it is of, at which technology.
type quantity struct {
	part, kind string
	nm         int // 0 for what does not depend on it
	name       string
}

// point is a price of caches of one size, with two ways.
type point struct{ kb, waysPower, value float64 }

// table has all prices, sorted by size.
var table = sync.OnceValue(func() map[quantity][]point {
	reader := csv.NewReader(bytes.NewReader(pricesFile))
	reader.Comment = '#'
	rows, err := reader.ReadAll()
	if err != nil {
		panic(fmt.Sprintf("chip: prices.csv: %v", err))
	}
	number := func(text string) float64 {
		if text == "" {
			return 0
		}
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			panic(fmt.Sprintf("chip: prices.csv: %v", err))
		}
		return v
	}
	list := map[quantity][]point{}
	for _, r := range rows[1:] {
		q := quantity{r[0], r[1], int(number(r[2])), r[3]}
		list[q] = append(list[q], point{number(r[4]), number(r[5]), number(r[6])})
	}
	return list
})

// price returns a price that has no size: J, W, or a factor.
func price(part, kind string, nm int, name string) float64 {
	list := table()[quantity{part, kind, nm, name}]
	if len(list) != 1 {
		panic(fmt.Sprintf("chip: prices.csv has %d prices of %s %s %s at %d nm", len(list), part, kind, name, nm))
	}
	return list[0].value
}

// cachePrice returns a price of a cache, of fast cells at a technology of the table (rule 7).
func cachePrice(nm int, name string, kb float64, ways int) float64 {
	list := table()[quantity{"cache", "hp", nm, name}]
	next := slices.IndexFunc(list, func(p point) bool { return p.kb >= kb })
	next = max(1, next)
	if kb > list[len(list)-1].kb {
		next = len(list) - 1
	}
	a, b := list[next-1], list[next]
	slope := math.Log(b.value/a.value) / math.Log(b.kb/a.kb)
	return a.value * math.Pow(kb/a.kb, slope) * math.Pow(float64(ways)/2, a.waysPower)
}

// The technologies of the table, and those that are extrapolated from them, in nm.
var (
	tabled       = []int{90, 65, 45, 32, 22}
	extrapolated = []int{16, 7, 5, 3}
)

// anchor is the technology of the cache table from which the smaller ones are scaled (rule 8).
const anchor = 45

// Scale has the factors from 22 nm to a smaller technology.
type Scale struct{ Logic, Wire, Leakage float64 }

// ScaleOf returns the factors of a technology below 22 nm.
func ScaleOf(nm int) Scale {
	factor := func(of string) float64 { return price("scale", of, nm, "factor_of_22") }
	return Scale{factor("logic"), factor("wire"), factor("leakage")}
}

// node is one technology: the column of the table that it uses, and factors on it.
type node struct {
	nm                   int // of cores
	cache                int // of caches
	logic, leakage, sram float64
}

// nodeOf returns the column and the factors of a technology. 100 nm, the technology of Orion 1, is priced as
// 90 nm.
func nodeOf(nm int) (n node, err error) {
	n = node{nm: nm, cache: nm, logic: 1, leakage: 1, sram: 1}
	switch {
	case nm == 100:
		n.nm, n.cache = 90, 90
	case slices.Contains(extrapolated, nm):
		n.nm = 22
		n.logic, n.leakage = ScaleOf(nm).Logic, ScaleOf(nm).Leakage
	case !slices.Contains(tabled, nm):
		return n, fmt.Errorf("there are no prices of chips at %d nm", nm)
	}
	if nm <= 22 {
		n.cache, n.sram = anchor, price("scale", "sram", nm, "factor_of_45")
	}
	return n, nil
}

// Cache has the prices of one cache as the table has them: energies in pJ, leakage in mW at 350 K.
type Cache struct {
	WordRead, WordWrite   float64 // 64 bits of all ways at once
	BlockRead, BlockWrite float64 // 512 bits, tags first
	WideRead, WideWrite   float64 // 512 bits of all ways at once
	Tag, Leakage          float64
}

// CacheAt returns the prices of a cache at a technology of the table. Cells are one of those of Config.
func CacheAt(nm int, kb float64, ways int, cells string) (c Cache, err error) {
	if !slices.Contains(tabled, nm) {
		return c, fmt.Errorf("there are no prices of caches at %d nm", nm)
	}
	if !slices.Contains(cellTypes(), cells) {
		return c, fmt.Errorf("cells are %q; %q are allowed", cells, cellTypes())
	}
	word, block, leakage := 1.0, 1.0, 1.0
	if cells != "hp" {
		word, block = price("cache", cells, nm, "word_factor"), price("cache", cells, nm, "block_factor")
		leakage = price("cache", cells, nm, "leakage_factor")
	}
	at := func(name string) float64 { return cachePrice(nm, name, kb, ways) }
	return Cache{WordRead: word * at("word_read"), WordWrite: word * at("word_write"), BlockRead: block * at("block_read"),
		BlockWrite: block * at("block_write"), WideRead: block * at("wide_read"), WideWrite: block * at("fill"),
		Tag: word * at("tag"), Leakage: leakage * at("leakage")}, nil
}

// InstructionAt returns the energy of an instruction of a large core in pJ at a technology of the table: with its
// share of the clock, at some instructions per cycle.
func InstructionAt(nm int, perCycle float64) (float64, error) {
	if !slices.Contains(tabled, nm) {
		return 0, fmt.Errorf("there are no prices of cores at %d nm", nm)
	}
	return price("core", "large", nm, "instruction") + price("core", "large", nm, "clock")/perCycle, nil
}
