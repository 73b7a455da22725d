// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/pipeline/CountKernel.h"

#include "analyzer/files/InputFile.h"
#include "hybrid/pipeline/LineCounts.h"
#include "hybrid/pipeline/RecordFilters.h"
#include "hybrid/report/Numbers.h"
#include "passes/readers/KernelImage.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"

namespace kst {
namespace {

std::string rangeText(const AddressRange &R) {
  return llvm::utohexstr(R.Begin) + "-" + llvm::utohexstr(R.End);
}

llvm::Expected<CountedKernel> madeOf(const CountRequest &Asked,
                                     const KernelImage &Image,
                                     const std::string &Parameters,
                                     const ExecutedCode &Ran) {
  ProfileBuilder Make;
  Make.Text = {
      {"source", "kernel"},
      {"recorder", "qemu"},
      {"machine", "x86_64"},
      {"release", Image.release()},
      {"cpus", std::to_string(Asked.Guest.Cpus)},
      {"parameters", Parameters},
      {"instructions outside of the image", std::to_string(Ran.Outside)}};
  if (!Asked.Label.empty())
    Make.Text["label"] = Asked.Label;
  if (!Asked.Window.empty())
    Make.Text["window"] = Asked.Window;
  auto Code = Image.functionCode();
  if (!Code)
    return failure(llvm::toString(Code.takeError()));
  const LineCounts Sums = addLineCounts(*Code, Ran, Make);
  auto What = orFailure(Make.finish());
  if (!What)
    return What.takeError();
  CountedKernel Out;
  Out.What = std::move(*What);
  Out.InWords = std::to_string(Sums.Ran) + " of " +
                counted(Sums.Functions, "function") + " ran; " +
                counted(Ran.Outside, "instruction") + " outside of the image";
  return Out;
}

} // namespace

llvm::Expected<CountedKernel> countKernel(const CountRequest &Asked,
                                          const DiagnosticConsumer &Diags) {
  if (llvm::Error E = checkGuest(Asked.Guest))
    return E;
  auto Image = KernelImage::open(Asked.Guest.Vmlinux);
  if (!Image)
    return Image.takeError();
  auto [Begin, End] = Image->codeRange();
  if (!Image->x86() || !End)
    return failure(Image->file() + ": no code for x86-64");
  auto Window = windowOf(Asked.Window, *Image);
  if (!Window)
    return Window.takeError();
  llvm::SmallString<128> Counts;
  if (std::error_code Why =
          llvm::sys::fs::createTemporaryFile("kst", "counts", Counts))
    return failure("no temporary file: " + Why.message());
  llvm::FileRemover Remover(Counts);
  GuestPlugin With;
  With.OneThread = true;
  With.Arguments =
      ",counts=" + escapedValue(Counts) + ",code=" + rangeText({Begin, End});
  if (Window->End)
    With.Arguments += ",window=" + rangeText(*Window);
  std::string Parameters = guestParameters();
  if (!Asked.Guest.Append.empty())
    Parameters += " " + Asked.Guest.Append;
  auto Interrupted = bootGuest(Asked.Guest, With, Parameters, Diags);
  if (!Interrupted)
    return Interrupted.takeError();
  auto Text = readFile(Counts.str().str());
  if (!Text)
    return Text.takeError();
  if (Text->empty() && *Interrupted)
    return interrupted();
  if (Text->empty())
    return failure(Asked.Window.empty()
                       ? Asked.Guest.Qemu + " ended without counts"
                       : "--window " + Asked.Window +
                             ": its start was never executed");
  auto Ran = orFailure(readExecutedCode(*Text));
  if (!Ran)
    return Ran.takeError();
  auto Made = madeOf(Asked, *Image, Parameters, *Ran);
  if (Made)
    Made->Interrupted = *Interrupted;
  return Made;
}

} // namespace kst
