/** The pages' style sheet, inlined: the pages load nothing else. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --page: #f6f7f9; --card: #fff; --text: #1b2430; --soft: #566172; --line: #dde2e8;
  --accent: #0b63b0; --accent-text: #fff; --mark: #fdf0d4; --mark-text: #6b4700;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #10151b; --card: #181f27; --text: #e4e9ef; --soft: #9aa7b6; --line: #2b3541;
    --accent: #7db8f0; --accent-text: #0c1620; --mark: #3d2f12; --mark-text: #f3d08b;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--page); color: var(--text);
  font: 1rem/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif;
}
header, main { max-width: 68rem; margin: 0 auto; padding: 0 1rem; }
header { display: flex; align-items: center; gap: .75rem; padding-top: 1.5rem; }
header svg { flex: none; }
h1 { margin: 0; font-size: 1.375rem; line-height: 1.2; }
header p { margin: 0; color: var(--soft); }
h2 { margin: 2rem 0 .5rem; font-size: 1.125rem; }
a { color: var(--accent); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: .75rem; margin: 1.5rem 0; }
dl div { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: .625rem .875rem; }
dt { color: var(--soft); font-size: .875rem; }
dd { margin: 0; font-size: 1.375rem; font-variant-numeric: tabular-nums; }
dd small { color: var(--soft); font-size: .875rem; }
form { display: flex; gap: .5rem; align-items: end; margin-bottom: .75rem; }
label { flex: 1; min-width: 0; font-size: .875rem; color: var(--soft); }
input, button {
  font: inherit; border-radius: .375rem; border: 1px solid var(--line); padding: .5rem .75rem; min-height: 2.75rem;
}
input { display: block; width: 100%; background: var(--card); color: var(--text); border-color: var(--soft); }
button { background: var(--accent); color: var(--accent-text); border-color: transparent; cursor: pointer; }
.bar { display: flex; flex-wrap: wrap; gap: .25rem 1rem; color: var(--soft); font-size: .875rem; margin: .75rem 0; }
.bar p { margin: 0; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; overflow: hidden; }
table { width: 100%; border-collapse: collapse; }
th, td { padding: .5rem .875rem; text-align: left; vertical-align: top; }
thead th { font-size: .875rem; font-weight: 500; color: var(--soft); }
tbody tr { border-top: 1px solid var(--line); }
tbody th { font-weight: 600; overflow-wrap: anywhere; }
tbody th span { display: block; font-weight: 400; font-size: .875rem; color: var(--soft); }
tbody th i { font-style: normal; white-space: pre-wrap; margin-right: .625rem; }
tbody th b { font-weight: 400; color: var(--text); }
td, thead th + th { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
td span { display: inline-block; }
td span + span { display: block; }
td + td { color: var(--soft); }
.mark { background: var(--mark); color: var(--mark-text); border-radius: .25rem; padding: .0625rem .375rem; }
.note { padding: .625rem .875rem; margin: 1rem 0; border-radius: .5rem; }
.empty { padding: 2rem 1rem; text-align: center; color: var(--soft); }
.empty p { margin: 0 0 .25rem; }
pre {
  background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: .875rem; margin: .5rem 0;
  overflow-x: auto; user-select: all; font: .875rem/1.6 ui-monospace, 'Cascadia Mono', Menlo, Consolas, monospace;
}
code { white-space: nowrap; font: .9375em ui-monospace, 'Cascadia Mono', Menlo, Consolas, monospace; }
footer { color: var(--soft); font-size: .875rem; padding: 1.5rem 0 2.5rem; }
.endpoints th { white-space: nowrap; }
.endpoints td { text-align: left; color: var(--soft); white-space: normal; }
@media (max-width: 34rem) {
  .series thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .series tbody tr { display: grid; grid-template-columns: 1fr auto; padding: .5rem .75rem; }
  .series tbody th { grid-column: 1 / -1; }
  .series tbody th, .series td { padding: 0; }
  .series td { text-align: left; white-space: normal; overflow-wrap: anywhere; }
  .series td span + span { display: inline-block; margin-left: .5rem; }
  dl { grid-template-columns: repeat(3, 1fr); gap: .5rem; }
  dl div { padding: .5rem .625rem; }
  dt { font-size: .8125rem; }
  dd small { display: block; font-size: .8125rem; }
  pre { font-size: .75rem; }
}
`
