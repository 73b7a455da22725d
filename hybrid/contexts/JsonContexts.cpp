// SPDX-License-Identifier: GPL-2.0-or-later
//
// The report on contexts as JSON, for programs.

#include "hybrid/contexts/ContextsReport.h"

#include "hybrid/report/JsonText.h"
#include "hybrid/report/Numbers.h"

#include <nlohmann/json.hpp>

namespace kst {
namespace {

using Json = nlohmann::ordered_json;

Json byRule(const std::array<uint64_t, OwnerRules> &Of) {
  return {{"pointers", Of[0]},
          {"descriptor", Of[1]},
          {"last_file", Of[2]},
          {"none", Of[3]}};
}

Json agreementJson(const Attributed::Agreement &Of) {
  return {{"bytes", Of.Both}, {"same", Of.Same}};
}

Json attributedJson(const Attributed &Of) {
  return {{"objects", byRule(Of.Objects)},
          {"bytes", byRule(Of.Bytes)},
          {"alone", byRule(Of.Alone)},
          {"pointers_descriptor", agreementJson(Of.PointerCall)},
          {"pointers_last_file", agreementJson(Of.PointerTask)},
          {"descriptor_last_file", agreementJson(Of.CallTask)},
          {"interrupt_bytes", Of.SoftirqBytes},
          {"interrupt_none", Of.SoftirqNone},
          {"changed", Of.Changed}};
}

Json truthJson(const PageTruth &Of) {
  return {{"pages", Of.Pages},
          {"said", Of.Said},
          {"right", Of.Right},
          {"precision", rounded(Of.precision())},
          {"recall", rounded(Of.recall())}};
}

Json livesJson(const LifeTimes &Of) {
  Json Out = {{"ended", Of.endedCount()}, {"living", Of.livingCount()}};
  for (const auto &[Name, Share] :
       {std::pair{"p25", 0.25}, std::pair{"median", 0.5},
        std::pair{"p75", 0.75}}) {
    const auto Time = Of.quantile(Share);
    Out[Name] = Time ? Json(rounded(*Time)) : Json(nullptr);
  }
  return Out;
}

Json purityJson(const Purity &Of) {
  return {{"slabs", Of.Slabs},
          {"objects", Of.Objects},
          {"known", Of.Known},
          {"pure", Of.Pure},
          {"slab_bytes", Of.SlabBytes},
          {"purity", rounded(Of.mean())},
          {"by_chance", rounded(Of.chance())}};
}

Json typeJson(const OwnedType &Of) {
  return {{"name", Of.Name},
          {"path", Of.Path},
          {"found", attributedJson(Of.Found)},
          {"lives", livesJson(Of.Lives)},
          {"purity", purityJson(Of.Pages)}};
}

Json partsJson(const OwnerClass &Of) {
  Json Out = Json::array();
  for (const OwnerClass::Part &Part : Of.Parts)
    Out.push_back({{"type", Part.Type},
                   {"objects", Part.Objects},
                   {"bytes", Part.Bytes},
                   {"stranded_mean", rounded(Part.StrandedMean)}});
  return Out;
}

Json classJson(const OwnerClass &Of) {
  return {{"name", Of.Name},
          {"contexts", Of.Contexts},
          {"opened", Of.Opened},
          {"reopened", Of.Reopened},
          {"ended", Of.Ended},
          {"closed_at_end", Of.ClosedAtEnd},
          {"slab_objects", Of.SlabObjects},
          {"slab_bytes", Of.SlabBytes},
          {"file_pages", Of.FilePages},
          {"file_bytes", Of.FileBytes},
          {"accesses", Of.Accesses},
          {"accesses_between", Of.BetweenAccesses},
          {"accesses_late", Of.LateAccesses},
          {"slab_lives", livesJson(Of.SlabLives)},
          {"page_lives", livesJson(Of.PageLives)},
          {"stranded_mean", rounded(Of.StrandedMean)},
          {"stranded_most", Of.StrandedMost},
          {"stranded_at_end", Of.StrandedAtEnd},
          {"types", partsJson(Of)}};
}

Json rowJson(const OwnerRow &Of) {
  Json Out = {{"class", Of.Class}, {"anchor", Of.Anchor}};
  if (Of.Named) {
    Out["device"] = Of.Device;
    Out["inode"] = Of.Inode;
  }
  Out.update({{"opens", Of.Opens},
              {"slab_objects", Of.SlabObjects},
              {"slab_bytes", Of.SlabBytes},
              {"file_pages", Of.FilePages},
              {"live_bytes_at_end", Of.LiveBytesAtEnd},
              {"accesses_late", Of.LateAccesses},
              {"closed", Of.Closed},
              {"ended", Of.Ended}});
  return Out;
}

Json bytesJson(const OwnerWindow::Bytes &Of) {
  return {{"open", Of.Open},
          {"closed", Of.Closed},
          {"unopened", Of.Unopened},
          {"none", Of.None}};
}

} // namespace

std::string toJson(const ContextsReport &R, const ToolId &Tool) {
  Json Types = Json::array(), Classes = Json::array(), Rows = Json::array(),
       Windows = Json::array();
  for (const OwnedType &Of : R.Types)
    Types.push_back(typeJson(Of));
  for (const OwnerClass &Of : R.Classes)
    Classes.push_back(classJson(Of));
  for (const OwnerRow &Of : R.Largest)
    Rows.push_back(rowJson(Of));
  for (const OwnerWindow &Of : R.Windows)
    Windows.push_back({{"time", Of.Time},
                       {"slab", bytesJson(Of.Slab)},
                       {"file", bytesJson(Of.File)}});
  Json Truth = Json::object();
  for (size_t I = 0; I < OwnerRules; ++I)
    Truth[I + 1 == OwnerRules ? "best"
          : I == 2            ? "last_file"
                              : spelling(OwnerRule(I))] = truthJson(R.Truth[I]);
  Json All = {{"schema", "kst-contexts/1"},
              {"tool", {{"version", Tool.Version}, {"llvm", Tool.Llvm}}},
              {"trace",
               {{"file", R.File},
                {"label", R.Label},
                {"clock", R.Clock},
                {"events", R.Events},
                {"lost", R.Lost},
                {"complete", R.Complete},
                {"limits", R.Limits},
                {"pointers", R.Pointers},
                {"descriptors", R.Descriptors},
                {"page_cache", R.PageCache},
                {"samples", R.Samples}}},
              {"anchors", R.Anchors},
              {"misfits", R.Misfits},
              {"slab", attributedJson(R.Slab)},
              {"files", attributedJson(R.FilePages)},
              {"page_cache", std::move(Truth)},
              {"contexts_named", R.NamedContexts},
              {"contexts_mixed", R.MixedContexts},
              {"types", std::move(Types)},
              {"classes", std::move(Classes)},
              {"largest", std::move(Rows)},
              {"lives",
               {{"slab_of_contexts", livesJson(R.SlabOwned)},
                {"slab_of_none", livesJson(R.SlabOther)},
                {"files", livesJson(R.FileLives)},
                {"applications", livesJson(R.ApplicationLives)}}},
              {"windows", std::move(Windows)}};
  return jsonText(All, 1) + "\n";
}

} // namespace kst
