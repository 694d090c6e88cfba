// The things that a drawn scene can have in front: simple shapes in a box of 100 by 100 that stand on its lower edge.
import type { Shades } from './shades.ts';
import { firstSaid } from './words.ts';

export interface Subject {
  readonly words: readonly string[];
  /** How high it is, of the picture's height. */
  readonly share: number;
  /** How far above the ground it stands, of the picture's height; most things stand on it. */
  readonly lift: number;
  /** Its colour where no other is named, in degrees and per cent; most things may have any. */
  readonly natural?: { readonly hue: number; readonly saturation: number };
  readonly draw: (shades: Shades) => string;
}

const skin = '#d9a17c';
const hair = '#3b2619';

const face = `<ellipse cx="50" cy="38" rx="16" ry="21" fill="${skin}"/>
  <path d="M33 36C30 10 70 10 67 36C66 26 58 24 50 24S35 26 33 36Z" fill="${hair}"/>
  <path d="M32 34C26 60 32 66 35 62L36 36ZM68 34C74 60 68 66 65 62L64 36Z" fill="${hair}"/>
  <ellipse cx="43.500" cy="38" rx="2.200" ry="1.600" fill="#fff"/><circle cx="43.700" cy="38" r="1.300" fill="#234"/>
  <ellipse cx="56.500" cy="38" rx="2.200" ry="1.600" fill="#fff"/><circle cx="56.700" cy="38" r="1.300" fill="#234"/>
  <path d="M40 33.500q3.500-2 7 0M53 33.500q3.500-2 7 0" stroke="${hair}" stroke-width="1.200" fill="none"/>
  <path d="M50 39l-2 7h3.500" stroke="#b27a57" stroke-width="1" fill="none"/>
  <path d="M44 50.500q6 4.500 12 0q-6-1.800-12 0Z" fill="#b0483f"/>`;

export const subjects: readonly Subject[] = [
  {
    words: ['lighthouse'],
    natural: { hue: 2, saturation: 66 },
    share: 0.5,
    lift: 0.02,
    draw: ({ main }) => `<path d="M20 100Q50 84 84 100Z" fill="#2c2f36"/>
      <path d="M42 92L45 26H57L60 92Z" fill="#f4f1ea"/>
      <path d="M43.200 66h15.600l.6 12h-16.800ZM44.500 40h13l.5 12h-14Z" fill="${main}"/>
      <path d="M53 26h4l3 66h-5Z" fill="#000" opacity=".18"/>
      <path d="M43 26h16v-3H43ZM46 23v-9h10v9Z" fill="#333"/><path d="M47 22v-7h8v7Z" fill="#ffe9a0"/>
      <path d="M44 14L51 6l7 8Z" fill="${main}"/>
      <path d="M47 18L-400 -60V110ZM55 18L500 -70V120Z" fill="#fff3c0" opacity=".2"/>`,
  },
  {
    words: ['castle', 'palace', 'fortress', 'tower'],
    natural: { hue: 32, saturation: 14 },
    share: 0.48,
    lift: 0,
    draw: ({ main, dark, light }) => `<path d="M14 100V50h72v50Z" fill="${main}"/>
      <path d="M8 100V38h18v62ZM74 100V38h18v62ZM40 100V22h20v78Z" fill="${light}"/>
      <path d="M20 100V38h6v62ZM86 100V38h6v62ZM53 100V22h7v78Z" fill="${dark}" opacity=".5"/>
      <path d="M5 38L17 16 29 38ZM71 38L83 16 95 38ZM36 22L50-4 64 22Z" fill="${dark}"/>
      <path d="M43 100V80a7 7 0 0 1 14 0v20Z" fill="#241a14"/>
      <path d="M47 40h6v10h-6ZM14 54h5v9h-5ZM80 54h5v9h-5Z" fill="#ffd97a"/>`,
  },
  {
    words: ['house', 'cottage', 'cabin', 'home', 'barn', 'hut', 'temple', 'church'],
    natural: { hue: 12, saturation: 45 },
    share: 0.32,
    lift: 0,
    draw: ({ main, dark, light }) => `<path d="M16 100V54h68v46Z" fill="${light}"/>
      <path d="M62 100V54h22v46Z" fill="${dark}" opacity=".3"/>
      <path d="M68 40V22h9v24Z" fill="${dark}"/><path d="M6 58L50 22 94 58Z" fill="${main}"/>
      <path d="M43 100V74h14v26Z" fill="#5b3a24"/>
      <path d="M24 66h12v13H24ZM65 66h12v13H65Z" fill="#ffe39a" stroke="#fff" stroke-width="1.500"/>`,
  },
  {
    words: ['boat', 'ship', 'sailboat', 'yacht', 'sail'],
    share: 0.34,
    lift: -0.03,
    draw: ({ main, dark }) => `<path d="M49 84V8h2v76Z" fill="#4a3526"/>
      <path d="M52 12Q84 44 84 76H52Z" fill="#fbf7ee"/><path d="M48 20Q24 48 20 76h28Z" fill="${main}"/>
      <path d="M10 80h82q-8 18-18 20H26Q14 96 10 80Z" fill="${dark}"/>
      <path d="M10 80h82l-2 4H12Z" fill="#fff" opacity=".7"/>`,
  },
  {
    words: ['rocket', 'spaceship', 'spacecraft'],
    share: 0.5,
    lift: 0.14,
    draw: ({ main, dark }) => `<path d="M42 78q8 26 8 34 0-8 8-34Z" fill="#ffb534"/>
      <path d="M50 2C70 24 66 60 62 80H38C34 60 30 24 50 2Z" fill="#eef1f4"/>
      <path d="M50 2C70 24 66 60 62 80H54C58 50 58 24 50 2Z" fill="#000" opacity=".14"/>
      <path d="M50 2Q60 12 63 24H37Q40 12 50 2ZM36 58L24 86l14-6ZM64 58l12 28-14-6Z" fill="${main}"/>
      <circle cx="50" cy="40" r="7.500" fill="${dark}"/><circle cx="50" cy="40" r="5" fill="#aee1f9"/>`,
  },
  {
    words: ['cat', 'kitten', 'kitty'],
    natural: { hue: 27, saturation: 62 },
    share: 0.42,
    lift: 0,
    draw: ({
      main,
      dark,
      light,
    }) => `<path d="M72 96C100 96 96 60 88 56c6 14 0 26-14 28Z" fill="${dark}"/>
      <path d="M28 100C24 70 34 56 50 56s28 14 24 44Z" fill="${main}"/>
      <path d="M30 46L28 14l16 14h12L72 14l-2 32C70 62 30 62 30 46Z" fill="${main}"/>
      <path d="M32 30l-1-10 9 8ZM68 30l1-10-9 8Z" fill="#e8a0a0"/>
      <ellipse cx="42" cy="41" rx="4" ry="5" fill="#d8e26a"/><ellipse cx="58" cy="41" rx="4" ry="5" fill="#d8e26a"/>
      <path d="M42 37v8M58 37v8" stroke="#111" stroke-width="2.200"/>
      <path d="M47.500 48h5L50 51Z" fill="#d47b7b"/>
      <path d="M30 50l12-1M30 55l12-3M70 50l-12-1M70 55l-12-3" stroke="#fff" stroke-width=".7"/>
      <ellipse cx="50" cy="80" rx="11" ry="17" fill="${light}"/>
      <path d="M38 100V84M62 100V84" stroke="${dark}" stroke-width="1.500"/>`,
  },
  {
    words: ['dog', 'puppy', 'wolf', 'fox'],
    natural: { hue: 30, saturation: 48 },
    share: 0.42,
    lift: 0,
    draw: ({ main, dark, light }) => `<path d="M70 92q22-8 20-30 10 26-18 38Z" fill="${main}"/>
      <path d="M28 100C24 72 36 58 50 58s26 14 22 42Z" fill="${main}"/>
      <path d="M30 40C30 14 70 14 70 40c0 24-40 24-40 0Z" fill="${main}"/>
      <path d="M31 24C16 24 18 56 27 54c5-2 5-20 8-26ZM69 24c15 0 13 32 4 30-5-2-5-20-8-26Z" fill="${dark}"/>
      <ellipse cx="50" cy="48" rx="12" ry="10" fill="${light}"/><ellipse cx="50" cy="43" rx="4.500" ry="3.200" fill="#1b1512"/>
      <circle cx="41" cy="35" r="2.800" fill="#1b1512"/><circle cx="59" cy="35" r="2.800" fill="#1b1512"/>
      <path d="M50 46v5m-6 1q6 4 12 0" stroke="#1b1512" stroke-width="1.200" fill="none"/>
      <path d="M47 54h6v5q-3 3-6 0Z" fill="#e2717c"/><ellipse cx="50" cy="82" rx="11" ry="15" fill="${light}"/>
      <path d="M38 62q12 8 24 0l1 5q-13 8-26 0Z" fill="#c33"/>`,
  },
  {
    words: ['bird', 'eagle', 'gull', 'seagull', 'owl', 'raven', 'dragon'],
    natural: { hue: 215, saturation: 14 },
    share: 0.2,
    lift: 0.34,
    draw: ({
      main,
      dark,
    }) => `<path d="M2 34Q28 22 50 58 72 22 98 34 74 40 58 72q-8 12-16 0Q26 40 2 34Z" fill="${main}"/>
      <path d="M50 58Q72 22 98 34 74 40 58 72Z" fill="${dark}"/><path d="M46 74h8l-4 12Z" fill="${dark}"/>`,
  },
  {
    words: ['car', 'truck', 'taxi', 'vehicle', 'bus'],
    share: 0.26,
    lift: 0,
    draw: ({
      main,
      dark,
    }) => `<path d="M-14 84V68q2-10 22-12l14-22q4-6 14-6h26q10 0 18 8l16 18q18 2 18 16v14Z" fill="${main}"/>
      <path d="M26 54l10-16q2-3 8-3h4v19ZM54 35h8q6 0 11 6l11 13H54Z" fill="#bfe3f2"/>
      <path d="M-14 74h128v10H-14Z" fill="${dark}"/><circle cx="14" cy="86" r="14" fill="#15171a"/>
      <circle cx="88" cy="86" r="14" fill="#15171a"/><circle cx="14" cy="86" r="6" fill="#c9ced3"/>
      <circle cx="88" cy="86" r="6" fill="#c9ced3"/><path d="M106 62h8v8h-8Z" fill="#ffe9a0"/>`,
  },
  {
    words: ['robot', 'android', 'cyborg', 'mech'],
    natural: { hue: 205, saturation: 20 },
    share: 0.5,
    lift: 0,
    draw: ({
      main,
      dark,
      light,
    }) => `<path d="M49 16V4h2v12Z" fill="${dark}"/><circle cx="50" cy="4" r="3" fill="#ff5a4d"/>
      <rect x="30" y="14" width="40" height="28" rx="6" fill="${light}"/><rect x="35" y="20" width="30" height="12" rx="5" fill="#12202c"/>
      <circle cx="43" cy="26" r="3.400" fill="#5ef1ff"/><circle cx="57" cy="26" r="3.400" fill="#5ef1ff"/>
      <path d="M40 37h20" stroke="${dark}" stroke-width="2"/><rect x="28" y="45" width="44" height="34" rx="6" fill="${main}"/>
      <rect x="40" y="52" width="20" height="12" rx="2" fill="${dark}"/><circle cx="50" cy="58" r="4" fill="#5ef1ff"/>
      <path d="M16 48h9v30h-9ZM75 48h9v30h-9Z" fill="${light}"/><path d="M34 80h11v20H34ZM55 80h11v20H55Z" fill="${dark}"/>`,
  },
  {
    words: ['flower', 'rose', 'tulip', 'sunflower', 'lotus', 'bouquet'],
    share: 0.46,
    lift: 0,
    draw: ({ main, dark, light }) => {
      const petals = Array.from(
        { length: 10 },
        (_, i) =>
          `<ellipse cx="50" cy="14" rx="8" ry="17" fill="${i % 2 === 0 ? main : light}" transform="rotate(${i * 36} 50 34)"/>`,
      );
      return `<path d="M49 100Q46 70 50 40q6 30 3 60Z" fill="#3d7a35"/>
        <path d="M50 84Q30 80 24 62q22 2 26 22ZM52 74q20-4 24-20-20 2-24 20Z" fill="#4f9a45"/>
        ${petals.join('')}<circle cx="50" cy="34" r="9" fill="${dark}"/><circle cx="48" cy="32" r="5" fill="#f3c84b"/>`;
    },
  },
  {
    words: ['tree', 'oak', 'bonsai', 'palm'],
    natural: { hue: 112, saturation: 38 },
    share: 0.55,
    lift: 0,
    draw: ({ main, dark }) => `<path d="M44 100Q48 78 46 54h8q-2 24 4 46Z" fill="#4c3424"/>
      <circle cx="50" cy="30" r="24" fill="${main}"/><circle cx="30" cy="42" r="18" fill="${main}"/>
      <circle cx="70" cy="42" r="18" fill="${dark}"/><circle cx="58" cy="24" r="16" fill="${dark}" opacity=".5"/>`,
  },
  {
    words: ['cup', 'mug', 'coffee', 'tea', 'espresso', 'cappuccino', 'latte'],
    natural: { hue: 205, saturation: 35 },
    share: 0.34,
    lift: 0,
    draw: ({ main, dark, light }) => `<ellipse cx="50" cy="94" rx="48" ry="7" fill="${light}"/>
      <ellipse cx="50" cy="92.500" rx="30" ry="4" fill="${dark}" opacity=".4"/>
      <path d="M76 52c26-4 26 30-4 28l1-7c18 2 18-16 2-14Z" fill="${main}"/>
      <path d="M20 46h60q0 36-16 48H36Q20 82 20 46Z" fill="${main}"/>
      <path d="M58 46h22q0 36-16 48h-8q6-20 2-48Z" fill="${dark}" opacity=".35"/>
      <ellipse cx="50" cy="46" rx="30" ry="7" fill="${light}"/><ellipse cx="50" cy="46.500" rx="26" ry="5.200" fill="#3a2012"/>
      <path d="M40 36q-8-10 0-18t0-18M56 36q-8-10 0-18t0-18" stroke="#fff" stroke-width="3" fill="none" opacity=".45"/>`,
  },
  {
    words: ['balloon'],
    share: 0.36,
    lift: 0.3,
    draw: ({
      main,
      dark,
      light,
    }) => `<path d="M50 2C84 2 84 44 58 74H42C16 44 16 2 50 2Z" fill="${main}"/>
      <path d="M50 2C62 2 64 44 53 74h-6C36 44 38 2 50 2Z" fill="${light}"/>
      <path d="M50 2C84 2 84 44 58 74h-3C70 44 72 10 50 2Z" fill="${dark}" opacity=".6"/>
      <path d="M43 74l2 12M57 74l-2 12" stroke="#543" stroke-width="1"/><path d="M43 86h14v12H43Z" fill="#7a5230"/>`,
  },
  {
    words: ['portrait', 'face', 'headshot', 'selfie', 'close up'],
    share: 0.92,
    lift: 0,
    draw: ({
      main,
      dark,
    }) => `<path d="M30 40C20 80 26 90 32 92H68C74 90 80 80 70 40Z" fill="${hair}"/>
      <path d="M43 54h14v16q12 3 24 8 8 5 10 22H9q2-17 10-22 12-5 24-8Z" fill="${main}"/>
      <path d="M43 54h14v14q-7 9-14 0Z" fill="#c08a66"/><path d="M62 72q19 4 24 9 4 6 5 19H72Z" fill="${dark}" opacity=".4"/>${face}`,
  },
  {
    words: [
      'person',
      'man',
      'woman',
      'girl',
      'boy',
      'people',
      'child',
      'king',
      'queen',
      'knight',
    ].concat([
      'warrior',
      'wizard',
      'astronaut',
      'dancer',
      'hero',
      'soldier',
      'princess',
      'model',
      'samurai',
    ]),
    share: 0.6,
    lift: -0.04,
    draw: ({ main, dark, light }) => `<path d="M43 60h6l-1 40h-7ZM51 60h6l2 40h-7Z" fill="#28303c"/>
      <path d="M38 24q12-5 24 0l3 24-4 1-2-10v24H41V39l-2 10-4-1Z" fill="${main}"/>
      <path d="M52 22q6 0 10 2l3 24-4 1-2-10v24h-7Z" fill="${dark}" opacity=".45"/>
      <circle cx="36.500" cy="50" r="2.200" fill="${skin}"/><circle cx="63.500" cy="50" r="2.200" fill="${skin}"/>
      <path d="M47.500 16h5v8h-5Z" fill="${skin}"/><ellipse cx="50" cy="12" rx="6" ry="7.500" fill="${skin}"/>
      <path d="M43.500 12C42 0 58 0 56.500 12 55 7 45 7 43.500 12Z" fill="${hair}"/>
      <path d="M39 98h10v3H38ZM51 98h9l1 3H51Z" fill="${light}"/>`,
  },
];

/** The first subject that a prompt names. */
export const subjectIn = (text: string): Subject | undefined => firstSaid(text, subjects);
