// Who is meant by a picture of several people.
import type { Region } from '../../../contract/api/region.ts';
import type { Picture } from '../../pictures/picture.ts';
import { cutOut } from './cut-out.ts';
import { figureOf } from './figure.ts';
import { largestOf } from './headshot.ts';
import { onePerson } from './one-person.ts';

/** Who has the largest face, cut out; without faces, whatever is the subject. */
export async function largestPerson(picture: Picture, faces: readonly Region[]): Promise<Picture> {
  const subject = await cutOut(picture, faces);
  const face = faces.length > 1 ? largestOf(faces) : undefined;
  return face === undefined ? subject : onePerson(subject, figureOf(subject, face).head);
}
