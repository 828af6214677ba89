package tables

// Batch is one batch of a long run of messages: a part of it that counts as one observation when a
// confidence interval is computed (batch means). What nothing was measured of is absent.
type Batch struct {
	RunKey               string
	Batch, Multicasts    uint64
	MulticastLatencyMean Maybe[float64]
	MulticastLatencyMax  Maybe[float64]
	UnicastLatencyMean   Maybe[float64]
	Accepted             Maybe[float64]
	Generated            Maybe[float64]
	ArrivalCV            Maybe[float64]
	ArrivalCVHeader      Maybe[float64]
	ArrivalSpread        Maybe[float64]
	MulticastChannels    Maybe[float64]
	AdditionalTraffic    Maybe[float64]
	TokenWaitMean        Maybe[float64]
}

// Batches is the table of the batches of message passing studies.
var Batches = &Table[Batch]{
	Name: "batches", Doc: "one row per run of messages and batch of it; batches of a seed see the same messages whatever the scheme",
	Columns: []Column[Batch]{
		{"run_key", "", "run this row belongs to, see the traffic table", func(r *Batch) any { return &r.RunKey }},
		{"batch", "", "number of the batch, from 0", func(r *Batch) any { return &r.Batch }},
		{"multicasts", "messages", "multicasts of the batch whose last copy has arrived", func(r *Batch) any { return &r.Multicasts }},
		{"multicast_latency_mean", "cycles", "mean over multicasts, from generation to the arrival of the last tail", func(r *Batch) any { return &r.MulticastLatencyMean }},
		{"multicast_latency_max", "cycles", "largest such latency", func(r *Batch) any { return &r.MulticastLatencyMax }},
		{"unicast_latency_mean", "cycles", "mean over unicast messages", func(r *Batch) any { return &r.UnicastLatencyMean }},
		{"accepted", "phits/node/cycle", "load completed during the batch, a multicast counting once", func(r *Batch) any { return &r.Accepted }},
		{"generated", "phits/node/cycle", "load that arose during the batch, in the unit of accepted; it differs from offered by chance", func(r *Batch) any { return &r.Generated }},
		{"arrival_cv", "", "standard deviation over mean of the times at which the destinations of one multicast have it, mean over multicasts",
			func(r *Batch) any { return &r.ArrivalCV }},
		{"arrival_cv_header", "", "the same of the times at which the headers come to them",
			func(r *Batch) any { return &r.ArrivalCVHeader }},
		{"arrival_spread", "", "the same standard deviation over the multicast's latency, mean over multicasts", func(r *Batch) any { return &r.ArrivalSpread }},
		{"multicast_channels", "channels", "channels that one multicast crosses, mean; known where multicasts go one at a time", func(r *Batch) any { return &r.MulticastChannels }},
		{"additional_traffic", "channels", "channels less destinations, mean", func(r *Batch) any { return &r.AdditionalTraffic }},
		{"token_wait_mean", "cycles", "wait of a worm at its first branch until others have given back the token, mean over worms that branch; known where loads are normalized", func(r *Batch) any { return &r.TokenWaitMean }},
	},
}
