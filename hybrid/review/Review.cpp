// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/review/Review.h"

namespace kst {

const char *toWord(FieldFate Fate) {
  switch (Fate) {
  case FieldFate::New:
    return "new";
  case FieldFate::Moved:
    return "moved";
  case FieldFate::Removed:
    return "removed";
  case FieldFate::Renamed:
    return "renamed";
  case FieldFate::Grown:
    return "another size";
  case FieldFate::Shifted:
    return "shifted";
  }
  return "";
}

} // namespace kst
