// ai-qr-code-generator: a code that can be scanned, dark on light, with the art style written below it.
import encodeQR, { type ErrorCorrection } from 'qr';
import { err } from '../../base/result.ts';
import { textIn } from '../base/fields.ts';
import { hueOf } from '../base/key.ts';
import type { RenderOutcome, RenderRequest } from '../base/request.ts';
import { black, colourOf, fill, filled, white } from '../pictures/canvas.ts';
import { dotOf } from '../pictures/card.ts';
import { wrap, write } from '../pictures/lettering.ts';
import { finished } from '../pictures/output.ts';
import type { Picture } from '../pictures/picture.ts';

const size = { width: 1024, height: 1024 };
/** The code's panel, with room for the style and the mark below it. */
const panel = { left: 112, top: 72, side: 800 };
/** Light modules around the code (ISO/IEC 18004). */
const quiet = 4;
/** The most robust first; long contents need a lower one. */
const corrections: readonly ErrorCorrection[] = ['high', 'quartile', 'medium', 'low'];
/** The library's message for a content that is too long for any code. */
const tooLong = 'Capacity overflow';
/** What the largest code holds at the lowest correction, in bytes (ISO/IEC 18004, version 40-L). */
const mostBytes = 2953;

export async function render(request: RenderRequest): Promise<RenderOutcome> {
  const content = textIn(request, 'content');
  const modules = modulesOf(content);
  if (modules === undefined)
    return err({
      code: 'invalid_parameters',
      message:
        content === ''
          ? 'content is empty; a QR code needs at least one character'
          : `content has ${Buffer.byteLength(content)} bytes; a QR code holds at most ${mostBytes}`,
    });
  return finished(request, drawnCode(modules, textIn(request, 'style.art_style')));
}

function drawnCode(modules: readonly (readonly boolean[])[], style: string): Picture {
  const picture = filled(size, colourOf(hueOf(style), 0.35, 0.22));
  const count = modules.length + 2 * quiet;
  // Whole pixels: a scanner sees no seams.
  const unit = Math.floor(panel.side / count);
  const side = unit * count;
  const left = Math.round((size.width - side) / 2);
  fill(picture, { left, top: panel.top, width: side, height: side }, white);
  for (const [row, line] of modules.entries())
    for (const [column, dark] of line.entries()) {
      if (!dark) continue;
      const at = { left: left + (column + quiet) * unit, top: panel.top + (row + quiet) * unit };
      fill(picture, { ...at, width: unit, height: unit }, black);
    }
  const dot = dotOf(size);
  const [line = ''] = wrap(style, Math.floor(panel.side / (dot * 6)), 1);
  write(picture, line, { left: panel.left, top: panel.top + panel.side + dot * 4, dot });
  return picture;
}

/** True for dark, without the quiet zone; undefined for what no code can say. */
function modulesOf(content: string): readonly (readonly boolean[])[] | undefined {
  if (content === '' || Buffer.byteLength(content) > mostBytes * 3) return undefined;
  for (const ecc of corrections) {
    const framed = encoded(content, ecc);
    // The library always adds a light frame: it is removed.
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
