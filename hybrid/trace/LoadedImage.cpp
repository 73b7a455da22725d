// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/trace/LoadedImage.h"

#include <algorithm>
#include <charconv>
#include <filesystem>

namespace kst {
namespace {

constexpr std::string_view Prefix = "image ";

std::string hex(uint64_t Number) {
  char Digits[16];
  return "0x" +
         std::string(Digits,
                     std::to_chars(Digits, std::end(Digits), Number, 16).ptr);
}

/// Takes "0x..." and a space, if one follows, off the front.
bool take(std::string_view &Text, uint64_t &To) {
  if (!Text.starts_with("0x"))
    return false;
  Text.remove_prefix(2);
  const auto [End, Wrong] =
      std::from_chars(Text.data(), Text.data() + Text.size(), To, 16);
  if (Wrong != std::errc())
    return false;
  Text.remove_prefix(size_t(End - Text.data()));
  if (Text.starts_with(' '))
    Text.remove_prefix(1);
  return true;
}

} // namespace

std::string imageKey(std::string_view Path) {
  std::string Key(Prefix);
  for (const char C : Path) // as a line of text has them
    Key += C == '=' || static_cast<unsigned char>(C) < ' ' ? '?' : C;
  return Key;
}

std::string imageText(const LoadedImage &Of) {
  return hex(Of.Begin) + " " + hex(Of.End) + " " + hex(Of.Bias);
}

void LoadedImages::add(std::string_view Path, const LoadedImage &Of) {
  std::vector<LoadedImage> &Places = Seen[std::string(Path)];
  if (std::ranges::find(Places, Of) == Places.end())
    Places.push_back(Of);
}

void LoadedImages::write(std::map<std::string, std::string> &Text) const {
  for (const auto &[Path, Places] : Seen) {
    const LoadedImage &Mine = Places.front();
    bool Alone = Places.size() == 1;
    for (const auto &[Other, Theirs] : Seen)
      for (const LoadedImage &At : Theirs)
        Alone &= Other == Path || At.End <= Mine.Begin || Mine.End <= At.Begin;
    if (Alone)
      Text[imageKey(Path)] = imageText(Mine);
  }
}

std::optional<LoadedImage> loadedImage(const Profile &About,
                                       const std::string &Path) {
  // A loader names libx.so.1, which is a link to libx.so.1.2.
  auto Whole = [](const std::filesystem::path &Of) {
    std::error_code Failed;
    const auto Real = std::filesystem::weakly_canonical(Of, Failed);
    return imageKey(Failed ? Of.string() : Real.string());
  };
  auto NameOf = [](const std::string &Key) {
    return std::filesystem::path(Key.substr(Prefix.size())).filename();
  };
  const std::string Asked = Whole(Path), AsGiven = imageKey(Path);
  std::optional<LoadedImage> Found;
  bool Several = false;
  for (const auto &[Key, Text] : About.Text) {
    if (!Key.starts_with(Prefix))
      continue;
    const std::string Loaded = Whole(Key.substr(Prefix.size()));
    std::string_view Rest = Text;
    LoadedImage Of;
    if ((NameOf(Key) != NameOf(AsGiven) && NameOf(Loaded) != NameOf(Asked)) ||
        !take(Rest, Of.Begin) || !take(Rest, Of.End) || !take(Rest, Of.Bias))
      continue;
    if (Loaded == Asked)
      return Of;
    Several |= Found && !(*Found == Of);
    Found = Of;
  }
  return Several ? std::nullopt : Found;
}

} // namespace kst
