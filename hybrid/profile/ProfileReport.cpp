// SPDX-License-Identifier: GPL-2.0-or-later
//
// See ProfileReport.h.

#include "hybrid/profile/ProfileReport.h"

#include "hybrid/profile/ProfileView.h"
#include "hybrid/report/Numbers.h"
#include "hybrid/report/TextStyle.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace kst {

namespace {

using Json = nlohmann::ordered_json;

/// Columns as wide as their longest cell; those in Left are set left, the last
/// one is not padded.
struct Table {
  std::vector<std::vector<std::string>> Rows;
  std::string Left; ///< one character per column: 'l' or 'r'
  std::string text() const {
    std::vector<size_t> Widths(Left.size());
    for (const auto &Row : Rows)
      for (size_t C = 0; C < Row.size(); ++C)
        Widths[C] = std::max(Widths[C], Row[C].size());
    std::string Out;
    for (const auto &Row : Rows) {
      std::string Line;
      for (size_t C = 0; C < Row.size(); ++C)
        Line += "  " + (Left[C] == 'l' ? padRight(Row[C], Widths[C])
                                       : padLeft(Row[C], Widths[C]));
      Line.erase(Line.find_last_not_of(' ') + 1);
      Out += Line + "\n";
    }
    return Out;
  }
};

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

class TextOfProfile {
public:
  explicit TextOfProfile(const ProfileReport &R)
      : R(R), P(R.What), View(viewOf(P, R.Struct)) {}

  std::string run() {
    about();
    coverage();
    for (const MeasuredStructView &S : View.Structs)
      structure(S);
    functions();
    return Out;
  }

private:
  void fact(const std::string &Name, const std::string &What) {
    if (!What.empty())
      Out += wrapped("  " + padRight(Name, 12) + "  ", What, 100);
  }
  std::string known(const char *Key) const {
    auto At = P.Text.find(Key);
    return At == P.Text.end() ? "" : At->second;
  }
  bool beyondTop(size_t Row) const { return R.Top && Row >= R.Top; }
  void more(size_t Rows, const char *What) {
    if (R.Top && Rows > R.Top)
      Out +=
          "  and " + counted(Rows - R.Top, What) + " more; --top 0 has all\n";
  }

  void about();
  void coverage();
  void structure(const MeasuredStructView &S);
  void functions();
  std::string place(const MeasuredField &F) const;
  std::string users(const MeasuredField &F) const;

  const ProfileReport &R;
  const Profile &P;
  ProfileView View;
  std::string Out;
};

void TextOfProfile::about() {
  Out += "profile " + R.File + "\n";
  static const std::pair<const char *, const char *> First[] = {
      {"source", "source"},   {"program", "program"}, {"label", "workload"},
      {"release", "release"}, {"machine", "machine"}, {"config", "config"},
      {"cpus", "CPUs"}};
  for (auto [Key, Name] : First)
    fact(Name, known(Key));
  std::string Runs = counted(P.Runs, "run");
  if (P.DurationNs)
    Runs += ", " + brief(static_cast<double>(P.DurationNs) / 1e9) + " s in all";
  fact("measured", Runs);
  fact("lost", P.Lost ? count(P.Lost) + " events or objects were not recorded"
                      : "nothing, as far as the recorder says");
  for (const auto &[Key, Value] : P.Text)
    if (std::none_of(std::begin(First), std::end(First),
                     [&](auto &Known) { return Key == Known.first; }))
      fact(Key, Value);
}

void TextOfProfile::coverage() {
  if (View.Sites)
    fact("sites", count(View.SitesRun) + " of " + count(View.Sites) +
                      " places of the source ran (" +
                      share(View.SitesRun, View.Sites) + ")");
  if (View.Regions)
    fact("regions", count(View.RegionsRun) + " of " + count(View.Regions) +
                        " pieces of code ran (" +
                        share(View.RegionsRun, View.Regions) + ")");
  if (View.Samples)
    fact("samples",
         count(View.Samples) + " in " + counted(P.Samples.size(), "function"));
  if (View.ByAddressSites)
    fact("by address",
         count(View.ByAddressSites) +
             " accesses through pointers that may lead into a struct");
  if (!P.NotCounted.empty()) {
    std::string Names;
    size_t Row = 0;
    for (; Row < P.NotCounted.size() && !beyondTop(Row); ++Row)
      Names += (Row ? ", " : "") + P.text(P.NotCounted[Row].Function);
    if (Row < P.NotCounted.size())
      Names += ", ...";
    fact("not counted",
         counted(P.NotCounted.size(), "function") + ", by rule: " + Names);
  }
}

/// "16", "16:3-7" for bits, or the path.
std::string TextOfProfile::place(const MeasuredField &F) const {
  if (F.Field)
    return P.text(F.Field);
  std::string Text = count(F.OffsetBytes);
  if (F.Bits)
    Text += ":" + count(F.FirstBit) + "-" + count(F.FirstBit + F.Bits - 1);
  return Text;
}

std::string TextOfProfile::users(const MeasuredField &F) const {
  std::string Text;
  size_t Shown = std::min<size_t>(F.Functions.size(), 3);
  for (size_t I = 0; I < Shown; ++I)
    Text += (I ? ", " : "") + P.text(F.Functions[I].Name) + " " +
            share(F.Functions[I].Count, F.Sums.total());
  if (Shown < F.Functions.size())
    Text += ", " + count(F.Functions.size() - Shown) + " more";
  return Text;
}

void TextOfProfile::structure(const MeasuredStructView &S) {
  const MeasuredStruct &Of = P.Structs[S.Struct];
  Out += "\nstruct " + P.text(Of.Name);
  if (Of.SizeBytes)
    Out += ", " + counted(Of.SizeBytes, "byte");
  Out += ": " + counted(S.Sums.Reads, "read") + ", " +
         counted(S.Sums.Writes, "write");
  if (S.Sums.BulkReads || S.Sums.BulkWrites)
    Out += ", in bulk " + counted(S.Sums.BulkReads, "read") + ", " +
           counted(S.Sums.BulkWrites, "write");
  if (S.AddressReads || S.AddressWrites)
    Out += ", by address " + counted(S.AddressReads, "read") + ", " +
           counted(S.AddressWrites, "write");
  Out += "\n";
  if (S.Fields.empty())
    return;
  // The most accessed places, in the order of the struct.
  std::vector<const MeasuredField *> Rows;
  for (const MeasuredField &F : S.Fields)
    Rows.push_back(&F);
  auto Weight = [](const MeasuredField &F) {
    return static_cast<double>(F.Sums.total()) +
           static_cast<double>(F.AddressReads) +
           static_cast<double>(F.AddressWrites);
  };
  std::stable_sort(Rows.begin(), Rows.end(),
                   [&](auto *A, auto *B) { return Weight(*A) > Weight(*B); });
  if (R.Top && Rows.size() > R.Top)
    Rows.resize(R.Top);
  std::sort(Rows.begin(), Rows.end()); // they lie side by side in S.Fields
  bool Bulk = S.Sums.BulkReads || S.Sums.BulkWrites;
  bool Address = S.AddressReads || S.AddressWrites;
  Table T;
  const bool Named = R.Members.count({P.text(Of.Name), Of.SizeBytes});
  T.Left = Named ? "llrrrr" : "lrrrr";
  std::vector<std::string> Head = {"offset", "size", "reads", "writes",
                                   "share"};
  if (Named)
    Head.insert(Head.begin() + 1, "field");
  auto Column = [&](bool On, const char *Name) {
    if (On) {
      Head.push_back(Name);
      T.Left += 'r';
    }
  };
  Column(Bulk, "bulk reads");
  Column(Bulk, "bulk writes");
  Column(S.Sums.Addresses, "passed on");
  Column(Address, "by address r");
  Column(Address, "by address w");
  Head.push_back("ran/sites");
  Head.push_back("in functions");
  T.Left += "rl";
  T.Rows.push_back(Head);
  for (const MeasuredField *F : Rows) {
    std::vector<std::string> Row = {place(*F),
                                    F->SizeBytes ? count(F->SizeBytes) : "",
                                    count(F->Sums.Reads), count(F->Sums.Writes),
                                    share(F->Sums.total(), S.Sums.total())};
    if (Named)
      Row.insert(Row.begin() + 1, shortened(fieldName(R, Of, *F), 40));
    if (Bulk) {
      Row.push_back(count(F->Sums.BulkReads));
      Row.push_back(count(F->Sums.BulkWrites));
    }
    if (S.Sums.Addresses)
      Row.push_back(count(F->Sums.Addresses));
    if (Address) {
      Row.push_back(count(F->AddressReads));
      Row.push_back(count(F->AddressWrites));
    }
    Row.push_back(count(F->SitesRun) + "/" + count(F->Sites));
    Row.push_back(users(*F));
    T.Rows.push_back(std::move(Row));
  }
  Out += T.text();
  more(S.Fields.size(), "place");
}

void TextOfProfile::functions() {
  if (View.Functions.empty())
    return;
  uint64_t All = 0;
  bool Entries = false;
  for (const FunctionView &F : View.Functions) {
    if (__builtin_add_overflow(All, F.Accesses, &All))
      All = ~uint64_t(0);
    Entries |= F.Entries > 0;
  }
  Out += "\nfunctions\n";
  Table T;
  T.Left = "l";
  std::vector<std::string> Head = {"function"};
  auto Column = [&](bool On, std::initializer_list<const char *> Names) {
    for (const char *Name : Names)
      if (On) {
        Head.push_back(Name);
        T.Left += 'r';
      }
  };
  Column(View.Sites, {"accesses", "share"});
  Column(Entries, {"entered"});
  Column(View.Sites, {"ran/sites"});
  Column(View.Samples, {"samples", "share"});
  T.Rows.push_back(Head);
  for (size_t I = 0; I < View.Functions.size() && !beyondTop(I); ++I) {
    const FunctionView &F = View.Functions[I];
    std::vector<std::string> Row = {P.text(F.Function)};
    if (View.Sites) {
      Row.push_back(count(F.Accesses));
      Row.push_back(share(F.Accesses, All));
    }
    if (Entries)
      Row.push_back(count(F.Entries));
    if (View.Sites)
      Row.push_back(count(F.SitesRun) + "/" + count(F.Sites));
    if (View.Samples) {
      Row.push_back(count(F.Samples));
      Row.push_back(share(F.Samples, View.Samples));
    }
    T.Rows.push_back(std::move(Row));
  }
  Out += T.text();
  more(View.Functions.size(), "function");
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

std::string toText(const ProfileReport &R) { return TextOfProfile(R).run(); }

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
  return Out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace kst
