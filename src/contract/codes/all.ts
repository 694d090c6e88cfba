// All codes of diagnostics. A code is stable: once published, it keeps its meaning and is never used again for another.
//
// To add one: take the next free number of its group, write its entry, and name the code where the diagnostic is made. Then
// run `npm run diagnostics`. A code that is no longer used moves to `retired`.
import type { Explanation } from './explanation.ts';
import { expressionCodes } from './expression-codes.ts';
import { fanOutCodes } from './fan-out-codes.ts';
import { faultCodes } from './fault-codes.ts';
import { itemCodes } from './item-codes.ts';
import { moneyCodes } from './money-codes.ts';
import { nameCodes } from './name-codes.ts';
import { reuseCodes } from './reuse-codes.ts';
import { safetyCodes } from './safety-codes.ts';
import { sourceCodes } from './source-codes.ts';
import { structureCodes } from './structure-codes.ts';
import { toolCodes } from './tool-codes.ts';
import { yamlCodes } from './yaml-codes.ts';

interface CodeGroup {
  readonly title: string;
  readonly codes: Readonly<Record<string, Explanation>>;
}

export const groups: readonly CodeGroup[] = [
  { title: 'Text and YAML', codes: yamlCodes },
  { title: 'Structure', codes: structureCodes },
  { title: 'Names, order and fan-outs', codes: { ...nameCodes, ...fanOutCodes } },
  { title: 'Expressions', codes: expressionCodes },
  { title: 'Values of tools', codes: toolCodes },
  { title: 'Items, inputs and files', codes: { ...itemCodes, ...sourceCodes } },
  { title: 'Credits and the account', codes: moneyCodes },
  { title: 'Safety', codes: safetyCodes },
  { title: 'Faults files', codes: faultCodes },
  { title: 'Fragments, profiles and defaults', codes: reuseCodes },
];

/** The code of a diagnostic: `SL012`. */
export type Code =
  | keyof typeof yamlCodes
  | keyof typeof structureCodes
  | keyof typeof nameCodes
  | keyof typeof fanOutCodes
  | keyof typeof expressionCodes
  | keyof typeof toolCodes
  | keyof typeof itemCodes
  | keyof typeof sourceCodes
  | keyof typeof moneyCodes
  | keyof typeof safetyCodes
  | keyof typeof faultCodes
  | keyof typeof reuseCodes;

/** Codes of earlier versions. */
export const retired: ReadonlyMap<string, string> = new Map([]);

export const explanations: ReadonlyMap<string, Explanation> = new Map(
  groups.flatMap(({ codes }) => Object.entries(codes)),
);
