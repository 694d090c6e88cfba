// Consent to the service that a pipeline file names: by content, outside the repository, and easy to take back.
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { run } from '../../../src/features/run/run.ts';
import { distrust, trust, trustedFiles } from '../../../src/features/trust/trust.ts';
import { loadPipeline } from '../../../src/language/load/load.ts';
import { parsePipeline } from '../../../src/language/load/parse.ts';
import { Refusal, renderProblem, resultOf } from '../../../src/language/load/refusal.ts';
import { chooseTarget, type TargetOptions } from '../../../src/service-api/target.ts';

const key = 'sk-The-Very-Secret-Key-4711';
const stranger = 'https://stranger.example/api';
const text = (service = stranger): string =>
  `pipeline: p\nservice: ${service}\nsteps: { a: { uses: upload, with: { file: a.png } } }\n`;

let root = '';
let file = '';
let env: Readonly<Record<string, string>> = {};
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'shotlist-trust-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  mkdirSync(join(root, 'repository'));
  file = join(root, 'repository', 'p.yaml');
  writeFileSync(file, text());
  env = { SHOTLIST_API_KEY: key, XDG_STATE_HOME: join(root, 'state') };
});

const consents = (): string => join(root, 'state', 'shotlist', 'trusted');
/** `rehearsal`, `hosted <address>`, or what the problem says. */
function chosen(options: TargetOptions = {}, more: Readonly<Record<string, string>> = {}): string {
  const parsed = parsePipeline(file);
  const target = resultOf(() => chooseTarget(options, parsed, { ...env, ...more }));
  if (!target.ok) return renderProblem(target.error);
  return target.value.kind === 'rehearsal' ? 'rehearsal' : `hosted ${target.value.address}`;
}

function trusted(): void {
  trust(file, { env });
}

describe('the service that a pipeline file names', () => {
  test('gets no key without consent: the place, the host and the cures are named', () => {
    const said = chosen();
    expect(said).toContain(
      `p.yaml:2:10: error SL704: the pipeline file names the service ${stranger}`,
    );
    expect(said).toContain('you have not agreed to send your API key there');
    expect(said).toContain('> 2 | service: https://stranger.example/api');
    for (const cure of [`shotlist trust ${file}`, '--service', 'SHOTLIST_BASE_URL', '--rehearse'])
      expect(said).toContain(cure);
    expect(said).not.toContain(key);
  });

  test('gets it once the file is trusted', () => {
    trusted();
    expect(chosen()).toBe(`hosted ${stranger}`);
  });

  test.each<readonly [string, string]>([
    ['a comment', `${text()}# x\n`],
    ['a line end', text().replaceAll('\n', '\r\n')],
    ['the service', text('https://stranger.example/other')],
    ['a step', text().replace('a.png', 'b.png')],
    ['a byte order mark', `\ufeff${text()}`],
  ])('loses it when %s changes, and gets it back with the old content', (_, changed) => {
    trusted();
    writeFileSync(file, changed);
    expect(chosen()).toContain('the file has changed since you trusted it');
    writeFileSync(file, text());
    expect(chosen()).toBe(`hosted ${stranger}`);
  });

  test('on this machine needs consent too: another program may listen there', () => {
    writeFileSync(file, text('http://127.0.0.1:9'));
    expect(chosen()).toContain('you have not agreed');
  });

  test('is the same file through a link, or copied elsewhere', () => {
    trusted();
    const original = file;
    file = join(root, 'link.yaml');
    symlinkSync(original, file);
    expect(chosen()).toBe(`hosted ${stranger}`);
    writeFileSync(original, `${text()}#\n`);
    expect(chosen()).toContain('has changed since you trusted it');
    writeFileSync(original, text());
    file = join(root, 'copy.yaml');
    copyFileSync(original, file);
    expect(chosen()).toBe(`hosted ${stranger}`);
  });

  test('is not asked about when the user gives an address, which counts', () => {
    expect(chosen({ service: stranger })).toBe(`hosted ${stranger}`);
    expect(chosen({ service: 'https://mine.example' })).toBe('hosted https://mine.example');
    expect(chosen({}, { SHOTLIST_BASE_URL: 'https://mine.example' })).toBe(
      'hosted https://mine.example',
    );
    expect(chosen({ rehearse: true })).toBe('rehearsal');
    expect(chosen({ hosted: true })).toContain('you have not agreed');
  });

  test('changes nothing while there is no key', () => {
    expect(chosen({}, { SHOTLIST_API_KEY: '' })).toContain('there is no API key');
  });

  test('is shown in Punycode, so that look-alikes are seen', () => {
    writeFileSync(file, text('https://аpple.example'));
    expect(chosen()).toContain('the service https://xn--pple-43d.example, and you have not agreed');
    expect(trust(file, { env }).address).toBe('https://xn--pple-43d.example');
  });

  test('gets no key from a program that uses the library, either', async () => {
    const loaded = await loadPipeline(file);
    const ran = await resultOf(() => run(loaded, { env }));
    expect(ran.ok ? '' : renderProblem(ran.error)).toContain('you have not agreed');
  });

  test('is decided by the bytes that were parsed, whatever the file holds by now', () => {
    const before = parsePipeline(file);
    writeFileSync(file, text('https://good.example'));
    trusted();
    expect(() => chooseTarget({}, before, env)).toThrow(Refusal);
    expect(chosen()).toBe('hosted https://good.example');
  });
});

describe('a consent', () => {
  test('is a file of the user alone, outside the repository, without the key', () => {
    trusted();
    const [name = ''] = readdirSync(consents());
    expect(readdirSync(consents())).toHaveLength(1);
    expect(name).toMatch(/^[0-9a-f]{64}\.json$/);
    expect(statSync(join(consents(), name)).mode & 0o777).toBe(0o600);
    expect(statSync(consents()).mode & 0o777).toBe(0o700);
    expect(JSON.parse(readFileSync(join(consents(), name), 'utf8'))).toMatchObject({
      address: stranger,
    });
    expect(readFileSync(join(consents(), name), 'utf8')).not.toContain(key);
    expect(readdirSync(join(root, 'repository'))).toEqual(['p.yaml']);
  });

  test('is listed, and taken back by the name of the file: also of one that changed or is gone', () => {
    trusted();
    expect(trustedFiles({ env })).toMatchObject([{ address: stranger, file }]);
    writeFileSync(file, `${text()}#\n`);
    trusted();
    rmSync(file);
    expect(distrust(file, { env })).toMatchObject([{ file }, { file }]);
    expect(trustedFiles({ env })).toMatchObject([]);
    writeFileSync(file, text());
    expect(chosen()).toContain('you have not agreed');
    expect(distrust(file, { env })).toMatchObject([]);
  });

  test.each([
    ['nothing', ''],
    ['something else', '"yes"'],
    ['another address', JSON.stringify({ address: 'https://x.example', file: '/f', date: 'd' })],
  ])('that holds %s is none', (_, content) => {
    trusted();
    const [name = ''] = readdirSync(consents());
    writeFileSync(join(consents(), name), content);
    expect(chosen()).toContain('the pipeline file names the service');
  });

  test('is not asked for a file without a service, and not given to an address that no key may go to', () => {
    writeFileSync(file, text().replace(/service.*\n/, ''));
    const none = resultOf(() => trust(file, { env }));
    expect(none.ok ? '' : renderProblem(none.error)).toContain(
      'names no service, no hook and no bucket',
    );
    for (const wrong of ['http://stranger.example', 'https://user:secret@stranger.example']) {
      writeFileSync(file, text(wrong));
      expect(() => trust(file, { env })).toThrow(Refusal);
    }
    expect(trustedFiles({ env })).toEqual([]);
  });

  test('covers only what the file asked for, and shows all of it', () => {
    const more =
      'on_finish: { command: [./a, "b c"] }\non_doubt: { webhook: "https://h.example/x" }\noutputs: { store: "s3://bucket/p" }\n';
    writeFileSync(file, more + text().replace(/service.*\n/, ''));
    expect(trust(file, { env })).toMatchObject({
      ...{ grants: ['hooks', 'store'], places: { [file]: { './a': '' } } },
      onFinish: { kind: 'command', command: ['./a', 'b c'] },
      onDoubt: { kind: 'webhook', address: 'https://h.example/x' },
      store: 's3://bucket/p',
    });
    const [listed] = trustedFiles({ env });
    expect(listed).not.toHaveProperty('address');
    expect(distrust(file, { env })).toMatchObject([{ grants: ['hooks', 'store'] }]);
  });

  test('for a folder that keeps results is not asked for', () => {
    writeFileSync(file, `outputs: { store: ../kept }\n${text().replace(/service.*\n/, '')}`);
    expect(() => trust(file, { env })).toThrow(Refusal);
  });

  test('that cannot be kept because a file is in the way is trouble of the system', () => {
    writeFileSync(join(root, 'state'), '');
    expect(() => trust(file, { env })).toThrow(
      expect.objectContaining({ problem: expect.objectContaining({ reason: 'system' }) }),
    );
  });
});
