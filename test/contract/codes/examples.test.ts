// Each code proves itself: its wrong example gives exactly this code and nothing else, and its right example gives none.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { groups } from '../../../src/contract/codes/all.ts';
import {
  type Example,
  type Explanation,
  type Finder,
  type Setting,
  settingOf,
  textOf,
} from '../../../src/contract/codes/explanation.ts';
import type { Complaint } from '../../../src/contract/yaml/diagnostic.ts';
import { plan } from '../../../src/features/plan/plan.ts';
import { trust } from '../../../src/features/trust/trust.ts';
import { validate } from '../../../src/features/validate/validate.ts';
import { loadPipeline } from '../../../src/language/load/load.ts';
import { type Problem, resultOf } from '../../../src/language/load/refusal.ts';
import { parseFaults } from '../../../src/service/faults/read.ts';
import { startService } from '../../../src/service/start.ts';
import { watch } from '../../../src/triggers/watch/watch.ts';
import { contentFor } from '../../photo.ts';

const entries: readonly (readonly [string, Explanation])[] = groups.flatMap(({ codes }) =>
  Object.entries(codes),
);

/** A folder with the files of an example; the name of the pipeline file in it. */
function placed(example: Example): string {
  // Two levels, so that a path may lead out of the repository.
  const outside = mkdtempSync(join(tmpdir(), 'shotlist-code-'));
  onTestFinished(() => rmSync(outside, { recursive: true, force: true }));
  const folder = join(outside, 'repository', 'pipelines');
  mkdirSync(join(outside, 'repository', '.git'), { recursive: true });
  mkdirSync(folder);
  const { files = {}, saved } = settingOf(example);
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), contentFor(name, content));
  }
  const file = join(folder, 'pipeline.yaml');
  const text = textOf(example);
  if (saved === 'cr') writeFileSync(file, text.replaceAll('\n', '\r'));
  else writeFileSync(file, text, saved ?? 'utf8');
  return file;
}

interface Seen {
  readonly found: readonly Complaint[];
  readonly text: string;
}

const seen = ({ diagnostics, text = '' }: Problem): Seen => ({ found: diagnostics, text });
const none: Seen = { found: [], text: '' };

async function look(code: string, example: Example, finder: Finder): Promise<Seen> {
  const setting = settingOf(example);
  if (finder === 'serve') {
    const text = textOf(example);
    const read = parseFaults('faults.yaml', text);
    return read.ok ? none : { found: read.error, text };
  }
  const file = placed(example);
  const { inputs = {}, env = {}, profile } = setting;
  if (finder === 'validate') {
    const checked = await resultOf(() => validate(file, { inputs, env, profile }));
    return checked.ok
      ? { found: checked.value.warnings, text: checked.value.text }
      : seen(checked.error);
  }
  const loaded = await resultOf(() => loadPipeline(file, { inputs, env, profile }));
  if (!loaded.ok) return seen(loaded.error);
  const { warnings, text } = loaded.value;
  if (warnings.length > 0) return { found: warnings, text };
  if (finder === 'watch') {
    const stop = AbortSignal.abort();
    const watched = await resultOf(() =>
      watch(file, { run: { rehearse: true }, signal: stop, env }),
    );
    return watched.ok ? none : seen(watched.error);
  }
  const planned = await resultOf(async () =>
    plan(loaded.value, await planOptions(code, setting, file)),
  );
  return planned.ok ? none : seen(planned.error);
}

async function planOptions(
  code: string,
  { env, items }: Setting,
  file: string,
): Promise<NonNullable<Parameters<typeof plan>[1]>> {
  const filter = items === undefined ? {} : { items: { only: items } };
  const state = { XDG_STATE_HOME: join(dirname(file), 'state') };
  if (code === 'SL706') await trust(file, { env: { ...state, ...env } });
  if (code === 'SL603') {
    const service = await startService({ tier: 'free' });
    onTestFinished(() => service.close());
    const account = { SHOTLIST_BASE_URL: service.address, SHOTLIST_API_KEY: service.key };
    return { ...filter, env: { ...state, ...account } };
  }
  return env === undefined
    ? { ...filter, rehearse: true, env: state }
    : { ...filter, env: { ...state, ...env } };
}

describe.each(entries)('%s', (code, { wrong, right, warning = false, found = 'validate' }) => {
  test('is what its wrong example gives, and nothing else', async () => {
    const { found: complaints, text } = await look(code, wrong, found);
    expect(complaints.map((one) => one.code)).toEqual([code]);
    const [only] = complaints;
    expect(only?.severity).toBe(warning ? 'warning' : 'error');
    expect(only?.span ?? { line: 1 }, 'the place').toBeDefined();
    const lines = text.split('\n').length;
    if (only?.file.endsWith('pipeline.yaml') === true)
      expect(only.span?.endLine ?? 1).toBeLessThanOrEqual(lines);
  });

  test('is not what its right example gives', async () => {
    // Nothing answers at the address of an example, which is no fault of its file.
    const { found: complaints } = await look(code, right, found);
    expect(complaints.filter((one) => one.code !== undefined)).toEqual([]);
  });
});
