// All codes of diagnostics, by the first digit of their numbers. ../README.md says how to add one.
import type { Explanation } from './explanation.ts';
import { yamlCodes } from './sl0xx-yaml.ts';
import { structureCodes } from './sl1xx-structure.ts';
import { fanOutCodes } from './sl2xx-fan-outs.ts';
import { nameCodes } from './sl2xx-names.ts';
import { expressionCodes } from './sl3xx-expressions.ts';
import { toolCodes } from './sl4xx-tools.ts';
import { itemCodes } from './sl5xx-items.ts';
import { sourceCodes } from './sl5xx-sources.ts';
import { moneyCodes } from './sl6xx-credits.ts';
import { safetyCodes } from './sl7xx-safety.ts';
import { faultCodes } from './sl8xx-faults.ts';
import { reuseCodes } from './sl9xx-reuse.ts';

interface CodeGroup {
  readonly title: string;
  readonly codes: Readonly<Record<string, Explanation>>;
}

const codeGroups = [
  { title: 'Text and YAML', codes: yamlCodes },
  { title: 'Structure', codes: structureCodes },
  { title: 'Names, order and fan-outs', codes: { ...nameCodes, ...fanOutCodes } },
  { title: 'Expressions', codes: expressionCodes },
  { title: 'Values of tools', codes: toolCodes },
  { title: 'Items, inputs and files', codes: { ...itemCodes, ...sourceCodes } },
  { title: 'Credits and the account', codes: moneyCodes },
  { title: 'Safety', codes: safetyCodes },
  { title: 'Faults files', codes: faultCodes },
  { title: 'Profiles', codes: reuseCodes },
] as const satisfies readonly CodeGroup[];

export const groups: readonly CodeGroup[] = codeGroups;

type CodesOf<Group> = Group extends { readonly codes: infer Codes } ? keyof Codes : never;

/** The code of a diagnostic: `SL012`. */
export type Code = CodesOf<(typeof codeGroups)[number]>;

/** Codes of earlier versions. */
export const retired: ReadonlyMap<string, string> = new Map([]);

export const explanations: ReadonlyMap<string, Explanation> = new Map(
  groups.flatMap(({ codes }) => Object.entries(codes)),
);
