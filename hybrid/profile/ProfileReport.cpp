// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/profile/ProfileReport.h"

#include "hybrid/profile/ProfileView.h"
#include "hybrid/report/JsonText.h"
#include "hybrid/report/Numbers.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace kst {

namespace {

using Json = nlohmann::ordered_json;

std::string count(uint64_t N) { return std::to_string(N); }

std::string share(uint64_t Part, uint64_t Of) {
  return Of ? percent(static_cast<double>(Part) / static_cast<double>(Of)) : "";
}

/// The path of a counted place, "" if nobody knows.
std::string fieldName(const ProfileReport &R, const MeasuredStruct &Of,
                      const MeasuredField &F) {
  if (F.Field)
    return R.What.text(F.Field);
  auto Known = R.Members.find({R.What.text(Of.Name), Of.SizeBytes});
  return Known == R.Members.end()
             ? std::string()
             : memberAt(Known->second, F.OffsetBytes * 8ull + F.FirstBit);
}

/// Drops the columns that are not On.
void keepColumns(Table &T, const std::vector<bool> &On) {
  for (size_t C = On.size(); C-- > 0;) {
    if (On[C])
      continue;
    T.Columns.erase(T.Columns.begin() + long(C));
    for (Table::Row &Row : T.Rows)
      Row.Cells.erase(Row.Cells.begin() + long(C));
  }
}

Table about(const ProfileReport &R, const ProfileView &View) {
  const Profile &P = R.What;
  Table T{{{"about"}, {""}}};
  T.Quiet = true;
  auto Fact = [&](const std::string &Name, const Sentence &What) {
    if (!What.empty())
      T.Rows.push_back({{Name, What}});
  };
  static const std::pair<const char *, const char *> First[] = {
      {"source", "source"},   {"program", "program"}, {"label", "workload"},
      {"release", "release"}, {"machine", "machine"}, {"config", "config"},
      {"cpus", "CPUs"}};
  for (auto [Key, Name] : First)
    if (auto Known = P.Text.find(Key); Known != P.Text.end())
      Fact(Name, Known->second);
  std::string Runs = counted(P.Runs, "run");
  if (P.DurationNs)
    Runs += ", " + brief(static_cast<double>(P.DurationNs) / 1e9) + " s in all";
  Fact("measured", Runs);
  Fact("lost", P.Lost ? count(P.Lost) + " events or objects were not recorded"
                      : "nothing, as far as the recorder says");
  for (const auto &[Key, Value] : P.Text)
    if (std::none_of(std::begin(First), std::end(First),
                     [&](auto &Known) { return Key == Known.first; }))
      Fact(Key, Value);
  if (View.Sites)
    Fact("sites", count(View.SitesRun) + " of " + count(View.Sites) +
                      " places of the source ran (" +
                      share(View.SitesRun, View.Sites) + ")");
  if (View.Regions)
    Fact("regions", count(View.RegionsRun) + " of " + count(View.Regions) +
                        " pieces of code ran (" +
                        share(View.RegionsRun, View.Regions) + ")");
  if (View.Samples)
    Fact("samples",
         count(View.Samples) + " in " + counted(P.Samples.size(), "function"));
  if (View.ByAddressSites)
    Fact("by address",
         count(View.ByAddressSites) +
             " accesses through pointers that may lead into a struct");
  if (P.NotCounted.empty())
    return T;
  std::vector<Sentence> Names;
  for (const SourceFunction &F : P.NotCounted)
    Names.push_back(code(P.text(F.Function)));
  Fact("not counted", counted(Names.size(), "function") + ", by rule: " +
                          listed(Names, R.Top ? R.Top : Names.size()));
  return T;
}

/// "16", "16:3-7" for bits, or the path.
std::string place(const Profile &P, const MeasuredField &F) {
  if (F.Field)
    return P.text(F.Field);
  std::string Text = count(F.OffsetBytes);
  if (F.Bits)
    Text += ":" + count(F.FirstBit) + "-" + count(F.FirstBit + F.Bits - 1);
  return Text;
}

Sentence users(const Profile &P, const MeasuredField &F) {
  std::vector<Sentence> Users;
  for (const NamedCount &User : F.Functions)
    Users.push_back(code(P.text(User.Name)) + " " +
                    share(User.Count, F.Sums.total()));
  return listed(Users, 3);
}

Section structure(const ProfileReport &R, const MeasuredStructView &S) {
  const Profile &P = R.What;
  const MeasuredStruct &Of = P.Structs[S.Struct];
  const bool Bulk = S.Sums.BulkReads || S.Sums.BulkWrites;
  const bool Address = S.AddressReads || S.AddressWrites;
  auto Sums = [](uint64_t Reads, uint64_t Writes) {
    return counted(Reads, "read") + ", " + counted(Writes, "write");
  };
  Section Part{
      "struct " + P.text(Of.Name) +
      (Of.SizeBytes ? ", " + counted(Of.SizeBytes, "byte") : "") + ": " +
      Sums(S.Sums.Reads, S.Sums.Writes) +
      (Bulk ? ", in bulk " + Sums(S.Sums.BulkReads, S.Sums.BulkWrites) : "") +
      (Address ? ", by address " + Sums(S.AddressReads, S.AddressWrites) : "")};
  Part.Wide = true;
  if (S.Fields.empty())
    return Part;
  // In short the most accessed places, in the order of the struct.
  auto Weight = [](const MeasuredField &F) {
    return static_cast<double>(F.Sums.total()) +
           static_cast<double>(F.AddressReads) +
           static_cast<double>(F.AddressWrites);
  };
  std::vector<const MeasuredField *> Most;
  for (const MeasuredField &F : S.Fields)
    Most.push_back(&F);
  std::ranges::stable_sort(
      Most, [&](auto *A, auto *B) { return Weight(*A) > Weight(*B); });
  if (R.Top && Most.size() > R.Top)
    Most.resize(R.Top);
  Table T{{{"offset"},
           {"field"},
           {"size", true},
           {"reads", true},
           {"writes", true},
           {"share", true},
           {"bulk reads", true},
           {"bulk writes", true},
           {"passed on", true},
           {"by address r", true},
           {"by address w", true},
           {"ran/sites", true},
           {"in functions"}}};
  for (const MeasuredField &F : S.Fields)
    T.Rows.push_back(
        {{place(P, F), code(fieldName(R, Of, F)),
          F.SizeBytes ? count(F.SizeBytes) : "", count(F.Sums.Reads),
          count(F.Sums.Writes), share(F.Sums.total(), S.Sums.total()),
          count(F.Sums.BulkReads), count(F.Sums.BulkWrites),
          count(F.Sums.Addresses), count(F.AddressReads),
          count(F.AddressWrites), count(F.SitesRun) + "/" + count(F.Sites),
          users(P, F)},
         std::ranges::find(Most, &F) == Most.end() ? Shown::Full
                                                   : Shown::Always});
  const bool Named = R.Members.count({P.text(Of.Name), Of.SizeBytes});
  const bool PassedOn = S.Sums.Addresses > 0;
  keepColumns(T, {true, Named, true, true, true, true, Bulk, Bulk, PassedOn,
                  Address, Address, true, true});
  T.Rest = "and " + counted(S.Fields.size() - Most.size(), "place") +
           " more; --top 0 has all";
  Part.Body.push_back(std::move(T));
  return Part;
}

Table functions(const ProfileReport &R, const ProfileView &View) {
  uint64_t All = 0;
  bool Entries = false;
  for (const FunctionView &F : View.Functions) {
    if (__builtin_add_overflow(All, F.Accesses, &All))
      All = ~uint64_t(0);
    Entries |= F.Entries > 0;
  }
  Table T{{{"function"},
           {"accesses", true},
           {"share", true},
           {"entered", true},
           {"ran/sites", true},
           {"samples", true},
           {"share", true}}};
  for (const FunctionView &F : View.Functions)
    T.Rows.push_back({{code(R.What.text(F.Function)), count(F.Accesses),
                       share(F.Accesses, All), count(F.Entries),
                       count(F.SitesRun) + "/" + count(F.Sites),
                       count(F.Samples), share(F.Samples, View.Samples)}});
  const bool Sites = View.Sites, Samples = View.Samples;
  keepColumns(T, {true, Sites, Sites, Entries, Sites, Samples, Samples});
  if (R.Top && T.Rows.size() > R.Top) {
    T.shorten(R.Top);
    T.Rest = "and " + counted(T.Rows.size() - R.Top, "function") +
             " more; --top 0 has all";
  }
  return T;
}

Json fieldJson(const ProfileReport &R, const MeasuredStruct &Of,
               const MeasuredField &F) {
  const Profile &P = R.What;
  Json Out{{"offset", F.OffsetBytes}, {"size", F.SizeBytes}};
  if (F.Bits) {
    Out["first_bit"] = F.FirstBit;
    Out["bits"] = F.Bits;
  }
  if (std::string Name = fieldName(R, Of, F); !Name.empty())
    Out["field"] = Name;
  Out["reads"] = F.Sums.Reads;
  Out["writes"] = F.Sums.Writes;
  Out["bulk_reads"] = F.Sums.BulkReads;
  Out["bulk_writes"] = F.Sums.BulkWrites;
  Out["addresses"] = F.Sums.Addresses;
  Out["by_address_reads"] = F.AddressReads;
  Out["by_address_writes"] = F.AddressWrites;
  Out["sites"] = F.Sites;
  Out["sites_run"] = F.SitesRun;
  Json Functions = Json::array();
  for (const NamedCount &Of : F.Functions)
    Functions.push_back({{"name", P.text(Of.Name)}, {"accesses", Of.Count}});
  Out["functions"] = std::move(Functions);
  return Out;
}

Json structJson(const ProfileReport &R, const MeasuredStructView &S) {
  const Profile &P = R.What;
  const MeasuredStruct &Of = P.Structs[S.Struct];
  Json Elements = Json::array(), Fields = Json::array();
  for (const MeasuredElement &E : P.elements(Of))
    Elements.push_back({E.OffsetBytes, E.SizeBytes});
  for (const MeasuredField &F : S.Fields)
    Fields.push_back(fieldJson(R, Of, F));
  return {{"name", P.text(Of.Name)},
          {"size", Of.SizeBytes},
          {"elements", std::move(Elements)},
          {"reads", S.Sums.Reads},
          {"writes", S.Sums.Writes},
          {"bulk_reads", S.Sums.BulkReads},
          {"bulk_writes", S.Sums.BulkWrites},
          {"by_address_reads", S.AddressReads},
          {"by_address_writes", S.AddressWrites},
          {"fields", std::move(Fields)}};
}

} // namespace

Document describe(const ProfileReport &R) {
  ProfileView View = viewOf(R.What, R.Struct);
  Document Doc{R.File, "profile " + R.File, {about(R, View)}, {}};
  for (const MeasuredStructView &S : View.Structs)
    Doc.Sections.push_back(structure(R, S));
  if (!View.Functions.empty())
    Doc.Sections.push_back({"functions", {functions(R, View)}});
  return Doc;
}

std::string toJson(const ProfileReport &R) {
  const Profile &P = R.What;
  ProfileView View = viewOf(P, R.Struct);
  Json Text = Json::object(), Structs = Json::array(),
       Functions = Json::array(), NotCounted = Json::array();
  for (const auto &[Key, Value] : P.Text)
    Text[Key] = Value;
  for (const MeasuredStructView &S : View.Structs)
    Structs.push_back(structJson(R, S));
  for (const FunctionView &F : View.Functions)
    Functions.push_back({{"name", P.text(F.Function)},
                         {"accesses", F.Accesses},
                         {"entries", F.Entries},
                         {"samples", F.Samples},
                         {"sites", F.Sites},
                         {"sites_run", F.SitesRun}});
  for (const SourceFunction &F : P.NotCounted)
    NotCounted.push_back(
        {{"name", P.text(F.Function)}, {"file", P.text(F.File)}});
  Json Out{{"schema", "kst-profile/1"},
           {"tool", {{"version", R.Tool.Version}, {"llvm", R.Tool.Llvm}}},
           {"about", std::move(Text)},
           {"runs", P.Runs},
           {"duration_ns", P.DurationNs},
           {"lost", P.Lost},
           {"coverage",
            {{"sites", View.Sites},
             {"sites_run", View.SitesRun},
             {"regions", View.Regions},
             {"regions_run", View.RegionsRun},
             {"samples", View.Samples},
             {"not_counted", std::move(NotCounted)}}},
           {"structs", std::move(Structs)},
           {"functions", std::move(Functions)}};
  return jsonText(Out, 2) + "\n";
}

} // namespace kst
