// A text as the sounds that its letters suggest: enough for the rhythm and the melody of speech, not to be understood.

export interface Sound {
  /** Seconds. */
  readonly length: number;
  /** The three lowest resonances of the mouth, in hertz. */
  readonly formants: readonly [number, number, number];
  /** How much of the voice and of breath there is in it, 0 to 1. */
  readonly voice: number;
  readonly breath: number;
}

type Formants = Sound['formants'];

/** Vowels, after Peterson and Barney's table of 1952, of men; voices shift them. */
const vowels: Readonly<Record<string, Formants>> = {
  a: [730, 1090, 2440],
  e: [530, 1840, 2480],
  i: [300, 2250, 2960],
  o: [570, 840, 2410],
  u: [320, 870, 2240],
  y: [390, 1990, 2550],
};
const nasal: Formants = [280, 1200, 2400];
const liquid: Formants = [380, 1250, 2350];
const hiss: Formants = [2400, 4200, 5600];
const soft: Formants = [1200, 2300, 3800];
const stop: Formants = [420, 1600, 2600];

const vowel = (formants: Formants): Sound => ({ length: 0.095, formants, voice: 1, breath: 0.03 });

/** Signs that a voice stops at, with the seconds for which it does. */
const pauses: Readonly<Record<string, number>> = {
  ' ': 0.035,
  '\n': 0.25,
  ',': 0.22,
  ';': 0.28,
  ':': 0.28,
  '-': 0.08,
  '.': 0.42,
  '!': 0.42,
  '?': 0.42,
  '…': 0.5,
  '。': 0.42,
};

const silent = (length: number): Sound => ({ length, formants: stop, voice: 0, breath: 0 });

/** The sounds of one letter. A letter of another script sounds like one of these vowels, always the same. */
export function soundsOf(letter: string): readonly Sound[] {
  const plain = letter.toLowerCase().normalize('NFD')[0] ?? '';
  const own = vowels[plain];
  if (own !== undefined) return [vowel(own)];
  const pause = pauses[plain];
  if (pause !== undefined) return [silent(pause)];
  if ('mn'.includes(plain)) return [{ length: 0.07, formants: nasal, voice: 0.55, breath: 0 }];
  if ('lrwj'.includes(plain))
    return [{ length: 0.065, formants: liquid, voice: 0.75, breath: 0.02 }];
  if ('szcxß'.includes(plain))
    return [{ length: 0.085, formants: hiss, voice: plain === 'z' ? 0.3 : 0, breath: 0.5 }];
  if ('fvh'.includes(plain))
    return [{ length: 0.07, formants: soft, voice: plain === 'v' ? 0.4 : 0, breath: 0.3 }];
  if ('bdg'.includes(plain))
    return [silent(0.025), { length: 0.035, formants: stop, voice: 0.5, breath: 0.15 }];
  if ('ptkq'.includes(plain))
    return [silent(0.04), { length: 0.03, formants: soft, voice: 0, breath: 0.55 }];
  if (/\p{L}|\p{N}/u.test(plain)) {
    const known = Object.values(vowels);
    const formants = known[(plain.codePointAt(0) ?? 0) % known.length];
    return formants === undefined ? [] : [silent(0.02), vowel(formants), silent(0.02)];
  }
  return [];
}
