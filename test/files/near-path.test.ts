// A path that leads nowhere is compared with what is there.
import { expect, test } from 'vitest';
import { nearPath } from '../../src/files/near-path.ts';
import { folderWith } from './places.ts';

const there = ['faces/Zoe\u0308.jpg', 'faces/ann.jpg', 'faces/my dog.jpg', 'faces/Ñandú/a.jpg'];
const series = ['holidays/IMG_1.jpg', 'a.png'];

test.each([
  ['faces/Zo\u00eb.jpg', 'faces/Zoe\u0308.jpg', /accents/],
  ['faces/zo\u00eb.jpg', 'faces/Zoe\u0308.jpg', /case/],
  ['faces/N\u0303andu\u0301/a.jpg', 'faces/Ñandú/a.jpg', /accents/],
  ['Faces/Ann.JPG', 'faces/ann.jpg', /case/],
  ['faces/ann.jpg ', 'faces/ann.jpg', /spaces/],
  [' faces/ann.jpg', 'faces/ann.jpg', /spaces/],
  ['faces/ann.jpg\u00a0', 'faces/ann.jpg', /spaces/],
  ['faces/an\u200bn.jpg', 'faces/ann.jpg', /spaces/],
  ['faces/my\u00a0dog.jpg', 'faces/my dog.jpg', /spaces/],
  ['faces/mydog.jpg', 'faces/my dog.jpg', /spaces/],
  ['faces\\ann.jpg', 'faces/ann.jpg', /"\/"/],
  ['.\\Faces\\ann.jpg', './faces/ann.jpg', /"\/", and the case/],
  ['faces/../Faces/ann.jpg', 'faces/../faces/ann.jpg', /case/],
])('%j is said to be %j, with what differs', (path, near, why) => {
  const said = nearPath(path, folderWith(...there));
  expect(said).toContain(JSON.stringify(near));
  expect(said).toMatch(why);
});

test.each([
  ['faces/amn.jpg', 'did you mean "ann.jpg"?'],
  ['holidys/IMG_1.jpg', 'did you mean "holidays"?'],
  ['holidays/IMG_2.jpg', undefined],
  ['b.png', undefined],
  ['faces/nothing-like-it.jpg', undefined],
  ['', undefined],
])('%j is compared as a word', (path, said) => {
  expect(nearPath(path, folderWith(...there, ...series))).toBe(said);
});

test('an absolute path is compared, too', () => {
  const folder = folderWith(...there);
  expect(nearPath(`${folder}/faces/ANN.jpg`, '/')).toContain(`${folder}/faces/ann.jpg`);
});
