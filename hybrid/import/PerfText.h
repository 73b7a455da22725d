// SPDX-License-Identifier: GPL-2.0-or-later
//
// Samples as perf(1) prints them. Understood, and told apart line by line:
//
//   perf script, default fields or any -F with ip and sym, without or with call
//   chains:
//     comm 123 [001] 12.345678:   1001001 cpu-clock:  ffffffff81 func+0x1 (dso)
//   a sample of func; the chain's first frame counts. Behind it may stand what
//   was accessed, as TYPE.FIELD ("struct rq.nr_running"), or as below.
//
//   and branch stacks (perf record -b, perf script -F +brstacksym), in the line
//   of their sample or in one of their own behind it:
//     schedule+0x1f/__schedule+0x0/P/-/-/3
//   Branches to a function's first instruction are entries of it, and the
//   samples of such a text say nothing then.
//
//   perf report -n --stdio -s type,typeoff (with sym: per function):
//     12.34%   56  [k] func   struct rq   struct rq +0x18 (cfs.nr_running)
//
//   perf annotate --data-type --stdio:
//     Annotate type: 'struct rq' in vmlinux (56 samples):
//      Percent   offset   size   field
//        12.34       24      4   unsigned int  nr_running;
//
// Comments of --header tell about the run. Data addresses (-F addr) are counted
// and not used: nothing in the text says which object lies there.

#pragma once

#include "hybrid/core/Result.h"
#include "hybrid/profile/Profile.h"

#include <string_view>

namespace kst {

/// Whether the text, or its beginning, has a sample in any of these forms.
bool looksLikePerfText(std::string_view Text);

struct PerfNotes {
  uint64_t Samples = 0;       ///< with a function
  uint64_t FieldSamples = 0;  ///< with a struct and a place in it
  uint64_t Unknown = 0;       ///< without a symbol
  uint64_t UserSpace = 0;     ///< left out, since there are kernel samples
  uint64_t DataAddresses = 0; ///< samples with one, which was not used
  uint64_t Branches = 0;      ///< of branch stacks
  uint64_t Entries = 0;       ///< of them to the start of a function
  uint64_t SamplesLeft = 0;   ///< of functions, left out for the branches
  uint64_t OtherLines = 0;
};

struct ImportedPerf {
  Profile What;
  PerfNotes Notes;
};

/// Samples as a profile: of functions, or their entries, and sites where a
/// place in a struct is known (a write if perf says store). Samples of user
/// space are left out if there are any of the kernel. Suffixes that compilers
/// give to parts and copies of functions are cut off. A Failure if there is no
/// sample. Memory grows with the number of functions and places.
Result<ImportedPerf> readPerfText(std::string_view Text);

} // namespace kst
