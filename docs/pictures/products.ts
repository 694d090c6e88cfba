// Product pictures for the recording and the screenshot, drawn here, so that nobody's face or photo is in the repository.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';

const [width, height] = [900, 675];

/** Each stands on the line y = 520, around x = 450. `c`: its color; `d`: a darker one. */
const shapes: Readonly<Record<string, (c: string, d: string) => string>> = {
  mug: (c, d) =>
    `<path d="M330 260h220v220a40 40 0 0 1-40 40H370a40 40 0 0 1-40-40z" fill="url(#body)"/><ellipse cx="440" cy="260" rx="110" ry="24" fill="${d}"/><path d="M550 310c90-20 90 140 0 130" fill="none" stroke="${c}" stroke-width="28"/>`,
  vase: (c, d) =>
    `<path d="M405 180h90c0 70 75 120 75 220 0 70-45 120-90 120h-60c-45 0-90-50-90-120 0-100 75-150 75-220z" fill="url(#body)"/><ellipse cx="450" cy="180" rx="45" ry="12" fill="${d}"/><path d="M335 380c60 40 170 40 230 0" stroke="${c}" stroke-width="10" fill="none" opacity=".5"/>`,
  lamp: (_, d) =>
    `<path d="M370 150h160l60 170H310z" fill="url(#body)"/><rect x="440" y="320" width="20" height="170" fill="${d}"/><ellipse cx="450" cy="505" rx="90" ry="20" fill="${d}"/>`,
  bottle: (_, d) =>
    `<path d="M425 150h50v90c0 30 45 40 45 90v160a30 30 0 0 1-30 30h-80a30 30 0 0 1-30-30V330c0-50 45-60 45-90z" fill="url(#body)"/><rect x="418" y="130" width="64" height="36" rx="6" fill="${d}"/><rect x="390" y="370" width="120" height="80" fill="#fff" opacity=".75"/>`,
  clock: (c, d) =>
    `<circle cx="450" cy="350" r="165" fill="url(#body)"/><circle cx="450" cy="350" r="130" fill="#fdfcf7"/><path d="M450 350V260M450 350l62 40" stroke="${d}" stroke-width="14" stroke-linecap="round"/><circle cx="450" cy="350" r="12" fill="${c}"/>`,
  chair: (c, d) =>
    `<path d="M350 140h200l10 210H340z" fill="url(#body)"/><rect x="320" y="345" width="260" height="46" rx="14" fill="${c}"/><path d="M345 390l-20 130M555 390l20 130M400 390l-6 130M500 390l6 130" stroke="${d}" stroke-width="18"/>`,
  plant: (c, d) =>
    `<path d="M450 400c-150-40-170-170-130-220 60 40 110 120 130 220zM450 400c150-40 170-170 130-220-60 40-110 120-130 220zM450 400c-40-130-20-220 0-270 30 60 40 150 0 270z" fill="#4f8a5b"/><path d="M360 380h180l-24 140H384z" fill="url(#body)"/><rect x="348" y="365" width="204" height="34" rx="8" fill="${d}"/><path d="M370 440h160" stroke="${c}" stroke-width="8" opacity=".6"/>`,
  book: (c, d) =>
    `<path d="M330 190h230l30 20v310H360l-30-20z" fill="${d}"/><rect x="330" y="190" width="230" height="312" fill="url(#body)"/><rect x="375" y="250" width="140" height="18" fill="#fff" opacity=".85"/><rect x="375" y="285" width="90" height="12" fill="${c}" opacity=".8"/>`,
};

const colors = [
  { c: '#f08a72', d: '#a94a38', wall: '#f3e6da', floor: '#dcc7b4' },
  { c: '#5aa7b5', d: '#2b6470', wall: '#e3e9ea', floor: '#c3cfd1' },
  { c: '#e0b660', d: '#94702a', wall: '#ece8f0', floor: '#cfc6d8' },
] as const;

const picture = (shape: string, { c, d, wall, floor }: (typeof colors)[number]): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
<defs><linearGradient id="wall" x2="0" y2="1"><stop stop-color="${wall}"/><stop offset="1" stop-color="${floor}"/></linearGradient>
<linearGradient id="body"><stop stop-color="${d}"/><stop offset=".3" stop-color="${c}"/><stop offset=".75" stop-color="${c}"/><stop offset="1" stop-color="${d}"/></linearGradient>
<filter id="soft"><feGaussianBlur stdDeviation="16"/></filter></defs>
<rect width="100%" height="100%" fill="url(#wall)"/>
<ellipse cx="470" cy="528" rx="190" ry="26" fill="#000" opacity=".35" filter="url(#soft)"/>
${shapes[shape]?.(c, d) ?? ''}</svg>`;

/** Writes so many pictures into a folder, at most 24: `101-mug.jpg`, `102-vase.jpg` and so on. */
export async function drawProducts(folder: string, count: number): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const names = Object.keys(shapes);
  for (let index = 0; index < count; index += 1) {
    const shape = names[index % names.length] ?? '';
    const color = colors[index % colors.length];
    if (color === undefined) continue;
    await sharp(Buffer.from(picture(shape, color)))
      .jpeg({ quality: 88 })
      .toFile(join(folder, `${101 + index}-${shape}.jpg`));
  }
}
