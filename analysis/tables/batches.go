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
	Accepted             Maybe[float64] `col:"accepted" unit:"phits/node/cycle" doc:"load completed during the batch, a multicast counting once"`
	Generated            Maybe[float64] `col:"generated" unit:"phits/node/cycle" doc:"load that arose during the batch, in the unit of accepted; it differs from offered by chance"`
	ArrivalCV            Maybe[float64] `col:"arrival_cv" doc:"standard deviation over mean of the times at which the destinations of one multicast have it, mean over multicasts" screen:"CV of tails"`
	ArrivalCVHeader      Maybe[float64] `col:"arrival_cv_header" doc:"the same of the times at which the headers come to them" screen:"CV of headers"`
	ArrivalSpread        Maybe[float64] `col:"arrival_spread" doc:"the same standard deviation over the multicast's latency, mean over multicasts"`
	MulticastChannels    Maybe[float64] `col:"multicast_channels" unit:"channels" doc:"channels that one multicast crosses, mean; known where multicasts go one at a time" screen:"channels"`
	AdditionalTraffic    Maybe[float64] `col:"additional_traffic" unit:"channels" doc:"channels less destinations, mean"`
	TokenWaitMean        Maybe[float64] `col:"token_wait_mean" unit:"cycles" doc:"wait of a worm at its first branch until others have given back the token, mean over worms that branch; known where loads are normalized"`
}

// Batches is the table of the batches of message passing studies.
var Batches = &Table[Batch]{Name: "batches", Doc: "one row per run of messages and batch of it; batches of a seed see the same messages whatever the scheme",
	Columns: columnsOf[Batch]()}
