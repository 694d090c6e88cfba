// Annotations of GitHub Actions, read back as its runner reads a command.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Diagnostic } from '../../src/contract/yaml/diagnostic.ts';
import { annotationOf } from '../../src/features/validate/command.ts';

const span = { line: 3, column: 5, endLine: 3, endColumn: 9 };
const wrong: Diagnostic = {
  severity: 'error',
  code: 'SL201',
  file: 'pipelines/a.yaml',
  span,
  message: 'there is no step "foto"',
  hint: 'did you mean "photo"?',
};

interface Command {
  readonly name: string;
  readonly properties: Readonly<Record<string, string>>;
  readonly message: string;
}

/** As `ActionCommand.TryParseV2` of actions/runner does, by the rules in GitHub's "Workflow commands". */
function commandIn(line: string): Command {
  expect(line.startsWith('::')).toBe(true);
  const end = line.indexOf('::', 2);
  const head = line.slice(2, end);
  const space = head.indexOf(' ');
  const properties = head
    .slice(space + 1)
    .split(',')
    .map((pair): [string, string] => {
      const [key = '', ...value] = pair.split('=');
      return [
        key,
        unescaped(value.join('='))
          .replaceAll('%3A', ':')
          .replaceAll('%2C', ',')
          .replaceAll('%25', '%'),
      ];
    });
  return {
    name: head.slice(0, space),
    properties: Object.fromEntries(properties),
    message: unescaped(line.slice(end + 2)).replaceAll('%25', '%'),
  };
}

const unescaped = (text: string): string => text.replaceAll('%0D', '\r').replaceAll('%0A', '\n');

test('has the file, the place and the code', () => {
  expect(annotationOf(wrong)).toBe(
    '::error file=pipelines/a.yaml,line=3,col=5,endLine=3,endColumn=9,title=SL201::there is no step "foto"%0Adid you mean "photo"?',
  );
});

test('has the hint in a second line, and a warning is a warning', () => {
  const annotation = annotationOf({ ...wrong, severity: 'warning' });
  expect(annotation).toMatch(/^::warning .*::there is no step "foto"%0Adid you mean "photo"\?$/);
});

test('a problem without a place says what it is about', () => {
  const command = annotationOf({ severity: 'error', file: 'p.yaml', message: 'does not exist' });
  expect(command).toBe('::error title=shotlist::p.yaml: does not exist');
});

test('whatever a file and a message contain, GitHub reads them as they are, and no other command', () => {
  const nasty = fc.string({
    unit: fc.constantFrom('%', ':', ',', '=', '\n', '\r', '::', 'a', '%25', '%0A', ' '),
  });
  fc.assert(
    fc.property(nasty, nasty, nasty, (file, message, hint) => {
      const line = annotationOf({ ...wrong, file, message, hint });
      expect(line).not.toMatch(/[\r\n]/);
      const command = commandIn(line);
      expect(command.name).toBe('error');
      expect(command.properties).toMatchObject({ file, line: '3', title: 'SL201' });
      expect(command.message).toBe(`${message}\n${hint}`);
    }),
    { seed: 1 },
  );
});
