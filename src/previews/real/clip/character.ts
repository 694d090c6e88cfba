// The character of a still: before a plain background by that, else, where a face is known, whoever has it.
import type { Region } from '../../../contract/api/region.ts';
import type { Picture } from '../../pictures/picture.ts';
import { largestPerson } from '../photo/largest-person.ts';
import { cutOut, type Figure, figureOf } from '../../matte/cut-out.ts';

export async function characterOf(still: Picture, faces: readonly Region[]): Promise<Figure> {
  const figure = cutOut(still);
  if (figure.clean || faces.length === 0) return figure;
  const person = await largestPerson(still, faces);
  return figureOf(person, person.pixels, true);
}
