// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/pipeline/IndexJob.h"

#include "hybrid/index/Archive.h"

#include <algorithm>

namespace kst {

/// Units of a job: a worker that is lost loses so many, and each job starts a
/// process.
static constexpr size_t JobUnits = 12;

template <typename A> static void archive(A &To, RunUnit &Of) {
  To(Of.File);
  To(Of.Relative);
  To(Of.Directory);
  To(Of.Args);
}

template <typename A> static void archive(A &To, IndexJob &Of) {
  To(Of.SourceRoot);
  To(Of.FactsId);
  To(Of.Plain);
  To(Of.Selected);
  To(Of.Units);
}

std::vector<IndexJob> partJobs(const IndexJob &Whole) {
  std::vector<IndexJob> Parts;
  for (size_t Begin = 0; Begin < Whole.Units.size(); Begin += JobUnits) {
    const size_t End = std::min(Whole.Units.size(), Begin + JobUnits);
    Parts.push_back({Whole.SourceRoot,
                     Whole.FactsId,
                     Whole.Plain,
                     Whole.Selected > Begin
                         ? std::min<uint64_t>(Whole.Selected, End) - Begin
                         : 0,
                     {Whole.Units.begin() + Begin, Whole.Units.begin() + End}});
  }
  return Parts;
}

std::string writeJob(const IndexJob &Job) {
  ArchiveWriter To;
  To(Job);
  return std::move(To.Bytes);
}

Result<IndexJob> readJob(std::string_view Bytes) {
  IndexJob Job;
  ArchiveReader From(Bytes);
  From(Job);
  if (!From.atEnd())
    return Failure{"not a job of 'kstatic-affinity index'"};
  return Job;
}

} // namespace kst
