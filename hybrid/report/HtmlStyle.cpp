// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/report/HtmlStyle.h"

namespace kst {

const char *const HtmlStyleSheet = R"css(
:root { color-scheme: light dark;
  --bg: #fff; --fg: #1c1e21; --soft: #666d75; --rule: #d9dde1; --panel: #f5f6f8;
  --h0: #e7eaed; --h1: #fdf0c4; --h2: #fbd98a; --h3: #f8b162; --h4: #ee7f4b; --h5: #d9483b;
  --ink: #1c1e21; --hot-ink: #fff; --write: rgba(0,0,0,.22); --remote: #2563c9;
  --good: #1b7f3b; --mark: #7a3fc0; --hot: #b3261e; --warm: #8f5a00; --cool: #0b6e83; }
@media screen and (prefers-color-scheme: dark) { :root {
  --bg: #15181c; --fg: #e3e6e9; --soft: #98a1aa; --rule: #333a41; --panel: #1e2328;
  --h0: #2c333a; --h1: #4a4326; --h2: #6b5420; --h3: #8f5a1f; --h4: #b04f28; --h5: #cf3f35;
  --ink: #e3e6e9; --hot-ink: #fff; --write: rgba(0,0,0,.4); --remote: #6ea8ff;
  --good: #5cc781; --mark: #c39bf5; --hot: #ff7b6e; --warm: #e0a84a; --cool: #62c4d8; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.2rem 1.6rem 3rem; max-width: 1680px; background: var(--bg);
  color: var(--fg); font: 14px/1.45 system-ui, "DejaVu Sans", sans-serif; }
h1 { font-size: 1.5rem; margin: 0 0 .2rem; } h2 { font-size: 1.1rem; margin: 1.8rem 0 .5rem; }
h3 { font-size: .95rem; margin: 0 0 .4rem; }
code, .mono { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: .92em; }
.soft { color: var(--soft); } .num { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
nav a { margin-right: 1rem; } .report + .report { border-top: 3px solid var(--rule); margin-top: 3rem; padding-top: 1.5rem; }
.verdict { display: inline-block; margin: .7rem 0 .2rem; padding: .15rem .7rem; border-radius: 4px; font-size: 1rem;
  border: 1px solid var(--rule); background: var(--panel); font-weight: 600; } .verdict .warm { color: var(--good); }
h2::first-letter, h3::first-letter { text-transform: uppercase; } h1 .soft { font-size: .9rem; font-weight: 400; }
.hot { color: var(--hot); font-weight: 600; } .warm { color: var(--warm); } .cool { color: var(--cool); } .gone { color: var(--mark); }
.p { margin: .15rem 0; } pre { font: 12px/1.4 ui-monospace, "DejaVu Sans Mono", monospace; margin: .4rem 0; }
.folds { display: flex; flex-direction: column-reverse; } .rest:not([open]) + .scroll tr.more { display: none; }
.plot { display: block; width: 100%; max-width: 30rem; } .plot polyline { fill: none; stroke: var(--soft); stroke-width: 1.5; }
.plot text { fill: var(--soft); font-size: 11px; } td b code { font-weight: 400; }
.scroll td:last-child:not(.num) { min-width: 9rem; } .scroll td:last-child code { overflow-wrap: anywhere; } .plot circle { fill: var(--soft); } .plot .chosen { fill: var(--good); }
.lines { display: block; width: 100%; max-width: 60rem; } .lines polyline { fill: none; stroke-width: 1.5; stroke: currentColor; }
.lines text { fill: var(--soft); font-size: 11px; } .dot { display: inline-block; width: .8rem; height: .2rem; background: currentColor; vertical-align: middle; margin-right: .35rem; }
.s0 { color: #2f6fdb; } .s1 { color: #d9483b; } .s2 { color: #2e9e5b; } .s3 { color: #b07d12; } .s4 { color: #8e54c9; } .s5 { color: #1597a5; } .s6 { color: #cf5a9b; } .s7 { color: #7d858d; }
.tree { display: block; } .tree text { fill: var(--ink); font: 11px ui-monospace, "DejaVu Sans Mono", monospace; } .tree rect { stroke: var(--bg); }
.tree .node { fill: var(--h0); } .tree .set { fill: var(--h2); } .tree .edge { fill: var(--remote); stroke: none; }
ul { margin: .3rem 0 .6rem; padding-left: 1.3rem; }
table { border-collapse: collapse; } td, th { padding: .16rem .7rem .16rem 0; text-align: left; vertical-align: top; }
th { color: var(--soft); font-weight: 500; border-bottom: 1px solid var(--rule); } th.num { text-align: right; }
.top { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(30rem, 100%), 1fr)); gap: 0 2.5rem; }
.both { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(34rem, 100%), 1fr)); gap: 1.2rem 2rem; }
.line { display: grid; grid-template-columns: 6.6rem 1fr; gap: .5rem; margin: 3px 0; align-items: center; }
.line > .num { color: var(--soft); font-size: 12px; }
.strip { position: relative; height: 30px; border-radius: 3px; background:
  repeating-linear-gradient(90deg, var(--rule) 0 1px, transparent 1px 12.5%); outline: 1px dashed var(--rule); }
.end { position: absolute; top: -1px; bottom: -1px; right: -1px; background: var(--bg); }
.f { position: absolute; top: 0; bottom: 0; overflow: hidden; white-space: nowrap; padding: 6px 0 0 3px;
  border-left: 1px solid var(--bg); color: var(--ink); font: 11px/1.3 ui-monospace, "DejaVu Sans Mono", monospace; }
.h0 { background-color: var(--h0); } .h1 { background-color: var(--h1); } .h2 { background-color: var(--h2); }
.h3 { background-color: var(--h3); } .h4 { background-color: var(--h4); color: var(--hot-ink); }
.h5 { background-color: var(--h5); color: var(--hot-ink); }
.h0 { color: var(--soft); }
.unknown { background: radial-gradient(var(--soft) .8px, transparent 1.2px) 0 0 / 5px 5px, var(--panel); }
.w { background-image: repeating-linear-gradient(135deg, var(--write) 0 3px, transparent 3px 8px); }
.rem { box-shadow: inset 0 4px 0 var(--remote); } .lock { text-decoration: underline; font-weight: 700; }
.moved { border-left: 3px solid var(--mark); } .zero { width: 0; padding: 0; border-left: 2px solid var(--fg); }
.f.same { outline: 2px solid var(--fg); z-index: 2; }
.key { display: flex; flex-wrap: wrap; gap: .3rem 1.1rem; margin: .2rem 0 .8rem; align-items: center; }
.key .f { position: static; display: inline-block; width: 2.2rem; height: 1.2rem; vertical-align: middle; margin-right: .35rem; }
details { border-bottom: 1px solid var(--rule); padding: .25rem 0; } summary { cursor: pointer; }
details > .line { margin-left: 1.1rem; } details.cold { border: 0; color: var(--soft); font-size: 12px; }
.bar { display: inline-block; height: .65rem; border-radius: 2px; margin-right: .4rem; }
details.in { display: inline; border: 0; padding: 0; } .in > summary { display: inline; color: var(--soft); }
.in::details-content { display: none; } .in[open]::details-content { display: inline; } .entry > :not(summary) { margin-left: 1.1rem; }
.top .entry { background: var(--panel); border: 0; border-radius: 5px; padding: .5rem .8rem; margin: 0 0 .6rem; }
.scroll { overflow-x: auto; } .tight { white-space: nowrap; } .bar.cost { background: var(--soft); opacity: .5; }
@media print { body { max-width: none; padding: 0; font-size: 11px; } .scroll { overflow: visible; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; } tr, .line, .entry { break-inside: avoid; }
  h2, h3 { break-after: avoid; } details::details-content { content-visibility: visible; display: block; }
  .rest + .scroll tr.more { display: table-row !important; } nav { display: none; } }
)css";

const char *const HtmlScript = R"js(
document.addEventListener('mouseover', function (e) {
  var f = e.target.closest('.f[data-f]');
  document.querySelectorAll('.f.same').forEach(function (o) { o.classList.remove('same'); });
  if (!f) return;
  f.closest('.report').querySelectorAll('.f[data-f="' + f.dataset.f + '"]').forEach(function (o) { o.classList.add('same'); });
});
)js";

} // namespace kst
