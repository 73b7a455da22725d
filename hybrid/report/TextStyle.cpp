// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/report/TextStyle.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <sys/ioctl.h>
#include <unistd.h>

namespace kst {

std::optional<ColorWhen> parseColorWhen(const std::string &Text) {
  if (Text == "auto")
    return ColorWhen::Auto;
  if (Text == "always")
    return ColorWhen::Always;
  if (Text == "never")
    return ColorWhen::Never;
  return std::nullopt;
}

bool wantsColor(ColorWhen When, int Fd) {
  if (When != ColorWhen::Auto)
    return When == ColorWhen::Always;
  const char *No = std::getenv("NO_COLOR");
  const char *Term = std::getenv("TERM");
  return isatty(Fd) && !(No && *No) && Term && std::strcmp(Term, "dumb") != 0;
}

unsigned terminalWidth(int Fd, unsigned Otherwise) {
  winsize Size = {};
  if (!isatty(Fd) || ioctl(Fd, TIOCGWINSZ, &Size) != 0 || Size.ws_col == 0)
    return Otherwise;
  return Size.ws_col;
}

std::string padRight(const std::string &Text, size_t Width) {
  return Text.size() >= Width ? Text
                              : Text + std::string(Width - Text.size(), ' ');
}

std::string padLeft(const std::string &Text, size_t Width) {
  return Text.size() >= Width ? Text
                              : std::string(Width - Text.size(), ' ') + Text;
}

std::string shortened(const std::string &Text, size_t Width) {
  if (Text.size() <= Width || Width < 3)
    return Text;
  return Text.substr(0, Width - 2) + "..";
}

static const char *escapeCode(Mark As) {
  switch (As) {
  case Mark::Plain:
  case Mark::Code:
    break;
  case Mark::Strong:
    return "1";
  case Mark::Soft:
    return "2";
  case Mark::Hot:
    return "1;31";
  case Mark::Warm:
    return "33";
  case Mark::Cool:
    return "36";
  case Mark::Moved:
    return "35";
  }
  return nullptr;
}

void MarkedLine::add(const std::string &More, Mark As) {
  Text += More;
  Marks.resize(Text.size(), As);
}

void MarkedLine::add(const Sentence &More, bool Full) {
  for (const SentencePart &Part : More.Parts)
    if (Part.When != (Full ? Shown::Brief : Shown::Full))
      add(Part.Text, Part.As);
}

void MarkedLine::add(const MarkedLine &More, size_t Begin, size_t End) {
  End = std::min(End, More.size());
  Text.append(More.Text, Begin, End - Begin);
  Marks.insert(Marks.end(), More.Marks.begin() + long(Begin),
               More.Marks.begin() + long(End));
}

void MarkedLine::fill(size_t Width) {
  if (size() < Width)
    add(std::string(Width - size(), ' '));
}

void MarkedLine::push(size_t Width) {
  if (size() >= Width)
    return;
  Marks.insert(Marks.begin(), Width - size(), Mark::Plain);
  Text.insert(0, Width - size(), ' ');
}

void MarkedLine::cut(size_t Width) {
  Text = shortened(Text, Width);
  Marks.resize(Text.size());
}

void MarkedLine::dropBlanks() {
  Text.resize(Text.find_last_not_of(' ') + 1);
  Marks.resize(Text.size());
}

std::string MarkedLine::painted(bool Color) const {
  if (!Color)
    return Text;
  std::string Out;
  for (size_t Begin = 0; Begin < size();) {
    size_t End = Begin;
    while (End < size() && Marks[End] == Marks[Begin])
      ++End;
    const char *Escape = escapeCode(Marks[Begin]);
    std::string Run = Text.substr(Begin, End - Begin);
    Out += Escape ? std::string("\033[") + Escape + "m" + Run + "\033[0m" : Run;
    Begin = End;
  }
  return Out;
}

std::vector<MarkedLine> wrapped(const MarkedLine &First, const MarkedLine &Text,
                                size_t Width) {
  std::vector<MarkedLine> Lines{First};
  bool Empty = true;
  for (size_t Begin = 0; Begin < Text.size();) {
    size_t Word =
        std::min(Text.Text.find_first_not_of(' ', Begin), Text.size());
    size_t End = std::min(Text.Text.find(' ', Word), Text.size());
    if (!Empty && Lines.back().size() + End - Begin > Width) {
      Lines.emplace_back(std::string(First.size(), ' '));
      Empty = true;
    }
    Lines.back().add(Text, Empty ? Word : Begin, End);
    Empty = false;
    Begin = End;
  }
  for (MarkedLine &Line : Lines)
    Line.dropBlanks();
  return Lines;
}

} // namespace kst
