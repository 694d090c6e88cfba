// The hub's style sheet and icon. Colours follow the system's light or dark setting.

/** A clapperboard. */
export const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect x="3" y="12" width="26" height="16" rx="2" fill="#3a4bd8"/>
<path d="M3 10 27 4l1 4-24 6z" fill="#1b1d22"/><path d="m9 8.5 3 3.6M16 6.700l3 3.6M23 5l3 3.6" stroke="#fff" stroke-width="2"/>
</svg>`;

export const styleSheet = `
:root {
  color-scheme: light dark;
  --ink: light-dark(#1b1d22, #e8e9ee); --dim: light-dark(#5c6270, #a3a9b8);
  --paper: light-dark(#fbfbfc, #15171c); --card: light-dark(#fff, #1e2128);
  --line: light-dark(#dfe2e8, #333843); --accent: light-dark(#3a4bd8, #9aa7ff);
  --good: light-dark(#14713d, #6fd79b); --bad: light-dark(#b3261e, #ff9a92); --busy: light-dark(#8a5a00, #f0c060);
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
header, main, footer { max-width: 72rem; margin: 0 auto; padding: 0 1.25rem; }
header { display: flex; flex-wrap: wrap; gap: .25rem 2rem; align-items: baseline; padding-top: 1.25rem; }
.mark { margin: 0; font-weight: 700; } .mark span { font-weight: 400; color: var(--dim); }
nav { display: flex; flex-wrap: wrap; gap: .25rem 1rem; }
a { color: var(--accent); text-decoration-thickness: .06em; text-underline-offset: .15em; }
nav a { text-decoration: none; padding: .25rem 0; border-bottom: 2px solid transparent; }
nav a[aria-current] { border-color: currentColor; font-weight: 600; }
a:focus-visible, button:focus-visible, input:focus-visible, select:focus-visible, textarea:focus-visible
  { outline: 2px solid var(--accent); outline-offset: 2px; }
h1 { font-size: 1.6rem; margin: 1.5rem 0 1rem; overflow-wrap: anywhere; } h2 { font-size: 1.15rem; margin: 2rem 0 .75rem; }
footer { color: var(--dim); font-size: .85rem; padding: 2.5rem 1.25rem; }
.empty, .dim { color: var(--dim); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; background: var(--card); border: 1px solid var(--line); }
th, td { text-align: left; padding: .4rem .7rem; border-bottom: 1px solid var(--line); vertical-align: top; }
th { font-size: .8rem; color: var(--dim); font-weight: 600; white-space: nowrap; }
td.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
time, code, .number { font-variant-numeric: tabular-nums; } time { white-space: nowrap; }
code { font: .88em ui-monospace, monospace; overflow-wrap: anywhere; }
pre { background: var(--card); border: 1px solid var(--line); padding: .75rem; overflow-x: auto; }
.badge { font-size: .85rem; font-weight: 600; white-space: nowrap; }
.complete, .delivered { color: var(--good); } .error, .given_up, .lost, .canceled { color: var(--bad); }
.queued, .rendering, .waiting { color: var(--busy); }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(13rem, 1fr)); gap: 1rem; padding: 0; list-style: none; }
.cards li { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; overflow: hidden; }
.cards .picture { position: relative; display: grid; place-items: center; aspect-ratio: 4 / 3; background: light-dark(#eef0f4, #262a33); color: var(--dim); }
.cards img, .cards video { position: absolute; inset: 0; width: 100%; height: 100%; object-fit: cover; }
.cards .why { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 7; overflow: hidden; padding: 0 .75rem; overflow-wrap: anywhere; font-size: .8rem; color: var(--bad); }
.cards a:has(.why) { text-decoration: none; }
.cards video[controls] { object-fit: contain; } .cards audio { display: block; width: 100%; }
.cards .words { padding: .6rem .75rem; overflow-wrap: anywhere; } .cards strong { display: block; }
.cards .dim { font-size: .85rem; } .cards time, .cards .badge { display: inline-block; white-space: normal; }
.figures { display: flex; flex-wrap: wrap; gap: 1rem; margin: 0; padding: 0; }
.figures div { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: .6rem 1rem; }
.figures dt { color: var(--dim); font-size: .85rem; } .figures dd { margin: 0; font-size: 1.35rem; font-weight: 600; overflow-wrap: anywhere; }
figure { margin: 1rem 0; background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: 1rem; }
.chart { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .6rem .75rem; padding-top: .5em; font-size: .8rem; color: var(--dim); }
.levels { display: flex; flex-direction: column; justify-content: space-between; text-align: right; line-height: 0; font-variant-numeric: tabular-nums; }
.levels span { height: 0; }
.chart svg { display: block; width: 100%; height: 10rem; overflow: visible; color: var(--accent); }
.chart svg * { vector-effect: non-scaling-stroke; }
.times { grid-column: 2; display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 1rem; font-variant-numeric: tabular-nums; }
.times :last-child { margin-left: auto; }
figcaption { color: var(--dim); font-size: .85rem; margin-top: .5rem; }
svg .grid { stroke: var(--line); }
form.panel { display: grid; gap: .75rem; max-width: 34rem; background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: 1rem; }
form.inline { display: inline-flex; gap: .35rem; margin: 0 .75rem 0 0; }
label { display: grid; gap: .2rem; font-size: .85rem; color: var(--dim); } label.tick { display: inline-flex; gap: .4rem; margin-right: 1rem; }
fieldset { border: 1px solid var(--line); border-radius: .35rem; } legend { font-size: .85rem; color: var(--dim); }
input, select, textarea, button { font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--line); border-radius: .35rem; padding: .35rem .6rem; }
button { cursor: pointer; background: var(--card); } form.panel button { justify-self: start; border-color: var(--accent); color: var(--accent); font-weight: 600; }
.secret { font-size: 1.1rem; padding: .75rem; border: 2px solid var(--accent); border-radius: .35rem; display: block; user-select: all; }
@media print { nav, form, footer { display: none; } }
`;
