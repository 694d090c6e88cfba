// Checks of the pipeline's own fields beyond their shape: limits, schedule, hooks, paths and the store.
import { isObject, type Json, type JsonObject } from '../base/json.ts';
import { kindNamed } from '../contract/kinds.ts';
import { type Diagnostic, errorAt, type Finding, type Path } from '../contract/yaml/diagnostic.ts';
import type { Source } from '../contract/yaml/source.ts';
import { checkFailureLimits } from './failure-limits.ts';
import { checkSchedule } from './schedule.ts';
import { kindHint } from './shape.ts';
import { checkStore } from './store.ts';

export function checkSettings(document: Json, source: Source): readonly Diagnostic[] {
  if (!isObject(document)) return [];
  return [
    ...limitErrors(document, source),
    ...checkFailureLimits(document, source),
    ...checkSchedule(document, source),
    ...hookErrors(document, source),
    ...pathErrors(document, source),
    ...checkStore(document, source),
  ];
}

/** `limits.steps` names step kinds, not steps. A wrong name would silently limit nothing. */
function* limitErrors({ limits }: JsonObject, source: Source): Generator<Diagnostic> {
  const steps = isObject(limits) ? limits['steps'] : undefined;
  for (const name of isObject(steps) ? Object.keys(steps) : [])
    if (kindNamed(name) === undefined)
      yield errorAt(source.file, source.keySpanOf(['limits', 'steps', name]), {
        code: 'SL110',
        message: `limits.steps: ${JSON.stringify(name)} is not a step kind`,
        hint: kindHint(name),
      });
}

function* hookErrors(document: JsonObject, source: Source): Generator<Diagnostic> {
  for (const field of ['on_finish', 'on_doubt']) {
    const hook = document[field];
    if (!isObject(hook)) continue;
    const { command, webhook } = hook;
    for (const [index, part] of (Array.isArray(command) ? command : []).entries()) {
      const wrong = typeof part === 'string' ? wrongArgument(part) : undefined;
      if (wrong !== undefined)
        yield errorAt(source.file, source.spanOf([field, 'command', index]), wrong);
    }
    const wrong = typeof webhook === 'string' ? wrongAddress(webhook) : undefined;
    if (wrong !== undefined) yield errorAt(source.file, source.spanOf([field, 'webhook']), wrong);
  }
}

function wrongArgument(part: string): Finding | undefined {
  if (part.includes('${{'))
    return {
      code: 'SL117',
      message: 'a hook contains an expression, which shotlist does not evaluate there',
      hint: 'read the values from the JSON that the program gets on standard input',
    };
  if (part.includes('\0'))
    return {
      code: 'SL118',
      message: 'an argument of the command contains a null character',
      hint: 'remove the character: no program can receive it',
    };
  return undefined;
}

function wrongAddress(address: string): Finding | undefined {
  if (!URL.canParse(address))
    // The pattern reports a wrong scheme.
    return address.startsWith('https://')
      ? {
          code: 'SL119',
          message: 'the address of the webhook is not valid',
          hint: 'write https://host/path',
        }
      : undefined;
  const { username, password } = new URL(address);
  if (address.includes('${{')) return wrongArgument(address);
  if (username === '' && password === '') return undefined;
  return {
    code: 'SL701',
    message: 'the address of the webhook contains a user or a password',
    hint: 'use an address whose path or query names you, or a command',
  };
}

/** What no path can have, in the paths that a pipeline file names itself. */
function* pathErrors(document: JsonObject, source: Source): Generator<Diagnostic> {
  const items = isObject(document['items']) ? document['items'] : {};
  const outputs = isObject(document['outputs']) ? document['outputs'] : {};
  const { glob, csv, jsonl } = items;
  const paths: readonly (readonly [Path, Json | undefined])[] = [
    [['output'], document['output']],
    [['outputs', 'store'], outputs['store']],
    [['items', 'csv'], csv],
    [['items', 'jsonl'], jsonl],
    ...(Array.isArray(glob)
      ? glob.map((pattern, index): [Path, Json] => [['items', 'glob', index], pattern])
      : [[['items', 'glob'], glob] as const]),
  ];
  for (const [path, value] of paths)
    if (typeof value === 'string' && value.includes('\0'))
      yield errorAt(source.file, source.spanOf(path), {
        code: 'SL118',
        message: `${path.join('.')} contains a null character`,
        hint: 'remove the character: no path can have it',
      });
}
