// All codes of diagnostics, by the first digit of their numbers. ../README.md says how to add one.
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

const known = [
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
] as const satisfies readonly CodeGroup[];

export const groups: readonly CodeGroup[] = known;

type CodesOf<Group> = Group extends { readonly codes: infer Codes } ? keyof Codes : never;

/** The code of a diagnostic: `SL012`. */
export type Code = CodesOf<(typeof known)[number]>;

/** Codes of earlier versions. */
export const retired: ReadonlyMap<string, string> = new Map([]);

export const explanations: ReadonlyMap<string, Explanation> = new Map(
  groups.flatMap(({ codes }) => Object.entries(codes)),
);
