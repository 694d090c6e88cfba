// The parameters of a request for people: one line for each value, and the name of a step for what that step made.
import { isObject, type Json, type JsonObject } from '../../../contract/base/json.ts';
import { mailable } from './mailable.ts';
import type { Parameter } from './report-data.ts';

const mostParameters = 40;
const longestValue = 600;

/** `stepOf`: the step of a fingerprint. */
export function parametersOf(
  body: JsonObject,
  stepOf: (fingerprint: string) => string | undefined,
): readonly Parameter[] {
  const found: Parameter[] = [];
  const visit = (name: string, value: Json): void => {
    if (found.length === mostParameters) return;
    if (Array.isArray(value))
      for (const [index, entry] of value.entries()) visit(`${name}[${index}]`, entry);
    else if (isObject(value))
      for (const [key, entry] of Object.entries(value))
        visit(name === '' ? key : `${name}.${key}`, entry);
    else if (name !== 'name') found.push({ name, value: textOf(value, stepOf) });
  };
  visit('', body);
  return found;
}

function textOf(value: Json, stepOf: (fingerprint: string) => string | undefined): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  const [, fingerprint = '', output = ''] = /^shotlist:([0-9a-f]{64})\/(.*)$/.exec(value) ?? [];
  if (fingerprint !== '') return `${stepOf(fingerprint) ?? 'an earlier step'} → ${output}`;
  const text = mailable(value);
  return text.length > longestValue ? `${text.slice(0, longestValue - 1)}…` : text;
}
