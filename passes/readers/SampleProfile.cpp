// SPDX-License-Identifier: GPL-2.0-or-later

#include "passes/readers/SampleProfile.h"

#include "hybrid/profile/ProfileBuilder.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/ProfileData/SampleProfReader.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/VirtualFileSystem.h"

#include <algorithm>
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

class Flattened {
public:
  explicit Flattened(SampleProfile &Out) : Out(Out) {}

  /// A copy of a function, and those inlined into it.
  void add(const FunctionSamples &Copy, uint64_t Entries) {
    const llvm::StringRef Name =
        FunctionSamples::getCanonicalFnName(Copy.getFuncName());
    Names.insert(Name);
    site(Name, SiteKind::Entry, 0, Entries);
    std::map<uint32_t, uint64_t> Lines;
    for (const auto &[Where, Record] : Copy.getBodySamples()) {
      uint64_t &Most = Lines[Where.LineOffset];
      Most = std::max(Most, Record.getSamples());
    }
    for (auto [Line, Count] : Lines)
      // LLVM keeps 16 bits of the distance.
      site(Name, SiteKind::Line, uint32_t(int32_t(int16_t(Line))), Count);
    for (const auto &[Where, Callees] : Copy.getCallsiteSamples())
      for (const auto &[Callee, Inlined] : Callees) {
        ++Out.Inlined;
        add(Inlined, Inlined.getHeadSamplesEstimate());
      }
  }

  Result<Profile> finish() {
    Out.Functions = Names.size();
    Make.Text["source"] = "sample profile";
    return Make.finish();
  }

private:
  void site(llvm::StringRef Function, SiteKind Kind, uint32_t Line,
            uint64_t Count) {
    MeasuredSite Site;
    Site.Function = Make.text(Function);
    Site.Kind = Kind;
    Site.Line = Line;
    Site.Count = Count;
    Make.site(Site);
  }

  SampleProfile &Out;
  ProfileBuilder Make;
  std::set<llvm::StringRef> Names;
};

} // namespace

bool looksLikeSampleProfile(std::string_view Bytes) {
  using namespace llvm::sampleprof;
  const auto Buffer = bufferOf(Bytes.substr(0, 1 << 16), "");
  return SampleProfileReaderRawBinary::hasFormat(*Buffer) ||
         SampleProfileReaderExtBinary::hasFormat(*Buffer) ||
         SampleProfileReaderText::hasFormat(*Buffer);
}

llvm::Expected<SampleProfile> readSampleProfile(std::string_view Bytes,
                                                const std::string &File) {
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
  if ((*Reader)->useMD5())
    return Failed("has hashes in place of the names of functions; "
                  "llvm-profdata merge --sample keeps names");
  if ((*Reader)->profileIsProbeBased())
    return Failed("counts pseudo probes, not lines");
  SampleProfile Made;
  Flattened Out(Made);
  for (const auto &[Id, Function] : (*Reader)->getProfiles())
    Out.add(Function, Function.getHeadSamples()
                          ? Function.getHeadSamples()
                          : Function.getHeadSamplesEstimate());
  Result<Profile> What = Out.finish();
  if (!What)
    return Failed(What.error());
  Made.What = std::move(*What);
  return Made;
}

} // namespace kst
