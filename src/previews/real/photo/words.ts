// What words of a prompt, a style or a topic ask for. Whole words in any case, their plurals and the usual endings
// included; nothing is understood beyond that.

/** True when a text has one of the words, which are given in lower case and may have spaces in them. */
export function says(text: string, ...words: readonly string[]): boolean {
  const plain = ` ${text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, ' ')} `;
  return words.some((word) => {
    const endings = ['', 's', 'es', 'y', 'ed', 'ing', 'er'];
    return endings.some((ending) => plain.includes(` ${word}${ending} `));
  });
}

/** The first row of a table whose words a text has. */
export function firstSaid<T extends { readonly words: readonly string[] }>(
  text: string,
  table: readonly T[],
): T | undefined {
  return table.find(({ words }) => says(text, ...words));
}

interface NamedHue {
  readonly words: readonly string[];
  /** An angle in degrees, as in CSS. */
  readonly hue: number;
}

const hues: readonly NamedHue[] = [
  { words: ['red', 'crimson', 'scarlet', 'ruby', 'rose', 'fire', 'lava', 'blood'], hue: 0 },
  { words: ['orange', 'amber', 'copper', 'autumn', 'rust', 'pumpkin'], hue: 26 },
  { words: ['yellow', 'gold', 'golden', 'sunflower', 'lemon', 'honey', 'sand'], hue: 46 },
  { words: ['green', 'emerald', 'lime', 'jungle', 'leaf', 'mint', 'olive', 'nature'], hue: 125 },
  { words: ['turquoise', 'teal', 'cyan', 'aqua', 'lagoon', 'ice'], hue: 180 },
  { words: ['blue', 'azure', 'indigo', 'navy', 'sapphire'], hue: 214 },
  { words: ['purple', 'violet', 'lavender', 'cyberpunk', 'galaxy', 'cosmic', 'magic'], hue: 275 },
  { words: ['pink', 'magenta', 'fuchsia', 'sakura', 'cherry', 'candy', 'neon'], hue: 328 },
];

/** The colours that a text names, as angles in degrees, in the order of the wheel. */
export const huesIn = (text: string): readonly number[] =>
  hues.filter(({ words }) => says(text, ...words)).map(({ hue }) => hue);
