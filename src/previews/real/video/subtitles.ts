// The subtitles of a rehearsal: when which words stand on a clip, and the words as a picture. Nothing here understands
// speech, so the text says what it is; only its timing follows what is heard.
import sharp from 'sharp';
import { lettering, lineDots, widthInDots } from '../../pictures/lettering.ts';
import { pictureOf } from '../../pictures/picture.ts';
import type { Block } from './block.ts';
import type { FrameSize } from '../../pictures/canvas.ts';
import { cssOf } from './colours.ts';
import { heardAt, type Levels } from '../../sound/levels.ts';
import type { SubtitleLook } from './subtitle-look.ts';

/** One subtitle, from `start` to `end` in seconds. */
export interface Cue {
  readonly start: number;
  readonly end: number;
  readonly words: readonly string[];
}

/** How long a subtitle stands, about; in a very long clip longer, since they are few. */
const usualSeconds = 2;
const mostCues = 300;

export function cuesOf(seconds: number): readonly Cue[] {
  const count = Math.min(mostCues, Math.max(1, Math.round(seconds / usualSeconds)));
  return Array.from({ length: count }, (_, index) => ({
    start: (seconds * index) / count,
    end: (seconds * (index + 1)) / count,
    words: ['Rehearsal', 'subtitle', `${index + 1}`, 'of', `${count}`],
  }));
}

/** The subtitle of a time and which of its words is being said. */
export function spokenAt(
  cues: readonly Cue[],
  levels: Levels,
  time: number,
): { readonly cue: Cue; readonly word: number } | undefined {
  const cue = cues.find(({ start, end }) => time >= start && time < end) ?? cues.at(-1);
  if (cue === undefined) return undefined;
  const heard = heardAt(levels, cue.start, cue.end, time);
  return { cue, word: Math.min(cue.words.length - 1, Math.floor(heard * cue.words.length)) };
}

/** The words of a subtitle, `word` of which is being said. `bottom` in pixels is kept free below. */
export async function blockOf(
  cue: Cue,
  word: number,
  look: SubtitleLook,
  { width, height }: FrameSize,
  bottom: number,
): Promise<Block> {
  const { dot } = look;
  const pad = Math.ceil(look.strokeWidth + dot * 2);
  const lines = evenLines(cue.words, Math.floor((width * 0.9 - 2 * pad) / dot));
  const longest = Math.max(
    ...lines.map((line) => widthInDots(line.map(({ text }) => text).join(' '))),
  );
  const size = {
    width: Math.min(width, Math.ceil(longest * dot + 2 * pad)),
    height: Math.min(height, Math.ceil(lines.length * lineDots * dot + 2 * pad)),
  };
  const drawn = lines.map((line, row) => {
    const length = widthInDots(line.map(({ text }) => text).join(' ')) * dot;
    const left = pad + (size.width - 2 * pad - length) * look.across;
    return lineSvg(line, word, look, Math.round(left), pad + row * lineDots * dot);
  });
  const slant = look.slanted ? `transform="translate(${size.height * 0.1} 0) skewX(-10)"` : '';
  const picture = await pictureOf(
    sharp(
      Buffer.from(
        `<svg xmlns="http://www.w3.org/2000/svg" width="${size.width}" height="${size.height}">
          <g ${slant}>${drawn.join('')}</g>
        </svg>`,
      ),
    ),
  );
  const room = height - bottom - size.height;
  return {
    picture,
    left: Math.round((width - size.width) * look.across),
    top: Math.max(0, Math.round(room * look.down)),
  };
}

interface PlacedWord {
  readonly text: string;
  readonly index: number;
}

/** As few lines as the width in dots allows, as even as they get: no word is left alone below the others. */
function evenLines(words: readonly string[], dots: number): readonly (readonly PlacedWord[])[] {
  let lines = linesOf(words, dots);
  for (let narrower = dots - 6; narrower > 0; narrower -= 6) {
    const tried = linesOf(words, narrower);
    if (tried.length > lines.length) break;
    lines = tried;
  }
  return lines;
}

/** Words in lines of at most so many dots. */
function linesOf(words: readonly string[], dots: number): readonly (readonly PlacedWord[])[] {
  const lines: PlacedWord[][] = [];
  for (const [index, text] of words.entries()) {
    const last = lines.at(-1);
    const longer = [...(last ?? []).map((word) => word.text), text].join(' ');
    if (last !== undefined && widthInDots(longer) <= dots) last.push({ text, index });
    else lines.push([{ text, index }]);
  }
  return lines;
}

function lineSvg(
  line: readonly PlacedWord[],
  word: number,
  look: SubtitleLook,
  left: number,
  top: number,
): string {
  const { dot, strokeWidth } = look;
  let x = left;
  const parts: string[] = [];
  for (const { text, index } of line) {
    const shown = look.lowerCase ? text.toLowerCase() : text;
    const now = index === word;
    const lit = now || (look.stays && index < word);
    const wide = widthInDots(shown) * dot;
    if (now && look.boxed)
      parts.push(
        `<rect x="${x - 1.5 * dot}" y="${top - 1.5 * dot}" width="${wide + 3 * dot}" height="${dot * 11}"
          rx="${dot * 1.5}" fill="${cssOf(look.said)}"/>`,
      );
    const path = lettering(shown, x, top, dot);
    const colour = lit && !look.boxed ? look.said : look.text;
    if (strokeWidth > 0)
      parts.push(
        `<path d="${path}" fill="none" stroke="${cssOf(look.stroke)}" stroke-width="${strokeWidth * 2}" stroke-linejoin="round"/>`,
      );
    else
      parts.push(
        `<path d="${path}" transform="translate(0 ${Math.max(1, dot / 2)})" fill-opacity="0.55"/>`,
      );
    parts.push(`<path d="${path}" fill="${cssOf(colour)}"/>`);
    x += wide + 7 * dot;
  }
  return parts.join('');
}
