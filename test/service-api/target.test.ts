// Which service a run speaks to: a hosted one, with an address and a key, or a rehearsal. Never a mixture.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { trust } from '../../src/features/trust/trust.ts';
import { parsePipeline } from '../../src/language/load/parse.ts';
import { renderProblem, resultOf } from '../../src/language/load/refusal.ts';
import { chooseTarget, type TargetOptions } from '../../src/service-api/target.ts';

const key = 'sk-The-Very-Secret-Key-4711';
const address = 'https://media.example/api';

type Env = Readonly<Record<string, string | undefined>>;

interface Given {
  readonly options?: TargetOptions;
  /** `service:` of the pipeline file, which the user trusts. */
  readonly pipeline?: string;
  readonly env?: Env;
}

/** `rehearsal`, `hosted <address>`, or what the problem says. */
function chosen({ options = {}, pipeline, env = {} }: Given): string {
  const folder = mkdtempSync(join(tmpdir(), 'shotlist-target-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'p.yaml');
  const service = pipeline === undefined ? '' : `service: "${pipeline}"\n`;
  writeFileSync(
    file,
    `pipeline: p\n${service}steps: { a: { uses: upload, with: { file: a.png } } }\n`,
  );
  const parsed = parsePipeline(file);
  const user = { ...env, XDG_STATE_HOME: join(folder, 'user') };
  // An address that is wrong cannot be trusted.
  if (pipeline !== undefined) resultOf(() => trust(file, { env: user }));
  const target = resultOf(() => chooseTarget(options, parsed, user));
  if (!target.ok) {
    const text = renderProblem(target.error);
    expect(text).not.toContain(key);
    return text;
  }
  if (target.value.kind === 'rehearsal') return 'rehearsal';
  expect(target.value.key).toBe(key);
  return `hosted ${target.value.address}`;
}

function keyFile(content: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'shotlist-key-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'key'), content);
  return join(folder, 'key');
}

const withKey: Env = { SHOTLIST_API_KEY: key };
const withBoth: Env = { SHOTLIST_API_KEY: key, SHOTLIST_BASE_URL: address };

describe('the target is', () => {
  test.each<readonly [string, Given, string]>([
    ['nothing is set', {}, 'rehearsal'],
    [
      'empty variables are set',
      { env: { SHOTLIST_API_KEY: '', SHOTLIST_BASE_URL: '', SHOTLIST_API_KEY_FILE: '' } },
      'rehearsal',
    ],
    ['key and address are set', { env: withBoth }, `hosted ${address}`],
    ['a key, and --service', { options: { service: address }, env: withKey }, `hosted ${address}`],
    [
      'a key, and the pipeline has a service',
      { pipeline: address, env: withKey },
      `hosted ${address}`,
    ],
    [
      'all but --service, and --rehearse',
      { options: { rehearse: true }, pipeline: address, env: withBoth },
      'rehearsal',
    ],
    ['nothing, and --rehearse', { options: { rehearse: true } }, 'rehearsal'],
    [
      'key and address, and --hosted',
      { options: { hosted: true }, env: withBoth },
      `hosted ${address}`,
    ],
  ])('when %s: %j → %s', (_, given, expected) => {
    expect(chosen(given)).toBe(expected);
  });

  test('the address of the command line before that of the environment before that of the pipeline', () => {
    const env = { SHOTLIST_API_KEY: key, SHOTLIST_BASE_URL: 'https://env.example' };
    const pipeline = 'https://pipeline.example';
    expect(chosen({ options: { service: 'https://flag.example' }, pipeline, env })).toBe(
      'hosted https://flag.example',
    );
    expect(chosen({ pipeline, env })).toBe('hosted https://env.example');
    expect(chosen({ pipeline, env: withKey })).toBe('hosted https://pipeline.example');
  });

  test('an address without its last slashes', () => {
    expect(chosen({ options: { service: `${address}//` }, env: withKey })).toBe(
      `hosted ${address}`,
    );
    expect(chosen({ options: { service: 'https://media.example' }, env: withKey })).toBe(
      'hosted https://media.example',
    );
  });
});

describe('a mixture is refused', () => {
  test.each<readonly [string, Given, string]>([
    ['a key without an address', { env: withKey }, 'no service address'],
    [
      'a key without an address, with --hosted',
      { options: { hosted: true }, env: withKey },
      'no service address',
    ],
    ['an address without a key', { env: { SHOTLIST_BASE_URL: address } }, 'there is no API key'],
    ['--service without a key', { options: { service: address } }, 'there is no API key'],
    ['a service in the pipeline without a key', { pipeline: address }, 'there is no API key'],
    [
      '--hosted with nothing',
      { options: { hosted: true } },
      '--hosted: there is no service to run against',
    ],
    [
      '--hosted with --rehearse',
      { options: { hosted: true, rehearse: true }, env: withBoth },
      'exclude each other',
    ],
  ])('%s', (_, given, why) => {
    expect(chosen(given)).toContain(why);
  });

  test('with a word about what to do', () => {
    expect(chosen({ env: withKey })).toContain('--rehearse');
    expect(chosen({ pipeline: address })).toContain('SHOTLIST_API_KEY');
  });
});

describe('a key', () => {
  test('may stand in a file, with white space around it', () => {
    expect(
      chosen({ env: { SHOTLIST_API_KEY_FILE: keyFile(`  ${key}\n`), SHOTLIST_BASE_URL: address } }),
    ).toBe(`hosted ${address}`);
  });

  test('of the environment comes before that of a file', () => {
    expect(chosen({ env: { ...withBoth, SHOTLIST_API_KEY_FILE: '/nowhere/key' } })).toBe(
      `hosted ${address}`,
    );
  });

  test('file that is not there, or is a folder, is a problem that names it', () => {
    expect(
      chosen({ env: { SHOTLIST_API_KEY_FILE: '/nowhere/key', SHOTLIST_BASE_URL: address } }),
    ).toContain('/nowhere/key (SHOTLIST_API_KEY_FILE) does not exist');
    expect(
      chosen({ env: { SHOTLIST_API_KEY_FILE: tmpdir(), SHOTLIST_BASE_URL: address } }),
    ).toContain('is a folder');
  });

  test('file is not even read for a rehearsal that was asked for', () => {
    expect(
      chosen({ options: { rehearse: true }, env: { SHOTLIST_API_KEY_FILE: '/nowhere/key' } }),
    ).toBe('rehearsal');
  });

  test.each([
    ` ${key}`,
    `${key}\n`,
    `${key} more`,
    `${key}\u0000`,
    `${key}ä`,
    `${key}\r\nx-header: y`,
  ])('that cannot stand in a header is refused without being shown: %j', (bad) => {
    expect(chosen({ env: { SHOTLIST_API_KEY: bad, SHOTLIST_BASE_URL: address } })).toContain(
      'SHOTLIST_API_KEY holds no valid API key',
    );
  });

  test.each(['', '\n', `${key}\n${key}`])(
    'file that holds %j is refused without being shown',
    (content) => {
      const file = keyFile(content);
      expect(
        chosen({ env: { SHOTLIST_API_KEY_FILE: file, SHOTLIST_BASE_URL: address } }),
      ).toContain(`the file ${file} holds no valid API key`);
    },
  );
});

describe('an address', () => {
  test.each([
    'http://media.example',
    'http://10.0.0.1:8080',
    'http://localhost.evil.example',
    'http://127.0.0.1.nip.io',
    'http://[::2]/',
  ])('%s would send the key unencrypted, and is refused', (wrong) => {
    expect(chosen({ options: { service: wrong }, env: withKey })).toContain(
      'the API key would be sent unencrypted\n  use https://',
    );
  });

  test.each(['http://localhost:8080', 'http://127.0.0.1:9', 'http://[::1]:9'])(
    '%s stays on this machine, and is fine',
    (local) => {
      expect(chosen({ options: { service: local }, env: withKey })).toBe(`hosted ${local}`);
    },
  );

  test.each(['https://', 'ftp://media.example', 'file:///etc'])('%j is not valid', (wrong) => {
    expect(chosen({ options: { service: wrong }, env: withKey })).toBe(
      `shotlist: error: the service's address "${wrong}" is not valid\n  write the full address, such as https://api.example.com`,
    );
  });

  test.each([
    ['localhost:3000', 'write http://localhost:3000'],
    ['127.0.0.1:80/api', 'write http://127.0.0.1:80/api'],
    ['[::1]:9', 'write http://[::1]:9'],
    ['media.example', 'write https://media.example'],
    ['media.example:8080', 'write https://media.example:8080'],
    ['', 'write the full address, such as https://api.example.com'],
    ['not an address', 'write the full address, such as https://api.example.com'],
  ])('%j lacks its scheme, and is told with it', (wrong, hint) => {
    expect(chosen({ options: { service: wrong }, env: withKey })).toBe(
      `shotlist: error: the service's address ${JSON.stringify(wrong)} does not begin with https://\n  ${hint}`,
    );
  });

  test.each([
    `user:${key}@media.example`,
    `media.example?key=${key}`,
    `ftp://media.example?${key}`,
  ])('that is not valid and may hold a password is not shown: %s', (wrong) => {
    expect(chosen({ options: { service: wrong }, env: withKey })).toMatch(/address|password/);
  });

  test('with a fragment, which no request would carry, is refused', () => {
    expect(chosen({ options: { service: `${address}#x` }, env: withKey })).toContain(
      'a query or a fragment',
    );
  });

  test('and --rehearse exclude each other', () => {
    const options = { rehearse: true, service: 'http://localhost:1' };
    expect(chosen({ options })).toContain('--rehearse and --service http://localhost:1 exclude');
  });

  test.each([
    `https://user:${key}@media.example`,
    `https://${key}@media.example`,
    `https://media.example/?key=${key}`,
    `https://media.example/#${key}`,
    'https://media.example/api#',
    'https://media.example/api?',
    'http://127.0.0.1:9#@evil.example',
  ])(
    'with a user, a password, a query or a fragment is refused without being shown: %s',
    (wrong) => {
      expect(chosen({ options: { service: wrong }, env: withKey })).toContain(
        'must not hold a user, a password, a query or a fragment',
      );
      expect(chosen({ pipeline: wrong })).not.toBe('rehearsal');
    },
  );
});
