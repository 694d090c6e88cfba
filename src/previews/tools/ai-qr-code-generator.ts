// ai-qr-code-generator: a code that can be scanned, in colours and on a scene that the art style names. The scene is
// around the code, not in it: the code itself stays dark on light, as every scanner wants it.
import encodeQR, { type ErrorCorrection } from 'qr';
import sharp from 'sharp';
import { fieldOf } from '../../contract/base/json.ts';
import { err } from '../../contract/base/result.ts';
import { hueOf } from '../pictures/card.ts';
import { layer, type Picture, pictureOf, sharpOf } from '../pictures/picture.ts';
import type { RenderOutcome, RenderRequest } from '../base/request.ts';
import { finished } from '../pictures/output.ts';
import { lotsOf } from '../real/photo/lot.ts';
import { scene } from '../real/photo/scene.ts';
import { inManner } from '../real/photo/treatment.ts';
import { huesIn, says } from '../real/photo/words.ts';

const side = 1024;
/** The code's panel, with room for the mark below it. */
const panel = { left: 112, top: 72, side: 800 };
/** Light modules around the code (ISO/IEC 18004). */
const quiet = 4;
/** The more is corrected, the more the drawing may do; long contents have to do with less. */
const corrections: readonly ErrorCorrection[] = ['high', 'quartile', 'medium', 'low'];
/** What the library says of a content for which no code is large enough. */
const tooLong = 'Capacity overflow';
/** What the largest code holds at the lowest correction, in bytes (ISO/IEC 18004, version 40-L). */
const mostBytes = 2953;

export async function renderQrCode(request: RenderRequest): Promise<RenderOutcome> {
  const content = `${fieldOf(request.body, 'content') ?? ''}`;
  const modules = modulesOf(content);
  if (modules === undefined)
    return err({
      code: 'invalid_parameters',
      message:
        content === ''
          ? 'content is empty: a code has to say something'
          : `content has ${Buffer.byteLength(content)} bytes; a QR code holds at most ${mostBytes}`,
    });
  const style = `${fieldOf(request.body, 'style.art_style') ?? ''}`;
  const drawn = await scene(style, { width: side, height: side }, lotsOf(request));
  const ground = await inManner(drawn, style);
  const code = await pictureOf(sharp(Buffer.from(drawingOf(modules, style))));
  return finished(request, await composed(ground, code));
}

function composed(ground: Picture, code: Picture): Promise<Picture> {
  return pictureOf(sharpOf(ground).composite([layer(code, panel.left, panel.top)]));
}

/** True for dark, without the quiet zone; undefined for what no code can say. */
function modulesOf(content: string): readonly (readonly boolean[])[] | undefined {
  if (content === '' || Buffer.byteLength(content) > mostBytes * 3) return undefined;
  for (const ecc of corrections) {
    const framed = encoded(content, ecc);
    // The library draws no code without a light frame: it is cut off again.
    if (framed !== undefined) return framed.slice(1, -1).map((row) => row.slice(1, -1));
  }
  return undefined;
}

function encoded(content: string, ecc: ErrorCorrection): boolean[][] | undefined {
  try {
    return encodeQR(content, 'raw', { ecc, border: 1 });
  } catch (reason) {
    if (reason instanceof Error && reason.message.includes(tooLong)) return undefined;
    throw reason;
  }
}

function drawingOf(modules: readonly (readonly boolean[])[], style: string): string {
  const hue = huesIn(style)[0] ?? hueOf(style);
  const second = huesIn(style)[1] ?? hue + 45;
  const plain = says(style, 'black and white', 'minimal', 'minimalist', 'noir', 'monochrome');
  const saturation = plain ? 0 : 75;
  const unit = panel.side / (modules.length + 2 * quiet);
  const round = !says(style, 'pixel', 'pixel art', '8 bit', 'brutalist', 'geometric', 'lego');
  // Large codes have modules of few pixels: they are drawn whole.
  const gap = unit > 9 ? 0.06 : 0;
  const cells = modules.flatMap((row, y) =>
    row.flatMap((dark, x) => {
      if (!dark || inFinder(x, y, modules.length)) return [];
      const at = (place: number): string => ((place + quiet + gap / 2) * unit).toFixed(2);
      const size = ((1 - gap) * unit).toFixed(2);
      const corner = round && gap > 0 ? ((1 - gap) * unit * 0.36).toFixed(2) : '0';
      return [`<rect x="${at(x)}" y="${at(y)}" width="${size}" height="${size}" rx="${corner}"/>`];
    }),
  );
  const last = modules.length - 7;
  const finders = [
    [0, 0],
    [last, 0],
    [0, last],
  ].map(([x, y]) => finderOf((x ?? 0) + quiet, (y ?? 0) + quiet, unit, round && gap > 0));
  const edges = gap > 0 ? 'geometricPrecision' : 'crispEdges';
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${panel.side}" height="${panel.side}">
    <linearGradient id="ink" gradientUnits="userSpaceOnUse" x2="${panel.side}" y2="${panel.side}">
      <stop offset="0" stop-color="hsl(${hue},${saturation}%,22%)"/><stop offset="1" stop-color="hsl(${second},${saturation}%,20%)"/>
    </linearGradient>
    <radialGradient id="paper"><stop offset="0" stop-color="#fff"/>
      <stop offset="1" stop-color="hsl(${hue},${plain ? 0 : 60}%,94%)"/></radialGradient>
    <rect width="100%" height="100%" rx="${unit}" fill="url(#paper)"/>
    <g fill="url(#ink)" shape-rendering="${edges}">${cells.join('')}${finders.join('')}</g></svg>`;
}

/** The three large squares are drawn as one shape each. */
function inFinder(x: number, y: number, size: number): boolean {
  const near = (place: number): boolean => place < 7;
  const far = (place: number): boolean => place >= size - 7;
  return (near(x) && near(y)) || (far(x) && near(y)) || (near(x) && far(y));
}

function finderOf(x: number, y: number, unit: number, round: boolean): string {
  const rect = (inset: number, length: number, corner: number): string => {
    const at = (place: number): string => ((place + inset) * unit).toFixed(2);
    return `x="${at(x)}" y="${at(y)}" width="${length * unit}" height="${length * unit}" rx="${round ? corner * unit : 0}"`;
  };
  return `<rect ${rect(0.5, 6, 1.6)} fill="none" stroke="url(#ink)" stroke-width="${unit}"/><rect ${rect(2, 3, 0.9)}/>`;
}
