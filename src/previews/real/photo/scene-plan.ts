// What a drawn scene shall be like, as read from a prompt: the place, the light, the colours and what stands in
// front. What the words leave open is drawn by lot, so that different prompts and seeds look different.
import { type Subject, subjectIn } from './subjects.ts';
import { firstSaid, huesIn } from './words.ts';

export const places = [
  {
    name: 'sea',
    words: [
      'sea',
      'ocean',
      'beach',
      'wave',
      'coast',
      'harbor',
      'harbour',
      'lake',
      'island',
      'river',
      'boat',
      'ship',
      'lighthouse',
    ],
  },
  {
    name: 'space',
    words: [
      'space',
      'galaxy',
      'planet',
      'nebula',
      'cosmo',
      'cosmic',
      'alien',
      'astronaut',
      'universe',
      'spaceship',
      'star war',
    ],
  },
  {
    name: 'city',
    words: [
      'city',
      'street',
      'skyline',
      'skyscraper',
      'downtown',
      'urban',
      'town',
      'new york',
      'tokyo',
      'cyberpunk',
      'road',
      'car',
      'taxi',
    ],
  },
  { name: 'forest', words: ['forest', 'wood', 'jungle', 'tree', 'park', 'garden'] },
  {
    name: 'mountain',
    words: ['mountain', 'alp', 'hill', 'cliff', 'valley', 'volcano', 'canyon', 'castle', 'dragon'],
  },
  {
    name: 'desert',
    words: ['desert', 'dune', 'sahara', 'sand', 'camel', 'pyramid', 'mars', 'western'],
  },
  {
    name: 'snow',
    words: ['snow', 'winter', 'ice', 'arctic', 'christma', 'ski', 'glacier', 'penguin'],
  },
  {
    name: 'room',
    words: [
      'room',
      'interior',
      'kitchen',
      'office',
      'table',
      'cup',
      'desk',
      'cafe',
      'bedroom',
      'studio',
      'food',
      'coffee',
      'product',
      'bottle',
      'still life',
    ],
  },
  {
    name: 'backdrop',
    words: [
      'portrait',
      'face',
      'headshot',
      'logo',
      'icon',
      'abstract',
      'pattern',
      'close up',
      'texture',
    ],
  },
  {
    name: 'meadow',
    words: [
      'meadow',
      'field',
      'farm',
      'countryside',
      'flower',
      'grass',
      'spring',
      'horse',
      'cow',
      'sheep',
    ],
  },
] as const;

export type Place = (typeof places)[number]['name'];

/** A sky from top to horizon, the colour of what is near, and what shines. */
export interface Light {
  readonly words: readonly string[];
  readonly sky: readonly [string, string, string];
  readonly near: string;
  readonly shine: string;
  readonly shows: 'sun' | 'low sun' | 'moon' | 'nothing' | 'lightning';
}

const day: Light = {
  words: ['day', 'sunny', 'noon', 'summer', 'bright', 'clear'],
  sky: ['#2f7fd0', '#7dbbec', '#dff0fa'],
  near: '#2c4a3a',
  shine: '#fffbe6',
  shows: 'sun',
};
const lights: readonly Light[] = [
  {
    words: ['storm', 'thunder', 'lightning', 'tempest', 'dramatic'],
    sky: ['#151b26', '#39485a', '#8695a0'],
    near: '#10161c',
    shine: '#e8f0ff',
    shows: 'lightning',
  },
  {
    words: ['sunset', 'dusk', 'evening', 'golden hour', 'autumn', 'romantic'],
    sky: ['#2a2558', '#d2506a', '#ffb45e'],
    near: '#241430',
    shine: '#ffe9b0',
    shows: 'low sun',
  },
  {
    words: ['night', 'midnight', 'moon', 'star', 'dark', 'starry', 'neon', 'cyberpunk'],
    sky: ['#04071c', '#0e1c48', '#2f4a86'],
    near: '#070d1e',
    shine: '#f3f1dd',
    shows: 'moon',
  },
  {
    words: ['sunrise', 'dawn', 'morning', 'pastel', 'dreamy'],
    sky: ['#6f8fd0', '#f3b7c4', '#ffe6b8'],
    near: '#3b3a58',
    shine: '#fff6d8',
    shows: 'low sun',
  },
  {
    words: ['fog', 'mist', 'rain', 'cloud', 'grey', 'gray', 'noir', 'gloom'],
    sky: ['#7d8b96', '#a9b5bd', '#d5dbde'],
    near: '#39434a',
    shine: '#f0f0f0',
    shows: 'nothing',
  },
  day,
];

export interface ScenePlan {
  readonly place: Place;
  readonly light: Light;
  /** Named colours, as angles in degrees. */
  readonly hues: readonly number[];
  readonly subject: Subject | undefined;
}

const open = ['sea', 'forest', 'mountain', 'meadow', 'desert', 'city'] as const;

export function scenePlanOf(prompt: string, chance: () => number): ScenePlan {
  const drawn = open[Math.floor(chance() * open.length)] ?? 'meadow';
  const lot = lights[Math.floor(chance() * lights.length)] ?? day;
  const light = firstSaid(prompt, lights) ?? (chance() < 0.6 ? day : lot);
  return {
    place: firstSaid(prompt, places)?.name ?? drawn,
    light,
    hues: huesIn(prompt),
    subject: subjectIn(prompt),
  };
}
