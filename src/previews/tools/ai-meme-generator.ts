// ai-meme-generator: the topic in the lettering of memes, on a scene or a figure that the template's name suggests.
// The joke is the topic itself, in two halves: nothing here knows how to be funny.
import sharp from 'sharp';
import { fieldOf } from '../../contract/base/json.ts';
import { barOf } from '../pictures/mark.ts';
import { layer, type Picture, pictureOf, sharpOf } from '../pictures/picture.ts';
import type { RenderOutcome, RenderRequest } from '../base/request.ts';
import { finished } from '../pictures/output.ts';
import { lotsOf } from '../real/photo/lot.ts';
import { memeDrawing, panelsOf } from '../real/photo/meme-figure.ts';
import { fittedText, letteringPicture, memeLook } from '../real/photo/smooth-lettering.ts';

const side = 800;
/** The largest letters: pixels of a dot. */
const largestDot = 10;

export async function renderMeme(request: RenderRequest): Promise<RenderOutcome> {
  const { body } = request;
  const topic = `${fieldOf(body, 'style.topic') ?? ''}`.trim();
  const template = `${fieldOf(body, 'style.template') ?? ''}`;
  const base = await pictureOf(sharp(Buffer.from(memeDrawing(template, side, lotsOf(request)))));
  const [first, second] = halvesOf(topic.toUpperCase());
  const bar = barOf(base);
  const boxes = panelsOf(template)
    ? [
        {
          left: side * 0.5,
          top: side * 0.02,
          width: side * 0.48,
          height: side * 0.43,
          middle: true,
        },
        {
          left: side * 0.5,
          top: side * 0.48,
          width: side * 0.48,
          height: side * 0.43,
          middle: true,
        },
      ]
    : [
        {
          left: side * 0.03,
          top: side * 0.02,
          width: side * 0.94,
          height: side * 0.24,
          middle: false,
        },
        {
          left: side * 0.03,
          top: side * 0.7,
          width: side * 0.94,
          height: side * 0.28 - bar,
          middle: false,
        },
      ];
  const layers: Layered[] = [];
  for (const [index, text] of [first, second].entries()) {
    const box = boxes[index];
    if (box === undefined || text === '') continue;
    const fitted = fittedText(text, box.width, box.height, largestDot);
    const words = await letteringPicture(fitted, Math.round(box.width), memeLook);
    const free = Math.max(0, box.height - words.height);
    const down = box.middle ? free / 2 : index === 0 ? 0 : free;
    layers.push({ words, left: Math.round(box.left), top: Math.round(box.top + down) });
  }
  return finished(request, await lettered(base, layers));
}

interface Layered {
  readonly words: Picture;
  readonly left: number;
  readonly top: number;
}

async function lettered(base: Picture, layers: readonly Layered[]): Promise<Picture> {
  const fitting = layers.map(({ words, left, top }) =>
    layer(words, left, Math.max(0, Math.min(top, base.height - words.height))),
  );
  return pictureOf(sharpOf(base).composite(fitting));
}

/** Where a sentence is cut: at a comma or the like near its middle, else between the two middle words. */
export function halvesOf(text: string): readonly [string, string] {
  const words = text.split(/\s+/).filter((word) => word !== '');
  if (words.length < 2) return [text, ''];
  const middle = text.length / 2;
  let best = 0;
  let least = Number.POSITIVE_INFINITY;
  let at = 0;
  for (const [index, word] of words.entries()) {
    at += word.length + 1;
    if (index === words.length - 1) break;
    const pause = /[,.:;!?]$/.test(word) ? text.length / 4 : 0;
    const off = Math.abs(at - middle) - pause;
    if (off < least) {
      least = off;
      best = index + 1;
    }
  }
  return [words.slice(0, best).join(' '), words.slice(best).join(' ')];
}
