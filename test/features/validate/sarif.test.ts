// The SARIF log. The types of @types/sarif check its form when the tests are compiled.
import { expect, test } from 'vitest';
import { explanations } from '../../../src/contract/codes/all.ts';
import type { Complaint } from '../../../src/contract/yaml/diagnostic.ts';
import { sarifOf } from '../../../src/features/validate/sarif.ts';

const span = { line: 3, column: 5, endLine: 3, endColumn: 9 };
const wrong: Complaint = {
  severity: 'error',
  code: 'SL201',
  file: './pipelines/a photo.yaml',
  span,
  message: 'there is no step "foto"',
  hint: 'did you mean "photo"?',
};
const odd: Complaint = { ...wrong, severity: 'warning', code: 'SL601', hint: 'add a download' };

test('has one rule for each code, and one result for each diagnostic, at its place', () => {
  const [run] = sarifOf([odd, wrong, wrong], '1.2.3').runs;
  const { driver } = run?.tool ?? {};
  expect(driver).toMatchObject({ name: 'shotlist', semanticVersion: '1.2.3' });
  expect(driver?.rules?.map(({ id, defaultConfiguration }) => [id, defaultConfiguration])).toEqual([
    ['SL201', { level: 'error' }],
    ['SL601', { level: 'warning' }],
  ]);
  expect(driver?.rules?.[0]?.shortDescription?.text).toBe(explanations.get('SL201')?.title);
  expect(run?.results?.map(({ ruleId, ruleIndex, level }) => [ruleId, ruleIndex, level])).toEqual([
    ['SL601', 1, 'warning'],
    ['SL201', 0, 'error'],
    ['SL201', 0, 'error'],
  ]);
  expect(run?.results?.[1]).toMatchObject({
    message: { text: 'there is no step "foto"\n\ndid you mean "photo"?' },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: 'pipelines/a%20photo.yaml' },
          region: { startLine: 3, startColumn: 5, endLine: 3, endColumn: 9 },
        },
      },
    ],
  });
  expect(run).toMatchObject({
    columnKind: 'utf16CodeUnits',
    invocations: [{ executionSuccessful: true, toolExecutionNotifications: [] }],
  });
});

test('a diagnostic without a place names its file', () => {
  const { span: _, ...whole } = wrong;
  const [run] = sarifOf([whole], '1.2.3').runs;
  expect(run?.results?.[0]?.locations).toEqual([
    { physicalLocation: { artifactLocation: { uri: 'pipelines/a%20photo.yaml' } } },
  ]);
});

test('a file that cannot be read is no result: the check was not complete', () => {
  const [run] = sarifOf(
    [{ severity: 'error', file: 'p.yaml', message: 'the pipeline file does not exist' }],
    '1.2.3',
  ).runs;
  expect(run?.results).toEqual([]);
  expect(run?.invocations).toEqual([
    {
      executionSuccessful: false,
      toolExecutionNotifications: [
        { level: 'error', message: { text: 'p.yaml: the pipeline file does not exist' } },
      ],
    },
  ]);
});

test.each([
  ['a.yaml', 'a.yaml'],
  ['../a#b?.yaml', '../a%23b%3F.yaml'],
  ['C:\\x\\a.yaml', 'file:///C:/x/a.yaml'],
  ['/x/ü.yaml', 'file:///x/%C3%BC.yaml'],
])('%s becomes the URI %s', (file, uri) => {
  const [run] = sarifOf([{ ...wrong, file }], '1').runs;
  const location = run?.results?.[0]?.locations?.[0]?.physicalLocation?.artifactLocation;
  expect(location?.uri).toBe(uri);
});
