// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/report/TextStyle.h"

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

Ink heatInk(double Share) {
  if (Share >= 0.05)
    return Ink::Hot;
  if (Share >= 0.01)
    return Ink::Warm;
  return Share > 0 ? Ink::Cool : Ink::Dim;
}

std::string painted(bool On, Ink With, const std::string &Text) {
  if (!On || With == Ink::Plain || Text.empty())
    return Text;
  const char *Code = "0";
  switch (With) {
  case Ink::Plain:
    break;
  case Ink::Bold:
    Code = "1";
    break;
  case Ink::Dim:
    Code = "2";
    break;
  case Ink::Hot:
    Code = "1;31";
    break;
  case Ink::Warm:
    Code = "33";
    break;
  case Ink::Cool:
    Code = "36";
    break;
  case Ink::Mark:
    Code = "35";
    break;
  }
  return std::string("\033[") + Code + "m" + Text + "\033[0m";
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

std::string wrapped(const std::string &First, const std::string &Text,
                    size_t Width) {
  std::string Out, Line = First;
  std::string Margin(First.size(), ' ');
  bool Empty = true;
  for (size_t At = 0; At < Text.size();) {
    size_t End = Text.find(' ', At);
    std::string Word = Text.substr(At, End - At);
    At = End == std::string::npos ? Text.size() : End + 1;
    if (Word.empty())
      continue;
    if (!Empty && Line.size() + 1 + Word.size() > Width) {
      Out += Line + "\n";
      Line = Margin;
      Empty = true;
    }
    Line += (Empty ? "" : " ") + Word;
    Empty = false;
  }
  Line.resize(Line.find_last_not_of(' ') + 1);
  return Out + Line + "\n";
}

} // namespace kst
