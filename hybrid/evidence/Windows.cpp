// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/evidence/Windows.h"

#include "hybrid/core/StrongestSites.h"

#include <algorithm>

namespace kst {

Windows::Windows(uint32_t Fields, const WindowOptions &Given)
    : N(Fields), Options(Given), Reads(Fields), Writes(Fields),
      Adjacent(size_t(Fields) * Fields) {
  Options.Window = std::clamp(Options.Window, 2u, MostInWindow);
  Options.MaxStreams = std::max(1u, Options.MaxStreams);
}

void Windows::add(const WindowEvent &E) {
  if (E.Field >= N)
    return;
  ++Events;
  const bool Reading = !E.Write || E.Both, Writing = E.Write || E.Both;
  Reads[E.Field] += Reading;
  Writes[E.Field] += Writing;
  Users.add(E.Instance, E.Cpu);
  Key Who{E.Instance, E.Cpu};
  if (!LastStream || !(LastKey == Who)) {
    auto It = Streams.find(Who);
    if (It == Streams.end()) {
      if (Streams.size() >= Options.MaxStreams) {
        // One that would be missed most is not worth finding out.
        for (auto &[Other, Of] : Streams)
          close(Of);
        Streams.clear();
      }
      It = Streams.try_emplace(Who).first;
    }
    LastKey = Who;
    LastStream = &It->second;
  }
  Stream &Of = *LastStream;
  if (Of.Last != E.Field) {
    if (Of.InWindow == Options.Window)
      close(Of);
    ++Of.InWindow;
    if (Of.Last != Stream::NoField) {
      ++Adjacent[size_t(E.Field) * N + Of.Last];
      ++Adjacent[size_t(Of.Last) * N + E.Field];
    }
    Of.Last = E.Field;
  }
  ++Of.Events;
  Of.ByOthers += E.ByOther;
  Use *Here = nullptr;
  for (uint32_t I = 0; I != Of.Used && !Here; ++I)
    if (Of.Window[I].Field == E.Field)
      Here = &Of.Window[I];
  if (!Here) {
    Here = &Of.Window[Of.Used++];
    *Here = Use();
    Here->Field = E.Field;
    if (Of.InWindow == 0)
      Of.InWindow = 1; // the rest of a run whose window was closed
  }
  Here->Reads += Reading;
  Here->Writes += Writing;
  if (Reading && Here->Reader == WindowEvent::NoSite)
    Here->Reader = E.Site;
  if (Writing && Here->Writer == WindowEvent::NoSite)
    Here->Writer = E.Site;
  Here->ByReader += Reading && Here->Reader == E.Site;
  Here->ByWriter += Writing && Here->Writer == E.Site;
  if (E.OffsetBytes == WindowEvent::NoOffset)
    return;
  const uint32_t Offset = E.OffsetBytes / SpotBytes * SpotBytes;
  const auto Begin = Here->SpotAt.begin(), End = Begin + Here->Spots;
  const auto At = uint32_t(std::find(Begin, End, Offset) - Begin);
  if (At == MostSpots)
    return;
  if (At == Here->Spots)
    Here->SpotAt[Here->Spots++] = Offset;
  Here->SpotWrites[At] += Writing;
}

/// Null when there is no site, or no room for another.
WindowSite *Windows::site(SetCount &In, uint32_t Number, uint32_t Site) {
  if (Site == WindowEvent::NoSite)
    return nullptr;
  auto It = In.Sites.find({Number, Site});
  if (It == In.Sites.end() && SitesKept < Options.MaxSites) {
    ++SitesKept;
    It = In.Sites.try_emplace({Number, Site}).first;
  }
  return It == In.Sites.end() ? nullptr : &It->second;
}

void Windows::addSpots(SetCount &In, uint32_t Number, const Use &Of) {
  for (uint32_t S = 0; S != Of.Spots; ++S) {
    auto It = In.Spots.find({Number, Of.SpotAt[S]});
    if (It == In.Spots.end() && SitesKept < Options.MaxSites) {
      ++SitesKept;
      It = In.Spots.try_emplace({Number, Of.SpotAt[S]}).first;
    }
    if (It == In.Spots.end())
      continue;
    ++It->second.Windows;
    It->second.Writes += Of.SpotWrites[S];
  }
}

void Windows::close(Stream &Of) {
  if (!Of.Used)
    return;
  std::sort(Of.Window, Of.Window + Of.Used,
            [](const Use &A, const Use &B) { return A.Field < B.Field; });
  std::u32string Name(1, 2 * Of.ByOthers > Of.Events);
  for (uint32_t I = 0; I != Of.Used; ++I)
    Name.push_back(static_cast<char32_t>(Of.Window[I].Field));
  auto It = Sets.find(Name);
  if (It == Sets.end() && Sets.size() < Options.MaxSets)
    It = Sets.try_emplace(Name).first;
  if (It != Sets.end()) {
    SetCount &Into = It->second;
    Into.Reads.resize(Of.Used);
    Into.Writes.resize(Of.Used);
    ++Into.Windows;
    for (uint32_t I = 0; I != Of.Used; ++I) {
      Into.Reads[I] += Of.Window[I].Reads;
      Into.Writes[I] += Of.Window[I].Writes;
      if (WindowSite *By = site(Into, I, Of.Window[I].Reader))
        By->Reads += Of.Window[I].ByReader;
      if (WindowSite *By = site(Into, I, Of.Window[I].Writer))
        By->Writes += Of.Window[I].ByWriter;
      addSpots(Into, I, Of.Window[I]);
    }
  }
  Of.Used = Of.InWindow = Of.Events = Of.ByOthers = 0;
}

void Windows::finish() {
  for (auto &[At, Of] : Streams)
    close(Of);
  Streams.clear();
  LastStream = nullptr;
}

std::vector<CoAccessSet> Windows::sets() const {
  std::vector<std::pair<const std::u32string *, const SetCount *>> Order;
  for (const auto &[Name, Of] : Sets)
    Order.push_back({&Name, &Of});
  std::ranges::sort(Order, [](const auto &A, const auto &B) {
    if (A.second->Windows != B.second->Windows)
      return A.second->Windows > B.second->Windows;
    return *A.first < *B.first;
  });
  std::vector<CoAccessSet> All;
  for (const auto &[Name, Of] : Order) {
    CoAccessSet Set;
    Set.Weight = double(Of->Windows);
    Set.Kind = SetKind::Trace;
    Set.Cpu = Name->front() ? CpuRelation::Remote : CpuRelation::Local;
    Set.From.From = Origin::Measured;
    Set.From.MeasuredShare = 1;
    Set.From.Counted = Set.Weight;
    for (uint32_t I = 0; I + 1 != Name->size(); ++I) {
      FieldTouch Touch;
      Touch.Field = (*Name)[I + 1];
      Touch.Probability = 1;
      Touch.Reads = double(Of->Reads[I]) / Set.Weight;
      Touch.Writes = double(Of->Writes[I]) / Set.Weight;
      for (auto At = Of->Sites.lower_bound({I, 0});
           At != Of->Sites.end() && At->first.first == I; ++At)
        if (At->first.second < Places.size())
          Touch.Sites.push_back({Places[At->first.second],
                                 double(At->second.Reads) / Set.Weight,
                                 double(At->second.Writes) / Set.Weight});
      mergePlaces(Touch.Sites);
      keepStrongest(Touch.Sites);
      for (auto At = Of->Spots.lower_bound({I, 0});
           At != Of->Spots.end() && At->first.first == I; ++At)
        kst::addSpots(
            Touch.Spots,
            {{At->first.second, double(At->second.Windows) / Set.Weight,
              double(At->second.Writes) / Set.Weight}},
            1, 1);
      Set.Touches.push_back(std::move(Touch));
    }
    All.push_back(std::move(Set));
  }
  return All;
}

} // namespace kst
