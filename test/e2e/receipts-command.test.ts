// shotlist receipts: what was paid for is listed, goes from one machine to another, comes back from a state file or a
// damaged database, and is forgotten only on purpose.
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import { exportHeaderText, receiptText } from '../../src/features/receipts/receipt-line.ts';
import type { Receipt } from '../../src/state/receipts/receipt.ts';
import { ReceiptStore } from '../../src/state/receipts/receipt-store.ts';
import { envOf, ownReceipts, photoRig, Rig, service } from '../rig.ts';
import { longTest } from '../sweep.ts';

/** A folder of receipts as another machine has it. */
function otherMachine(): { readonly SHOTLIST_RECEIPTS: string } {
  const folder = mkdtempSync(join(tmpdir(), 'shotlist-other-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return { SHOTLIST_RECEIPTS: folder };
}

const databaseOf = ({ SHOTLIST_RECEIPTS: folder = '' }: Readonly<Record<string, string>>): string =>
  join(folder, 'receipts.db');

/** The receipts of `count` made-up creations; the later ones are younger. */
function madeUp(count: number, more: Partial<Receipt['line']> = {}): readonly Receipt[] {
  return Array.from({ length: count }, (_, index) => ({
    service: 'https://service.example',
    source: {
      folder: '/shops',
      pipeline: 'shop',
      state: '/shops/shop.state.jsonl',
      branch: 'main',
    },
    saved: [],
    line: {
      ...{
        job: index.toString(16).padStart(64, '0'),
        kind: 'ai-image-generator',
        state: 'complete',
      },
      ...{ tasks: [`make:${index}`], attempt: 1, name: `made up #${index}`, project: `p${index}` },
      at: new Date(Date.UTC(2026, 0, 1) + index * 86_400_000).toISOString(),
      credits: 5,
      ...more,
    } as Receipt['line'],
  }));
}

function fill(env: Readonly<Record<string, string>>, receipts: readonly Receipt[]): void {
  const store = new ReceiptStore({
    ...{ file: databaseOf(env), now: Date.now },
    onWarning: (message) => expect.fail(message),
  });
  store.add(receipts);
  store.close();
}

const rows = (env: Readonly<Record<string, string>>, sql: string): readonly unknown[] => {
  const database = new DatabaseSync(databaseOf(env), { readOnly: true });
  try {
    return database.prepare(sql).all();
  } finally {
    database.close();
  }
};

const json = async (
  rig: Rig,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  // biome-ignore lint/suspicious/noExplicitAny: JSON of many shapes
): Promise<any> => {
  const { code, stdout, stderr } = await rig.command(['receipts', ...args, '--json'], env);
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout);
};

describe('shotlist receipts', () => {
  test('lists the payments of a run, and takes them to another machine, where a lost state file is adopted from them', async () => {
    const rig = await photoRig(2);
    const host = await service();
    const env = envOf(host);
    await rig.run(host);
    const charged = host.ledger().length;
    const list = await json(rig, [], env);
    expect(list).toMatchObject({
      file: databaseOf(env),
      totals: { receipts: 2, credits: 20, detections: 2 },
    });
    expect(list.receipts).toMatchObject(
      [1, 2].map(() => ({
        ...{ credits: 10, tool: 'face-swap-photo', state: 'deleted', pipeline: 'pipeline.yaml' },
        ...{ folder: rig.folder, files: [{ bytes: expect.any(Number) }] },
      })),
    );
    const { stdout } = await rig.command(['receipts', '--pipeline', rig.file, '--limit', '1'], env);
    expect(stdout).toMatch(
      / 10 {2}face-swap-photo {2}swap:\w+\.png.* {2}done, 1 file, project deleted {2}pipeline\.yaml, in \//,
    );
    expect(stdout).toMatch(
      /^2 receipts, 20 credits, and 2 free face detections in \/.*receipts\.db \(\d+ kB\)$/m,
    );

    const file = rig.path('receipts.jsonl');
    expect(await json(rig, ['--export', file], env)).toEqual({ file, receipts: 4 });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const text = readFileSync(file, 'utf8');
    expect(text).not.toContain(host.key);
    expect(text).not.toMatch(/signature|https?:\/\/[^"]*\?/i);

    const other = { ...env, ...otherMachine() };
    const imported = { file, kind: 'export', read: 4, changed: 0, unreadable: 0 };
    expect(await json(rig, ['--import', file], other)).toEqual({ ...imported, added: 4 });
    expect(await json(rig, ['--import', file], other)).toEqual({ ...imported, added: 0 });
    // Hashes of accounts mean nothing under another salt.
    const accounts = "SELECT DISTINCT account IS NULL AS unknown FROM creation WHERE name <> ''";
    expect([rows(env, accounts), rows(other, accounts)]).toEqual([
      ...[[{ unknown: 0 }], [{ unknown: 1 }]],
    ]);
    for (const name of ['photos.state.jsonl', '.shotlist'])
      rmSync(rig.path(name), { recursive: true, force: true });
    expect((await rig.run(host, {}, {}, other)).summary.outcome).toBe('done');
    expect(host.ledger()).toHaveLength(charged);
  });

  test('imports a state file: what it knows is not bought again when it is lost', async () => {
    const rig = await photoRig(2);
    const host = await service();
    await rig.run(host);
    const env = { ...envOf(host), ...otherMachine() };
    const file = rig.path('photos.state.jsonl');
    const charged = host.ledger().length;
    expect(await json(rig, ['--import', file], env)).toMatchObject({
      kind: 'state',
      read: 4,
      added: 4,
    });
    rmSync(file);
    expect((await rig.run(host, {}, {}, env)).summary.outcome).toBe('done');
    expect(host.ledger()).toHaveLength(charged);
  });

  test('a rehearsal has receipts of its own, beside it', async () => {
    const rig = await photoRig(1);
    await rig.command(['run', rig.file, '--rehearse']);
    const own = await json(rig, ['--rehearse', '--pipeline', rig.file], ownReceipts());
    expect(own.totals.receipts).toBe(1);
    expect(own.file).toBe(rig.privatePath('rehearsal/photos/receipts.db'));
    expect(await json(rig, [], ownReceipts())).toMatchObject({ bytes: 0, totals: { receipts: 0 } });
  });

  test('an import changes nothing but what went on: no payment is undone, no request under way is freed', async () => {
    const rig = new Rig('');
    const env = otherMachine();
    const [paid, sent, doubt, made] = madeUp(4);
    if (!paid || !sent || !doubt || !made) throw new Error('four');
    const as = (one: Receipt, line: Partial<Receipt['line']>): Receipt => ({
      ...one,
      line: { ...one.line, ...line },
    });
    fill(env, [paid, as(doubt, { state: 'doubt' }), as(made, { state: 'created' })]);
    const store = new ReceiptStore({
      file: databaseOf(env),
      now: Date.now,
      onWarning: expect.fail,
    });
    store.claim({ ...as(sent, { state: 'intended' }), holder: 'somebody' }, () => undefined);
    store.close();
    const saved = { index: 0, task: 'save', path: '/out/a.png', bytes: 1, sha256: '0'.repeat(64) };
    const lines = [
      as(paid, { state: 'failed', credits: 0 }),
      as(made, { state: 'failed', credits: 0 }),
      as(doubt, { state: 'failed', credits: 0 }),
      as(sent, { state: 'intended' }),
      { ...as(doubt, { state: 'complete' }), saved: [saved] },
    ];
    rig.write('all.jsonl', [exportHeaderText(undefined), ...lines.map(receiptText)].join('\n'));
    expect(await json(rig, ['--import', 'all.jsonl'], env)).toMatchObject({ added: 0, changed: 1 });
    expect(rows(env, 'SELECT state, holder FROM creation ORDER BY id')).toEqual([
      { state: 'complete', holder: null },
      { state: 'complete', holder: null },
      { state: 'created', holder: null },
      { state: 'intended', holder: 'somebody' },
    ]);
  });

  test('brings back from a damaged database what can be read', async () => {
    const rig = new Rig('');
    const [old, env] = [otherMachine(), otherMachine()];
    fill(old, madeUp(400));
    const bytes = readFileSync(databaseOf(old));
    const pageBytes = bytes.readUInt16BE(16);
    // Two pages of the table: the first receipts are on the first one.
    for (const number of [40, 300]) {
      const at = bytes.indexOf(`made up #${number}"`);
      bytes.fill(0xa5, at - (at % pageBytes), at - (at % pageBytes) + pageBytes);
    }
    rig.write('receipts.db.damaged', bytes);
    const { read, added, unreadable } = await json(rig, ['--import', 'receipts.db.damaged'], env);
    expect([read + unreadable, read - added]).toEqual([400, 0]);
    expect([read > 350, unreadable > 5]).toEqual([true, true]);
    expect(rig.files('.').filter((name) => name.includes('damaged'))).toEqual([
      'receipts.db.damaged',
    ]);
    const { stdout } = await rig.command(['receipts', '--import', 'receipts.db.damaged'], env);
    expect(stdout).toMatch(/: 0 new\.\n\d+ rows could not be read/);
  });

  test('forgets what is older than a day, after a yes', async () => {
    const rig = new Rig('');
    const env = otherMachine();
    fill(env, madeUp(10));
    const forget = ['--forget', '--before', '2026-01-04'];
    expect(await json(rig, forget, env)).toMatchObject({ receipts: 3, removed: false });
    expect(await json(rig, [...forget, '--yes'], env)).toMatchObject({
      receipts: 3,
      removed: true,
    });
    const left = await json(rig, ['--limit', '50'], env);
    expect(left.receipts.map(({ tasks }: { tasks: string[] }) => tasks[0])).toEqual(
      [9, 8, 7, 6, 5, 4, 3].map((number) => `make:${number}`),
    );
    expect(await json(rig, [...forget, '--yes'], env)).toMatchObject({
      receipts: 0,
      removed: false,
    });
  });

  test('shows nothing that a terminal would obey, whatever an import brought', async () => {
    const rig = new Rig('');
    const env = otherMachine();
    const evil = '\u001b[2Jmake\u202e:1\n';
    const [one] = madeUp(1, { tasks: [evil] });
    if (one === undefined) throw new Error('one');
    const source = { ...one.source, pipeline: evil, branch: evil };
    rig.write('evil.jsonl', `${exportHeaderText(undefined)}\n${receiptText({ ...one, source })}\n`);
    await json(rig, ['--import', 'evil.jsonl'], env);
    const { stdout } = await rig.command(['receipts'], env);
    expect(stdout.trimEnd().split('\n')).toHaveLength(3);
    expect(stdout).toContain('\\u{1b}[2Jmake\\u{202e}:1\\n');
  });

  const good = `${exportHeaderText(undefined)}\n${madeUp(2).map(receiptText).join('\n')}\n`;
  /** More than are written at once. */
  const long = `${exportHeaderText(undefined)}\n${madeUp(600).map(receiptText).join('\n')}\n`;
  const wrongly = (from: string | RegExp, to: string): string => good.replace(from, to);
  // Files that are absent or of another kind, and flags without their others: test/transcripts/receipts.txt.
  const refused: readonly (readonly [args: string, content: string | undefined, says: RegExp])[] = [
    ['--import given', wrongly('"receipts":1', '"receipts":2'), /line 1: .*receipts/],
    ['--import given', wrongly(/\}\n$/, '\n'), /line 3: it is not JSON/],
    ['--import given', `${long}not JSON`, /line 602: it is not JSON/],
    ['--import given', wrongly('"complete"', '"paid"'), /line 2: .*state/],
    ['--import given', wrongly('"/shops"', '"shops"'), /line 2: .*folder/],
    ['--import given', wrongly(/"at":"[^"]*"/, '"at":"soon"'), /line 2: its time is no time/],
    ['--import given', wrongly('"credits":5', '"credits":-5'), /line 2: .*credits/],
    ['--import given', wrongly('https://service.example', 'rehearsal'), /is of a rehearsal/],
    ['--import given', '{"shotlist":3}\n', /the first line is not a header|given:1/],
    ['--import given', 'SQLite format 3\0 and no more', /cannot be read|no receipts/],
    ['--import link', good, /it is a link/],
    ['--import folder', undefined, /not a regular file/],
    ['--export nowhere/file', undefined, /nowhere\/file: error: the file does not exist/],
    ['--export a --import b', undefined, /cannot be used with/],
    ['--export a --forget', undefined, /cannot be used with/],
    ['--limit 3 --forget', undefined, /cannot be used with/],
    ['--before 2026-01-01', undefined, /--forget and --before <date> belong together/],
    ['--yes', undefined, /--yes belongs to --forget/],
    ['--forget --yes --before 2026-02-31', undefined, /--before 2026-02-31 is no date/],
    ['--rehearse --pipeline absent.yaml', undefined, /absent\.yaml/],
    [
      '--import given --pipeline absent.yaml',
      '{"shotlist":3,"pipeline":"p","service":"s"}\n',
      /absent\.yaml/,
    ],
  ];
  test('what cannot be done is refused, and changes nothing', async () => {
    const rig = new Rig('');
    const env = otherMachine();
    fill(env, madeUp(1, { tasks: ['kept'] }));
    mkdirSync(rig.path('folder'));
    symlinkSync(rig.path('given'), rig.path('link'));
    for (const [index, [args, content, says]] of refused.entries()) {
      const where = `${index}: ${args}`;
      if (content !== undefined) rig.write('given', content);
      const { code, stderr } = await rig.command(['receipts', ...args.split(' ')], env);
      expect([code, stderr], where).toEqual([2, expect.stringMatching(says)]);
      const all = rows(env, 'SELECT line FROM creation');
      expect(all, where).toEqual([{ line: expect.stringContaining('kept') }]);
      if (content !== undefined) expect(rig.read('given'), where).toBe(content);
    }
    expect((await json(rig, [], env)).totals.receipts).toBe(1);
  });

  longTest('a database with numbers that nobody can count is read as far as possible', async () => {
    const rig = new Rig('');
    const [old, env] = [otherMachine(), otherMachine()];
    const saved = [{ index: 0, task: 'save', path: '/a.png', bytes: 7, sha256: '0'.repeat(64) }];
    fill(
      old,
      madeUp(3).map((one) => ({ ...one, saved })),
    );
    const database = new DatabaseSync(databaseOf(old), { enableForeignKeyConstraints: false });
    database.exec('UPDATE saved SET bytes = 1 << 62 WHERE creation = 1');
    database.exec('UPDATE creation SET id = 1 << 62 WHERE id = 3');
    database.close();
    const imported = await json(rig, ['--import', databaseOf(old)], env);
    expect(imported).toMatchObject({ read: 2, added: 2, unreadable: 1 });
    const kept =
      'SELECT count(DISTINCT creation.id) AS paid, count(idx) AS files FROM creation LEFT JOIN saved ON creation = id';
    expect(rows(env, kept)).toEqual([{ paid: 2, files: 1 }]);
  });

  test('a database with views in place of tables is refused, and so is the one in use', async () => {
    const rig = new Rig('');
    const env = otherMachine();
    fill(env, madeUp(1));
    const planted = new DatabaseSync(rig.path('planted.db'));
    planted.exec(
      'CREATE VIEW creation AS SELECT 1 AS id; CREATE TABLE source (id); CREATE TABLE saved (id); CREATE TABLE about (name)',
    );
    planted.close();
    linkSync(databaseOf(env), rig.path('same'));
    for (const [file, says] of [
      ['planted.db', /it has no receipts/],
      [databaseOf(env), /the receipts that are in use/],
    ] as const) {
      const { code, stderr } = await rig.command(['receipts', '--import', file], env);
      expect([code, stderr]).toEqual([2, expect.stringMatching(says)]);
    }
  });

  test('says it if the receipts cannot be used', async () => {
    const rig = new Rig('');
    const env = otherMachine();
    writeFileSync(
      databaseOf(env),
      'no database at all, and long enough to be looked at as one'.repeat(20),
      { mode: 0o600 },
    );
    const { code, stderr } = await rig.command(['receipts'], env);
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/receipts\.db\) cannot be used \(file is not a database\)/),
    ]);
    rig.write('all.jsonl', good);
    const imported = await rig.command(['receipts', '--import', 'all.jsonl'], env);
    expect([imported.code, imported.stderr]).toEqual([
      0,
      expect.stringContaining('were damaged and are set aside'),
    ]);
    expect(existsSync(databaseOf(env))).toBe(true);
    expect((await json(rig, [], env)).totals.receipts).toBe(2);
  });
});
