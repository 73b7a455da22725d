// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/fieldorder/HtmlReport.h"

#include "hybrid/fieldorder/HtmlAdvice.h"
#include "hybrid/fieldorder/HtmlEvidence.h"
#include "hybrid/fieldorder/HtmlLayout.h"
#include "hybrid/fieldorder/HtmlPage.h"
#include "hybrid/fieldorder/HtmlSummary.h"
#include "hybrid/report/HtmlStyle.h"

namespace kst {
namespace {

void layouts(HtmlPage &To) {
  To.Out += "<h2>Cache lines</h2>\n" + layoutKeyHtml(To.View.Reorders) +
            "<div class=\"both\">\n" +
            layoutHtml(To.View.R, "Current", To.View.Current);
  if (To.View.Reorders)
    To.Out +=
        layoutHtml(To.View.R, "Proposed", To.View.Proposed, To.View.Moved);
  To.Out += "</div>\n";
}

std::string section(const Report &R, size_t Serial) {
  HtmlPage Page(R);
  Page.Out =
      "<section class=\"report\" id=\"r" + std::to_string(Serial) + "\">\n";
  writeSummary(Page);
  writeAdvice(Page);
  layouts(Page);
  writeEvidence(Page);
  return Page.Out + "</section>\n";
}

} // namespace

std::string toHtml(const std::vector<Report> &Reports) {
  std::string Title = "kstatic-affinity";
  for (const Report &R : Reports)
    Title += " " + R.Evidence.Record.Name;
  std::string Out =
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width\">\n<title>" +
      escapedHtml(Title) + "</title>\n<style>" + HtmlStyleSheet +
      "</style></head>\n<body>\n";
  if (Reports.size() > 1) {
    Out += "<nav>";
    for (size_t I = 0; I < Reports.size(); ++I)
      Out += "<a href=\"#r" + std::to_string(I) + "\">" +
             escapedHtml(Reports[I].Evidence.Record.Name) + "</a>";
    Out += "</nav>\n";
  }
  for (size_t I = 0; I < Reports.size(); ++I)
    Out += section(Reports[I], I);
  return Out + "<script>" + HtmlScript + "</script>\n</body></html>\n";
}

std::string toHtml(const Report &R) { return toHtml(std::vector<Report>{R}); }

} // namespace kst
