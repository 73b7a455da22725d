// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/import/PerfHeader.h"

#include "hybrid/import/TracingData.h"

#include <algorithm>

namespace kst {
namespace {

/// "PERFILE2" as a number in the byte order of the file.
constexpr uint64_t PerfMagic = 0x32454c4946524550;
constexpr std::string_view OldPerfMagic = "PERFFILE";
constexpr size_t PipeHeaderBytes = 16, FileHeaderBytes = 104;
constexpr unsigned Features = 256;

enum Feature : unsigned {
  FeatureTracingData = 1,
  FeatureRelease = 4,
  FeatureCommand = 11,
};

} // namespace

bool PerfHeader::looksLikeOne(std::string_view Bytes) {
  return Bytes.starts_with(OldPerfMagic) ||
         ForeignBytes(Bytes, false).at<uint64_t>(0) == PerfMagic ||
         ForeignBytes(Bytes, true).at<uint64_t>(0) == PerfMagic;
}

Result<PerfHeader> PerfHeader::read(std::string_view Bytes) {
  if (Bytes.starts_with(OldPerfMagic))
    return Failure{"a perf.data of version 1, which perf wrote before 2010; "
                   "this reads version 2"};
  PerfHeader Out;
  Out.Bytes = Bytes;
  Out.Big = ForeignBytes(Bytes, true).at<uint64_t>(0) == PerfMagic;
  const uint64_t Size = Out.in(Bytes).at<uint64_t>(8);
  Out.Pipe = Size == PipeHeaderBytes;
  if (!Out.Pipe && Size < FileHeaderBytes)
    return Failure{"a perf.data whose header has " + std::to_string(Size) +
                   " bytes"};
  if (Bytes.size() < Size || (!Out.Pipe && !Out.readFile()))
    return Failure{"a perf.data whose header is cut short"};
  if (Out.Pipe)
    Out.Records = Bytes.substr(Size);
  return Out;
}

bool PerfHeader::readFile() {
  const ForeignBytes In = in(Bytes);
  const uint64_t Begin = In.at<uint64_t>(40), Size = In.at<uint64_t>(48);
  if (Begin > Bytes.size())
    return false;
  readEvents(In.part(In.at<uint64_t>(24), In.at<uint64_t>(32)),
             In.at<uint64_t>(16));
  const bool Whole = Size && Size <= Bytes.size() - Begin;
  Records = Whole ? Bytes.substr(Begin, Size) : Bytes.substr(Begin);
  if (Whole)
    readFeatures(Begin + Size);
  else
    Damage = Size ? "it is cut short"
                  : "perf did not end in order: the formats of tracepoints and "
                    "what else it writes last are missing";
  return true;
}

std::vector<uint64_t> PerfHeader::numbers(std::string_view Rows) const {
  ForeignBytes In = in(Rows);
  std::vector<uint64_t> Out;
  while (In.left() >= 8)
    Out.push_back(In.take<uint64_t>());
  return Out;
}

void PerfHeader::readEvents(std::string_view Table, uint64_t RowBytes) {
  if (RowBytes <= 16)
    return;
  ForeignBytes In = in(Table);
  while (In.left() >= RowBytes) {
    std::string_view Row = In.take(RowBytes);
    uint64_t Size = in(Row).at<uint32_t>(4);
    auto Event = PerfEvent::read(
        Row.substr(0, std::min(RowBytes - 16, std::max<uint64_t>(Size, 64))),
        Big);
    if (!Event)
      return;
    Events.add(*Event,
               numbers(in(Bytes).part(in(Row).at<uint64_t>(RowBytes - 16),
                                      in(Row).at<uint64_t>(RowBytes - 8))));
  }
}

void PerfHeader::readFeatures(uint64_t At) {
  ForeignBytes All = in(Bytes);
  for (unsigned I = 0; I < Features; ++I) {
    if (!(All.at<uint64_t>(72 + I / 64 * 8) >> I % 64 & 1))
      continue;
    uint64_t Begin = All.at<uint64_t>(At), Size = All.at<uint64_t>(At + 8);
    At += 16;
    std::string_view Body = All.part(Begin, Size);
    if (Body.size() < Size)
      Damage = "it is cut short";
    addFeature(I, Body);
  }
}

void PerfHeader::forgetEvents() {
  Events = {};
  Formats = {};
  HaveFormats = false;
}

bool PerfHeader::addEvent(std::string_view Body) {
  const uint64_t Size = in(Body).at<uint32_t>(4);
  auto Event = PerfEvent::read(Body.substr(0, Size), Big);
  if (!Event)
    return false;
  Events.add(*Event, numbers(in(Body).part(Size, Body.size())));
  return true;
}

void PerfHeader::addFeature(uint64_t Which, std::string_view Body) {
  if (Which == FeatureTracingData)
    return addFormats(Body);
  ForeignBytes In = in(Body);
  auto Word = [&] {
    std::string_view Part = In.take(In.take<uint32_t>());
    return std::string(Part.substr(0, Part.find('\0')));
  };
  if (Which == FeatureRelease) {
    Text["kernel"] = Word();
  } else if (Which == FeatureCommand) {
    std::string Command;
    for (uint32_t Left = In.take<uint32_t>(); Left && In.good(); --Left)
      Command += (Command.empty() ? "" : " ") + Word();
    Text["command"] = Command;
  }
}

void PerfHeader::addFormats(std::string_view Body) {
  if (HaveFormats)
    return;
  HaveFormats = true;
  std::string Wrong = readTracingData(Body, Formats, PageBytes);
  if (!Wrong.empty())
    Damage = Wrong;
}

} // namespace kst
