// Checks on_finish: and on_doubt: beyond their shape.
import { isObject, type Json } from '../base/json.ts';
import type { Code } from '../contract/codes/all.ts';
import type { Diagnostic } from '../contract/yaml/diagnostic.ts';
import type { Source } from '../contract/yaml/source.ts';

export function checkHooks(document: Json, source: Source): readonly Diagnostic[] {
  if (!isObject(document)) return [];
  return ['on_finish', 'on_doubt'].flatMap((field) => {
    const hook = document[field];
    if (!isObject(hook)) return [];
    const { command, webhook } = hook;
    const parts = Array.isArray(command) ? command : [];
    return [
      ...parts.flatMap((part, index) => {
        const wrong = typeof part === 'string' ? wrongPart(part) : undefined;
        return wrong === undefined ? [] : [{ path: [field, 'command', index], ...wrong }];
      }),
      ...[typeof webhook === 'string' ? wrongAddress(webhook) : undefined].flatMap((wrong) =>
        wrong === undefined ? [] : [{ path: [field, 'webhook'], ...wrong }],
      ),
    ].map(({ path, code, message, hint }): Diagnostic => {
      const span = source.spanOf(path);
      return { severity: 'error', code, file: source.file, span, message, hint };
    });
  });
}

interface Wrong {
  readonly code: Code;
  readonly message: string;
  readonly hint: string;
}

function wrongPart(part: string): Wrong | undefined {
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

function wrongAddress(address: string): Wrong | undefined {
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
  if (address.includes('${{')) return wrongPart(address);
  if (username === '' && password === '') return undefined;
  return {
    code: 'SL701',
    message: 'the address of the webhook contains a user or a password',
    hint: 'use an address whose path or query names you, or a command',
  };
}
