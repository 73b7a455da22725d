// SPDX-License-Identifier: GPL-2.0-or-later

#include "test/kst-dev/LackeyText.h"

#include "llvm/Support/FormatVariadic.h"

namespace kst {

llvm::Expected<LackeyLine> lackeyLine(llvm::StringRef Line) {
  LackeyLine Found;
  if (Line.empty() || Line.starts_with("=="))
    return Found;
  MemoryReference &R = Found.Reference;
  llvm::StringRef Rest = Line.substr(3);
  if (Line.starts_with("C ") && !Line.substr(2).getAsInteger(10, R.Cpu)) {
    Found.What = LackeyLine::Turn;
    return Found;
  }
  llvm::StringRef Head = Line.take_front(3);
  Found.What = Head == "I  " ? LackeyLine::Fetch : LackeyLine::Data;
  if (Head == " S ")
    R.Kind = AccessKind::Store;
  else if (Head == " M ")
    R.Kind = AccessKind::Modify;
  else if (Head != "I  " && Head != " L ")
    Found.What = LackeyLine::Nothing;
  if (Found.What != LackeyLine::Nothing &&
      !Rest.consumeInteger(16, R.Address) && Rest.consume_front(",") &&
      !Rest.getAsInteger(10, R.Bytes) && R.Bytes > 0 && R.Bytes <= 65536)
    return Found;
  return llvm::createStringError(llvm::formatv(
      "expected 'I  ADDRESS,BYTES', ' L', ' S', ' M' or 'C CPU', not '{0}'",
      Line.take_front(60)));
}

} // namespace kst
