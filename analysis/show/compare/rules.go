package compare

import (
	"github.com/carousel-sim/carousel/analysis/result"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// ofEachSetting are the rules about the ranking of routers under each setting.
var ofEachSetting = []subject{
	{(*findings).against, []rule{
		{Answer, "single", "Compared with ${base}, ${run} takes ${rows}${over}. One run of each gives no confidence interval: ${single}."},
		{Answer, "", "Compared with ${base}, ${run} takes ${rows}${over}.${needed}"},
	}},
	{(*findings).order, []rule{
		{Answer, "single", "${first} takes the least time${over}; ${takes}. One run of each gives no confidence interval: ${single}."},
		{Answer, "alike", "These runs cannot tell the ${alike} routers apart${over}. ${needed}"},
		{Answer, "pairs", "${may} is fastest${over}; ${takes}. These runs cannot tell ${pairs}. ${needed}"},
		{Answer, "apart", "${may} is fastest${over}; ${takes}. ${Every} router differs from the next with 95 % confidence."},
		{Answer, "", "${may} is fastest${over}; ${takes}."},
	}},
	{(*findings).energy, []rule{
		{Answer, "undetermined", "In these runs, the chip with ${router} has a lower ED2P than that with ${first}${where} if its cores, caches and memory together need less than ${undetermined}, depending on how much of the power is static. This is not reliable: the 95 % interval of the limits includes every power."},
		{Answer, "only", "${The} chip with ${router} has a lower ED2P than that with ${first} in 1 of ${all} applications, ${only}, if its cores, caches and memory together need ${power}"},
		{Answer, "wins", "${The} chip with ${router} has a lower ED2P than that with ${first} in ${wins} of ${all} applications if its cores, caches and memory together need little power. The limit of this power is lowest in ${lowest}, ${low}, and highest in ${highest}, ${high}."},
		{Answer, "power", "${The} chip with ${router} has a lower ED2P than that with ${first} if its cores, caches and memory together need ${power}"},
		{Answer, "faster", "In ${faster}, another router is faster than ${first}. In the other applications, no router gives the chip a significantly lower ED2P than ${first}."},
		{Answer, "contenders", "No router gives the chip a significantly lower ED2P than ${first}${any}. These runs cannot tell ${first} from ${contenders}${some}."},
		{Answer, "", "${The} chip with ${first} has the lowest ED2P${all}, whatever its cores, caches and memory need."},
	}},
	{(*findings).bound, []rule{
		{Note, "beaten", "On a network without contention (router ideal), a run takes ${ratio} of ${time} of ${best}. This is not a lower bound, because requests lose more races there than on ${beaten}."},
		{Note, "", "On a network without contention (router ideal), a run takes ${ratio} of ${time} of ${best}. This is a lower bound in ${these}."},
	}},
	{(*findings).saturated, []rule{
		{Warning, "packet", "The network of ${router} is saturated in ${name}: a packet takes ${packet %.0f} cycles, and ${idle %.0f} without contention." + uncertain},
		{Warning, "miss", "The network of ${router} is saturated in ${name}: a miss takes ${miss %.0f} cycles, and ${idle %.0f} without contention." + uncertain},
	}},
	{(*findings).reasons, []rule{{Note, "", "Cores spend more time on ${slow} than on ${fast}${over}, mainly in these parts: ${parts} (in % of the time on ${fast}; carousel help results)."}}},
}

// uncertain is what follows from a saturated network.
const uncertain = " Times then depend mostly on queues, and a small change of the chip can change them a lot."

// ofStudies are the rules about all runs of a study.
var ofStudies = []subject{
	{(*findings).programs, []rule{
		{Warning, "others", "Program ${name} does not write the same in all runs: ${end}. In other runs: ${others}. The column program_output of the table runs has all of it."},
		{Warning, "failed", "Program ${name}: ${end}."},
		{Answer, "output", "Program ${name}: ${end}."},
	}},
	{(*findings).limits, []rule{
		{Warning, tables.ByCycles, "Runs have a limit of cycles: times, energies and ED2P are compared per instruction."},
		{Warning, "windows", "Windows do not show how long a program runs, so times and energies of programs are compared per instruction. Traces without windows, or programs that are executed, show the run time."},
		{Warning, tables.ByInstructions, "A limit ends runs after about ${instructions %.0f} instructions of all cores: routers are compared on equal work, which is not the whole workload."},
	}},
	{(*findings).work, []rule{{Warning, "", "Program ${name} executes ${more %.0f} % more instructions on ${most} than on ${least}: its threads wait longer. " +
		"The ratio of times includes this waiting (carousel help live)."}}},
	{(*findings).widened, []rule{{Warning, "", widenedText}}},
	{above(-1, "%.0f", fewMisses), []rule{{Warning, "", "There are fewer than 1,000 L1 misses in total: ${places}. A few messages can then decide the ratio of times: measure a longer part of the execution."}}},
	{(*findings).oneWindow, []rule{{Warning, "", "Several seeds replay only one window of the recording (${where}), so the numbers after ± do not show how windows differ: leave out ${limit} or raise it."}}},
	{above(mostlyIdle, "%.0f %%", few), []rule{{Warning, "",
		"For a part of the time, fewer than half of the cores work: ${places}. One core executes more than twice the instructions of most others."}}},
	{above(mostlyIdle, "%.0f %%", late), []rule{{Warning, "",
		"For a part of the time, fewer than half of the cores work: ${places}. Record a longer region, or draw windows from a longer recording (carousel trace sample)."}}},
	{above(measuredOrder, "%.0f %%", ordered), []rule{{Warning, "",
		"Cores wait for the recorded order of threads for this share of their time: ${places}. Do not publish ratios of these replays; " +
			"execute the program instead, if it can be compiled for RISC-V (carousel run --program; carousel help accuracy)."}}},
	{above(mostlyOrdered, "%.0f %%", partlyOrdered), []rule{{Warning, "",
		"Cores wait for the recorded order of threads for this share of their time: ${places}. This time says little about the network (carousel help traces)."}}},
	{(*findings).synchronised, []rule{
		{Warning, "execute", "Recorded threads synchronise ${how} (${where}). In replays of such RISC-V programs the ratio of two routers has a mean error of ${mean %.1f} % and a largest error of ${worst %.2g} %: " +
			"execute the program if you can (--program; carousel help accuracy)."},
		{Note, "", "Recorded threads synchronise ${how} (${where}). Errors of the ratio of two routers in replays: ${mean %.1f} % on average and at most ${worst %.2g} % in such RISC-V programs${x86} (carousel help accuracy)."},
	}},
	{(*findings).byLine, []rule{{Note, "", "The order of threads was recorded by cache line, not by word (${where}). Threads that use different words of a line also wait for each other. The errors of replays were measured with recordings by word."}}},
	{(*findings).timeouts, []rule{
		{Warning, "long", "Cores wait for timeouts for this share of their time: ${long}. The run times therefore depend on the timeout (carousel help concepts)."},
		{Note, "some", "Cores wait for timeouts for this share of their time: ${some}."},
	}},
	{(*findings).unsteady, []rule{{Warning, "", "${what} per miss differ between the first and the last third of windows, by these factors: ${places}. " +
		"Draw windows with a longer warm-up (carousel trace sample --warm-up), unless they start at barriers, after which the program itself differs."}}},
	{(*findings).rareBarriers, []rule{{Warning, "", "Barriers are further apart than windows are long (${where}), so windows do not show how long cores wait there for the slowest one. " +
		"Replay the whole recording, or draw windows that are longer than the time between barriers (carousel help accuracy)."}}},
	{(*findings).equalWindows, []rule{{Note, "", "Replays of several windows are equal (${where}), because the program repeats itself. Equal windows count as one in intervals (carousel help accuracy)."}}},
	{above(mostlyStarved, "%.0f", starved), []rule{{Warning, "", "Windows without a warm-up have this number of persistent requests per million misses: ${places}. The start of a window can cause them: " +
		"draw windows with a warm-up (carousel trace sample --warm-up), or longer ones."}}},
	{(*findings).falseSharing, []rule{{Warning, "", "False sharing causes this share of the misses: ${places}. Cores use different bytes of block ${block} (${bytes}). " +
		"carousel run --hot-blocks lists such blocks."}}},
	{(*findings).agreement, []rule{{Warning, "", "Routers differ in the number of ${work} because ${why}: ${places}."}}},
	{(*findings).idle, []rule{{Warning, "", "${where}${idle}."}}},
	{(*findings).starts, []rule{
		{Note, "both", "Caches start warm in some runs, and empty in others."},
		{Note, tables.WarmStart, "Caches start warm (--cold empties them)."},
		{Note, tables.ColdStart, "Caches start empty."},
	}},
	{(*findings).clock, []rule{{Warning, "", "The clock was changed, but the latency of memory is still ${latency} cycles, and its bandwidth is the same in bytes per cycle. " +
		"Set chip.memory.latency_ns for a latency in ns."}}},
	{(*findings).channels, []rule{{Warning, "", "Router ${channels}. A packet may wait for one of another class. With chip.interface_slots above 0, a deadlock of the protocol " +
		"is possible. Without --vcs and network.wormhole.share_channels each class has channels of its own."}}},
	{(*findings).linkWidths, []rule{{Warning, "", "Routers have links of different widths: ${widths}. They are not compared at equal bandwidth."}}},
	{(*findings).slowPackets, []rule{{Note, "",
		"On ${routers} the mean packet takes longer than the mean miss. A miss ends when its data arrive, and copies of its request may still wait at the interface."}}},
}

// ofPrices are warnings about the energies of a whole study.
var ofPrices = []subject{{(*findings).profiles, []rule{{Warning, "", "${profiles}"}}}}

// smallShare says that a network takes little of the energy of a chip.
const smallShare = "The network takes only ${share %.1f} % of the energy of the chip on ${router} (${core} cores, ${nm} nm). "

// ofEnergies are warnings about the energies of rankings. They stand below those about times.
var ofEnergies = []subject{
	{(*findings).leakage, []rule{{Warning, "", "Leakage is ${leakage %.0f} % of the network energy of ${router}. Public models of leakage differ by a factor of 40 (carousel help energy)."}}},
	{(*findings).trend, []rule{{Warning, "", "${trend}."}}},
	{(*findings).networkShare, []rule{
		{Warning, "settings", smallShare + "The network ED2P therefore says little about the ED2P of the whole chip (carousel help energy)."},
		{Warning, "", smallShare + "The ED2P of the whole chip therefore follows the ratio of times, not the network ED2P (carousel help energy)."},
	}},
}

// ofFirstSetting are rules about the ranking under the first setting.
var ofFirstSetting = []subject{
	{(*findings).timeParts, []rule{{Note, "", "The largest part of the time of cores on ${router} is ${part}, ${most %.0f} %. Messages take ${messages %.1f} %: ${interface %.1f} % in network interfaces, ${flight %.1f} % in flight " +
		"and ${contention %.1f} % in contention. Cores retire instructions in ${retiring %.0f} % of their time."}}},
	{func(_ *findings, c *result.Ranking) []words { return energyParts(c.Overall(), c.Names[0]) }, []rule{energyRule}},
	{(*findings).prices, []rule{
		{Warning, "unpriced", "The energy of the chip cannot be computed with other models: ${unpriced}."},
		{Answer, "", "${what}: ${router} has more than ${over} in ${higher} and less in ${lower} of ${prices} energy models of ${ways}. ${rest}" +
			"The ratio is lowest, ${low %.3f}, with ${low_from}, and highest, ${high %.3f}, with ${high_from}.${models}"},
	}},
}

// energyRule says how the energy of a network divides.
var energyRule = rule{Note, "", "Of the network energy of ${router}, the clock takes ${clock %.0f} %, leakage ${leakage %.0f} %, buffers ${buffers %.0f} % and links ${links %.0f} %."}
