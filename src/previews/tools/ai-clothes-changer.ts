// ai-clothes-changer: the garment, cut out of its own picture, over the part of the person that it covers. The
// person's light and shade fall on it, and it ends where the person does.
import { fieldOf } from '../../contract/base/json.ts';
import { layer, type Picture, pictureOf, sharpOf } from '../pictures/picture.ts';
import type { RenderOutcome, RenderRequest } from '../base/request.ts';
import { cropped } from '../real/photo/cropped.ts';
import { cutOut } from '../real/photo/cut-out.ts';
import { type Box, type Figure, figureOf, outlineOf } from '../real/photo/figure.ts';
import { finished, inputOf, pictureAt } from '../pictures/output.ts';
import { largestOf } from '../real/photo/headshot.ts';

const personField = 'assets.person_file_path';
const garmentField = 'assets.garment_file_path';

export async function renderClothes(request: RenderRequest): Promise<RenderOutcome> {
  const person = await pictureAt(request, personField);
  if (!person.ok) return person;
  const garment = await pictureAt(request, garmentField);
  if (!garment.ok) return garment;
  const face = largestOf(inputOf(request, personField)?.faces ?? []);
  const worn = largestOf(inputOf(request, garmentField)?.faces ?? []);
  const type = `${fieldOf(request.body, 'assets.garment_type') ?? 'upper_body'}`;
  const subject = await cutOut(person.value, inputOf(request, personField)?.faces);
  const figure = figureOf(subject, face);
  const cloth = await cutOut(garment.value, inputOf(request, garmentField)?.faces);
  const outline = outlineOf(cloth);
  // A garment that somebody wears begins below that head.
  const part = worn === undefined ? outline : below(outline, figureOf(cloth, worn).trunk.top);
  const piece = await cropped(cloth, part);
  const place = placeOf(type, figure, piece, person.value);
  return finished(request, await dressed(person.value, subject, piece, place));
}

function below(box: Box, top: number): Box {
  const start = Math.max(box.top, Math.min(top, box.top + box.height * 0.8));
  return { ...box, top: start, height: box.top + box.height - start };
}

/** Where the garment goes: its own shape counts, within what the body allows. */
function placeOf(type: string, { trunk, legs }: Figure, piece: Picture, { height }: Picture): Box {
  const shape = piece.height / piece.width;
  const middle = trunk.left + trunk.width / 2;
  const box = (top: number, width: number, shortest: number, longest: number): Box => {
    const high = Math.max(shortest, Math.min(longest, width * shape));
    return { left: middle - width / 2, top, width, height: high };
  };
  const foot = Math.min(height * 1.02, legs.top + legs.height);
  switch (type) {
    case 'lower_body':
      return box(
        legs.top,
        legs.width * 1.15,
        trunk.height * 0.7,
        Math.max(trunk.height, foot - legs.top),
      );
    case 'dresses':
      return box(trunk.top, trunk.width, trunk.height * 1.4, trunk.height * 2.1);
    case 'entire_outfit':
      return box(trunk.top, trunk.width * 1.1, trunk.height * 1.6, foot - trunk.top);
    default:
      return box(trunk.top, trunk.width * 1.12, trunk.height * 0.85, trunk.height * 1.25);
  }
}

async function dressed(
  person: Picture,
  subject: Picture,
  piece: Picture,
  place: Box,
): Promise<Picture> {
  const width = Math.max(1, Math.round(place.width));
  const height = Math.max(1, Math.round(place.height));
  const worn = await pictureOf(sharpOf(piece).resize(width, height, { fit: 'fill' }));
  const spot = { left: Math.round(place.left), top: Math.round(place.top), width, height };
  // The body's edge is loosened a little: cloth is wider than who wears it.
  const loose = Math.max(1, width * 0.03);
  const body = await pictureOf(sharpOf(await cropped(subject, spot)).blur(loose));
  const under = await cropped(person, spot);
  const soft = await pictureOf(sharpOf(under).blur(Math.max(1, width * 0.012)));
  const broad = await pictureOf(sharpOf(under).blur(Math.max(2, width * 0.12)));
  const pixels = Buffer.from(worn.pixels);
  for (let at = 0; at < pixels.length; at += 4) {
    const shade = Math.max(
      0.78,
      Math.min(1.14, ((40 + greyOf(soft, at)) / (40 + greyOf(broad, at))) ** 0.6),
    );
    for (let channel = at; channel < at + 3; channel++)
      pixels[channel] = Math.min(255, (pixels[channel] ?? 0) * shade);
    const there = Math.max(0, Math.min(1, ((body.pixels[at + 3] ?? 0) / 255 - 0.12) * 3.2));
    pixels[at + 3] = (pixels[at + 3] ?? 0) * there;
  }
  const left = Math.max(0, spot.left);
  const top = Math.max(0, spot.top);
  const visible = await cropped(
    { pixels, width, height },
    {
      left: left - spot.left,
      top: top - spot.top,
      width: Math.min(person.width, spot.left + width) - left,
      height: Math.min(person.height, spot.top + height) - top,
    },
  );
  if (left >= person.width || top >= person.height) return person;
  return pictureOf(sharpOf(person).composite([layer(visible, left, top)]));
}

const greyOf = ({ pixels }: Picture, at: number): number =>
  0.3 * (pixels[at] ?? 0) + 0.59 * (pixels[at + 1] ?? 0) + 0.11 * (pixels[at + 2] ?? 0);
