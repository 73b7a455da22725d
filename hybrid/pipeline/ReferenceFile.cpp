// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/pipeline/ReferenceFile.h"

#include "analyzer/files/InputFile.h"
#include "hybrid/pipeline/Errors.h"
#include "hybrid/profile/ProfileFile.h"
#include "hybrid/profile/ReferenceText.h"
#include "hybrid/report/Numbers.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Compression.h"

#include <set>
#include <unordered_set>

namespace kst {

/// The reference that ships is compressed.
static llvm::Expected<std::string> unpacked(std::string_view Bytes) {
  constexpr size_t Most = size_t(1) << 26;
  if (!llvm::compression::zstd::isAvailable())
    return failure("this program cannot read what zstd compressed");
  llvm::SmallVector<uint8_t, 0> Out;
  if (llvm::Error E = llvm::compression::zstd::decompress(
          llvm::arrayRefFromStringRef(Bytes), Out, Most))
    return failure("what zstd compressed is damaged, or more than 64 MiB: " +
                   llvm::toString(std::move(E)));
  return std::string(Out.begin(), Out.end());
}

llvm::Expected<ReferenceFile> ReferenceFile::open(const std::string &File) {
  auto Bytes = inputBytes(File, uint64_t(1) << 30);
  if (!Bytes)
    return usageError(llvm::toString(Bytes.takeError()));
  ReferenceFile Made;
  Made.File = File;
  std::string_view Text = bytesOf(**Bytes);
  if (Text.starts_with("\x28\xb5\x2f\xfd")) {
    auto Whole = unpacked(Text);
    if (!Whole)
      return failure(File + ": " + llvm::toString(Whole.takeError()));
    Text = Made.Text = std::move(*Whole);
  }
  const bool OfFunctions = looksLikeReference(Text);
  if (!OfFunctions && Text.starts_with("kstatic-affinity reference "))
    return usageError(File + ": a reference of another version; "
                             "bench/reference/make.py writes this one's");
  if (!OfFunctions && !looksLikeProfile(Text))
    return usageError(File + ": not a profile (.kstp)");
  auto Read =
      orFailure(OfFunctions ? readReference(Text, [](auto) { return false; })
                            : readProfile(Text),
                File + ": ");
  if (!Read)
    return Read.takeError();
  Made.About = std::move(*Read);
  if (!OfFunctions)
    Made.Text.clear();
  else if (Made.Text.empty())
    Made.Text = Text;
  Made.Visitors = VisitorTable(Made.Text);
  return Made;
}

llvm::Expected<Profile> ReferenceFile::whole() const {
  if (Text.empty())
    return About;
  return orFailure(readReference(Text), File + ": ");
}

llvm::Expected<Profile> ReferenceFile::of(const Program &Whole) const {
  if (Text.empty())
    return About;
  std::unordered_set<std::string_view> Names;
  for (const LinkedFunction &Function : Whole.Functions)
    Names.insert(Whole.text(Function.Unit, Function.Fact->Name));
  return orFailure(
      readReference(Text, [&](auto Name) { return Names.contains(Name); }),
      File + ": ");
}

std::string ReferenceFile::name() const {
  auto Said = [&](const char *Key) {
    auto At = About.Text.find(Key);
    return At == About.Text.end() ? std::string() : At->second;
  };
  if (std::string Label = Said("label"); !Label.empty())
    return Label;
  const std::string Release = Said("release");
  return counted(About.Runs, "recording") +
         (Release.empty() ? "" : " on " + Release);
}

std::string namesOf(std::span<const ReferenceFile> References) {
  std::set<std::string> Names;
  for (const ReferenceFile &Of : References)
    Names.insert(Of.name());
  return llvm::join(Names, ", ");
}

} // namespace kst
