// Frames of a terminal as an SVG that moves by itself: a strip of all frames behind a window, moved by CSS. Nothing in it
// is a script, a font or a file from elsewhere, so it plays wherever a page shows it as a picture.
//
// Of the published programs, svg-term brings React 16 and lodash, termtosvg needs Python, and asciinema's player is a script,
// which a README cannot have.
import { type Frame, type Piece, size } from './recording.ts';

const cell = { width: 8.4, height: 19 } as const;
const edge = 18;
const bar = 34;
const window = { width: size.columns * cell.width, height: size.rows * cell.height } as const;
const whole = { width: window.width + 2 * edge, height: window.height + bar + edge } as const;

/** Of GitHub's dark theme, where each is legible on the background. */
const palette: Readonly<Record<number, string>> = {
  ...{ 0: '#6e7681', 1: '#ff7b72', 2: '#56d364', 3: '#e3b341', 4: '#79c0ff', 5: '#d2a8ff' },
  ...{ 6: '#56d4dd', 7: '#e6edf3', 8: '#8b949e', 9: '#ff7b72', 10: '#56d364', 11: '#e3b341' },
};
const usual = '#e6edf3';
const faint = '#9aa4af';

const round = (value: number): string => String(Math.round(value * 100) / 100);

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** The length is fixed, so that columns stand below each other in every font. */
function pieceText({ at, text, color, bold, dim }: Piece): string {
  const fill = dim ? faint : (palette[color] ?? usual);
  const look = `${fill === usual ? '' : ` fill="${fill}"`}${bold ? ' font-weight="700"' : ''}`;
  const length = text.length > 1 ? ` textLength="${round(text.length * cell.width)}"` : '';
  return `<text x="${round(at * cell.width)}"${length}${look}>${escaped(text)}</text>`;
}

/** `title`: for people who do not see the picture. */
export function animatedSvg(frames: readonly Frame[], title: string): string {
  const rows = new Map<string, string>();
  const strip = frames.map((frame, index) => {
    const uses = frame.rows.flatMap((pieces, row) => {
      const text = pieces.map(pieceText).join('');
      if (text === '') return [];
      const id = rows.get(text) ?? `r${rows.size.toString(36)}`;
      rows.set(text, id);
      return [`<use href="#${id}" y="${(row + 1) * cell.height - 5}"/>`];
    });
    return `<g transform="translate(0 ${index * window.height})">${uses.join('')}</g>`;
  });
  const total = frames.reduce((sum, { ms }) => sum + ms, 0);
  let at = 0;
  const keys = frames.map(({ ms }, index) => {
    const key = `${round((at / total) * 100)}%{transform:translateY(${-index * window.height}px)}`;
    at += ms;
    return key;
  });
  const last = -(frames.length - 1) * window.height;
  const dots = ['#ff5f57', '#febc2e', '#28c840'].map(
    (fill, index) => `<circle cx="${edge + 4 + index * 18}" cy="18" r="5.5" fill="${fill}"/>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${whole.width} ${whole.height}" width="${whole.width}" height="${whole.height}" role="img" aria-label="${escaped(title).replaceAll('"', '&quot;')}">
<style>
text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:${usual};white-space:pre}
${Object.entries(palette)
  .map(([, color]) => `text[fill="${color}"]{fill:${color}}`)
  .filter((rule, index, all) => all.indexOf(rule) === index)
  .join('')}text[fill="${faint}"]{fill:${faint}}text[font-weight]{font-weight:700}
.strip{animation:play ${round(total / 1000)}s step-end infinite}
@keyframes play{${keys.join('')}}
@media (prefers-reduced-motion:reduce){.strip{animation:none;transform:translateY(${last}px)}}
</style>
<rect x=".5" y=".5" width="${whole.width - 1}" height="${whole.height - 1}" rx="10" fill="#0d1117" stroke="#30363d"/>
${dots.join('')}
<defs>${[...rows].map(([text, id]) => `<g id="${id}">${text}</g>`).join('\n')}</defs>
<svg x="${edge}" y="${bar}" width="${window.width}" height="${window.height}" overflow="hidden"><g class="strip">
${strip.join('\n')}
</g></svg>
</svg>
`;
}
