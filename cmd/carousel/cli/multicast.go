package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/carousel-sim/carousel/analysis/show/drawing"
	"github.com/carousel-sim/carousel/analysis/show/figures"
	"github.com/carousel-sim/carousel/analysis/show/sheet"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/suggest"
	"github.com/carousel-sim/carousel/noc/leaf/wholefile"
	"github.com/carousel-sim/carousel/noc/multicast"
	"github.com/carousel-sim/carousel/noc/papers/vectors"
	"github.com/carousel-sim/carousel/noc/topology"
)

// planFlags are the options of carousel multicast plan, as written.
type planFlags struct {
	topology, scheme     string
	source               int
	destinations         string
	ports, step1, step2  string
	threshold, start     string
	injection            int
	consumption          int
	flits                int64
	startup, preparation int64
	svg                  string
	force                bool
}

func multicastPlan(a *app) *cobra.Command {
	f := planFlags{}
	command := newCommand("multicast plan", noArguments, func(command *cobra.Command, _ []string) error { return a.plan(command, f) })
	flags := command.Flags()
	flags.StringVar(&f.topology, "topology", "mesh:8x8", "network; carousel list shows all forms")
	flags.StringVar(&f.scheme, "scheme", "dual-path", "multicast scheme: "+strings.Join(multicast.SchemeNames(a.extra.Schemes...), ", "))
	flags.IntVar(&f.source, "source", 0, "source node")
	flags.StringVar(&f.destinations, "destinations", "", "destination nodes, such as 1,5,8-11, or all")
	flags.StringVar(&f.ports, "ports", "strict", "first hop of each worm of ocms and otms: strict (that of the labels' routing) or free (any neighbour with a label between those of the source and of the first destination)")
	flags.StringVar(&f.threshold, "threshold", "0.5", "qualification threshold of qg: a group is split if its weight exceeds the average by more than this share; up to three decimals")
	flags.StringVar(&f.step1, "step1", "dual", "worms of qg to representatives: dual or multi")
	flags.StringVar(&f.step2, "step2", "dual", "worms of qg inside groups: dual or multi")
	flags.IntVar(&f.injection, "injection", 0, "worms that the source sends at the same time in unicast, column-path and qg-unicast (default: its links on grids, else 1)")
	flags.IntVar(&f.consumption, "consumption", 1, "consumption channels per node for atbm: 1, or the ports of a switch")
	flags.Int64Var(&f.flits, "flits", 0, "length of the message (default: the paper's)")
	flags.Int64Var(&f.startup, "startup", 0, "time that a sender spends on starting each message (default: the paper's)")
	flags.Int64Var(&f.preparation, "preparation", 0, "time before the first startup")
	flags.StringVar(&f.start, "start", "store", "when a node starts its next message: after the tail of the message that it received or sent before (store), or after the header (cut)")
	flags.StringVar(&f.svg, "svg", "", "draw the plan on its mesh into this file")
	flags.BoolVar(&f.force, "force", false, "replace the file of --svg")
	complete(command, "scheme", multicast.SchemeNames(a.extra.Schemes...))
	complete(command, "ports", multicast.PortRules)
	complete(command, "step1", multicast.PathNames)
	complete(command, "step2", multicast.PathNames)
	complete(command, "start", multicast.Starts)
	return command
}

// schemeFlags are flags that only some schemes of this module read: each flag with these schemes.
var schemeFlags = []string{"ports ocms otms", "threshold qg qg-unicast", "step1 qg", "step2 qg", "injection unicast column-path qg-unicast", "consumption atbm"}

// plan makes the plan, prints it and draws it.
func (a *app) plan(command *cobra.Command, f planFlags) error {
	layout, err := topology.Open(f.topology)
	if err != nil {
		if topology.OfFile(f.topology) {
			return inputError{err}
		}
		return usagef("--topology: %w", err)
	}
	options, err := f.options()
	if err != nil {
		return err
	}
	n := multicast.NewNetwork(layout)
	timing, unit, err := f.timing(command, n)
	if err != nil {
		return err
	}
	r, err := f.request(layout.Wiring.Nodes())
	if err != nil {
		return err
	}
	scheme, err := multicast.LookupScheme(f.scheme, a.extra.Schemes...)
	if err != nil {
		return usagef("--scheme: %w%s", err, suggest.Text(f.scheme, multicast.SchemeNames(a.extra.Schemes...)))
	}
	if slices.Contains(multicast.SchemeNames(), f.scheme) {
		for _, s := range schemeFlags {
			if flag := strings.Fields(s)[0]; !slices.Contains(strings.Fields(s)[1:], f.scheme) {
				if err := noEffect(command, "with --scheme "+f.scheme, flag); err != nil {
					return err
				}
			}
		}
	}
	p, err := scheme.Plan(n, r, options)
	if err != nil {
		return usageError{err}
	}
	if err := p.Check(layout.Wiring, r); err != nil {
		return wrongError{fmt.Errorf("scheme %s made a plan that is not valid: %w", scheme.Name, err)}
	}
	report, err := multicast.Describe(scheme.Name, layout.Wiring, r, p, timing, unit)
	if err != nil {
		return usageError{err}
	}
	if f.svg != "" {
		if err := creatable("--svg", f.svg, f.force); err != nil {
			return err
		}
		picture, err := drawing.Plan(layout, r, p, report.Title())
		if err != nil {
			return usagef("--svg: %w", err)
		}
		if err := wholefile.Write(f.svg, func(w io.Writer) error { return picture.Render(w, figures.SVG) }); err != nil {
			return cmp.Or(unwritten(err), err)
		}
	}
	return a.print(report, planSheet(report))
}

// options turns words into values.
func (f planFlags) options() (multicast.Options, error) {
	o := multicast.DefaultOptions()
	o.Injection, o.Consumption = f.injection, f.consumption
	if f.injection < 0 {
		return o, usagef("--injection %d: 0 (the network's number) or more are possible", f.injection)
	}
	thousandths, err := parseThousandths(f.threshold)
	if err != nil {
		return o, usagef("--threshold %q: %w", f.threshold, err)
	}
	o.Groups.Threshold = thousandths
	for _, choice := range []struct {
		flag, word string
		words      []string
		set        func(int)
	}{
		{"ports", f.ports, multicast.PortRules, func(i int) { o.Ports = multicast.PortRule(i) }},
		{"step1", f.step1, multicast.PathNames, func(i int) { o.Groups.ToRepresentatives = multicast.Paths(i) }},
		{"step2", f.step2, multicast.PathNames, func(i int) { o.Groups.InGroups = multicast.Paths(i) }},
	} {
		i, err := wordIndex(choice.flag, choice.word, choice.words)
		if err != nil {
			return o, err
		}
		choice.set(i)
	}
	return o, nil
}

// wordIndex finds a word among those that a flag takes.
func wordIndex(flag, word string, words []string) (int, error) {
	if i := slices.Index(words, word); i >= 0 {
		return i, nil
	}
	return 0, usagef("--%s %q: there are %s%s", flag, word, strings.Join(words, ", "), suggest.Text(word, words))
}

// timing is the network's default with what the flags change.
func (f planFlags) timing(command *cobra.Command, n *multicast.Network) (multicast.Timing, string, error) {
	t, unit := n.DefaultTiming()
	if command.Flags().Changed("flits") {
		t.Flits = f.flits
	}
	if command.Flags().Changed("startup") {
		t.Startup = f.startup
	}
	t.Preparation = f.preparation
	start, err := wordIndex("start", f.start, multicast.Starts)
	if err != nil {
		return t, "", err
	}
	t.Start = multicast.Start(start)
	if err := t.Validate(); err != nil {
		return t, "", usageError{err}
	}
	return t, unit, nil
}

// request reads the source and the destinations.
func (f planFlags) request(nodes int) (r multicast.Request, err error) {
	if f.source < 0 || f.source >= nodes {
		return r, usagef("--source %d: the network has nodes 0 to %d", f.source, nodes-1)
	}
	if strings.TrimSpace(f.destinations) == "" {
		return r, usagef("--destinations is needed: nodes such as 1,5,8-11, or all")
	}
	r.Source = noc.NodeID(f.source)
	if r.Destinations, err = parseNodes(f.destinations, nodes); err != nil {
		return r, usagef("--destinations: %w", err)
	}
	return r, nil
}

// parseThousandths reads a number with up to three decimals as thousandths, so that no binary
// fraction decides anything.
func parseThousandths(text string) (int, error) {
	whole, part, _ := strings.Cut(text, ".")
	if len(part) <= 3 && whole+part != "" && !strings.ContainsAny(text, "+-") {
		if n, err := strconv.Atoi(whole + part + "000"[len(part):]); err == nil {
			return n, nil
		}
	}
	return 0, errors.New("write a number from 0 on with up to three decimals, such as 0.5")
}

// parseNodes reads nodes of a network that has so many: numbers and ranges, such as 1,5,8-11, or
// all.
func parseNodes(text string, nodes int) (list []noc.NodeID, err error) {
	if strings.TrimSpace(text) == "all" {
		text = fmt.Sprintf("0-%d", nodes-1)
	}
	for word := range strings.SplitSeq(text, ",") {
		first, last, ok := parseRange(word)
		if !ok {
			return nil, fmt.Errorf("%q is not a node or a range of nodes, such as 5 or 8-11", word)
		}
		if last >= nodes {
			return nil, fmt.Errorf("node %d does not exist; the network has nodes 0 to %d", last, nodes-1)
		}
		for d := first; d <= last; d++ {
			list = append(list, noc.NodeID(d))
		}
	}
	return list, nil
}

// parseRange reads a number from 0 on, or a range of such, such as 8-11.
func parseRange(word string) (first, last int, ok bool) {
	from, to, isRange := strings.Cut(strings.TrimSpace(word), "-")
	if !isRange {
		to = from
	}
	low, err := strconv.ParseUint(from, 10, 63)
	high, err2 := strconv.ParseUint(to, 10, 63)
	return int(low), int(high), err == nil && err2 == nil && low <= high
}

func multicastCheck(a *app) *cobra.Command {
	return newCommand("multicast check", someArguments("takes at least one file"), func(command *cobra.Command, args []string) error {
		return a.checkVectors(command.Context(), args)
	})
}

// checkedFile is the outcome of one file.
type checkedFile struct {
	File string `json:"file"`
	vectors.Report
}

func (a *app) checkVectors(ctx context.Context, files []string) error {
	document := struct {
		Passed int           `json:"passed"`
		Failed int           `json:"failed"`
		Files  []checkedFile `json:"files"`
	}{}
	s := sheet.New("file", "passed", "failed", "algorithm")
	for _, file := range files {
		report, err := checkFile(ctx, file)
		if ctx.Err() != nil {
			return interruptedError{unread}
		}
		if err != nil {
			return inputError{err}
		}
		document.Passed, document.Failed = document.Passed+report.Passed, document.Failed+report.Failed
		document.Files = append(document.Files, checkedFile{file, report})
		s.Add(file, report.Passed, report.Failed, report.Algorithm)
		for _, failed := range report.Failures {
			for _, problem := range failed.Problems {
				s.After = append(s.After, fmt.Sprintf("%s: %s: %s", file, failed.ID, problem))
			}
		}
	}
	s.After = append(s.After, fmt.Sprintf("%d passed, %d failed", document.Passed, document.Failed))
	if err := a.print(document, s); err != nil {
		return err
	}
	if document.Failed > 0 {
		return wrongError{fmt.Errorf("%d of %d cases failed", document.Failed, document.Passed+document.Failed)}
	}
	return nil
}

func checkFile(ctx context.Context, path string) (vectors.Report, error) {
	content, err := wholefile.Read(path, wholefile.TextBytes)
	if err != nil {
		return vectors.Report{}, err
	}
	report, err := vectors.Check(ctx, bytes.NewReader(content))
	if err != nil {
		return report, fmt.Errorf("%s: %w", path, err)
	}
	return report, nil
}

// planSheet lists the worms of a multicast plan.
func planSheet(r *multicast.Description) *sheet.Sheet {
	s := sheet.New("worm", "step", "from", "after", "channels", "last arrival", "order of visits", "routers")
	s.Before = []string{r.Title()}
	for _, w := range r.Worms {
		after, last := sheet.None, int64(0)
		if w.After >= 0 {
			after = fmt.Sprint(w.After)
		}
		for _, a := range w.Arrivals {
			last = max(last, a.Tail)
		}
		s.Add(w.Worm, w.Step, w.From, after, w.Channels, last, list(w.Stops), wayOf(w))
	}
	s.After = []string{
		fmt.Sprintf("%s, %s, traffic %s between routers (%d distinct), additional traffic (channels - destinations) %d", sheet.Count(len(r.Worms), "worm"), sheet.Count(r.Steps, "step"),
			sheet.Count(r.Traffic, "channel"), r.DistinctChannels, r.AdditionalTraffic),
		fmt.Sprintf("longest path %s, contention-free latency %d %s", sheet.Count(r.LongestPath, "channel"), r.Latency, r.TimeUnit),
	}
	return s
}

// list joins values the way flags take them.
func list[T any](values []T) string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(values), "[]"), " ", ",")
}

// wayOf writes the routers of a path, or the channels of a tree as from>to.
func wayOf(w multicast.DescribedWorm) string {
	if w.Tree == nil {
		return list(w.Path)
	}
	var parts []string
	for _, v := range w.Tree {
		from := "*" // the first router
		if v[0] >= 0 {
			from = fmt.Sprint(w.Tree[v[0]][1])
		}
		parts = append(parts, fmt.Sprintf("%s>%d", from, v[1]))
	}
	return strings.Join(parts, " ")
}
