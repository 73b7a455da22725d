// SPDX-License-Identifier: GPL-2.0-or-later
//
// `place`: where a field that does not exist yet should go.

#include "hybrid/pipeline/Place.h"
#include "tools/support/ReportFlags.h"
#include "tools/support/SourceFlags.h"

namespace kst {

namespace {

constexpr unsigned MaxFieldBytes = 1 << 20, MaxAlign = 4096;
constexpr double MaxShare = 1e12;

class PlaceCommand : public StructsCommand {
public:
  PlaceCommand();
  llvm::Expected<ExitCode> run() override;

private:
  llvm::Error fill(PlaceRequest &Asked);

  Flag<std::string> Field{
      {Sub, OfLayout, "field", "DECLARATION", "The new field, as 'u64 name'"}};
  ListFlag UsedWith{{Sub, OfLayout, "used-with", "FIELD[,FIELD]",
                     "Fields that are used where the new one is"}};
  Flag<std::string> Writes{
      {Sub, OfLayout, "writes", "WHO",
       "Who writes it: local, remote or none (default none)"},
      "none"};
  Flag<double> WriteShare{
      {Sub, OfLayout, "write-share", "X",
       "Writes per visit that uses it (local 1, remote 0.1)"}};
  Flag<unsigned> FieldSize{{Sub, OfLayout, "size", "N",
                            "Bytes of the new field, if its type is unknown"}};
  Flag<unsigned> FieldAlign{
      {Sub, OfLayout, "align", "N", "Its alignment in bytes"}};
  ReportFlags Files{Sub};
};

PlaceCommand::PlaceCommand()
    : StructsCommand("place", "Find the place for a new field",
                     "--struct NAME --field DECLARATION --used-with "
                     "FIELD[,FIELD] PATH...") {
  UsedWith.separated();
}

llvm::Error PlaceCommand::fill(PlaceRequest &Asked) {
  if (structNames().size() != 1)
    return usageError("place is about one struct: name it with --struct");
  if (Field.empty())
    return usageError("place needs the new field: --field 'u64 foo'");
  if (UsedWith.empty())
    return usageError("place needs the fields that are used where the new one "
                      "is: --used-with FIELD[,FIELD]");
  if (Writes != "local" && Writes != "remote" && Writes != "none")
    return usageError("--writes takes local, remote or none, not '" + Writes +
                      "'");
  if (WriteShare.given() && Writes == "none")
    return usageError("--write-share goes with --writes local or --writes "
                      "remote");
  if (!(WriteShare >= 0 && WriteShare <= MaxShare))
    return usageError("--write-share takes a number from 0 to 1e12");
  if (FieldSize > MaxFieldBytes)
    return usageError("--size takes a number up to 1048576");
  if (FieldAlign && !isPowerOfTwo(FieldAlign, MaxAlign))
    return usageError("--align takes a power of two up to 4096");
  Asked.Field = Field;
  Asked.UsedWith = UsedWith.all();
  Asked.Writes = Writes == "local"    ? Writer::Local
                 : Writes == "remote" ? Writer::Remote
                                      : Writer::None;
  if (WriteShare.given())
    Asked.WriteShare = WriteShare;
  Asked.SizeBytes = FieldSize;
  Asked.AlignBytes = FieldAlign;
  if (llvm::Error E = StructsCommand::fill(Asked))
    return E;
  return Files.check({}, inputs(Asked));
}

llvm::Expected<ExitCode> PlaceCommand::run() {
  PlaceRequest Asked;
  if (llvm::Error E = fill(Asked))
    return E;
  auto Answer = place(Asked);
  if (!Answer)
    return Answer.takeError();
  if (llvm::Error E = Files.write(
          {describe(*Answer)}, [&] { return toJson(*Answer); }, Quiet))
    return E;
  return ExitDone;
}

} // namespace

extern const MakeCommand MakePlace = make<PlaceCommand>;

} // namespace kst
