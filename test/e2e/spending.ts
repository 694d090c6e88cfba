import { Rig } from '../rig.ts';

export interface Spending {
  readonly items: number;
  /** Lines before `steps:`, such as the budget. */
  readonly more?: string;
  /** Items in progress at once. */
  readonly window?: number;
  readonly steps?: string;
}

/** 10 credits an item by the price list: 0.1 for each of 100 characters. */
export const speech = `  speech:
    uses: ai-voice-generator
    with: { style: { prompt: "\${{ item.value }}", voice_name: Elon } }
`;

/** A folder with a pipeline over so many words. */
export function spendingRig({ items, more = '', window = 64, steps = speech }: Spending): Rig {
  const words = Array.from({ length: items }, (_, number) => `w${number}`.padEnd(100, 'o'));
  return new Rig(
    `pipeline: spending\nitems: { values: [${words.join(', ')}] }\nlimits: { items: ${window} }\n${more}\nsteps:\n${steps}`,
  );
}
