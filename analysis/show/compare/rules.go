package compare

import (
	"github.com/carousel-sim/carousel/analysis/result"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// ofEachSetting are the rules about the ranking of routers under each setting.
var ofEachSetting = []subject{
	{(*findings).against, []rule{
		{Answer, "single", "${rows} of the time of ${base}${over}. One run of each gives no confidence interval: ${single}."},
		{Answer, "", "${rows} of the time of ${base}${over}.${needed}"},
	}},
	{(*findings).order, []rule{
		{Answer, "single", "${first} takes the least time${over}; ${takes}. One run of each gives no confidence interval: ${single}."},
		{Answer, "alike", "These runs cannot tell the ${alike} routers apart${over}. ${needed}"},
		{Answer, "pairs", "${may} is fastest${over}; ${takes}. These runs cannot tell ${pairs}. ${needed}"},
		{Answer, "apart", "${may} is fastest${over}; ${takes}. Every router differs from the next with 95 % confidence."},
		{Answer, "", "${may} is fastest${over}; ${takes}."},
	}},
	{(*findings).energy, []rule{
		{Answer, "only", "${router} has a lower ED2P than ${first} in 1 of ${all} applications, ${only}, if cores, caches and memory need less than ${power}; else ${first} has."},
		{Answer, "wins", "${router} has a lower ED2P than ${first} in ${wins} of ${all} applications if cores, caches and memory need little: less than ${low} (${lowest}) up to less than ${high} (${highest})."},
		{Answer, "power", "${router} has a lower ED2P than ${first} if cores, caches and memory need less than ${power}; else ${first} has."},
		{Answer, "contenders", "${first} has the least ED2P in total${all}, whatever cores, caches and memory need, but these runs cannot tell it from ${contenders} for some chips."},
		{Answer, "", "${first} has the lowest ED2P${all}, whatever cores, caches and memory need."},
	}},
	{(*findings).bound, []rule{
		{Note, "beaten", "Without contention (ideal), a run takes ${ratio} of ${time} of ${best}. This is not a lower bound, because more requests race there than on ${beaten}."},
		{Note, "", "Without contention (ideal), a run takes ${ratio} of ${time} of ${best}, a lower bound in ${these}."},
	}},
	{(*findings).saturated, []rule{{Warning, "", "The network of ${router} is saturated in ${name}: a packet takes ${packet %.0f} cycles, and ${idle %.0f} without contention. Times are then those " +
		"of queues, and small changes of the chip change them much."}}},
	{(*findings).reasons, []rule{{Note, "", "${slow} takes longer than ${fast} mainly in these parts, in % of the time of ${fast}${over}: ${parts}."}}},
}

// ofStudies are the rules about all runs of a study.
var ofStudies = []subject{
	{(*findings).programs, []rule{
		{Warning, "others", "Program ${name} does not write the same in all runs: ${end}. In other runs: ${others}. The column program_output of the table runs has all of it."},
		{Warning, "failed", "Program ${name}: ${end}."},
		{Answer, "output", "Program ${name}: ${end}."},
	}},
	{(*findings).limits, []rule{
		{Warning, tables.ByCycles, "Runs have a limit of cycles: times, energies and ED2P are compared per instruction."},
		{Warning, tables.ByInstructions, "A limit ends runs after about ${instructions %.0f} instructions of all cores: routers are compared on equal work, which is not the whole workload."},
	}},
	{(*findings).work, []rule{{Warning, "", "Program ${name} executes ${more %.0f} % more instructions on ${most} than on ${least}: its threads wait in another way, or for longer. " +
		"The ratio of times is then also one of waiting; see carousel help live."}}},
	{(*findings).widened, []rule{{Warning, "", widenedText}}},
	{above(mostlyIdle, "%.0f %%", few), []rule{{Warning, "",
		"Fewer than half of the cores work for much of the time, because one core executes more than twice the instructions of most: ${places}."}}},
	{above(mostlyIdle, "%.0f %%", late), []rule{{Warning, "",
		"Fewer than half of the cores work for much of the time: ${places}. Choose longer or other windows (carousel trace sample)."}}},
	{above(mostlyOrdered, "%.0f %%", ordered), []rule{{Warning, "",
		"Cores wait for the recorded order of threads for much of their time: ${places}. This time says little about the network; see carousel help traces."}}},
	{(*findings).synchronised, []rule{
		{Warning, "contended", "Recorded threads synchronise ${how} (${where}). Ratios of routers in replays of such programs were off by ${mean %.1f} % on average and by up to ${worst %.0f} %, " +
			"and by up to 63 % with recorders up to version \"record 6\" and \"riscv 2\": record again, or execute the program (--program; see carousel help accuracy)."},
		{Note, "", "Recorded threads synchronise ${how} (${where}). Ratios of routers in replays of such programs were off by ${mean %.1f} % on average and by up to ${worst %.0f} % (carousel help accuracy)."},
	}},
	{(*findings).byLine, []rule{{Note, "", "The recorded order of threads is by line (${where}): threads that only share a line wait for each other, too. Recordings made today have it by word."}}},
	{(*findings).timeouts, []rule{
		{Warning, "long", "Share of core time spent waiting for timeouts: ${long}. The times therefore depend on the timeout; see carousel help concepts."},
		{Note, "some", "Share of core time spent waiting for timeouts: ${some}."},
	}},
	{(*findings).unsteady, []rule{{Warning, "", "${what} per miss differ by a factor between the first and the last third of windows: ${places}. " +
		"Draw windows with a longer warm-up (carousel trace sample --warm-up)."}}},
	{(*findings).falseSharing, []rule{{Warning, "", "${place}: false sharing causes much of all misses (${routers}): cores use different bytes of block ${block} (${bytes}). " +
		"carousel run --hot-blocks lists such blocks."}}},
	{(*findings).agreement, []rule{{Warning, "", "${place}: ${work} differ: ${most %.0f} on ${most_router}, ${least %.0f} on ${least_router}. The reason is that ${why}."}}},
	{(*findings).idle, []rule{{Warning, "", "${where}${idle}."}}},
	{(*findings).starts, []rule{
		{Note, "both", "Caches start warm in some runs, and empty in others."},
		{Note, tables.WarmStart, "Caches start warm (--cold empties them)."},
		{Note, tables.ColdStart, "Caches start empty."},
	}},
	{(*findings).clock, []rule{{Warning, "", "The clock was set, but the latency of memory stays ${latency} cycles at any clock, as its bandwidth stays the same per cycle. " +
		"Set chip.memory.latency_ns for a latency in ns."}}},
	{(*findings).channels, []rule{{Warning, "", "${n} virtual channels of a wormhole router are fewer than its ${classes} message classes need, so classes share them: a packet may wait for one of " +
		"another class, and a deadlock of the protocol is possible. With --vcs ${enough} each class has channels of its own."}}},
	{(*findings).slowPackets, []rule{{Note, "",
		"${routers}: packets take longer than misses. A miss ends when its data arrive, while copies of its request still wait at the interface."}}},
}

// ofFirstSetting are rules about the ranking under the first setting.
var ofFirstSetting = []subject{
	{(*findings).timeParts, []rule{{Note, "", "Of the execution time of ${router}, the largest part is ${part}, with ${most %.0f} %. Messages take ${messages %.0f} %: ${interface %.0f} % in network interfaces, ${flight %.0f} % in flight " +
		"and ${contention %.0f} % in contention. Cores retire instructions in ${retiring %.0f} %."}}},
	{func(_ *findings, c *result.Ranking) []words { return energyParts(c.Overall(), c.Names[0]) }, []rule{energyRule}},
	{(*findings).leakage, []rule{{Warning, "", "Leakage is ${leakage %.0f} % of the network energy of ${router}; public models of it differ by a factor of 40 (carousel help energy)."}}},
	{(*findings).trend, []rule{{Warning, "", "${trend}."}}},
	{(*findings).networkShare, []rule{{Note, "", "With ${core} cores at ${nm} nm, the network takes ${share %.0f} % of the energy of the chip on ${router}: " +
		"the ED2P of the chip repeats the verdict on time (carousel help energy)."}}},
	{(*findings).prices, []rule{
		{Warning, "unpriced", "The chip cannot be priced in other ways: ${unpriced}."},
		{Answer, "", "${what}: ${router} is above ${over} in ${higher} and below it in ${lower} of ${prices} ways to price ${ways}, from ${low %.3f} times (${low_from}) to " +
			"${high %.3f} times (${high_from}); in the others these runs cannot tell.${models}"},
	}},
}

// energyRule says how the energy of a network divides.
var energyRule = rule{Note, "", "Of the network energy of ${router}, the clock takes ${clock %.0f} %, leakage ${leakage %.0f} %, buffers ${buffers %.0f} % and links ${links %.0f} %."}
