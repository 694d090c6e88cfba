// ai-qr-code-generator: a code that can be scanned, dark on light, with the art style written below it.
import encodeQR from 'qr';
import { err } from '../../base/result.ts';
import { textIn } from '../base/fields.ts';
import { hueOf } from '../base/key.ts';
import type { RenderOutcome, RenderRequest } from '../base/request.ts';
import { black, colourOf, fill, filled, white } from '../pictures/canvas.ts';
import { dotOf, wrap, write } from '../pictures/lettering.ts';
import { finished } from '../pictures/output.ts';
import type { Picture } from '../pictures/picture.ts';

const size = { width: 1024, height: 1024 };
/** The code's panel, with room for the style and the mark below it. */
const panel = { left: 112, top: 72, side: 800 };
/** Light modules around the code (ISO/IEC 18004). */
const quietModules = 4;
/** What the largest code holds at the lowest error correction, in bytes (ISO/IEC 18004, version 40-L). */
const maxBytes = 2953;

export async function renderQrCode(request: RenderRequest): Promise<RenderOutcome> {
  const content = textIn(request, 'content');
  const modules = content === '' ? undefined : modulesOf(content);
  if (modules === undefined)
    return err({
      code: 'invalid_parameters',
      message:
        content === ''
          ? 'content is empty; a QR code needs at least one character'
          : `content has ${Buffer.byteLength(content)} bytes; a QR code holds at most ${maxBytes}`,
    });
  return finished(request, drawnCode(modules, textIn(request, 'style.art_style')));
}

function drawnCode(modules: readonly (readonly boolean[])[], style: string): Picture {
  const picture = filled(size, colourOf(hueOf(style), 0.35, 0.22));
  // Whole pixels: a scanner sees no seams.
  const unit = Math.floor(panel.side / modules.length);
  const left = Math.round((size.width - unit * modules.length) / 2);
  for (const [row, line] of modules.entries())
    for (const [column, isDark] of line.entries()) {
      const at = { left: left + column * unit, top: panel.top + row * unit };
      fill(picture, { ...at, width: unit, height: unit }, isDark ? black : white);
    }
  const dot = dotOf(size);
  const [line = ''] = wrap(style, Math.floor(panel.side / (dot * 6)), 1);
  write(picture, line, { left: panel.left, top: panel.top + panel.side + dot * 4, dot });
  return picture;
}

/** True for dark, with the quiet zone; undefined for what no code can say. Numbers and capitals take less than a byte each. */
function modulesOf(content: string): readonly (readonly boolean[])[] | undefined {
  if (Buffer.byteLength(content) > maxBytes * 3) return undefined;
  try {
    return encodeQR(content, 'raw', { ecc: 'low', border: quietModules });
  } catch (reason) {
    // The library's message for a content that is too long for any code.
    if (reason instanceof Error && reason.message.includes('Capacity overflow')) return undefined;
    throw reason;
  }
}
