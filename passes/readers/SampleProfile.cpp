// SPDX-License-Identifier: GPL-2.0-or-later

#include "passes/readers/SampleProfile.h"

#include "hybrid/profile/ProfileBuilder.h"
#include "passes/readers/SampleNames.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/ProfileData/SampleProfReader.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/VirtualFileSystem.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace kst {
namespace {

using llvm::sampleprof::FunctionSamples;

/// A copy with a zero behind it: LLVM's readers of text look for that.
std::unique_ptr<llvm::MemoryBuffer> bufferOf(std::string_view Bytes,
                                             const std::string &File) {
  return llvm::MemoryBuffer::getMemBufferCopy({Bytes.data(), Bytes.size()},
                                              File);
}

void add(uint64_t &To, uint64_t Count) { To = llvm::SaturatingAdd(To, Count); }

/// A function of the source, all its copies together.
struct Flat {
  uint64_t Heads = 0;          ///< entries of copies that are functions
  uint64_t PartHeads = 0;      ///< of pieces of it that are
  bool Whole = false;          ///< there is one that is no piece
  uint64_t Calls = 0;          ///< that others saw going there
  uint64_t Inlined = 0;        ///< entries of inlined copies
  std::set<std::string> Units; ///< of its symbols, which have no file
  std::map<int32_t, uint64_t> Lines;

  uint64_t entries() const {
    uint64_t Sum = std::max(Whole ? Heads : PartHeads, Calls);
    add(Sum, Inlined);
    return Sum;
  }
  bool sampled() const { return entries() || samples(); }
  uint64_t samples() const {
    uint64_t Sum = 0;
    for (auto [Line, Count] : Lines)
      add(Sum, Count);
    return Sum;
  }
};

class Flattened {
public:
  Flattened(SampleProfile &Out, const FunctionCode *Program)
      : Out(Out), Program(Program),
        Names(Program ? SampleNames(*Program) : SampleNames()) {}

  /// Of a symbol, with all that is inlined into it.
  void symbol(const FunctionSamples &Copy) {
    const auto Meant =
        meaning(Copy.getFunction(), Names.find(Copy.getFunction()));
    Flat &To = of(Meant);
    const uint64_t Heads = Copy.getHeadSamples();
    if (Meant.Symbol.Part)
      add(To.PartHeads, Heads);
    else
      add(To.Heads, Heads);
    To.Whole |= !Meant.Symbol.Part;
    if (!Heads)
      Unheaded.push_back({&To, Meant.Symbol.Part, estimate(Copy)});
    body(Copy, Meant, To);
  }

  Result<Profile> finish();

private:
  struct Where {
    uint32_t Function; ///< SampleNames::None: by name
    std::string Name;
    bool Several;
    auto operator<=>(const Where &) const = default;
  };
  struct Headless {
    Flat *Of;
    bool Part;
    uint64_t Estimate;
  };

  static uint64_t estimate(const FunctionSamples &Copy) {
    // LLVM answers at least 1, to tell such functions from unknown ones.
    const uint64_t Runs = Copy.getHeadSamplesEstimate();
    return Runs == 1 && Copy.getMaxCountInside() == 0 ? 0 : Runs;
  }

  SampleNames::Meaning meaning(llvm::sampleprof::FunctionId Id,
                               SampleNames::Meaning Meant) {
    if (Meant.Symbol.Name.empty())
      Hashes.insert(Id.getHashCode());
    return Meant;
  }

  Flat &of(const SampleNames::Meaning &Meant) {
    if (Meant.Symbol.Name.empty())
      return Unnamed;
    Flat &To = Known[{Meant.Function, Meant.Symbol.Name, Meant.Several}];
    if (Meant.Function == SampleNames::None)
      To.Units.insert(Meant.Symbol.Unit.str());
    return To;
  }

  void body(const FunctionSamples &Copy, const SampleNames::Meaning &Meant,
            Flat &To) {
    std::map<int32_t, uint64_t> Lines;
    auto Ran = [&](uint32_t Offset, uint64_t Count) {
      // LLVM keeps 16 bits of the distance.
      uint64_t &Most = Lines[int16_t(Offset)];
      Most = std::max(Most, Count);
    };
    for (const auto &[At, Record] : Copy.getBodySamples()) {
      Ran(At.LineOffset, Record.getSamples());
      for (const auto &[Callee, Count] : Record.getCallTargets())
        if (const auto Called = Names.find(Callee);
            !Called.Symbol.Name.empty() && !Called.Symbol.Part)
          add(of(Called).Calls, Count);
    }
    const bool HasFile = Program && Meant.Function != SampleNames::None;
    const llvm::StringRef Around =
        HasFile ? llvm::StringRef(Program->Functions[Meant.Function].File) : "";
    for (const auto &[At, Callees] : Copy.getCallsiteSamples()) {
      uint64_t Entered = 0;
      for (const auto &[Callee, Inlined] : Callees) {
        ++Out.Inlined;
        const auto Inner =
            meaning(Inlined.getFunction(),
                    Names.findInlined(Inlined.getFunction(), Around));
        Flat &In = of(Inner);
        const uint64_t Runs = estimate(Inlined);
        add(In.Inlined, Runs);
        add(Entered, Runs);
        body(Inlined, Inner, In);
      }
      Ran(At.LineOffset, Entered);
    }
    for (auto [Line, Count] : Lines)
      add(To.Lines[Line], Count);
  }

  void write(const Where &At, const Flat &Of);
  void leaveOut(std::map<std::string, uint64_t> Several, uint64_t All);
  void findCodeLines();
  void writeUnsampled();
  void site(const Where &At, SiteKind Kind, uint32_t Line, uint64_t Count);

  SampleProfile &Out;
  const FunctionCode *Program;
  SampleNames Names;
  std::map<Where, Flat> Known;
  Flat Unnamed; ///< all that have a hash for a name that nothing has
  std::set<uint64_t> Hashes;
  std::vector<Headless> Unheaded;
  /// [function of Program]: its lines that have code, from that of its name.
  std::vector<std::set<int32_t>> CodeLines;
  ProfileBuilder Make;
};

void Flattened::site(const Where &At, SiteKind Kind, uint32_t Line,
                     uint64_t Count) {
  MeasuredSite Site;
  Site.Function = Make.text(At.Name);
  if (At.Function != SampleNames::None)
    Site.File = Make.text(Program->Functions[At.Function].File);
  Site.Kind = Kind;
  Site.Line = Line;
  Site.Count = Count;
  Make.site(Site);
}

void Flattened::write(const Where &At, const Flat &Of) {
  ++Out.Functions;
  const bool Placed = At.Function != SampleNames::None;
  Out.NotInProgram += Program && !Placed;
  site(At, SiteKind::Entry, Placed ? Program->Functions[At.Function].Line : 0,
       Of.entries());
  if (Placed && Of.sampled())
    for (int32_t Line : CodeLines[At.Function])
      if (!Of.Lines.count(Line))
        site(At, SiteKind::Line, uint32_t(Line), 0);
  for (auto [Line, Count] : Of.Lines)
    // Code of no line has line 0 of the file.
    if (!Placed || Line > -int64_t(Program->Functions[At.Function].Line))
      site(At, SiteKind::Line, uint32_t(Line), Count);
}

void Flattened::findCodeLines() {
  CodeLines.resize(Program->Functions.size());
  for (const CodeStretch &S : Program->Stretches) {
    const uint32_t Function = Program->Copies[S.Copy].Function;
    CodeLines[Function].insert(
        static_cast<int32_t>(S.Line - Program->Functions[Function].Line));
  }
}

/// Functions of the program whose names the profile does not have.
void Flattened::writeUnsampled() {
  std::set<llvm::StringRef> Left;
  std::set<std::pair<llvm::StringRef, llvm::StringRef>> Sampled;
  for (const auto &[At, Of] : Known) {
    if (At.Function != SampleNames::None)
      Sampled.insert({Program->Functions[At.Function].File, At.Name});
    if (At.Several)
      Left.insert(At.Name);
  }
  for (uint32_t I = 0; I != Program->Functions.size(); ++I) {
    const CodeFunction &Of = Program->Functions[I];
    if (!Sampled.count({Of.File, Of.Name}) && !Left.count(Of.Name))
      site({I, Of.Name, false}, SiteKind::Entry, Of.Line, 0);
  }
}

void Flattened::leaveOut(std::map<std::string, uint64_t> Several,
                         uint64_t All) {
  std::vector<std::pair<std::string, uint64_t>> Rows(Several.begin(),
                                                     Several.end());
  std::ranges::stable_sort(Rows, std::ranges::greater(),
                           [](const auto &Row) { return Row.second; });
  for (const auto &[Name, Samples] : Rows) {
    Out.Several.push_back(Name);
    if (All)
      Out.SeveralShare += double(Samples) / double(All);
  }
}

Result<Profile> Flattened::finish() {
  for (const Headless &Symbol : Unheaded)
    // Calls that were seen say more than the first line.
    if (!Symbol.Of->Calls)
      add(Symbol.Part ? Symbol.Of->PartHeads : Symbol.Of->Heads,
          Symbol.Estimate);
  if (Program)
    findCodeLines();
  std::map<std::string, uint64_t> Several;
  uint64_t All = 0;
  for (const auto &[At, Of] : Known) {
    const uint64_t Samples = Of.samples();
    add(All, Samples);
    if (Of.entries() == UINT64_MAX || Samples == UINT64_MAX)
      return Failure{"a count of " + At.Name + " does not fit 64 bits"};
    if (At.Several || Of.Units.size() > 1)
      add(Several[At.Name], Samples);
    else
      write(At, Of);
  }
  leaveOut(std::move(Several), All);
  Out.Hashes = Hashes.size();
  if (!Out.Functions)
    return Failure{"has no samples of functions with a name that is known"};
  if (Program)
    writeUnsampled();
  Make.Text["source"] = "sample profile";
  return Make.finish();
}

/// Of damaged bytes LLVM's readers follow some numbers without looking.
llvm::Expected<SampleProfile> readTrusting(std::string_view Bytes,
                                           const std::string &File,
                                           const FunctionCode *Program) {
  auto Failed = [&](const llvm::Twine &Why) {
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   File + ": " + Why);
  };
  llvm::LLVMContext Context;
  Context.setDiagnosticHandlerCallBack(
      [](const llvm::DiagnosticInfo *, void *) {}); // no word on stderr
  auto Buffer = bufferOf(Bytes, File);
  auto Reader = llvm::sampleprof::SampleProfileReader::create(
      Buffer, Context, *llvm::vfs::getRealFileSystem());
  if (!Reader)
    return Failed(Reader.getError().message());
  if (std::error_code Wrong = (*Reader)->read())
    return Failed(Wrong.message());
  if ((*Reader)->useMD5() && !Program)
    return Failed("has hashes in place of the names of functions; give the "
                  "program that was sampled with --binary");
  if ((*Reader)->profileIsProbeBased())
    return Failed("counts pseudo probes, not lines");
  SampleProfile Made;
  Flattened Flat(Made, Program);
  for (const auto &[Id, Function] : (*Reader)->getProfiles())
    Flat.symbol(Function);
  Result<Profile> What = Flat.finish();
  if (!What)
    return Failed(What.error());
  Made.What = std::move(*What);
  return Made;
}

} // namespace

bool looksLikeSampleProfile(std::string_view Bytes) {
  using namespace llvm::sampleprof;
  const auto Buffer = bufferOf(Bytes.substr(0, 1 << 16), "");
  return SampleProfileReaderRawBinary::hasFormat(*Buffer) ||
         SampleProfileReaderExtBinary::hasFormat(*Buffer) ||
         SampleProfileReaderText::hasFormat(*Buffer);
}

llvm::Expected<SampleProfile> readSampleProfile(std::string_view Bytes,
                                                const std::string &File,
                                                const FunctionCode *Program) {
  std::optional<llvm::Expected<SampleProfile>> Read;
  llvm::CrashRecoveryContext::Enable();
  llvm::CrashRecoveryContext Guard;
  const bool Survived = Guard.RunSafely(
      [&] { Read.emplace(readTrusting(Bytes, File, Program)); });
  llvm::CrashRecoveryContext::Disable();
  if (Survived && Read)
    return std::move(*Read);
  return llvm::createStringError(
      llvm::inconvertibleErrorCode(),
      File + ": is damaged: LLVM's reader of sample profiles crashed on it");
}

} // namespace kst
