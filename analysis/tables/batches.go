package tables

// Batch is one batch of a long run of messages: a part of it that counts as one observation when a
// confidence interval is computed (batch means). What nothing was measured of is absent.
type Batch struct {
	RunKey               string         `col:"run_key" doc:"run this row belongs to, see the traffic table"`
	Batch                uint64         `col:"batch" doc:"number of the batch, from 0"`
	Multicasts           uint64         `col:"multicasts" unit:"messages" doc:"multicasts of the batch whose last copy has arrived"`
	MulticastLatencyMean Maybe[float64] `col:"multicast_latency_mean" unit:"cycles" doc:"mean over multicasts, from generation to the arrival of the last tail"`
	MulticastLatencyMax  Maybe[float64] `col:"multicast_latency_max" unit:"cycles" doc:"largest such latency"`
	UnicastLatencyMean   Maybe[float64] `col:"unicast_latency_mean" unit:"cycles" doc:"mean over unicast messages"`
	Accepted             Maybe[float64] `col:"accepted" unit:"phits/node/cycle" doc:"load that the network completed during the batch, a multicast counting once"`
	Generated            Maybe[float64] `col:"generated" unit:"phits/node/cycle" doc:"load that the sources generated during the batch, a multicast counting once; random, so it differs from offered"`
	ArrivalCV            Maybe[float64] `col:"arrival_cv" doc:"coefficient of variation of the times at which the tail of a multicast arrives at its destinations, mean over multicasts" screen:"CV of tails"`
	ArrivalCVHeader      Maybe[float64] `col:"arrival_cv_header" doc:"coefficient of variation of the times at which the header arrives, mean over multicasts" screen:"CV of headers"`
	ArrivalSpread        Maybe[float64] `col:"arrival_spread" doc:"standard deviation of the arrival times of the tail, divided by the latency of the multicast, mean over multicasts"`
	MulticastChannels    Maybe[float64] `col:"multicast_channels" unit:"channels" doc:"channels that a multicast crosses, mean; only if multicasts are sent one at a time" screen:"channels"`
	AdditionalTraffic    Maybe[float64] `col:"additional_traffic" unit:"channels" doc:"channels that a multicast crosses minus its destinations, mean"`
	TokenWaitMean        Maybe[float64] `col:"token_wait_mean" unit:"cycles" doc:"time that a worm waits at its first branch until another worm returns the token, mean over worms that branch; only for arrivals normalized"`
}

// Batches is the table of the batches of message passing studies.
var Batches = &Table[Batch]{Name: "batches", Doc: "one row per batch of a run of kind messages; with the same seed, all schemes have the same messages",
	Columns: columnsOf[Batch]()}
